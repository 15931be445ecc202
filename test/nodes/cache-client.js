/** Runs in a pod: writes and reads by REST and by Hot Rod, with nothing but the variables that `addClient` has injected. */
const { Agent, request } = require('http');
const { text } = require('stream/consumers');
const infinispan = require('infinispan');
const { Authentication } = require('../../reconciler/src/infinispan/authentication');

const { INFINISPAN_HOST: host, INFINISPAN_PORT: port, INFINISPAN_USERNAME: username, INFINISPAN_PASSWORD: password } = process.env;
const authentication = new Authentication(false);

/** One connection for all requests: only the server that has given a challenge takes its answer, and the Service leads each connection to another one. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** One request with Digest, which the server wants on a plain connection. */
async function rest(method, path, body) {
  // A server may end the connection; then the next one gives its own challenge.
  for (let attempt = 0; attempt < 5; attempt++) {
    const authorization = authentication.header(agent, { username, password }, method, path);
    const answer = await send(method, path, authorization && body, { 'content-type': 'text/plain', ...(authorization && { authorization }) });
    const answered = await text(answer);
    if (answer.statusCode < 300) return answered;
    const challenge = answer.headers['www-authenticate'];
    if (answer.statusCode !== 401 || !authentication.learn(agent, [challenge ?? ''])) throw new Error(`${method} ${path}: ${answer.statusCode} ${answered}`);
  }
  throw new Error(`${method} ${path}: challenged again and again`);
}

async function send(method, path, body = '', headers) {
  return new Promise((resolve, reject) => {
    request({ host, port, path, method, agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } }, resolve).on('error', reject).end(body);
  });
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
