import { execFileSync } from 'child_process';
import { cpSync, mkdtempSync, rmSync, statSync, unlinkSync } from 'fs';
import { createServer } from 'net';
import { tmpdir } from 'os';
import { join } from 'path';
import { GRPC } from '@cerbos/grpc';
import * as bcrypt from 'bcryptjs';
import { Duration } from 'cdk8s';
import {
  AgentAccess, AgentTls, CerbosAudit, CerbosEngine, CerbosEngineProps, CerbosSchemaEnforcement, CerbosStorage, ClientCertificates,
  DeploymentMode, PolicyAgentProps, PolicyFiles, SocketDirectory,
} from '../../lib';
import { Bucket } from '../support/bucket';
import { Authority } from '../support/certificates';
import { call, eventually } from '../support/http';
import { Pod } from '../support/pod';
import { CERBOS } from '../support/programs';
import { agentObjects, secretValue } from '../support/synth';

jest.setTimeout(60_000);

/** Leave requests of derived roles with a schema, and their own tests. */
const POLICIES = join(__dirname, 'cerbos-policies');
const disk = () => CerbosStorage.disk(PolicyFiles.fromDirectory(POLICIES));

const pods: Pod[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(pods.splice(0).map(async (pod) => pod.clean()));
  folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true }));
});

type Secrets = Record<string, Record<string, string>>;

/** Starts the real Cerbos exactly as synthesised. */
async function start(engine: Partial<CerbosEngineProps> = {}, props: Partial<PolicyAgentProps> = {}, secrets: Secrets = {}): Promise<Pod> {
  const objects = agentObjects({ ...props, engine: new CerbosEngine({ storage: disk(), ...engine }) });
  const pod = await Pod.start(objects, { programs: { '/cerbos': CERBOS }, secrets });
  pods.push(pod);
  return pod;
}

function request(principal: string, roles: string[], attr: Record<string, unknown> = { owner: 'alice', status: 'PENDING' }) {
  return { principal: { id: principal, roles }, resources: [{ resource: { kind: 'leave_request', id: '1', attr }, actions: ['view', 'approve'] }] };
}

/** The effects of view and approve, by HTTP. */
async function check(pod: Pod, body: unknown, more: Partial<Parameters<typeof call>[0]> = {}): Promise<string[]> {
  const { json } = await call({ port: pod.port('http'), path: '/api/check/resources', body, ...more });
  const { view, approve } = json.results[0].actions;
  return [view, approve];
}

async function expectDecisions(pod: Pod, more: Partial<Parameters<typeof call>[0]> = {}) {
  expect(await check(pod, request('alice', ['employee']), more)).toEqual(['EFFECT_ALLOW', 'EFFECT_DENY']);
  expect(await check(pod, request('bob', ['employee']), more)).toEqual(['EFFECT_DENY', 'EFFECT_DENY']);
  expect(await check(pod, request('carol', ['manager']), more)).toEqual(['EFFECT_ALLOW', 'EFFECT_ALLOW']);
}

/** The same by gRPC. */
async function checkByGrpc(target: string, tls: ConstructorParameters<typeof GRPC>[1]['tls'] = false): Promise<boolean[]> {
  const client = new GRPC(target, { tls });
  try {
    const resource = { kind: 'leave_request', id: '1', attr: { owner: 'alice', status: 'PENDING' } };
    const result = await client.checkResource({ principal: { id: 'alice', roles: ['employee'] }, resource, actions: ['view', 'approve'] });
    return [result.isAllowed('view') ?? false, result.isAllowed('approve') ?? false];
  } finally {
    client.close();
  }
}

describe('policies', () => {
  test('the policies pass their own tests', () => {
    expect(execFileSync(CERBOS, ['compile', POLICIES], { stdio: 'pipe' }).toString()).toContain('OK');
  });

  test('derived roles decide, by HTTP and by gRPC', async () => {
    const pod = await start();
    await pod.untilReady();
    expect(await pod.live()).toBe(true);
    await expectDecisions(pod);
    expect(await checkByGrpc(`127.0.0.1:${pod.port('grpc')}`)).toEqual([true, false]);
  });

  test('requests that do not fit the schema are denied when enforced', async () => {
    const pod = await start({ schemaEnforcement: CerbosSchemaEnforcement.REJECT });
    await pod.untilReady();
    await expectDecisions(pod);
    expect(await check(pod, request('carol', ['manager'], { owner: 'alice', status: 'LOST' }))).toEqual(['EFFECT_DENY', 'EFFECT_DENY']);
  });

  test('a broken policy ends the process instead of denying everything', async () => {
    const pod = await start({ storage: CerbosStorage.disk(PolicyFiles.inline({ 'broken.yaml': 'apiVersion: api.cerbos.dev/v1\nresourcePolicy: {}\n' })) });
    expect(await pod.exited()).not.toBe(0);
  });
});

describe('closed by default', () => {
  test('nothing changes or reads policies', async () => {
    const pod = await start();
    await pod.untilReady();
    const requests = [
      { path: '/admin/policies' },
      { path: '/admin/policy', body: { policies: [] } },
      { path: '/admin/policy', method: 'PUT', body: { policies: [] } },
      { path: '/admin/store/reload' },
      { path: '/admin/auditlog/list/KIND_DECISION' },
      { path: '/api/playground/validate', body: {} },
      { path: '/' },
    ];
    for (const refused of requests) {
      const headers = { authorization: `Basic ${Buffer.from('cerbos:cerbosAdmin').toString('base64')}` };
      expect([refused.path, (await call({ port: pod.port('http'), headers, ...refused })).status]).toEqual([refused.path, 404]);
    }
    expect((await call({ port: pod.port('http'), path: '/_cerbos/metrics' })).text).toContain('cerbos_dev');
    expect(pod.log).toContain('Telemetry disabled');
  });

  test('the admin API opens by name, with the password of the Secret', async () => {
    const hash = Buffer.from(await bcrypt.hash('s3cret', 4)).toString('base64');
    const pod = await start(
      { storage: CerbosStorage.sqlite3(), adminApi: { username: 'root', passwordHashSecret: { secretName: 'admin', key: 'hash' } } },
      { roleGroups: { default: { replicas: 1 } } }, { admin: { hash } },
    );
    await pod.untilReady();
    const admin = async (path: string, password: string, body?: unknown) => (await call({
      port: pod.port('http'), path, body, headers: { authorization: `Basic ${Buffer.from(`root:${password}`).toString('base64')}` },
    })).status;
    expect(await admin('/admin/policies', 'wrong')).toBe(401);
    expect((await call({ port: pod.port('http'), path: '/admin/policies' })).status).toBe(401);
    expect(await check(pod, request('carol', ['manager']))).toEqual(['EFFECT_DENY', 'EFFECT_DENY']);
    const rules = [{ actions: ['*'], roles: ['manager'], effect: 'EFFECT_ALLOW' }];
    const policy = { apiVersion: 'api.cerbos.dev/v1', resourcePolicy: { resource: 'leave_request', version: 'default', rules } };
    expect(await admin('/admin/policy', 's3cret', { policies: [policy] })).toBe(200);
    // Cerbos takes it up in the background.
    await eventually('the policy decides', async () => (await check(pod, request('carol', ['manager']))).every((effect) => effect === 'EFFECT_ALLOW'));
  });
});

describe('TLS', () => {
  const names = ['agent.authz.svc'];

  test('clients verify the certificate of the Secret, probes speak TLS, and a new certificate counts without a restart', async () => {
    const authority = await Authority.create('authority');
    const secretOf = async (name: string) => {
      const { cert, key } = await authority.issue(name, [name]);
      return { 'tls.crt': cert, 'tls.key': key };
    };
    const pod = await start({}, { tls: AgentTls.fromSecret('agent-tls') }, { 'agent-tls': await secretOf(names[0]) });
    await pod.untilReady();
    expect(await pod.live()).toBe(true);
    const tls = { ca: authority.cert, servername: names[0] };
    await expectDecisions(pod, { tls });
    await expect(check(pod, request('alice', ['employee']), { tls: { ...tls, servername: 'other' } })).rejects.toThrow();

    pod.updateSecret('agent-tls', await secretOf('renewed.authz.svc'));
    await eventually('renewed', async () => check(pod, request('alice', ['employee']), { tls: { ...tls, servername: 'renewed.authz.svc' } }));
  });

  test('a server that fell back to plain text is never ready', async () => {
    const authority = await Authority.create('authority');
    const { cert } = await authority.issue('agent', names);
    const { key } = await authority.issue('other', names);
    const pod = await start({}, { tls: AgentTls.fromSecret('agent-tls') }, { 'agent-tls': { 'tls.crt': cert, 'tls.key': key } });
    await eventually('up, in plain text', async () => (await call({ port: pod.port('http'), path: '/_cerbos/health' })).status === 200);
    expect(await pod.startup()).toBe(false);
    expect(await pod.ready()).toBe(false);
  });

  test('a certificate that is given is verified, but none need be given', async () => {
    const [authority, other] = [await Authority.create('authority'), await Authority.create('other')];
    const { cert, key } = await authority.issue('agent', names);
    const pod = await start(
      {}, { tls: AgentTls.fromSecret('agent-tls', { clientCertificates: ClientCertificates.VERIFY_IF_GIVEN, clientCaSecret: 'clients' }) },
      { 'agent-tls': { 'tls.crt': cert, 'tls.key': key }, 'clients': { 'ca.crt': authority.cert } },
    );
    await pod.untilReady();
    const tls = { ca: authority.cert, servername: names[0] };
    await expectDecisions(pod, { tls });
    await expectDecisions(pod, { tls: { ...tls, ...await authority.issue('client') } });
    await expect(check(pod, request('alice', ['employee']), { tls: { ...tls, ...await other.issue('client') } })).rejects.toThrow();
  });
});

describe('a Unix socket', () => {
  const socket = '/run/cerbos/authz/agent/cerbos.sock';
  const props: Partial<PolicyAgentProps> = {
    deploymentMode: DeploymentMode.DAEMON_SET,
    access: [AgentAccess.service(), AgentAccess.unixSocket({ mode: '0660', directory: SocketDirectory.prepared() })],
  };

  test('answers gRPC with the stated mode, and the HTTP port answers gRPC as well', async () => {
    const pod = await start({}, props);
    await pod.untilReady();
    expect(await pod.live()).toBe(true);
    expect(await checkByGrpc(`unix:${pod.path(socket)}`)).toEqual([true, false]);
    expect(await checkByGrpc(`127.0.0.1:${pod.port('http')}`)).toEqual([true, false]);
    await expectDecisions(pod);
    // eslint-disable-next-line no-bitwise
    expect(statSync(pod.path(socket)).mode & 0o777).toBe(0o660);
  });

  test('is the only listener that others reach when it is the only way', async () => {
    const pod = await start({}, { ...props, access: [AgentAccess.unixSocket({ directory: SocketDirectory.prepared() })] });
    await pod.untilReady();
    expect(await pod.live()).toBe(true);
    expect(await checkByGrpc(`unix:${pod.path(socket)}`)).toEqual([true, false]);
    expect(pod.log).toMatch(/Starting HTTP server at 127\.0\.0\.1:3592/);
  });

  test('fails the liveness probe once it is gone', async () => {
    const pod = await start({}, props);
    await pod.untilReady();
    unlinkSync(pod.path(socket));
    expect(await pod.live()).toBe(false);
  });

  test('is probed through TLS, too', async () => {
    const authority = await Authority.create('authority');
    const { cert, key } = await authority.issue('agent', ['agent.authz.svc']);
    const pod = await start({}, { ...props, tls: AgentTls.fromSecret('agent-tls') }, { 'agent-tls': { 'tls.crt': cert, 'tls.key': key } });
    await pod.untilReady();
    expect(await pod.live()).toBe(true);
  });
});

describe('storage', () => {
  /** A repository with the policies in a folder, by a path: the config turns the address that the construct demands into it. */
  function repository(): string {
    const folder = mkdtempSync(join(tmpdir(), 'repository-'));
    folders.push(folder);
    cpSync(POLICIES, join(folder, 'policies'), { recursive: true });
    const git = (...args: string[]) => execFileSync('git', args, {
      cwd: folder, stdio: 'pipe', env: { ...process.env, GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' },
    });
    git('init', '--initial-branch=release');
    git('add', '.');
    git('commit', '--message=policies');
    return folder;
  }
  const gitStorage = () => CerbosStorage.git({ url: 'https://git.example.com/policies.git', branch: 'release', subDir: 'policies' });
  const gitConfig = (folder: string) => ({ storage: { git: { protocol: 'file', url: folder } } });

  test('a Git repository is checked out and decides', async () => {
    const pod = await start({ storage: gitStorage(), config: gitConfig(repository()) });
    await pod.untilReady();
    await expectDecisions(pod);
  });

  test('an overlay answers from its base, with its fallback loaded', async () => {
    const storage = CerbosStorage.overlay({ base: gitStorage(), fallback: disk() });
    const pod = await start({ storage, config: gitConfig(repository()) });
    await pod.untilReady();
    await expectDecisions(pod);
  });

  test('a bucket is copied and decides', async () => {
    const bucket = await Bucket.start(POLICIES);
    try {
      const pod = await start({
        storage: CerbosStorage.blob({ bucket: `s3://policies?region=north&endpoint=${bucket.url}&use_path_style=true` }),
        environment: { AWS_ACCESS_KEY_ID: secretValue('aws', 'id'), AWS_SECRET_ACCESS_KEY: secretValue('aws', 'secret') },
      }, {}, { aws: { id: 'id', secret: 'secret' } });
      await pod.untilReady();
      await expectDecisions(pod);
    } finally {
      await bucket.stop();
    }
  });

  /** What cannot be reached here must at least be configured as Cerbos understands it: it gets as far as connecting. */
  test.each<[string, CerbosStorage, Partial<CerbosEngineProps>, Secrets, RegExp]>([
    [
      'postgres', CerbosStorage.postgres('postgres://cerbos:${PGPASSWORD}@127.0.0.1:1/cerbos', { maxAttempts: 1 }),
      { environment: { PGPASSWORD: secretValue('db', 'password') } }, { db: { password: 'x' } },
      /user=cerbos database=cerbos.*127\.0\.0\.1:1.*connection refused/,
    ],
    [
      'mysql', CerbosStorage.mysql('cerbos:${MYSQL_PASSWORD}@tcp(127.0.0.1:1)/cerbos', { maxAttempts: 1 }),
      { environment: { MYSQL_PASSWORD: secretValue('db', 'password') } }, { db: { password: 'x' } },
      /dial tcp 127\.0\.0\.1:1: connect: connection refused/,
    ],
    [
      'hub', CerbosStorage.hub({
        deploymentId: 'ABCDEFGHIJKL', clientIdSecret: { secretName: 'hub', key: 'id' }, clientSecretSecret: { secretName: 'hub', key: 'secret' },
      }),
      { audit: CerbosAudit.hub() }, { hub: { id: 'id', secret: 'secret' } },
      /Fetching bootstrap bundle.*deployment:ABCDEFGHIJKL/,
    ],
  ])('%s is configured as Cerbos understands it', async (driver, storage, engine, secrets, connecting) => {
    const pod = await start({ storage, ...engine }, {}, secrets);
    await eventually(`${driver} connects`, async () => connecting.test(pod.log));
  });
});

describe('operations', () => {
  test('decisions are logged to standard output', async () => {
    const pod = await start({ audit: CerbosAudit.stdout({ accessLogs: false }) });
    await pod.untilReady();
    await expectDecisions(pod);
    await eventually('logged', async () => /"log.kind":"decision"/.test(pod.log));
    expect(pod.log).not.toContain('"log.kind":"access"');
  });

  test('decisions are kept in the pod, where the admin API reads them', async () => {
    const hash = Buffer.from(await bcrypt.hash('s3cret', 4)).toString('base64');
    const pod = await start(
      {
        audit: CerbosAudit.local({ retention: Duration.hours(1) }),
        adminApi: { username: 'root', passwordHashSecret: { secretName: 'admin', key: 'hash' } },
        config: { audit: { local: { advanced: { flushInterval: '1s' } } } },
      }, {}, { admin: { hash } },
    );
    await pod.untilReady();
    await expectDecisions(pod);
    const headers = { authorization: `Basic ${Buffer.from('root:s3cret').toString('base64')}` };
    await eventually('kept', async () =>
      (await call({ port: pod.port('http'), path: '/admin/auditlog/list/KIND_DECISION?tail=5', headers })).text.includes('leave_request'));
  });

  test('decisions are sent to the brokers of Kafka', async () => {
    const clients: unknown[] = [];
    const broker = createServer((socket) => clients.push(socket.on('error', () => undefined).destroy()));
    await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = broker.address() as { port: number };
      const pod = await start({ audit: CerbosAudit.kafka({ brokers: [`127.0.0.1:${port}`], topic: 'audit' }) });
      await pod.untilReady();
      void check(pod, request('alice', ['employee'])).catch(() => undefined);
      await eventually('a connection to the broker', async () => clients.length > 0);
    } finally {
      broker.close();
    }
  });

  test('raw configuration is merged, and has its effect', async () => {
    const pod = await start({ maxConnectionAge: Duration.minutes(1), config: { server: { requestLimits: { maxActionsPerResource: 1 } } } });
    await pod.untilReady();
    expect((await call({ port: pod.port('http'), path: '/api/check/resources', body: request('alice', ['employee']) })).status).toBe(400);
  });

  /** Cerbos ignores sections that it does not know, but not keys of those that it does. */
  test.each(['server', 'engine', 'auxData', 'schema', 'compile'])('section %s, which config may hold, is one that Cerbos knows', async (section) => {
    const pod = await start({ config: { [section]: { noSuchKey: 1 } } });
    expect(await pod.exited()).not.toBe(0);
    expect(pod.log).toContain('noSuchKey');
  });

  test('an agent that is told to stop goes on answering for shutdownWait, then ends by itself', async () => {
    const pod = await start({}, { shutdownWait: Duration.seconds(1) });
    await pod.untilReady();
    const stopped = pod.stop();
    await new Promise((resolve) => setTimeout(resolve, 700));
    await expectDecisions(pod);
    expect(await stopped).toBe(0);
  });
});
