import { EventHandler } from '../../../reconciler/src/infinispan/event-reader';
import { InfinispanClient, TOO_LONG } from '../../../reconciler/src/infinispan/infinispan-client';
import { StandIn } from '../rig/stand-in';

let server: StandIn;
let client: InfinispanClient;

beforeEach(async () => {
  server = await StandIn.start();
  client = new InfinispanClient({ url: server.url, credentials: () => ({ username: 'admin', password: 'secret' }) });
});

afterEach(async () => {
  client.close();
  await server.stop();
});

function handler(event: (name: string) => void = () => undefined): EventHandler {
  return { event: ({ name }) => event(name), ignored: () => undefined, unreadable: () => undefined, cut: () => undefined };
}

const challenge = 'Digest realm="default", nonce="n", algorithm=SHA-256, qop=auth';

describe('a server that asks who it is', () => {
  test('is answered, and no further request is refused for the same reason', async () => {
    server.intercept = (request, response) => {
      if (request.headers.authorization) return false;
      response.writeHead(401, { 'www-authenticate': ['Basic realm="default"', challenge] }).end();
      return true;
    };
    server.put('orders');
    expect(await client.cacheNames()).toEqual(['orders']);
    expect(await client.cache('orders')).toBe('{"local-cache":{}}');
    expect(server.asked).toEqual(['GET /rest/v2/caches', 'GET /rest/v2/caches', 'GET /rest/v2/caches/orders?action=config']);
  });

  test('and is one of several behind an address is answered by what it asked itself, without end of new questions', async () => {
    // Each connection reaches another server, which knows its own challenges only.
    const servers = new Map<object, string>();
    const refused: string[] = [];
    server.intercept = ({ socket, headers: { authorization } }, response) => {
      const nonce = servers.get(socket) ?? `of ${servers.size}`;
      servers.set(socket, nonce);
      if (authorization?.includes(`nonce="${nonce}"`)) return false;
      refused.push(nonce);
      response.writeHead(401, { 'www-authenticate': `Digest realm="default", nonce="${nonce}", algorithm=MD5, qop=auth${authorization ? ', stale=true' : ''}` }).end();
      return true;
    };
    for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 8 }, async () => client.cacheNames()));
    expect(servers.size).toBeGreaterThan(1);
    expect(refused.length).toBe(new Set(refused).size);
  });

  test('and knows who it is, but never the challenge, is given up, too', async () => {
    server.intercept = (_, response) => {
      response.writeHead(401, { 'www-authenticate': `${challenge}, stale=true` }).end();
      return true;
    };
    await expect(client.cacheNames()).rejects.toMatchObject({ status: 401 });
    expect(server.asked.length).toBe(21);
  });

  test('and never believes it is asked a few times, and no more', async () => {
    server.intercept = (_, response) => {
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return true;
    };
    await expect(client.cacheNames()).rejects.toMatchObject({ status: 401, unauthorized: true });
    expect(server.asked.length).toBe(4);
    await expect(client.listen(handler(), new AbortController().signal)).rejects.toMatchObject({ status: 401 });
  });
});

test('a cache that is not there is told apart from a server that fails', async () => {
  expect(await client.cache('nowhere')).toBeUndefined();
  server.put('there');
  server.intercept = (request, response) => {
    if (request.method === 'HEAD') return false;
    response.writeHead(500).end('out of order');
    return true;
  };
  await expect(client.cache('there')).rejects.toThrow('the server answered 500: out of order');
});

test('a template is no cache, though the server answers for it by the same address', async () => {
  expect(await client.cache('org.infinispan.RESP_LOCAL')).toBeUndefined();
  expect(await client.configuration('org.infinispan.RESP_LOCAL')).toBe('{"local-cache-configuration":{}}');
});

test('two configurations are compared by the server', async () => {
  expect(await client.same('{"local-cache":{}}', '{"local-cache":{}}')).toBe(true);
  expect(await client.same('{"local-cache":{}}', '{"local-cache":{"statistics":true}}')).toBe(false);
});

test('a configuration that is too long to be read is said to be', async () => {
  server.put('long', { 'local-cache': { aliases: ['a'.repeat(9 * 1024 * 1024)] } });
  expect(await client.cache('long')).toBe(TOO_LONG);
});

test('names of any kind are asked for as they are', async () => {
  for (const name of ['a b', 'x/y', "it's", '100%', 'ü', '..', '#', '?', 'a&b=c']) {
    server.put(name);
    expect(await client.cache(name)).toBe('{"local-cache":{}}');
  }
});

test('what clients of a connection that was closed meanwhile ask, is asked again', async () => {
  let first = true;
  await client.cacheNames();
  server.intercept = (request) => {
    if (!first) return false;
    first = false;
    request.socket.destroy();
    return true;
  };
  expect(await client.cacheNames()).toEqual([]);
});

test.each([['in good order', true], ['by a cut', false]])('listening ends when the stream ends %s', async (_, clean) => {
  const seen: string[] = [];
  const ended = client.listen(handler((name) => seen.push(name)), new AbortController().signal).then(() => 'ended', () => 'failed');
  while (!seen.includes('___script_cache')) await new Promise((resolve) => setTimeout(resolve, 5));
  server.put('orders');
  while (!seen.includes('orders')) await new Promise((resolve) => setTimeout(resolve, 5));
  server.cut(clean);
  expect(await ended).toBe(clean ? 'ended' : 'failed');
});
