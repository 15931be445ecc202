/** What is refused at synth because of the engines: made nevertheless, by a patch, with the real programs. */
import { AgentAccess, CerbosAudit, CerbosEngine, CerbosStorage, DeploymentMode, OpaEngine, PolicyAgentProps, PolicyFiles } from '../../lib';
import { call, eventually } from '../support/http';
import { Pod } from '../support/pod';
import { CERBOS, OPA, requireProgram } from '../support/programs';
import { agentObjects, find, podTemplate, secretValue } from '../support/synth';

const REGO = 'package authz\n\ndefault allow := false\n\nallow if input.user == "alice"\n';
const POLICY = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: document
  version: default
  rules: [{ actions: [view], roles: [user], effect: EFFECT_ALLOW }]
`;
const ADMIN = { username: 'admin', passwordHashSecret: { secretName: 'admin', key: 'hash' } };
const SECRETS = { admin: { hash: 'JDJ5JDEwJE5vUGFzc3dvcmQ=' } };

const inline = () => [PolicyFiles.inline({ 'authz.rego': REGO })];
const disk = () => CerbosStorage.disk(PolicyFiles.inline({ 'document.yaml': POLICY }));
const ask = async (pod: Pod, decision: string) => (await call({ port: pod.port('http'), path: `/v1/data/${decision}`, body: { input: { user: 'alice' } } })).json;

const pods: Pod[] = [];

beforeAll(() => requireProgram(OPA));
afterEach(async () => {
  await Promise.all(pods.splice(0).map(async (pod) => pod.clean()));
});

function refuses(props: () => PolicyAgentProps, words: RegExp) {
  expect(() => agentObjects(props())).toThrow(words);
}

/** Starts an agent whose objects were patched. */
async function start(props: PolicyAgentProps, patch: (objects: any[]) => void): Promise<Pod> {
  const objects = agentObjects(props);
  patch(objects);
  const pod = await Pod.start(objects, { programs: { '/opa': OPA, '/cerbos': CERBOS }, secrets: SECRETS });
  pods.push(pod);
  return pod;
}

/** Patches the configuration of Cerbos. */
function config(change: (json: any) => void): (objects: any[]) => void {
  return (objects) => {
    const { data } = find(objects, 'ConfigMap', 'agent-config');
    const json = JSON.parse(data['.cerbos.yaml']);
    change(json);
    data['.cerbos.yaml'] = JSON.stringify(json);
  };
}

const withoutVariable = (name: string) => (objects: any[]) => {
  const [container] = podTemplate(objects).spec.containers;
  container.env = container.env.filter((variable: any) => variable.name !== name);
};

describe('OPA', () => {
  test('answers a decision that stands nowhere with nothing', async () => {
    refuses(() => ({ engine: new OpaEngine({ policies: inline(), decisions: ['auhtz/allow'] }) }), /decision auhtz\/allow stands in no bundle and no policy file/);
    const pod = await start({ engine: new OpaEngine({ policies: inline(), decisions: ['authz/allow'] }) }, (objects) => {
      const { data } = find(objects, 'ConfigMap', 'agent-config');
      data['authorization.rego'] = data['authorization.rego'].replaceAll('authz', 'auhtz').replaceAll('system.auhtz', 'system.authz');
    });
    await pod.untilReady();
    expect(await ask(pod, 'auhtz/allow')).not.toHaveProperty('result');
  });

  test('takes a variable that is not set for its value', async () => {
    const engine = (environment: object) => new OpaEngine({
      policies: inline(), decisions: ['authz/allow'], decisionLogs: { console: true }, labels: { team: '${TEAM}' }, ...environment,
    });
    refuses(() => ({ engine: engine({}) }), /the configuration refers to variable TEAM, which is not set/);
    const pod = await start({ engine: engine({ environment: { TEAM: secretValue('admin', 'hash') } }) }, withoutVariable('TEAM'));
    await pod.untilReady();
    await ask(pod, 'authz/allow');
    await eventually('logged', async () => pod.log.includes('"team":"${TEAM}"'));
  });
});

describe('Cerbos', () => {
  test('is never ready where its configuration undoes what its ports say', async () => {
    const moved = { server: { httpListenAddr: '127.0.0.1:0' } };
    refuses(() => ({ engine: new CerbosEngine({ storage: disk(), config: moved }) }), /config must not set server\.httpListenAddr/);
    const pod = await start({ engine: new CerbosEngine({ storage: disk() }) }, config(({ server }) => Object.assign(server, moved.server)));
    await eventually('it listens elsewhere', async () => /Starting HTTP server at 127\.0\.0\.1:0/i.test(pod.log));
    expect(await pod.startup()).toBe(false);
  });

  test('ignores a section that it does not know', async () => {
    refuses(() => ({ engine: new CerbosEngine({ storage: disk(), config: { servr: {} } }) }), /config has no section servr/);
    const pod = await start({ engine: new CerbosEngine({ storage: disk() }) }, config((json) => {
      json.servr = { httpListenAddr: ':1' };
    }));
    await pod.untilReady();
    expect(pod.log).not.toMatch(/servr/);
  });

  test('ends when a variable is not set', async () => {
    const storage = CerbosStorage.postgres('postgres://cerbos:${PGPASSWORD}@127.0.0.1:1/cerbos', { maxAttempts: 1 });
    refuses(() => ({ engine: new CerbosEngine({ storage }) }), /the configuration refers to variable PGPASSWORD, which is not set/);
    const engine = new CerbosEngine({ storage, environment: { PGPASSWORD: secretValue('admin', 'hash') } });
    const pod = await start({ engine }, withoutVariable('PGPASSWORD'));
    expect(await pod.exited()).not.toBe(0);
    expect(pod.log).toMatch(/PGPASSWORD/);
  });

  test('denies everything with an empty database that nothing can fill', async () => {
    refuses(() => ({ engine: new CerbosEngine({ storage: CerbosStorage.sqlite3() }) }), /storage sqlite3 starts empty and is filled through the admin API/);
    const pod = await start({ engine: new CerbosEngine({ storage: CerbosStorage.sqlite3(), adminApi: ADMIN }) }, config(({ server }) => {
      server.adminAPI = { enabled: false };
    }));
    await pod.untilReady();
    const body = { principal: { id: 'alice', roles: ['user'] }, resources: [{ resource: { kind: 'document', id: '1' }, actions: ['view'] }] };
    const { json } = await call({ port: pod.port('http'), path: '/api/check/resources', body });
    expect(json.results[0].actions).toEqual({ view: 'EFFECT_DENY' });
    expect((await call({ port: pod.port('http'), path: '/admin/policies' })).status).toBe(404);
  });

  test('does not start with an audit log in the Hub and no credentials', async () => {
    refuses(() => ({ engine: new CerbosEngine({ storage: disk(), audit: CerbosAudit.hub() }) }), /CerbosAudit\.hub\(\) needs credentials/);
    const pod = await start({ engine: new CerbosEngine({ storage: disk(), audit: CerbosAudit.local() }) }, config((json) => {
      json.audit = { enabled: true, backend: 'hub', hub: { storagePath: json.audit.local.storagePath } };
    }));
    expect(await pod.exited()).not.toBe(0);
    expect(pod.log).toMatch(/credentials/i);
  });
});

test.each<[string, PolicyAgentProps['engine']]>([
  ['OPA', new OpaEngine({ policies: inline(), decisions: ['authz/allow'] })],
  ['Cerbos', new CerbosEngine({ storage: disk() })],
])('%s cannot bind a socket whose path has more than 107 bytes', async (_, engine) => {
  const props = (hostDirectory: string): PolicyAgentProps => (
    { engine, deploymentMode: DeploymentMode.DAEMON_SET, access: [AgentAccess.unixSocket({ hostDirectory })] }
  );
  refuses(() => props(`/run/${'x'.repeat(100)}`), /path of the Unix socket must have at most 107 bytes/);
  // The folder that stands for that of the node is called like the volume.
  const pod = await start(props('/run/x'), (objects) => {
    const { volumes, containers: [{ volumeMounts }] } = podTemplate(objects).spec;
    for (const item of [...volumes, ...volumeMounts]) if (item.name === 'socket') item.name = 'x'.repeat(100);
  });
  expect(await pod.exited()).not.toBe(0);
  expect(pod.log).toMatch(/bind: invalid argument/);
});
