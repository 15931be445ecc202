import { Testing } from 'cdk8s';
import { HelmAppNearOpa } from './main';

test('the manifests are those of the last release', () => {
  expect(Testing.synth(new HelmAppNearOpa(Testing.app(), 'shop'))).toMatchSnapshot();
});
