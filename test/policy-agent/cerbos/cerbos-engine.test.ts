import { Duration } from 'cdk8s';
import { AgentAccess, AgentMetrics, CerbosAudit, CerbosEngineProps, CerbosSchemaEnforcement, CerbosStorage, DeploymentMode, PolicyAgentProps } from '../../../lib';
import { agentObjects, cerbos, find, podTemplate, secretValue } from '../../support/synth';

const objectsOf = (engine: Partial<CerbosEngineProps>, props: Partial<PolicyAgentProps> = {}) => agentObjects({ engine: cerbos(engine), ...props });
const config = (engine: Partial<CerbosEngineProps>, props: Partial<PolicyAgentProps> = {}) =>
  JSON.parse(find(objectsOf(engine, props), 'ConfigMap', 'agent-config').data['.cerbos.yaml']);
const container = (engine: Partial<CerbosEngineProps>) => podTemplate(objectsOf(engine)).spec.containers[0];
const secret = { secretName: 's', key: 'k' };

test('closed, without telemetry, on every address', () => {
  expect(config({})).toEqual({
    server: { httpListenAddr: ':3592', grpcListenAddr: ':3593', apiExplorerEnabled: false, adminAPI: { enabled: false } },
    storage: { driver: 'disk', disk: { directory: '/policies', watchForChanges: false } },
    schema: { enforcement: 'none' },
    telemetry: { disabled: true },
  });
});

test('the mode of a socket is a number, since Cerbos reads a quoted one as 0755', () => {
  const access = [AgentAccess.unixSocket({ group: 2000 })];
  expect(config({}, { deploymentMode: DeploymentMode.DAEMON_SET, access }).server).toMatchObject({
    grpcListenAddr: 'unix:/run/cerbos/authz/agent/cerbos.sock', udsFileMode: 0o660,
  });
});

test('with a socket as the only way, HTTP answers nobody else, and probes go through the socket', () => {
  const props = { deploymentMode: DeploymentMode.DAEMON_SET, access: [AgentAccess.unixSocket()] };
  expect(config({}, props).server.httpListenAddr).toBe('127.0.0.1:3592');
  const [socketOnly] = podTemplate(objectsOf({}, props)).spec.containers;
  expect(socketOnly).not.toHaveProperty('ports');
  for (const probe of [socketOnly.startupProbe, socketOnly.livenessProbe, socketOnly.readinessProbe]) expect(probe.exec.command[1]).toBe('healthcheck');
  expect(podTemplate(objectsOf({}, props)).metadata.annotations).not.toHaveProperty(['prometheus.io/scrape']);
  expect(() => objectsOf({}, { ...props, metrics: AgentMetrics.podMonitor() })).toThrow('metrics are asked for, but engine cerbos serves none that the network can reach');
});

test('everything can be set', () => {
  expect(config({
    schemaEnforcement: CerbosSchemaEnforcement.REJECT,
    audit: CerbosAudit.kafka({ brokers: ['kafka:9092'], topic: 'audit', decisionLogs: false }),
    adminApi: { username: 'root', passwordHashSecret: secret },
    telemetry: true,
    maxConnectionAge: Duration.minutes(2),
    httpPort: 80,
    grpcPort: 81,
    config: { engine: { defaultScope: 'acme' }, server: { cors: { disabled: true } } },
  })).toMatchObject({
    server: {
      httpListenAddr: ':80',
      grpcListenAddr: ':81',
      adminAPI: { enabled: true, adminCredentials: { username: 'root', passwordHash: '${CERBOS_ADMIN_PASSWORD_HASH}' } },
      advanced: { grpc: { maxConnectionAge: '120s' } },
      cors: { disabled: true },
    },
    schema: { enforcement: 'reject' },
    audit: { enabled: true, backend: 'kafka', accessLogsEnabled: true, decisionLogsEnabled: false, kafka: { brokers: ['kafka:9092'], topic: 'audit' } },
    telemetry: { disabled: false },
    engine: { defaultScope: 'acme' },
  });
});

test('a dollar is one, unless it begins a variable', () => {
  const storage = CerbosStorage.git({ url: 'https://g/$p', branch: '${BRANCH}' });
  const environment = { BRANCH: { value: 'main' } as any };
  expect(config({ storage, environment }).storage.git).toMatchObject({ url: 'https://g/$$p', branch: '${BRANCH}' });
});

describe('storage', () => {
  test.each<[string, CerbosStorage, any]>([
    ['git by HTTPS', CerbosStorage.git({ url: 'https://git.example.com/p.git', branch: 'b', subDir: 'd', username: 'bot', passwordSecret: secret, updatePollInterval: Duration.seconds(30) }), {
      driver: 'git',
      git: {
        protocol: 'https',
        url: 'https://git.example.com/p.git',
        branch: 'b',
        subDir: 'd',
        checkoutDir: '/work/git',
        updatePollInterval: '30s',
        https: { username: 'bot', password: '${CERBOS_GIT_PASSWORD}' },
      },
    }],
    ['git by SSH', CerbosStorage.git({ url: 'ssh://git@git.example.com/p.git', sshKeySecret: secret }), {
      driver: 'git', git: { protocol: 'ssh', ssh: { user: 'git', privateKeyFile: '/git/key' } },
    }],
    ['blob', CerbosStorage.blob({ bucket: 'gs://policies', prefix: 'p' }), { driver: 'blob', blob: { bucket: 'gs://policies', prefix: 'p', workDir: '/work/blob', updatePollInterval: '60s' } }],
    ['postgres', CerbosStorage.postgres('postgres://c:${P}@db/c', { maxAttempts: 3 }), { driver: 'postgres', postgres: { url: 'postgres://c:${P}@db/c', connRetry: { maxAttempts: 3 } } }],
    ['mysql', CerbosStorage.mysql('c:${P}@tcp(db:3306)/c'), { driver: 'mysql', mysql: { dsn: 'c:${P}@tcp(db:3306)/c', connRetry: { maxAttempts: 10 } } }],
    ['hub', CerbosStorage.hub({ deploymentId: 'D', clientIdSecret: secret, clientSecretSecret: secret }), {
      driver: 'hub', hub: { remote: { deploymentID: 'D', cacheDir: '/hub/cache', tempDir: '/hub/tmp' } },
    }],
    ['overlay', CerbosStorage.overlay({
      base: CerbosStorage.blob({ bucket: 's3://a' }), fallback: CerbosStorage.git({ url: 'https://g/p.git' }), errorThreshold: 2, errorWindow: Duration.seconds(9),
    }), {
      driver: 'overlay',
      overlay: { baseDriver: 'blob', fallbackDriver: 'git', fallbackErrorThreshold: 2, fallbackErrorWindow: '9s' },
      blob: { bucket: 's3://a', workDir: '/work/blob' },
      git: { url: 'https://g/p.git', checkoutDir: '/work/git' },
    }],
  ])('%s', (_, storage, expected) => {
    expect(config({ storage, environment: { P: secretValue('db', 'password') } }).storage).toMatchObject(expected);
  });

  test('variables that a storage refers to must be set', () => {
    const storage = CerbosStorage.postgres('postgres://c:${P}@db/c?x=${Q:1}');
    expect(() => config({ storage })).toThrow('[test/Agent] the configuration refers to variable P, which is not set: name it in environment');
    const podOverrides = { spec: { containers: [{ name: 'cerbos', envFrom: [{ secretRef: { name: 'db' } }] }] } };
    expect(config({ storage }, { podOverrides }).storage.driver).toBe('postgres');
  });

  test('what a driver writes goes to a volume, since the root file system is read-only', () => {
    const mounts = (storage: CerbosStorage) =>
      container({ storage }).volumeMounts.filter(({ readOnly }: any) => !readOnly).map(({ mountPath }: any) => mountPath);
    expect(mounts(CerbosStorage.git({ url: 'https://g/p.git' }))).toEqual(['/work']);
    expect(mounts(CerbosStorage.blob({ bucket: 's3://a' }))).toEqual(['/work']);
    expect(mounts(CerbosStorage.hub({ deploymentId: 'D', clientIdSecret: secret, clientSecretSecret: secret }))).toEqual(['/hub/cache', '/hub/tmp']);
    expect(mounts(CerbosStorage.overlay({ base: CerbosStorage.blob({ bucket: 's3://a' }), fallback: CerbosStorage.git({ url: 'https://g/p.git' }) }))).toEqual(['/work']);
    expect(container({ audit: CerbosAudit.local() }).volumeMounts).toContainEqual({ name: 'audit', mountPath: '/audit' });
  });

  test('secrets come by variables or files, never as literals', () => {
    const { env } = container({ storage: CerbosStorage.git({ url: 'https://g/p.git', passwordSecret: { secretName: 'git', key: 'token' } }) });
    expect(env).toContainEqual({ name: 'CERBOS_GIT_PASSWORD', valueFrom: { secretKeyRef: { name: 'git', key: 'token' } } });
    const { spec } = podTemplate(objectsOf({ storage: CerbosStorage.git({ url: 'ssh://g/p.git', sshKeySecret: { secretName: 'git', key: 'id' } }) }));
    expect(spec.volumes).toContainEqual({ name: 'git-key', secret: { secretName: 'git', defaultMode: 0o440, items: [{ key: 'id', path: 'key' }] } });
  });

  test('fails', () => {
    expect(() => CerbosStorage.git({ url: 'git@github.com:a/b' })).toThrow('url of the Git repository must begin with https:// or ssh://, given "git@github.com:a/b"');
    expect(() => CerbosStorage.git({ url: 'https://a:b@g/p' })).toThrow('url of the Git repository would put a secret into the manifest');
    expect(() => CerbosStorage.git({ url: 'https://g/p', username: 'bot' })).toThrow('username of the Git repository has no effect without passwordSecret');
    expect(() => CerbosStorage.git({ url: 'ssh://g/p' })).toThrow('a Git repository by ssh:// needs sshKeySecret');
    expect(() => CerbosStorage.git({ url: 'https://g/p', sshKeySecret: secret })).toThrow('a Git repository by https:// takes passwordSecret');
    expect(() => CerbosStorage.blob({ bucket: 'policies' })).toThrow('bucket must be a URL such as s3://policies, given "policies"');
    expect(() => CerbosStorage.postgres('postgres://c:secret@db/c')).toThrow('url of the database would put a secret into the manifest');
    expect(() => CerbosStorage.postgres('mysql://c:secret@db/c')).toThrow('url of the database must begin with postgres://, given "mysql://…@db/c"');
    expect(() => CerbosStorage.mysql('c:secret@tcp(db)/c')).toThrow('dsn of the database would put a secret into the manifest');
    expect(() => CerbosStorage.sqlite3('/etc/x.db')).toThrow('dsn of a SQLite database must begin with :memory: or name a file below /work, given "/etc/x.db"');
    expect(() => objectsOf({ storage: CerbosStorage.sqlite3() })).toThrow('[test/Agent] storage sqlite3 starts empty and is filled through the admin API: give adminApi');
    const git = CerbosStorage.git({ url: 'https://g/p.git' });
    expect(() => objectsOf({ storage: CerbosStorage.overlay({ base: git, fallback: git }) })).toThrow('base and fallback of an overlay must be of different kinds, given git for both');
    expect(() => objectsOf({ audit: CerbosAudit.hub() })).toThrow('[test/Agent] CerbosAudit.hub() needs credentials of Cerbos Hub: use CerbosStorage.hub');
    expect(() => CerbosAudit.kafka({ brokers: [], topic: 't' })).toThrow('brokers of the Kafka audit log must name at least one, given none');
  });
});

describe('raw configuration', () => {
  test.each<[string, any, string]>([
    ['a section that Cerbos would ignore', { storge: {} }, 'config has no section storge, which Cerbos would silently ignore; allowed are audit, auxData,'],
    ['an address', { server: { httpListenAddr: ':1' } }, 'config must not set server.httpListenAddr: it follows from other props'],
    ['TLS', { server: { tls: {} } }, 'config must not set server.tls'],
    ['the admin API', { server: { adminAPI: { enabled: true } } }, 'config must not set server.adminAPI'],
    ['telemetry', { telemetry: { disabled: false } }, 'config must not set telemetry.disabled'],
    ['telemetry, by removing it', { telemetry: null }, 'config must not set telemetry.disabled'],
    ['addresses, by removing them', { server: null }, 'config must not set server.httpListenAddr'],
    ['a limit out of range', { server: { requestLimits: { maxActionsPerResource: 501 } } }, 'requestLimits.maxActionsPerResource must be a whole number from 1 to 500, given 501'],
    ['a secret', { hub: { credentials: { clientSecret: 'abc' } } }, 'config.hub.credentials.clientSecret would put a secret into the manifest'],
    ['no object', 'x', 'config must be an object, given "x"'],
  ])('fails for %s', (_, raw, error) => {
    expect(() => objectsOf({ config: raw })).toThrow(error);
  });
});

test('fails for one port for both protocols, and for variables that the agent sets', () => {
  expect(() => objectsOf({ httpPort: 3593 })).toThrow('[test/Agent] httpPort and grpcPort must differ, given 3593 for both');
  expect(() => cerbos({ environment: { CERBOS_ADMIN_PASSWORD_HASH: secretValue('a', 'b') } })).toThrow('environment must not contain CERBOS_ADMIN_PASSWORD_HASH');
});
