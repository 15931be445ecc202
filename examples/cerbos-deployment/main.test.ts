import { Testing } from 'cdk8s';
import { CerbosReplicas } from './main';

test('the manifests are those of the last release', () => {
  expect(Testing.synth(new CerbosReplicas(Testing.app(), 'cerbos'))).toMatchSnapshot();
});
