import { execFileSync } from 'child_process';
import { join } from 'path';
import { BundleServer, buildBundle } from '../support/bundle-server';
import { Authority } from '../support/certificates';
import { EXAMPLES_DIR, exampleObjects } from '../support/examples';
import { call, eventually } from '../support/http';
import { Pod } from '../support/pod';
import { OPA, requireProgram } from '../support/programs';

beforeAll(() => requireProgram(OPA));

test('the real OPA of example opa-daemonset answers by its bundle', async () => {
  const objects = exampleObjects('opa-daemonset');
  const server = await BundleServer.start();
  const pod = await Pod.start(objects, { programs: { '/opa': OPA }, urls: { 'https://bundles.example.com': server.url } });
  try {
    await eventually('started', () => pod.startup());
    expect(await pod.ready()).toBe(false);
    server.bundles['/authz.tar.gz'] = buildBundle({
      '.manifest': JSON.stringify({ roots: ['authz'] }), 'authz.rego': 'package authz\ndefault allow := false\nallow if input.user == "alice"\n',
    });
    await pod.untilReady(60);
    const ask = async (user: string) => (await call({ port: pod.port('http'), path: '/v1/data/authz/allow', body: { input: { user } } })).json.result;
    expect([await ask('alice'), await ask('mallory')]).toEqual([true, false]);
    await eventually('decisions are logged', async () => pod.log.includes('"decision_id"'));
  } finally {
    await pod.clean();
    await server.stop();
  }
});

describe('the real OPA of example opa-deployment', () => {
  test('passes the tests beside its policies', () => {
    expect(execFileSync(OPA, ['test', join(EXAMPLES_DIR, 'opa-deployment', 'policies')]).toString()).toContain('PASS: 3/3');
  });

  test('answers clients with a certificate, and no others', async () => {
    const authority = await Authority.create('internal-ca');
    const { cert, key } = await authority.issue('opa', ['opa.authz.svc']);
    const secrets = { 'opa-tls': { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.cert } };
    const pod = await Pod.start(exampleObjects('opa-deployment'), { programs: { '/opa': OPA }, secrets }, 'opa-default');
    try {
      await pod.untilReady();
      const tls = { ca: authority.cert, servername: 'opa.authz.svc' };
      const client = { ...tls, ...await authority.issue('client') };
      const ask = async (user: string, action: string, shown = client) =>
        (await call({ port: pod.port('http'), path: '/v1/data/authz/allow', body: { input: { user, action, resource: 'report' } }, tls: shown })).json.result;
      expect([await ask('alice', 'write'), await ask('bob', 'write'), await ask('bob', 'read')]).toEqual([true, false, true]);
      await expect(ask('alice', 'write', tls as typeof client)).rejects.toThrow();
    } finally {
      await pod.clean();
    }
  });
});
