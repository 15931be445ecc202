import { Testing } from 'cdk8s';
import { CerbosOnEveryNode } from './main';

test('the manifests are those of the last release', () => {
  expect(Testing.synth(new CerbosOnEveryNode(Testing.app(), 'cerbos'))).toMatchSnapshot();
});
