/** Runs in a pod: writes and reads by REST and by Hot Rod, with nothing but the variables that `addClient` has injected. */
const infinispan = require('infinispan');
const { Authentication } = require('../../reconciler/src/infinispan/authentication');

const { INFINISPAN_HOST: host, INFINISPAN_PORT: port, INFINISPAN_USERNAME: username, INFINISPAN_PASSWORD: password } = process.env;
const authentication = new Authentication(false);

/**
 * One request with Digest, which the server wants on a plain connection. Only the server that has given a challenge takes its
 * answer; another one, to which the Service leads a new connection, gives its own.
 */
async function rest(method, path, body) {
  // A server may end the connection with its challenge; then one of three is met by chance.
  for (let attempt = 0; attempt < 50; attempt++) {
    const authorization = authentication.header(authentication, { username, password }, method, path);
    const headers = { 'content-type': 'text/plain', ...(authorization && { authorization }) };
    const answer = await fetch(`http://${host}:${port}${path}`, { method, body: authorization && body, headers });
    // Read to its end, so that the connection is kept.
    const text = await answer.text();
    if (answer.ok) return text;
    const challenge = answer.headers.get('www-authenticate');
    if (answer.status !== 401 || !authentication.learn(authentication, [challenge ?? ''])) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  }
  throw new Error(`${method} ${path}: challenged again and again`);
}

async function hotRod(saslMechanism) {
  const client = await infinispan.client({ host, port: Number(port) }, {
    cacheName: 'orders',
    authentication: { enabled: true, saslMechanism, userName: username, password },
    dataFormat: { keyType: 'text/plain', valueType: 'text/plain' },
  });
  await client.put('hot rod', 'by Hot Rod');
  const read = [await client.get('hot rod'), await client.get('rest')];
  await client.disconnect();
  return read;
}

/** The library of Hot Rod now and then answers twice while it logs in to several servers (ELY05001); then it is asked again. */
async function untilLoggedIn() {
  for (let attempt = 0; ; attempt++) {
    try {
      const late = new Promise((_, reject) => setTimeout(reject, 5000, new Error('no login within 5 s')));
      return await Promise.race([hotRod(['DIGEST-MD5', 'SCRAM-SHA-256'][attempt % 2]), late]);
    } catch (error) {
      if (attempt === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

async function main() {
  await rest('PUT', '/rest/v2/caches/orders/rest', 'by REST');
  const byHotRod = await untilLoggedIn();
  console.log(JSON.stringify([await rest('GET', '/rest/v2/caches/orders/rest'), ...byHotRod]));
  process.exit(0);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
