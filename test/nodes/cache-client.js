/** Runs in a pod: writes and reads by REST and by Hot Rod, with nothing but the variables that `addClient` has injected. */
const { createHash, randomBytes } = require('crypto');
const infinispan = require('infinispan');

const { INFINISPAN_HOST: host, INFINISPAN_PORT: port, INFINISPAN_USERNAME: userName, INFINISPAN_PASSWORD: password } = process.env;

/** One request with Digest, which the server wants on a plain connection. */
async function rest(method, path, body) {
  const url = `http://${host}:${port}${path}`;
  const asked = await fetch(url, { method });
  // Read to its end, so that the connection is kept: only the server that has given a challenge takes its answer.
  await asked.text();
  const challenge = asked.headers.get('www-authenticate');
  const field = (name) => new RegExp(`${name}="?([^",]+)`).exec(challenge)?.[1];
  const hash = (text) => createHash(/SHA-256/.test(challenge) ? 'sha256' : 'md5').update(text).digest('hex');
  const [realm, nonce, cnonce] = [field('realm'), field('nonce'), randomBytes(8).toString('hex')];
  const response = hash([hash(`${userName}:${realm}:${password}`), nonce, '00000001', cnonce, 'auth', hash(`${method}:${path}`)].join(':'));
  const authorization = `Digest username="${userName}", realm="${realm}", nonce="${nonce}", uri="${path}", qop=auth, nc=00000001, cnonce="${cnonce}", ` +
    `response="${response}", opaque="${field('opaque')}", algorithm=${field('algorithm') ?? 'MD5'}`;
  const answer = await fetch(url, { method, body, headers: { authorization, 'content-type': 'text/plain' } });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.text();
}

async function main() {
  await rest('PUT', '/rest/v2/caches/orders/rest', 'by REST');
  const client = await infinispan.client({ host, port: Number(port) }, {
    cacheName: 'orders',
    authentication: { enabled: true, saslMechanism: 'DIGEST-MD5', userName, password },
    dataFormat: { keyType: 'text/plain', valueType: 'text/plain' },
  });
  await client.put('hot rod', 'by Hot Rod');
  console.log(JSON.stringify([await rest('GET', '/rest/v2/caches/orders/rest'), await client.get('hot rod'), await client.get('rest')]));
  await client.disconnect();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
