import { Duration } from 'cdk8s';
import { OpaAuthorization, OpaEngine, OpaEngineProps, OpaLogLevel, PolicyFiles } from '../../../lib';
import { agentObjects, find, opa, podTemplate, secretValue } from '../../support/synth';

const bundle = { url: 'https://bundles.example.com/prod/authz.tar.gz?v=1', roots: ['authz'] };
const objectsOf = (props: Partial<OpaEngineProps>) => agentObjects({ engine: opa(props) });
const config = (props: Partial<OpaEngineProps>) => JSON.parse(find(objectsOf(props), 'ConfigMap', 'agent-config').data['opa.json']);
const args = (props: Partial<OpaEngineProps>): string[] => podTemplate(objectsOf(props)).spec.containers[0].args;

describe('bundles', () => {
  test('each is a service of its own, with all its options', () => {
    expect(config({
      bundles: {
        authz: {
          ...bundle,
          persist: true,
          pollingMin: Duration.seconds(10),
          pollingMax: Duration.minutes(1),
          sizeLimitBytes: 1000,
          headers: { 'x-team': 'authz' },
          responseHeaderTimeout: Duration.seconds(5),
          bearerTokenSecret: { secretName: 'bundle-token', key: 'token' },
          caSecret: { secretName: 'bundle-ca', key: 'ca.pem' },
        },
      },
    })).toMatchObject({
      services: {
        authz: {
          url: 'https://bundles.example.com',
          headers: { 'x-team': 'authz' },
          response_header_timeout_seconds: 5,
          credentials: { bearer: { token_path: '/remotes/authz/token' } },
          tls: { ca_cert: '/remotes/authz/ca.crt' },
        },
      },
      bundles: {
        authz: {
          service: 'authz',
          resource: 'prod/authz.tar.gz?v=1',
          persist: true,
          size_limit_bytes: 1000,
          polling: { min_delay_seconds: 10, max_delay_seconds: 60 },
        },
      },
      persistence_directory: '/persistence',
    });
  });

  test('one bound of a delay brings the other, since OPA takes both or neither', () => {
    const polling = (options: object) => config({ bundles: { authz: { ...bundle, ...options } } }).bundles.authz.polling;
    expect(polling({ pollingMax: Duration.seconds(30) })).toEqual({ min_delay_seconds: 30, max_delay_seconds: 30 });
    expect(polling({ pollingMax: Duration.seconds(90) })).toEqual({ min_delay_seconds: 60, max_delay_seconds: 90 });
    expect(polling({ pollingMin: Duration.seconds(200) })).toEqual({ min_delay_seconds: 200, max_delay_seconds: 200 });
    expect(polling({})).toBeUndefined();
    const upload = { console: true, uploadMin: Duration.seconds(5) };
    expect(config({ decisionLogs: upload }).decision_logs.reporting).toEqual({ min_delay_seconds: 5, max_delay_seconds: 600 });
  });

  test('kept downloads and secrets are mounted', () => {
    const { spec } = podTemplate(objectsOf({ bundles: { authz: { ...bundle, persist: true, bearerTokenSecret: { secretName: 'bundle-token', key: 't' } } } }));
    expect(spec.volumes).toEqual(expect.arrayContaining([
      { name: 'remote-authz', projected: { defaultMode: 0o440, sources: [{ secret: { name: 'bundle-token', items: [{ key: 't', path: 'token' }] } }] } },
      { name: 'persistence', emptyDir: {} },
    ]));
    expect(spec.containers[0].volumeMounts).toContainEqual({ name: 'persistence', mountPath: '/persistence' });
  });

  test('signatures are verified by a public key, or by a shared key from a Secret', () => {
    const signing = (options: object) => objectsOf({ bundles: { 'my-authz': { ...bundle, signing: { keyId: 'k', ...options } } } });
    const keys = (objects: any[]) => JSON.parse(find(objects, 'ConfigMap', 'agent-config').data['opa.json']).keys;
    expect(keys(signing({ publicKey: 'PEM' }))).toEqual({ k: { key: 'PEM', algorithm: 'RS256' } });
    const shared = signing({ secretKey: secretValue('signing', 'key'), scope: 'write' });
    expect(keys(shared)).toEqual({ k: { key: '${OPA_KEY_MY_AUTHZ}', algorithm: 'HS256' } });
    expect(podTemplate(shared).spec.containers[0].env).toContainEqual({ name: 'OPA_KEY_MY_AUTHZ', valueFrom: { secretKeyRef: { name: 'signing', key: 'key' } } });
  });

  test.each<[string, Partial<OpaEngineProps>, string]>([
    ['a url without a path', { bundles: { a: { ...bundle, url: 'https://bundles.example.com' } } }, 'url of bundle a needs the path of the bundle'],
    ['a url of another kind', { bundles: { a: { ...bundle, url: 'ftp://x/y' } } }, 'url of a must begin with https:// or http://, given "ftp://x/y"'],
    ['a password in a url', { bundles: { a: { ...bundle, url: 'https://me:secret@x/y' } } }, 'url of a must not contain credentials'],
    ['a secret in a header', { bundles: { a: { ...bundle, headers: { Authorization: 'Bearer x' } } } }, 'header Authorization of a would put a secret into the manifest'],
    ['a secret in the parameters of a url', { bundles: { a: { ...bundle, url: 'https://x/y?sig=abc' } } }, 'url of a would put a secret into the manifest'],
    ['a shared key from a ConfigMap', {
      bundles: { a: { ...bundle, signing: { keyId: 'k', secretKey: { valueFrom: { configMapKeyRef: { name: 'a', key: 'b' } } } as any } } },
    }, 'secretKey of bundle a must come from a Secret'],
    ['roots that are no paths', { bundles: { a: { ...bundle, roots: ['authz.allow'] } } }, "roots of bundle a must be paths such as 'authz' or 'org/authz'"],
    ['a name that no volume can have', { bundles: { 'A B': bundle } }, 'names of bundles must be at most 42 lower-case letters'],
    ['a name that OPA\'s other remotes have', { bundles: { status: bundle } }, 'none of discovery, status, decision-logs, given "status"'],
    ['a polling minimum above the maximum', { bundles: { a: { ...bundle, pollingMin: Duration.seconds(9), pollingMax: Duration.seconds(8) } } }, 'pollingMin must not be above pollingMax, given 9 and 8 seconds'],
    ['two keys of one signature', { bundles: { a: { ...bundle, signing: { keyId: 'k' } } } }, 'signing of bundle a needs exactly one of publicKey and secretKey'],
    ['a shared key as a literal', { bundles: { a: { ...bundle, signing: { keyId: 'k', publicKey: 'x', algorithm: 'HS256' } } } }, 'the key of HS256 in the signing of bundle a is a secret'],
    ['one key id with two keys', {
      bundles: { a: { ...bundle, signing: { keyId: 'k', publicKey: 'x' } }, b: { ...bundle, roots: ['b'], signing: { keyId: 'k', publicKey: 'y' } } },
    }, 'signing key k is given twice, with different values'],
  ])('fails for %s', (_, props, error) => {
    expect(() => objectsOf(props)).toThrow(error);
  });
});

describe('authorization', () => {
  test('by default a policy that names the decisions', () => {
    const objects = objectsOf({ decisions: ['authz/allow', 'authz/trino/rowFilters'] });
    const policy = find(objects, 'ConfigMap', 'agent-config').data['authorization.rego'];
    expect(policy).toContain('["authz","allow"],');
    expect(policy).toContain('["authz","trino","rowFilters"],');
    expect(args({})).toEqual(expect.arrayContaining(['--authorization=basic', '/config/authorization.rego']));
  });

  test('an own policy, or none, by name', () => {
    const own = args({ policies: [PolicyFiles.inline({ 'own.rego': '# mine\npackage system.authz\nallow := true' })], authorization: OpaAuthorization.OWN_POLICY, decisions: undefined });
    expect(own).toContain('--authorization=basic');
    expect(own).not.toContain('/config/authorization.rego');
    expect(args({ authorization: OpaAuthorization.OFF, decisions: undefined }).join()).not.toContain('authorization');
  });

  test('a token of clients, from a Secret', () => {
    const objects = objectsOf({ clientTokenSecret: { secretName: 'clients', key: 'token' } });
    expect(podTemplate(objects).spec.containers[0].args).toContain('--authentication=token');
    expect(podTemplate(objects).spec.containers[0].env).toContainEqual({ name: 'OPA_CLIENT_TOKEN', valueFrom: { secretKeyRef: { name: 'clients', key: 'token' } } });
    expect(find(objects, 'ConfigMap', 'agent-config').data['authorization.rego']).toContain('token := trim_space(opa.runtime().env.OPA_CLIENT_TOKEN)');
  });

  test.each<[string, Partial<OpaEngineProps>, string]>([
    ['no decisions', { decisions: [] }, 'decisions must name the rules that clients may query'],
    ['decisions with dots', { decisions: ['authz.allow'] }, "decisions must be paths of rules such as 'authz/allow', outside of 'system', given \"authz.allow\""],
    ['decisions of the system', { decisions: ['system/authz/allow'] }, 'given "system/authz/allow"'],
    ['decisions that nothing enforces', { authorization: OpaAuthorization.OFF }, 'decisions are enforced by OpaAuthorization.DECISIONS only, given OFF'],
    ['decisions that a bundle would erase', { bundles: { a: { ...bundle, roots: [''] } } }, "given roots ['']: such a bundle would erase the policy that enforces them"],
    ['an own policy that is nowhere', { authorization: OpaAuthorization.OWN_POLICY, decisions: undefined }, 'OWN_POLICY needs a package system.authz'],
    ['an own policy beside the generated one', { policies: [PolicyFiles.inline({ 'a.rego': 'package system.authz\n' })] }, 'policy file a.rego is an authorization policy of your own'],
    ['a token that nothing checks', {
      authorization: OpaAuthorization.OFF, decisions: undefined, clientTokenSecret: { secretName: 'c', key: 't' },
    }, 'clientTokenSecret has no effect with OpaAuthorization.OFF'],
    ['another authorization decision', { config: { default_authorization_decision: 'x' } }, 'config must not set default_authorization_decision'],
    ['arguments that open listeners', { extraArgs: ['--addr=http://0.0.0.0:80'] }, 'extraArgs must not contain --addr=http://0.0.0.0:80'],
    ['arguments that open listeners, glued', { extraArgs: ['-ahttp://0.0.0.0:80'] }, 'extraArgs must not contain -ahttp://0.0.0.0:80'],
    ['arguments that switch authorization off', { extraArgs: ['--authorization', 'off'] }, 'extraArgs must not contain --authorization'],
  ])('fails for %s', (_, props, error) => {
    expect(() => objectsOf(props)).toThrow(error);
  });
});

describe('configuration', () => {
  test('decision logs and status', () => {
    const both = config({
      decisionLogs: { console: true, remote: { url: 'https://logs.example.com/take/decisions' }, maxDecisionsPerSecond: 5, maskDecision: '/system/log/mine' },
      status: { remote: { url: 'https://logs.example.com/take/' } },
    });
    expect(both.decision_logs).toEqual({
      console: true, service: 'decision-logs', resource: '/take/decisions', reporting: { max_decisions_per_second: 5 }, mask_decision: '/system/log/mine',
    });
    expect(both.status).toEqual({ prometheus: true, service: 'status' });
    expect(both.services.status.url).toBe('https://logs.example.com/take');
    expect(() => config({ decisionLogs: {} })).toThrow('decisionLogs need console or remote, given neither');
  });

  test('labels tell instance, node and pod', () => {
    expect(config({ labels: { region: 'north' } }).labels).toEqual({ instance: 'agent', node: '${NODE_NAME}', pod: '${POD_NAME}', region: 'north' });
  });

  test('is merged with the raw configuration last', () => {
    expect(config({ config: { policies: undefined, labels: { node: null }, caching: { inter_query_builtin_cache: { max_size_bytes: 1 } } }, policies: [PolicyFiles.inline({ 'a.rego': 'package authz' })] })).toMatchObject({
      labels: { instance: 'agent' }, caching: { inter_query_builtin_cache: { max_size_bytes: 1 } },
    });
  });

  test('arguments', () => {
    expect(args({ logLevel: OpaLogLevel.ERROR, extraArgs: ['--max-errors=3'], port: 8080, diagnosticPort: 9090 })).toEqual([
      'run', '--server', '--addr=:8080', '--diagnostic-addr=http://:9090', '--config-file=/config/opa.json', '--authorization=basic',
      '--shutdown-wait-period=5', '--shutdown-grace-period=10', '--skip-version-check', '--log-format=json', '--log-level=error', '--ignore=.*',
      '--max-errors=3', '/policies', '/config/authorization.rego',
    ]);
  });

  test.each<[string, Partial<OpaEngineProps>, string]>([
    ['no policies', { policies: undefined, config: {} }, 'OPA has no policies: give at least one of bundles, discovery, policies, or bundles in config'],
    ['a secret in the raw configuration', { config: { services: { s: { credentials: { bearer: { token: 'abc' } } } } } }, 'config.services.s.credentials.bearer.token would put a secret into the manifest: write ${VARIABLE}'],
    ['roots of nothing', { config: { labels: {} }, configRoots: ['a'] }, 'configRoots are given, but config names no bundles or discovery of its own'],
    ['a variable that the agent sets', { environment: { NODE_NAME: secretValue('a', 'b') } }, 'environment must not contain NODE_NAME: the agent sets it'],
    ['one port for everything', { port: 8282 }, 'port and diagnosticPort must differ, given 8282 for both'],
    ['a file that is no Rego', { policies: [PolicyFiles.inline({ 'a.rego': 'allow := true' })] }, 'policy file a.rego must begin with a package'],
    ['data that is no JSON', { policies: [PolicyFiles.inline({ 'data.json': '{' })] }, 'data file data.json is no JSON'],
  ])('fails for %s', (_, props, error) => {
    expect(() => agentObjects({ engine: new OpaEngine({ decisions: ['authz/allow'], policies: [PolicyFiles.inline({ 'a.rego': 'package a' })], ...props }) })).toThrow(error);
  });

  test('tunes bundles of the engine, whose roots are known', () => {
    const tuned = config({ bundles: { authz: bundle }, config: { bundles: { authz: { polling: { long_polling_timeout_seconds: 10 } } } } });
    expect(tuned.bundles.authz).toEqual({ service: 'authz', resource: 'prod/authz.tar.gz?v=1', polling: { long_polling_timeout_seconds: 10 } });
  });

  test('a discovered configuration may keep bundles, too', () => {
    const { spec } = podTemplate(objectsOf({ discovery: { ...bundle, url: 'https://d/d.tar.gz' } }));
    expect(spec.containers[0].volumeMounts).toContainEqual({ name: 'persistence', mountPath: '/persistence' });
  });

  test('files that OPA does not load stand nowhere', () => {
    const files = { 'authz.rego': 'package authz', 'README.md': '# Policies', 'data.yaml': 'a: 1' };
    expect(args({ policies: [PolicyFiles.inline(files)] })).toContain('/config/authorization.rego');
    expect(() => objectsOf({ policies: [PolicyFiles.inline(files)], bundles: { other: { ...bundle, roots: ['other'] } } })).toThrow(
      'policy file data.yaml, whose roots are not known (put it into a folder, or write it as JSON), (\'\') and bundle other (\'other\') own the same part',
    );
  });

  test('a variable in a secret\'s place is fine', () => {
    const token = '${SERVICE_TOKEN}';
    const both = { config: { services: { s: { credentials: { bearer: { token } } } } }, environment: { SERVICE_TOKEN: secretValue('s', 't') }, policies: [PolicyFiles.inline({ 'a.rego': 'package authz' })] };
    expect(config(both).services.s.credentials.bearer.token).toBe(token);
    expect(podTemplate(objectsOf(both)).spec.containers[0].env).toContainEqual({ name: 'SERVICE_TOKEN', valueFrom: { secretKeyRef: { name: 's', key: 't' } } });
  });
});
