import { execFileSync } from 'child_process';
import { existsSync } from 'fs';
import { join } from 'path';
import { EXAMPLES_DIR, exampleNames, exampleObjects } from '../support/examples';
import { call } from '../support/http';
import { Pod } from '../support/pod';
import { CERBOS } from '../support/programs';
import { expectStrict } from '../support/strict-schema';

jest.setTimeout(60_000);

describe.each(exampleNames())('example %s', (name) => {
  test('has all that an example has', () => {
    for (const file of ['README.md', 'main.ts', 'main.test.ts', '__snapshots__/main.test.ts.snap']) {
      expect([file, existsSync(join(EXAMPLES_DIR, name, file))]).toEqual([file, true]);
    }
  });

  test('is synthesised by `cdk8s synth` in its folder, and strictly correct', () => {
    const objects = exampleObjects(name);
    expect(objects.length).toBeGreaterThan(0);
    expectStrict(objects);
  });
});

describe.each(['cerbos-deployment', 'cerbos-daemonset-node-socket'])('the real Cerbos of example %s', (name) => {
  const policies = join(EXAMPLES_DIR, name, 'policies');

  test('passes the tests beside its policies', () => {
    expect(execFileSync(CERBOS, ['compile', policies], { stdio: 'pipe' }).toString()).toContain('OK');
  });

  test('answers by them', async () => {
    const pod = await Pod.start(exampleObjects(name), { programs: { '/cerbos': CERBOS } });
    try {
      await pod.untilReady();
      expect(await pod.live()).toBe(true);
      const check = async (id: string, role: string) => {
        const body = { principal: { id, roles: [role] }, resources: [{ resource: { kind: 'expense', id: '1', attr: { owner: 'alice' } }, actions: ['edit', 'approve'] }] };
        return (await call({ port: pod.port('http'), path: '/api/check/resources', body })).json.results[0].actions;
      };
      expect(await check('alice', 'employee')).toEqual({ edit: 'EFFECT_ALLOW', approve: 'EFFECT_DENY' });
      expect(await check('erin', 'finance')).toEqual({ edit: 'EFFECT_DENY', approve: 'EFFECT_ALLOW' });
      expect(await check('mallory', 'employee')).toEqual({ edit: 'EFFECT_DENY', approve: 'EFFECT_DENY' });
    } finally {
      await pod.clean();
    }
  });
});
