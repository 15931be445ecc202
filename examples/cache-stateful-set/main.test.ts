import { Testing } from 'cdk8s';
import { PlainCaches } from './main';

test('the manifests are those of the last release', () => {
  expect(Testing.synth(new PlainCaches(Testing.app(), 'caches'))).toMatchSnapshot();
});
