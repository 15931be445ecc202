import { generateKeyPairSync } from 'crypto';
import { mkdtempSync, rmSync, statSync, unlinkSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { Duration } from 'cdk8s';
import {
  Acknowledgement, AgentAccess, AgentTls, ClientCertificates, OpaAuthorization, OpaEngine, OpaEngineProps, OpaLogLevel,
  PolicyAgentProps, PolicyFiles, SocketDirectory,
} from '../../lib';
import { BundleServer, buildBundle } from '../support/bundle-server';
import { Authority } from '../support/certificates';
import { Answer, call, eventually } from '../support/http';
import { Pod } from '../support/pod';
import { OPA, requireProgram } from '../support/programs';
import { agentObjects, secretValue } from '../support/synth';

const REGO = `package authz

default allow := false

allow if input.user in data.authz.admins
`;
const ADMINS = JSON.stringify({ authz: { admins: ['alice'] } });
const INLINE = { 'authz.rego': REGO, 'data.json': ADMINS };
const manifest = (...roots: string[]) => JSON.stringify({ roots });
/** OPA polls at least once a second in these tests. */
const FAST = { pollingMin: Duration.seconds(1), pollingMax: Duration.seconds(1) };

let bundles: BundleServer;
const pods: Pod[] = [];

beforeAll(async () => {
  requireProgram(OPA);
  bundles = await BundleServer.start();
});
afterEach(async () => {
  await Promise.all(pods.splice(0).map(async (pod) => pod.clean()));
  Object.keys(bundles.bundles).forEach((path) => delete bundles.bundles[path]);
  bundles.posts.length = 0;
  bundles.token = undefined;
});
afterAll(async () => bundles.stop());

type Secrets = Record<string, Record<string, string>>;

/** Starts the real OPA exactly as synthesised. */
async function start(engine: OpaEngineProps, props: Partial<PolicyAgentProps> = {}, secrets: Secrets = {}): Promise<Pod> {
  const pod = await Pod.start(agentObjects({ ...props, engine: new OpaEngine(engine) }), { programs: { '/opa': OPA }, secrets });
  pods.push(pod);
  return pod;
}

function bundle(overrides: Partial<NonNullable<OpaEngineProps['bundles']>[string]> = {}) {
  return { authz: { url: `${bundles.url}/authz.tar.gz`, roots: ['authz'], ...FAST, ...overrides } };
}

function serve(files: Record<string, string>, extraArgs?: string[]) {
  bundles.bundles['/authz.tar.gz'] = buildBundle(files, extraArgs);
}

const ask = async (pod: Pod, user: string, more: Partial<Parameters<typeof call>[0]> = {}): Promise<Answer> =>
  call({ port: pod.port('http'), path: '/v1/data/authz/allow', body: { input: { user } }, ...more });

async function expectDecisions(pod: Pod, more: Partial<Parameters<typeof call>[0]> = {}) {
  expect((await ask(pod, 'alice', more)).json.result).toBe(true);
  expect((await ask(pod, 'mallory', more)).json.result).toBe(false);
}

const WRITES = [
  { method: 'PUT', path: '/v1/policies/evil', body: 'package evil\nallow := true' },
  { method: 'PUT', path: '/v1/policies/authz.rego', body: 'package authz\nallow := true' },
  { method: 'DELETE', path: '/v1/policies/authz.rego' },
  { method: 'PUT', path: '/v1/data/authz/admins', body: ['mallory'] },
  { method: 'PUT', path: '/v1/data/elsewhere', body: {} },
  { method: 'PATCH', path: '/v1/data/authz/admins', body: [{ op: 'add', path: '-', value: 'mallory' }] },
  { method: 'DELETE', path: '/v1/data/authz/admins' },
];
const READS = [
  { path: '/v1/data' },
  { path: '/v1/data/authz' },
  { path: '/v1/data/authz/admins' },
  { path: '/v1/data', body: {} },
  { path: '/v1/policies' },
  { path: '/v1/query?q=data.authz.admins%3Dx' },
  { path: '/v1/query', body: { query: 'data.authz.admins = x' } },
  { path: '/v1/compile', body: { query: 'data.authz.allow == true' } },
  { path: '/v1/config' },
  { path: '/v1/status' },
  { path: '/', body: { user: 'alice' } },
  { path: '/v1/data/authz/allow?explain=full', body: { input: { user: 'alice' } } },
];

async function statuses(pod: Pod, requests: { method?: string; path: string; body?: unknown }[]): Promise<number[]> {
  return Promise.all(requests.map(async (request) => (await call({ port: pod.port('http'), ...request })).status));
}

async function expectClosed(pod: Pod) {
  expect(await statuses(pod, WRITES)).toEqual(WRITES.map(() => 401));
  expect(await statuses(pod, READS)).toEqual(READS.map(() => 401));
  expect((await call({ port: pod.port('http'), path: '/health' })).status).toBe(200);
  expect((await call({ port: pod.port('http'), path: '/metrics' })).status).toBe(200);
  await expectDecisions(pod);
}

describe('policies', () => {
  test('inline Rego and data decide', async () => {
    const pod = await start({ policies: [PolicyFiles.inline(INLINE)], decisions: ['authz/allow'] });
    await pod.untilReady();
    expect(await pod.live()).toBe(true);
    await expectDecisions(pod);
  });

  test('a bundle decides, and the agent is alive but not ready before it is there', async () => {
    const pod = await start({ bundles: bundle(), decisions: ['authz/allow'] });
    await eventually('started', () => pod.startup());
    expect(await pod.live()).toBe(true);
    expect(await pod.ready()).toBe(false);
    expect((await ask(pod, 'alice')).json.result).toBeUndefined();
    serve({ '.manifest': manifest('authz'), ...INLINE });
    await pod.untilReady();
    await expectDecisions(pod);
  });

  test('inline Rego lives on beside a bundle with disjoint roots', async () => {
    serve({ '.manifest': manifest('authz'), ...INLINE });
    const pod = await start({
      bundles: bundle(),
      policies: [PolicyFiles.inline({ 'extra.rego': 'package extra\nallow := input.user == "bob"\n' })],
      decisions: ['authz/allow', 'extra/allow'],
    });
    await pod.untilReady();
    await expectDecisions(pod);
    expect((await ask(pod, 'bob', { path: '/v1/data/extra/allow' })).json.result).toBe(true);
  });

  test('a discovery bundle configures OPA, which waits for the bundles that it names', async () => {
    serve({ '.manifest': manifest('authz'), ...INLINE });
    const pod = await start({
      discovery: { url: `${bundles.url}/discovery.tar.gz`, roots: ['authz', 'config'], decision: 'config', ...FAST },
      decisions: ['authz/allow'],
    });
    await eventually('started', () => pod.startup());
    expect(await pod.ready()).toBe(false);
    const config = { bundles: { authz: { service: 'discovery', resource: 'authz.tar.gz', polling: { min_delay_seconds: 1, max_delay_seconds: 1 } } } };
    bundles.bundles['/discovery.tar.gz'] = buildBundle({ '.manifest': manifest('config'), 'config/data.json': JSON.stringify(config) });
    await pod.untilReady();
    await expectClosed(pod);
  });

  test('a kept bundle answers after a restart while the server is down', async () => {
    serve({ '.manifest': manifest('authz'), ...INLINE });
    const pod = await start({ bundles: bundle({ persist: true }), decisions: ['authz/allow'] }, { shutdownWait: Duration.seconds(0) });
    await pod.untilReady();
    await pod.stop();
    delete bundles.bundles['/authz.tar.gz'];
    pod.restart();
    await pod.untilReady();
    await expectDecisions(pod);
  });

  test('bundles are fetched with the token of the Secret, which may change', async () => {
    serve({ '.manifest': manifest('authz'), ...INLINE });
    bundles.token = 'first';
    const pod = await start(
      { bundles: bundle({ bearerTokenSecret: { secretName: 'bundle-token', key: 'token' } }), decisions: ['authz/allow'] }, {},
      { 'bundle-token': { token: 'first' } },
    );
    await pod.untilReady();
    bundles.token = 'second';
    pod.updateSecret('bundle-token', { token: 'second' });
    serve({ '.manifest': manifest('authz'), 'authz.rego': 'package authz\nallow := true\n' });
    await eventually('the new bundle counts', async () => (await ask(pod, 'mallory')).json.result === true);
  });

  test.each([
    ['signed with the key', true],
    ['unsigned', false],
  ])('of bundles that must be signed, one that is %s is activated: %s', async (_, signed) => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048, publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    const folder = mkdtempSync(join(tmpdir(), 'key-'));
    writeFileSync(join(folder, 'key.pem'), privateKey);
    serve({ '.manifest': manifest('authz'), ...INLINE }, signed ? ['--signing-key', join(folder, 'key.pem')] : []);
    rmSync(folder, { recursive: true });
    const pod = await start({ bundles: bundle({ signing: { keyId: 'release', publicKey } }), decisions: ['authz/allow'] });
    if (signed) {
      await pod.untilReady();
      await expectDecisions(pod);
    } else {
      await eventually('refused', async () => pod.log.includes('verification') || pod.log.includes('signature'));
      expect(await pod.ready()).toBe(false);
    }
  });
});

describe('closed by default', () => {
  test('with inline Rego, nothing changes or reads policies and data', async () => {
    const pod = await start({ policies: [PolicyFiles.inline(INLINE)], decisions: ['authz/allow'] });
    await pod.untilReady();
    await expectClosed(pod);
  });

  test('with a bundle of stated roots, nothing changes or reads policies and data, before and after activation', async () => {
    const pod = await start({ bundles: bundle(), decisions: ['authz/allow'] });
    await eventually('started', () => pod.startup());
    expect(await statuses(pod, [...WRITES, ...READS])).toEqual([...WRITES, ...READS].map(() => 401));
    serve({ '.manifest': manifest('authz'), ...INLINE });
    await pod.untilReady();
    await expectClosed(pod);
  });

  test('a bundle that owns more than it was said to own closes the agent instead of opening it', async () => {
    serve(INLINE);
    const pod = await start({ bundles: bundle(), decisions: ['authz/allow'] });
    await eventually('closed', async () => (await ask(pod, 'alice')).status === 500);
    expect(await statuses(pod, [...WRITES, ...READS])).toEqual([...WRITES, ...READS].map(() => 500));
    // Only a restart brings the erased policy back.
    expect(await pod.live()).toBe(false);
    expect(await pod.ready()).toBe(false);
  });

  test('with an own policy in the bundle, all is refused before activation, and the policy decides after it', async () => {
    const own = `package system.authz
default allow := false
allow if input.path == ["health"]
allow if { input.method == "POST"; input.path == ["v1", "data", "authz", "allow"] }
`;
    const pod = await start({ bundles: bundle({ roots: [''] }), authorization: OpaAuthorization.OWN_POLICY });
    await eventually('started', () => pod.startup());
    expect(await pod.live()).toBe(true);
    expect(await statuses(pod, [...WRITES, ...READS])).toEqual([...WRITES, ...READS].map(() => 500));
    serve({ ...INLINE, 'own.rego': own });
    await pod.untilReady();
    expect(await pod.live()).toBe(true);
    expect(await statuses(pod, WRITES)).toEqual(WRITES.map(() => 401));
    await expectDecisions(pod);
  });

  describe("with a bundle that owns everything (roots [''])", () => {
    test('writes are refused once it is active', async () => {
      serve(INLINE);
      const pod = await start({ bundles: bundle({ roots: [''] }) });
      await pod.untilReady();
      expect((await statuses(pod, WRITES)).filter((status) => status < 400)).toEqual([]);
      await expectDecisions(pod);
    });

    test('hole 1: before its first activation anyone may write', async () => {
      const pod = await start({ bundles: bundle({ roots: [''] }) });
      await eventually('started', () => pod.startup());
      expect((await call({ port: pod.port('http'), ...WRITES[1] })).status).toBe(200);
      expect((await ask(pod, 'mallory')).json.result).toBe(true);
    });

    test('hole 2: what a bundle with narrower roots does not own, anyone may write', async () => {
      serve({ '.manifest': manifest('authz/allow'), 'authz.rego': 'package authz.allow\nresult if input.user in data.users.admins\n' });
      const pod = await start({ bundles: bundle({ roots: [''] }) });
      await pod.untilReady();
      const write = { method: 'PUT', path: '/v1/data/users', body: { admins: ['mallory'] } };
      expect((await call({ port: pod.port('http'), ...write })).status).toBe(204);
      expect((await ask(pod, 'mallory', { path: '/v1/data/authz/allow/result' })).json.result).toBe(true);
    });

    test('reads stay open, those of variables included', async () => {
      serve(INLINE);
      const pod = await start({ bundles: bundle({ roots: [''] }) });
      await pod.untilReady();
      expect((await call({ port: pod.port('http'), path: '/v1/data/authz/admins' })).json.result).toEqual(['alice']);
      const variables = await call({ port: pod.port('http'), path: '/v1/query', body: { query: 'x := opa.runtime().env' } });
      expect(variables.json.result[0].x).toMatchObject({ NODE_NAME: 'node-1' });
    });
  });

  test('opting out by name opens the API', async () => {
    const pod = await start({ policies: [PolicyFiles.inline(INLINE)], authorization: OpaAuthorization.OFF });
    await pod.untilReady();
    expect((await call({ port: pod.port('http'), path: '/v1/data/authz/admins' })).json.result).toEqual(['alice']);
  });

  test('the diagnostic port answers health and metrics, nothing else', async () => {
    const pod = await start({ policies: [PolicyFiles.inline(INLINE)], authorization: OpaAuthorization.OFF });
    await pod.untilReady();
    const port = pod.port('diagnostics');
    expect((await call({ port, path: '/metrics' })).text).toContain('go_goroutines');
    for (const request of [...WRITES, ...READS]) expect((await call({ port, ...request })).status).toBe(404);
  });
});

describe('clients', () => {
  test('without the token of the Secret get no decision', async () => {
    const pod = await start(
      { policies: [PolicyFiles.inline(INLINE)], decisions: ['authz/allow'], clientTokenSecret: { secretName: 'opa-clients', key: 'token' } }, {},
      { 'opa-clients': { token: 's3cret\n' } },
    );
    await pod.untilReady();
    expect((await ask(pod, 'alice')).status).toBe(401);
    expect((await ask(pod, 'alice', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    await expectDecisions(pod, { headers: { authorization: 'Bearer s3cret' } });
  });

  test('get no decision either where the token of the Secret is empty', async () => {
    const pod = await start(
      { policies: [PolicyFiles.inline(INLINE)], decisions: ['authz/allow'], clientTokenSecret: { secretName: 'opa-clients', key: 'token' } }, {},
      { 'opa-clients': { token: '\n' } },
    );
    await pod.untilReady();
    for (const authorization of ['Bearer ', 'Bearer', '']) expect((await ask(pod, 'alice', { headers: { authorization } })).status).toBe(401);
  });

  test('verify the certificate of the Secret, and see a new one without a restart', async () => {
    const authority = await Authority.create('authority');
    const secretOf = async (name: string) => {
      const { cert, key } = await authority.issue(name, [name]);
      return { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.cert };
    };
    const pod = await start(
      { policies: [PolicyFiles.inline(INLINE)], decisions: ['authz/allow'] }, { tls: AgentTls.fromSecret('agent-tls') },
      { 'agent-tls': await secretOf('agent.authz.svc') },
    );
    await pod.untilReady();
    const tls = { ca: authority.cert, servername: 'agent.authz.svc' };
    await expectDecisions(pod, { tls });
    await expect(ask(pod, 'alice', { tls: { ...tls, servername: 'other' } })).rejects.toThrow();
    expect((await ask(pod, 'alice')).status).toBe(400);

    pod.updateSecret('agent-tls', await secretOf('renewed.authz.svc'));
    await eventually('renewed', async () => (await ask(pod, 'alice', { tls: { ...tls, servername: 'renewed.authz.svc' } })).status === 200, 90);
  });

  test('without a certificate are refused when one is required, while probes pass and no plain listener stands beside', async () => {
    const [authority, other] = [await Authority.create('authority'), await Authority.create('other')];
    const server = await authority.issue('agent', ['agent.authz.svc']);
    const objects = { policies: [PolicyFiles.inline(INLINE)], decisions: ['authz/allow'] };
    const pod = await start(
      objects, { tls: AgentTls.fromSecret('agent-tls', { clientCertificates: ClientCertificates.REQUIRED, clientCaSecret: 'clients-ca' }) },
      { 'agent-tls': { 'tls.crt': server.cert, 'tls.key': server.key }, 'clients-ca': { 'ca.crt': authority.cert } },
    );
    await pod.untilReady();
    expect(await pod.live()).toBe(true);
    const tls = { ca: authority.cert, servername: 'agent.authz.svc' };
    await expectDecisions(pod, { tls: { ...tls, ...await authority.issue('client') } });
    await expect(ask(pod, 'alice', { tls })).rejects.toThrow();
    await expect(ask(pod, 'alice', { tls: { ...tls, ...await other.issue('client') } })).rejects.toThrow();
    expect((await ask(pod, 'alice')).status).toBe(400);

    pod.updateSecret('clients-ca', { 'ca.crt': other.cert });
    const client = await other.issue('client');
    await eventually('the new authority counts', async () => (await ask(pod, 'alice', { tls: { ...tls, ...client } })).status === 200, 30);
  });
});

describe('a Unix socket', () => {
  const access = [AgentAccess.unixSocket({ mode: '0660', directory: SocketDirectory.prepared() })];
  const engine = { policies: [PolicyFiles.inline(INLINE)], decisions: ['authz/allow'] };

  test('answers with the stated mode, and is the only listener when it is the only way', async () => {
    const pod = await start(engine, { access });
    await pod.untilReady();
    const socketPath = pod.path('/run/opa/authz/agent/opa.sock');
    await expectDecisions(pod, { port: undefined, socketPath });
    // eslint-disable-next-line no-bitwise
    expect(statSync(socketPath).mode & 0o777).toBe(0o660);
    expect(pod.log).not.toContain(':8181');
    expect(pod.port('http')).toBeUndefined();
  });

  test('fails the probes once it is gone, and comes back with a restart', async () => {
    const pod = await start(engine, { access, shutdownWait: Duration.seconds(0) });
    await pod.untilReady();
    unlinkSync(pod.path('/run/opa/authz/agent/opa.sock'));
    expect(await pod.live()).toBe(false);
    expect(await pod.ready()).toBe(false);
    await pod.stop();
    pod.restart();
    await pod.untilReady();
  });

  test('is ready only when the bundle is there', async () => {
    const pod = await start({ bundles: bundle(), decisions: ['authz/allow'] }, { access });
    await eventually('started', () => pod.startup());
    expect(await pod.live()).toBe(true);
    expect(await pod.ready()).toBe(false);
    serve({ '.manifest': manifest('authz'), ...INLINE });
    await pod.untilReady();
  });

  test('needs no client certificate, which is why it must be acknowledged beside them', async () => {
    const authority = await Authority.create('authority');
    const { cert, key } = await authority.issue('agent', ['agent.authz.svc']);
    const pod = await start(engine, {
      access: [AgentAccess.service(), ...access],
      tls: AgentTls.fromSecret('agent-tls', { clientCertificates: ClientCertificates.REQUIRED }),
      acknowledge: [Acknowledgement.SOCKET_BESIDE_CLIENT_CERTIFICATES],
    }, { 'agent-tls': { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.cert } });
    await pod.untilReady();
    await expectDecisions(pod, { port: undefined, socketPath: pod.path('/run/opa/authz/agent/opa.sock') });
  });
});

describe('operations', () => {
  test('everything that can be set is understood by OPA', async () => {
    serve({ '.manifest': manifest('authz'), ...INLINE }, ['--signing-key', 'shared', '--signing-alg', 'HS256']);
    bundles.token = 'token';
    const authority = await Authority.create('authority');
    const remote = {
      headers: { 'x-team': 'authz' },
      responseHeaderTimeout: Duration.seconds(5),
      bearerTokenSecret: { secretName: 'remote', key: 'token' },
      caSecret: { secretName: 'remote', key: 'ca' },
    };
    const pod = await start({
      bundles: bundle({
        ...remote,
        persist: true,
        sizeLimitBytes: 100_000,
        pollingMin: undefined,
        signing: { keyId: 'default', secretKey: secretValue('remote', 'key') },
      }),
      policies: [PolicyFiles.inline({ 'mask.rego': 'package system.log\nmine contains "/input/user"\n' })],
      decisions: ['authz/allow'],
      clientTokenSecret: { secretName: 'remote', key: 'token' },
      decisionLogs: {
        console: true,
        remote: { ...remote, url: `${bundles.url}/logs` },
        uploadMax: Duration.seconds(1),
        maxDecisionsPerSecond: 10,
        maskDecision: '/system/log/mine',
      },
      status: { console: true, remote: { ...remote, url: bundles.url } },
      config: { caching: { inter_query_builtin_cache: { max_size_bytes: 1000 } } },
      logLevel: OpaLogLevel.DEBUG,
      extraArgs: ['--max-errors=3'],
    }, {}, { remote: { token: 'token', ca: authority.cert, key: 'shared' } });
    await pod.untilReady();
    await expectDecisions(pod, { headers: { authorization: 'Bearer token' } });
    await eventually('decision', async () => bundles.posts.some(({ path }) => path === '/logs'));
    const [decision] = bundles.posts.find(({ path }) => path === '/logs')!.json;
    expect(decision).toMatchObject({ path: 'authz/allow', erased: ['/input/user'] });
    expect(bundles.posts[0].headers).toMatchObject({ 'x-team': 'authz', 'authorization': 'Bearer token' });
  });

  test('decisions and status go to the remote, with node and pod', async () => {
    const pod = await start({
      policies: [PolicyFiles.inline(INLINE)],
      decisions: ['authz/allow'],
      decisionLogs: { remote: { url: `${bundles.url}/take/logs` }, uploadMax: Duration.seconds(1) },
      status: { remote: { url: `${bundles.url}/take` } },
      labels: { region: 'north' },
    });
    await pod.untilReady();
    await ask(pod, 'alice');
    const labels = { instance: 'agent', node: 'node-1', pod: 'pod-1', region: 'north' };
    await eventually('status', async () => bundles.posts.some(({ path }) => path === '/take/status'));
    await eventually('decision', async () => bundles.posts.some(({ path }) => path === '/take/logs'));
    const [decision] = bundles.posts.find(({ path }) => path === '/take/logs')!.json;
    expect(decision).toMatchObject({ path: 'authz/allow', result: true, labels });
  });

  test('an agent that is told to stop goes on answering for shutdownWait, then ends by itself', async () => {
    const pod = await start({ policies: [PolicyFiles.inline(INLINE)], decisions: ['authz/allow'] }, { shutdownWait: Duration.seconds(2) });
    await pod.untilReady();
    const told = Date.now();
    const stopped = pod.stop();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await expectDecisions(pod);
    expect(await stopped).toBe(0);
    expect(Date.now() - told).toBeGreaterThanOrEqual(2000);
  });

  test('a broken configuration ends the process instead of running half', async () => {
    const pod = await start({ policies: [PolicyFiles.inline({ 'authz.rego': 'package authz\nallow if {' })], decisions: ['authz/allow'] });
    expect(await pod.exited()).not.toBe(0);
  });
});
