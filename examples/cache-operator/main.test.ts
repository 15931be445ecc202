import { Testing } from 'cdk8s';
import { OperatedCaches } from './main';

test('the manifests are those of the last release', () => {
  expect(Testing.synth(new OperatedCaches(Testing.app(), 'caches'))).toMatchSnapshot();
});
