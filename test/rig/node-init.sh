#!/bin/bash
# The first process of a node: in network, mount, PID and host name namespaces of its own it sets up what a node has, starts
# the runtime, and then only reaps. When it dies, every process of the node dies with it.
#
# node-init.sh NAME FOLDER BIN: FOLDER holds the node's configuration, its /var and its images.
set -eu
name=$1 folder=$2 export_bin=$3
export PATH=$export_bin:$PATH

hostname "$name"
mount --make-rshared /
mount -t tmpfs -o mode=755 tmpfs /run
mount --bind "$folder/var" /var
mkdir -p /run/lock

until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0

containerd --config "$folder/containerd.toml" </dev/null >>"$folder/containerd.log" 2>&1 &
until [ -S /run/containerd/containerd.sock ] && ctr version >/dev/null 2>&1; do sleep 0.1; done
for image in "$folder"/../images/*.tar; do ctr --namespace k8s.io images import --local "$image" >>"$folder/images.log" 2>&1; done

"$folder/start" kube-proxy
"$folder/start" kubelet
touch "$folder/up"
while :; do wait || true; sleep 1; done
