/** `npm run nodes [NODES]`: the real control plane with real nodes, to try things on, until Ctrl-C. Needs root. */
import { BIN } from './daemon';
import { NodeCluster } from './node-cluster';
import { untilInterrupted } from './until-interrupted';

async function main() {
  const count = Number(process.argv[2] ?? 3);
  await untilInterrupted(async () => NodeCluster.start(count), async (cluster) => {
    const [node] = cluster.nodes;
    console.log(`${count} nodes are ready, in a network of their own. In another shell, as root:

  ${cluster.prefix.join(' ')} bash
  export KUBECONFIG=${cluster.plane.adminKubeconfig} PATH=${BIN}:$PATH

A shell in node ${node.name}: ${node.prefix.join(' ')} bash

Ctrl-C ends it.`);
  });
}

void main();
