import { Testing } from 'cdk8s';
import { ReconciledCaches } from './main';
import { withoutProgram } from '../../test/support/reconciler-program';

test('the manifests are those of the last release, whatever the program in them', () => {
  expect(withoutProgram(Testing.synth(new ReconciledCaches(Testing.app(), 'caches')))).toMatchSnapshot();
});
