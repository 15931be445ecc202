import { Testing } from 'cdk8s';
import { WebWithCerbos } from './main';

test('the manifests are those of the last release', () => {
  expect(Testing.synth(new WebWithCerbos(Testing.app(), 'web'))).toMatchSnapshot();
});
