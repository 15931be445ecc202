/**
 * Brings what npm packages of the project lack into `.tools/`, pinned and once: what is there and up to date is left
 * alone, so a run that was cut off goes on where it was. Names as arguments bring only those.
 */
import { join } from 'path';
import { debianStep } from './debian';
import { goFilesStep, goStep } from './go';
import { infinispanStep } from './infinispan';
import { npmStep } from './npm';
import { bring, Step, TOOLS } from './step';

const KUBERNETES = 'v1.36.3';

const STEPS: Step[] = [
  npmStep,
  debianStep,
  goStep({ name: 'opa', seconds: 90, programs: { opa: 'github.com/open-policy-agent/opa' } }),
  goStep({ name: 'etcd', seconds: 60, programs: { etcd: 'go.etcd.io/etcd/server/v3' } }),
  goStep({
    name: 'kubernetes',
    seconds: 480,
    programs: Object.fromEntries(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy']
      .map((program) => [program, `k8s.io/kubernetes/cmd/${program}`])),
    // Without these the API server's version cannot be parsed by helm and others.
    variables: {
      'k8s.io/component-base/version.gitVersion': KUBERNETES,
      'k8s.io/component-base/version.gitMajor': '1',
      'k8s.io/component-base/version.gitMinor': '36',
      'k8s.io/client-go/pkg/version.gitVersion': KUBERNETES,
    },
  }),
  goStep({ name: 'kwok', seconds: 120, programs: { kwok: 'sigs.k8s.io/kwok/cmd/kwok' } }),
  // How fake nodes and pods behave: at once.
  goFilesStep('kwok', 'sigs.k8s.io/kwok', [
    'kustomize/stage/node/fast/node-initialize.yaml',
    ...['pod-ready', 'pod-complete', 'pod-delete'].map((stage) => `kustomize/stage/pod/fast/${stage}.yaml`),
  ], join(TOOLS, 'kwok-stages.yaml')),
  goStep({
    name: 'containerd',
    seconds: 100,
    programs: Object.fromEntries(['containerd', 'containerd-shim-runc-v2', 'ctr'].map((program) => [program, `github.com/containerd/containerd/v2/cmd/${program}`])),
    tags: 'no_btrfs,no_devmapper,no_zfs,no_aufs',
    variables: { 'github.com/containerd/containerd/v2/version.Version': '2.4.2' },
  }),
  goStep({
    name: 'cni',
    seconds: 30,
    programs: Object.fromEntries(['main/ptp', 'main/loopback', 'ipam/host-local', 'meta/portmap']
      .map((plugin) => [plugin.split('/')[1], `github.com/containernetworking/plugins/plugins/${plugin}`])),
  }),
  goStep({ name: 'coredns', seconds: 90, programs: { coredns: '.' } }),
  goStep({ name: 'testkit', seconds: 10, programs: { testkit: '.' } }),
  infinispanStep,
];

async function main() {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !STEPS.some((step) => step.name === name));
  if (unknown) throw new Error(`no tool ${unknown}; there are ${STEPS.map(({ name }) => name).join(', ')}`);
  for (const step of STEPS) {
    if (names.length === 0 || names.includes(step.name)) await bring(step);
  }
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
