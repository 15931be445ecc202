import { Testing } from 'cdk8s';
import { CachesWithClients } from './main';

test('the manifests are those of the last release', () => {
  expect(Testing.synth(new CachesWithClients(Testing.app(), 'caches'))).toMatchSnapshot();
});
