import { Testing } from 'cdk8s';
import { CachesOfATeam } from './main';

test('the manifests are those of the last release', () => {
  expect(Testing.synth(new CachesOfATeam(Testing.app(), 'caches'))).toMatchSnapshot();
});
