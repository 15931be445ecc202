import { AddressInfo, connect, createServer } from 'net';
import { InfinispanClient } from '../../../reconciler/src/infinispan/infinispan-client';
import { Infinispan, PASSWORD, USER } from '../rig/infinispan';

const servers: Infinispan[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => server.clean()));
});

async function start(mechanisms: string): Promise<Infinispan> {
  const server = await Infinispan.start({ mechanisms });
  servers.push(server);
  return server;
}

function client(url: string, password = PASSWORD) {
  return new InfinispanClient({ url, credentials: () => ({ username: USER, password }) });
}

test.each(['BASIC', 'DIGEST', 'DIGEST-SHA-256', 'DIGEST-SHA-256 DIGEST', 'BASIC DIGEST'])('the real server lets in by %s, and nobody with a wrong password', async (mechanisms) => {
  const server = await start(mechanisms);
  const [right, wrong] = [client(server.url), client(server.url, 'wrong')];
  await right.createCache('orders', '{"local-cache":{}}');
  expect(await Promise.all(Array.from({ length: 20 }, async () => right.cacheNames()))).toEqual(Array(20).fill(['orders']));
  await expect(wrong.cacheNames()).rejects.toMatchObject({ status: 401 });
  right.close();
  wrong.close();
});

test('two real servers behind one address, which ask apart from each other, let in', async () => {
  const both = await Promise.all([start('DIGEST'), start('DIGEST')]);
  let connections = 0;
  // As a Service does: each connection to the next server.
  const service = createServer((incoming) => {
    const outgoing = connect(both[connections++ % 2].port, '127.0.0.1');
    incoming.pipe(outgoing).pipe(incoming);
    for (const socket of [incoming, outgoing]) socket.on('error', () => [incoming, outgoing].forEach((one) => one.destroy()));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const [right, wrong] = [client(address), client(address, 'wrong')];
  try {
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 8 }, async () => right.cacheNames()));
    expect(connections).toBeGreaterThan(2);
    await expect(wrong.cacheNames()).rejects.toMatchObject({ status: 401 });
  } finally {
    right.close();
    wrong.close();
    service.close();
  }
});
