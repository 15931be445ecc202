import { get } from 'http';
import { ask, Infinispan, PASSWORD, USER } from './rig/infinispan';
import { StandIn } from './rig/stand-in';
import { eventually } from '../support/http';

/** What both are made to do, one after another, over REST. */
const STEPS: readonly (readonly [method: string, path: string, body?: string])[] = [
  ['POST', '/caches/orders', '{"local-cache":{"memory":{"max-count":"100"}}}'],
  ['PUT', '/caches/orders', '{"local-cache":{"memory":{"max-count":"200"}}}'],
  ['POST', `/caches/${encodeURIComponent('a "b" \\ /ü日本%')}`, '{"local-cache":{}}'],
  ['POST', '/caches/..', '{"local-cache":{}}'],
  ['DELETE', '/caches/..'],
  ['POST', `/tasks/@@template@create?action=exec&param.name=small&param.configuration=${encodeURIComponent('{"local-cache-configuration":{"memory":{"max-count":"1"}}}')}`],
  ['POST', `/tasks/@@template@create?action=exec&param.name=gone&param.configuration=${encodeURIComponent('{"local-cache-configuration":{}}')}`],
  ['POST', '/tasks/@@template@remove?action=exec&param.name=gone'],
  ['DELETE', `/caches/${encodeURIComponent('a "b" \\ /ü日本%')}`],
  ['POST', '/caches/last', '{"local-cache":{}}'],
];

const headers = { authorization: `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`, accept: 'application/json' };

/** Bytes of a stream, as they come. */
async function listen(url: string, search: string) {
  return new Promise<{ readonly bytes: () => string; readonly headers: object; readonly close: () => void }>((resolve, reject) => {
    const request = get(`${url}/rest/v2/container/config?action=listen${search}`, { headers }, (response) => {
      let bytes = '';
      response.setEncoding('utf8').on('data', (chunk) => bytes += chunk).on('error', () => undefined);
      const { 'content-type': type, 'cache-control': cache, 'transfer-encoding': encoding } = response.headers;
      resolve({ bytes: () => bytes, headers: { type, cache, encoding }, close: () => request.destroy() });
    });
    request.on('error', reject);
  });
}

/** The stream of each while the steps are taken, and what a later one begins with. */
async function record(url: string) {
  const live = await listen(url, '');
  const answers: number[] = [];
  for (const [method, path, body] of STEPS) {
    answers.push((await ask(url, path, { method, body, headers: body ? { 'content-type': 'application/json' } : {} })).status);
  }
  await eventually('the last event', async () => live.bytes().includes('"last"'));
  const later = await listen(url, '&includeCurrentState=true');
  await eventually('the last of what there is', async () => later.bytes().includes('"small"') && later.bytes().endsWith('\n\n'));
  live.close();
  later.close();
  return { answers, headers: [live.headers, later.headers], live: live.bytes(), later: later.bytes() };
}

/** How the server's own are configured is its own business. */
const withoutOwn = (bytes: string) => bytes.replace(/^(data: .*"(?:___\w+|org\.infinispan\.\w+)":).*$/gm, '$1…');

test('the stand-in sends byte for byte what the real server sends', async () => {
  const [real, standIn] = await Promise.all([Infinispan.start(), StandIn.start()]);
  try {
    const [expected, found] = [await record(real.url), await record(standIn.url)];
    expect(expected.live).toMatch(/^event: create-cache\ndata: \{"infinispan"/);
    expect({ ...found, later: withoutOwn(found.later) }).toEqual({ ...expected, later: withoutOwn(expected.later) });
  } finally {
    await Promise.all([real.clean(), standIn.stop()]);
  }
});
