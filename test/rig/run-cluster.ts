/** `npm run cluster [NODES]`: the real control plane with fake nodes, to try things on, until Ctrl-C. */
import { ControlPlane } from './control-plane';
import { BIN } from './daemon';
import { addNodes, numberedNodes, startKwok } from './fake-nodes';
import { untilInterrupted } from './until-interrupted';

async function main() {
  const count = Number(process.argv[2] ?? 10);
  await untilInterrupted(async () => ControlPlane.start(), async (plane) => {
    await startKwok(plane);
    await addNodes(plane, numberedNodes(count));
    console.log(`${count} fake nodes are ready. In another shell:\n\n  export KUBECONFIG=${plane.adminKubeconfig} PATH=${BIN}:$PATH\n\nCtrl-C ends it.`);
  });
}

void main();
