import { clusterObjects, CONFIGURATIONS, FORMATS, STATEFUL_SET } from './caches';
import {
  CacheAcknowledgement, CacheClientCertificates, CacheCluster, CacheClusterProps, CacheConfiguration, CacheConfigurationFormat,
  CacheCounterStorage, CacheCounterType, CachePermission, CacheTls,
} from '../../lib';
import { Authority } from '../support/certificates';
import { call } from '../support/http';
import { InfinispanServer, PASSWORD, requireInfinispan, USER } from '../support/infinispan-server';

const { XML, JSON: JSON_FORMAT, YAML } = CacheConfigurationFormat;
const MEDIA_TYPES = { [XML]: 'application/xml', [JSON_FORMAT]: 'application/json', [YAML]: 'application/yaml' };

/** A database, and other sites to back up to: what caches of the tests need. */
const SURROUNDINGS = `<infinispan>
  <jgroups>
    <stack name="sites" extends="kubernetes">
      <relay.RELAY2 xmlns="urn:org:jgroups" site="LON" max_site_masters="1"/>
      <remote-sites default-stack="tcp"><remote-site name="LON"/><remote-site name="NYC"/><remote-site name="SFO"/></remote-sites>
    </stack>
  </jgroups>
  <cache-container><transport stack="sites"/></cache-container>
  <server>
    <data-sources>
      <data-source name="test" jndi-name="jdbc/test">
        <connection-factory driver="org.h2.Driver" url="jdbc:h2:mem:test;DB_CLOSE_DELAY=-1" username="sa" password=""/>
        <connection-pool max-size="5"/>
      </data-source>
    </data-sources>
  </server>
</infinispan>
`;

const SCHEMA = `syntax = "proto3";
package shop;
/** @Indexed */
message Book {
  /** @Basic */
  string title = 1;
}
/** @Indexed */
message Author {
  /** @Basic */
  string name = 1;
}
`;

beforeAll(requireInfinispan);

const acknowledge = [CacheAcknowledgement.STATIC_CACHES_ON_PERSISTENT_STORAGE];
const manifest = (change: (cluster: CacheCluster) => void = () => undefined, props: CacheClusterProps = {}) =>
  clusterObjects({ deploymentMode: STATEFUL_SET, acknowledge, ...props }, change);

describe('a real server, given each configuration over REST', () => {
  let server: InfinispanServer;

  beforeAll(async () => {
    server = await InfinispanServer.start(manifest(undefined, { serverConfiguration: SURROUNDINGS }));
    expect((await server.ask('/rest/v2/schemas/shop.proto', { method: 'POST', body: SCHEMA })).text).toContain('"error":null');
  });

  afterAll(async () => {
    await server?.stop();
    server?.clean();
  });

  describe.each(Object.entries(CONFIGURATIONS))('a cache %s', (name, make) => {
    test.each(FORMATS)('in %s is accepted, and comes back with the same meaning', async (format) => {
      const path = `/rest/v2/caches/${encodeURIComponent(`${name} / ${format}`)}`;
      const text = make(format).render();
      const headers = { 'content-type': MEDIA_TYPES[format] };
      expect(await server.ask(path, { method: 'POST', body: text, headers })).toEqual({ status: 200, text: '' });
      const back = await server.ask(`${path}?action=config`, { headers: { accept: 'application/json' } });
      expect(back.status).toBe(200);
      expect(await compare(server, [text, MEDIA_TYPES[format]], [back.text, 'application/json'])).toBe(204);
      expect((await server.ask(path, { method: 'DELETE' })).status).toBe(200);
    });
  });

  test('would say so if two configurations differed', async () => {
    const [first, second] = [2, 3].map((owners) => CacheConfiguration.distributed({ owners, format: JSON_FORMAT }).render());
    expect(await compare(server, [first, 'application/json'], [second, 'application/json'])).toBe(409);
  });
});

describe('caches in the servers\' configuration', () => {
  let server: InfinispanServer;

  const stop = async () => {
    await server?.stop();
    return server.folder;
  };

  afterAll(async () => {
    await stop();
    server.clean();
  });

  const names = async () => JSON.parse((await server.ask('/rest/v2/caches')).text) as string[];

  test('are there when it starts: typed, like a template, and raw in each format; counters and roles, too', async () => {
    server = await InfinispanServer.start(manifest((cluster) => {
      cluster.addTemplate('two owners', { configuration: CacheConfiguration.distributed() });
      cluster.addCache('Orders & more / "ü" <\u65e5\u672c>', { template: 'two owners' });
      for (const [name, make] of Object.entries(CONFIGURATIONS)) {
        if (!/database|two stores|another site|indexed/.test(name)) cluster.addCache(name, { configuration: make(YAML) });
      }
      cluster.addCache('xml $1', { configuration: CacheConfiguration.raw('<?xml version="1.0"?>\n<!-- mine -->\n<distributed-cache owners="3"/>\n') });
      cluster.addCache('json "x"', { configuration: CacheConfiguration.raw('{"distributed-cache":{"owners":3}}') });
      cluster.addCache('yaml / ü', { configuration: CacheConfiguration.raw('# mine\ndistributedCache:\n  owners: 3\n') });
      cluster.addCounter('visits', { type: CacheCounterType.WEAK, storage: CacheCounterStorage.PERSISTENT });
      cluster.addCounter('stock', { initialValue: 5, lowerBound: 0, upperBound: 10 });
    }, { roles: [{ name: 'shop', permissions: [CachePermission.READ, CachePermission.BULK_READ] }] }));
    const there = await names();
    expect(there).toEqual(expect.arrayContaining(['Orders & more / "ü" <\u65e5\u672c>', 'bounded by size, of bytes', 'xml $1', 'json "x"', 'yaml / ü']));
    for (const name of ['xml $1', 'json "x"', 'yaml / ü']) {
      const { text } = await server.ask(`/rest/v2/caches/${encodeURIComponent(name)}?action=config`, { headers: { accept: 'application/json' } });
      expect(Object.values<any>(JSON.parse(text))[0]['distributed-cache'].owners).toBe('3');
    }
    expect(JSON.parse((await server.ask('/rest/v2/counters')).text).sort()).toEqual(['stock', 'visits']);
    expect((await server.ask('/rest/v2/counters/stock')).text).toBe('5');
    expect((await server.ask('/rest/v2/security/roles')).text).toContain('shop');
    await stop();
    server.clean();
  });

  const owners = (number: number) => (cluster: CacheCluster) => cluster.addCache('orders', { configuration: CacheConfiguration.distributed({ owners: number }) });

  const definition = async () => JSON.parse((await server.ask('/rest/v2/caches/orders?action=config', { headers: { accept: 'application/json' } })).text);

  test('a changed one is taken without a word, and one that was removed is gone', async () => {
    server = await InfinispanServer.start(manifest(owners(2)));
    server = await InfinispanServer.start(manifest(owners(3)), {}, await stop());
    expect((await definition()).orders['distributed-cache'].owners).toBe('3');
    server = await InfinispanServer.start(manifest(), {}, await stop());
    expect(await names()).not.toContain('orders');
  });

  test('one that a client had made before stops it, which is why it is deleted first', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await server.ask('/rest/v2/caches/orders', { method: 'POST', body: '{"distributed-cache":{"owners":2}}', headers })).status).toBe(200);
    const folder = await stop();
    await expect(InfinispanServer.start(manifest(owners(2)), {}, folder)).rejects.toThrow(/ISPN000438/);
    server = await InfinispanServer.start(manifest(), {}, folder);
    expect((await server.ask('/rest/v2/caches/orders', { method: 'DELETE' })).status).toBe(200);
    server = await InfinispanServer.start(manifest(owners(2)), {}, await stop());
  });

  test('one that a client deletes is back after the next start', async () => {
    expect((await server.ask('/rest/v2/caches/orders', { method: 'DELETE' })).status).toBe(200);
    expect(await names()).not.toContain('orders');
    server = await InfinispanServer.start(manifest(owners(2)), {}, await stop());
    expect(await names()).toContain('orders');
  });

  test('it starts again after it was killed', async () => {
    await server.daemon.stop('SIGKILL');
    server = await InfinispanServer.start(manifest(owners(3)), {}, server.folder);
    expect(await names()).toContain('orders');
  });
});

describe('TLS', () => {
  test('clients verify the server, and it verifies them; probes and metrics stay in plain text', async () => {
    const authority = await Authority.create('caches');
    const { cert, key } = await authority.issue('sessions', ['sessions.caches.svc']);
    const tls = CacheTls.fromSecret('tls', { clientCertificates: CacheClientCertificates.VALIDATE, clientCertificatesSecret: 'clients' });
    const server = await InfinispanServer.start(manifest(undefined, { tls }), {
      '/etc/infinispan-tls/tls.crt': cert, '/etc/infinispan-tls/tls.key': key, '/etc/infinispan-client-ca/ca.crt': authority.cert,
    });
    try {
      const shown = { ca: authority.cert, servername: 'sessions.caches.svc' };
      const path = '/rest/v2/caches';
      const headers = { authorization: `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}` };
      const known = await call({ port: server.port, path, headers, tls: { ...shown, ...await authority.issue('client') } });
      expect([known.status, known.text]).toEqual([200, expect.stringContaining('___protobuf_metadata')]);
      await expect(call({ port: server.port, path, headers, tls: shown })).rejects.toThrow();
      const stranger = await (await Authority.create('strangers')).issue('client');
      await expect(call({ port: server.port, path, headers, tls: { ...shown, ...stranger } })).rejects.toThrow();
      expect((await server.ask('/metrics')).text).toContain('vendor_');
      expect((await fetch(`http://127.0.0.1:${server.port + 1}/metrics`)).status).toBe(401);
    } finally {
      await server.stop();
      server.clean();
    }
  });
});

/** 204 when two configurations mean the same, 409 when they do not. */
async function compare(server: InfinispanServer, ...texts: [string, string][]): Promise<number> {
  // By hand: the server takes no parts with a file name, and others have no type.
  const parts = texts.map(([text, type], index) => `--part\r\nContent-Disposition: form-data; name="${index}"\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`);
  const headers = { 'content-type': 'multipart/form-data; boundary=part' };
  return (await server.ask('/rest/v2/caches?action=compare', { method: 'POST', body: `${parts.join('')}--part--\r\n`, headers })).status;
}
