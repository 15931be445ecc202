import { Testing } from 'cdk8s';
import { OpaReplicas } from './main';

test('the manifests are those of the last release', () => {
  expect(Testing.synth(new OpaReplicas(Testing.app(), 'opa'))).toMatchSnapshot();
});
