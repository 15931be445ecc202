import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { CerbosEngine, CerbosStorage, OpaEngine, PolicyFiles } from '../../lib';
import { agentObjects, find, podTemplate } from '../support/synth';

const cerbosWith = (...files: PolicyFiles[]) => agentObjects({ engine: new CerbosEngine({ storage: CerbosStorage.disk(...files) }) });

test('files of folders get a key without slashes and keep their path in the pod', () => {
  const objects = cerbosWith(PolicyFiles.inline({ 'a.yaml': 'a', '_schemas/x.json': '{}' }));
  expect(find(objects, 'ConfigMap', 'agent-policies').data).toEqual({ 'a.yaml': 'a', '_schemas__x.json': '{}' });
  const { sources } = podTemplate(objects).spec.volumes.find(({ name }: any) => name === 'policies').projected;
  expect(sources[0].configMap.items).toEqual([{ key: 'a.yaml', path: 'a.yaml' }, { key: '_schemas__x.json', path: '_schemas/x.json' }]);
});

test('a directory is read at synth, without hidden files and the engine\'s own tests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'policies-'));
  mkdirSync(join(folder, 'sub', 'testdata'), { recursive: true });
  mkdirSync(join(folder, '.git'));
  for (const path of ['a.yaml', 'a_test.yaml', '.hidden', '.git/config', 'sub/b.json', 'sub/testdata/principals.yaml', 'sub/c_test.rego']) {
    writeFileSync(join(folder, path), `# ${path}`);
  }
  const files = PolicyFiles.fromDirectory(folder);
  rmSync(folder, { recursive: true });
  expect(Object.keys(find(cerbosWith(files), 'ConfigMap', 'agent-policies').data).sort()).toEqual(['a.yaml', 'sub__b.json', 'sub__c_test.rego']);
});

test('ConfigMaps that exist are mounted beside inline files', () => {
  const { sources } = podTemplate(cerbosWith(PolicyFiles.inline({ 'a.yaml': 'a' }), PolicyFiles.fromConfigMap('more', { checksum: '1' })))
    .spec.volumes.find(({ name }: any) => name === 'policies').projected;
  expect(sources.map(({ configMap }: any) => configMap.name)).toEqual(['agent-policies', 'more']);
});

test('OPA reads folders and images alike', () => {
  const policies = [PolicyFiles.fromImage('a:1'), PolicyFiles.inline({ 'a.rego': 'package a' }), PolicyFiles.fromImage('b:1')];
  const { args } = podTemplate(agentObjects({ engine: new OpaEngine({ policies, decisions: ['a/b'] }), kubernetesVersion: '1.36' as any })).spec.containers[0];
  expect(args.filter((arg: string) => arg.startsWith('/polic'))).toEqual(['/policy-images/0', '/policy-images/1', '/policies']);
});

describe('fails', () => {
  test('for paths that are no relative paths of plain characters', () => {
    for (const path of ['/a.rego', '../a.rego', 'a/../b.rego', '.hidden.rego', 'a/.b/c.rego', 'a b.rego', 'ä.rego', 'a//b.rego', '']) {
      expect(() => PolicyFiles.inline({ [path]: '' })).toThrow(`path of a policy file must be relative and not hidden, of letters, digits, '-', '_', '.' and '/', given ${JSON.stringify(path)}`);
    }
  });

  test('for nothing', () => {
    expect(() => PolicyFiles.inline({})).toThrow('inline policy files need at least one file, given none');
    expect(() => CerbosStorage.disk()).toThrow('disk storage needs policy files, given none');
    expect(() => PolicyFiles.fromDirectory('/nowhere')).toThrow('directory with policy files /nowhere does not exist');
  });

  test('for tests only, which would leave nothing', () => {
    expect(() => cerbosWith(PolicyFiles.inline({ 'a_test.yaml': '' }))).toThrow('[test/Agent] policy files hold nothing but tests, given a_test.yaml');
  });

  test('for a path that no ConfigMap can hold', () => {
    expect(() => cerbosWith(PolicyFiles.inline({ [`${'a'.repeat(254)}`]: '' }))).toThrow('must have at most 253 characters in a ConfigMap');
  });

  test('for a path that is given twice, or two that share a key', () => {
    expect(() => cerbosWith(PolicyFiles.inline({ 'a.yaml': '1' }), PolicyFiles.inline({ 'a.yaml': '2' }))).toThrow('[test/Agent] policy file a.yaml is given twice');
    expect(() => cerbosWith(PolicyFiles.inline({ 'a/b.yaml': '1', 'a__b.yaml': '2' }))).toThrow('policy file a__b.yaml would take the same ConfigMap key as another one: a__b.yaml');
  });

  test('for Cerbos, which reads one directory, when an image stands beside other files', () => {
    const synth = () => agentObjects({
      engine: new CerbosEngine({ storage: CerbosStorage.disk(PolicyFiles.fromImage('a:1'), PolicyFiles.inline({ 'a.yaml': '1' })) }),
      kubernetesVersion: '1.35' as any,
    });
    expect(synth).toThrow('Cerbos reads policies from one directory: an image with policies cannot be combined with other policy files');
  });
});
