import { Testing } from 'cdk8s';
import { TrinoNearOpa } from './main';

test('the manifests are those of the last release', () => {
  expect(Testing.synth(new TrinoNearOpa(Testing.app(), 'trino'))).toMatchSnapshot();
});
