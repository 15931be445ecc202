import { access } from './access';
import { startClients } from './cluster';
import { lifecycle } from './lifecycle';
import { refusals } from './refusals';
import { rig } from './rig';
import { rollouts } from './rollout';
import { switches } from './switch';
import { NodeCluster } from '../rig/node-cluster';

// One cluster for all, since starting one takes 25 seconds. What breaks nodes comes last.
let cluster: NodeCluster;
beforeAll(async () => {
  cluster = await NodeCluster.start();
  await startClients(cluster);
}, 180_000);
afterAll(async () => cluster?.stop(), 60_000);

describe('the rig', rig);
describe('access', () => access(() => cluster));
describe('a rollout', () => rollouts(() => cluster));
describe('a switch of modes', () => switches(() => cluster));
describe('what is refused', () => refusals(() => cluster));
describe('an agent', () => lifecycle(() => cluster));
