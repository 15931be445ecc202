import { Testing } from 'cdk8s';
import { OpaOnEveryNode } from './main';

test('the manifests are those of the last release', () => {
  expect(Testing.synth(new OpaOnEveryNode(Testing.app(), 'opa'))).toMatchSnapshot();
});
