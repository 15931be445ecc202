import { redact, refuseSecretLiterals } from '../../lib/private/secrets';

test.each<[string, any]>([
  ['a token', { services: { s: { credentials: { bearer: { token: 'abc' } } } } }],
  ['a passphrase', { tls: { private_key_passphrase: 'abc' } }],
  ['a workspace secret', { hub: { credentials: { workspaceSecret: 'abc' } } }],
  ['a shared key', { keys: { k: { algorithm: 'HS256', key: 'abc' } } }],
  ['a header', { services: { s: { headers: { Authorization: 'Bearer abc' } } } }],
  ['a private header', { services: { s: { headers: { 'PRIVATE-TOKEN': 'abc' } } } }],
  ['a password in a URL', { storage: { postgres: { url: 'postgres://c:abc@db/c' } } }],
  ['a token as a user of HTTP', { storage: { git: { url: 'https://ghp_abc@github.com/a/b' } } }],
  ['a password as a parameter', { storage: { postgres: { url: 'postgres://db/c?user=c&password=abc' } } }],
  ['a signature as a parameter', { bundles: { b: { resource: 'https://x/y?sv=1&sig=abc' } } }],
  ['a password in a data source', { storage: { mysql: { dsn: 'c:abc@tcp(db:3306)/c' } } }],
  ['a secret in a list', { x: [{ password: 'abc' }] }],
])('%s is refused, and the error does not tell it', (_, config) => {
  expect(() => refuseSecretLiterals(config, 'config')).toThrow(/^config\..* would put a secret into the manifest: write \$\{VARIABLE\} and name the Secret in environment$/);
  expect(() => refuseSecretLiterals(config, 'config')).not.toThrow(/abc/);
});

test.each<[string, any]>([
  ['variables', { token: '${TOKEN}', url: 'postgres://c:${P}@db/c?password=${P}', dsn: 'c:${P}@tcp(db)/c', headers: { Authorization: 'Bearer ${T}' } }],
  ['files', { services: { s: { credentials: { client_tls: { cert: '/c/tls.crt', private_key: '/c/tls.key' } } } } }],
  ['public keys', { keys: { k: { algorithm: 'RS256', key: 'PEM' } } }],
  ['user names', { url: 'ssh://git@github.com/a/b', dsn: 'postgres://cerbos@db/c' }],
  ['headers that are none', { headers: { 'x-team': 'authz' } }],
  ['words that look like it', { tokens: 5, key: 'plain', secretClass: 'tls', max_token_age: '1h', url: 'https://x/y?z=1', text: 'a:b@c' }],
])('%s are no secrets', (_, config) => {
  expect(() => refuseSecretLiterals(config, 'config')).not.toThrow();
});

test('addresses in errors tell no secret', () => {
  expect(redact('http://bot:abc@git/x?sig=abc')).toBe('http://…@git/x?…');
});
