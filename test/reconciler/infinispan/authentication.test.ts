import { createHash } from 'crypto';
import { Authentication, isStale, parseChallenges } from '../../../reconciler/src/infinispan/authentication';

const CREDENTIALS = { username: 'Mufasa', password: 'Circle of Life' };
const REAL = 'Basic realm="default", Digest realm="default", nonce="AAAAAQAABB29OEdLyBzPnNl46577Q1dCguPuGTEmTZlij4q9QG+dDgZGC24=", opaque="00000000000000000000000000000000", algorithm=MD5, qop=auth';
const digest = (algorithm: string) => `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`;

/** A connection. */
const ONE = {};

const fields = (header: string) => Object.fromEntries([...header.matchAll(/(\w+)=(?:"([^"]*)"|([^,\s]+))/g)].map(([, name, quoted, token]) => [name, quoted ?? token]));

describe('challenges', () => {
  test('of the real server are read from one header', () => {
    expect(parseChallenges(REAL)).toEqual([
      { scheme: 'basic', parameters: { realm: 'default' } },
      {
        scheme: 'digest',
        parameters: {
          realm: 'default', nonce: 'AAAAAQAABB29OEdLyBzPnNl46577Q1dCguPuGTEmTZlij4q9QG+dDgZGC24=', opaque: '00000000000000000000000000000000', algorithm: 'MD5', qop: 'auth',
        },
      },
    ]);
  });

  test('may hold quoted quotes and commas, and schemes without parameters', () => {
    expect(parseChallenges('Negotiate, Basic realm="a, \\"b\\" = c", Bearer')).toEqual([
      { scheme: 'negotiate', parameters: {} }, { scheme: 'basic', parameters: { realm: 'a, "b" = c' } }, { scheme: 'bearer', parameters: {} },
    ]);
  });
});

describe('what is answered', () => {
  test.each([['MD5', 'md5'], ['SHA-256', 'sha256']])('is right for Digest %s, as RFC 7616 computes it', (algorithm, hash) => {
    const authentication = new Authentication(false);
    expect(authentication.learn(ONE, [digest(algorithm)])).toMatchObject({ scheme: 'digest' });
    const of = (...parts: string[]) => createHash(hash).update(parts.join(':')).digest('hex');
    for (const nc of ['00000001', '00000002']) {
      const { response, cnonce, ...rest } = fields(authentication.header(ONE, CREDENTIALS, 'GET', '/dir/index.html')!);
      expect(rest).toEqual({
        username: 'Mufasa',
        realm: 'http-auth@example.org',
        uri: '/dir/index.html',
        nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
        qop: 'auth',
        nc,
        algorithm,
        opaque: 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS',
      });
      const a1 = of('Mufasa', 'http-auth@example.org', 'Circle of Life');
      expect(response).toBe(of(a1, rest.nonce, nc, cnonce, 'auth', of('GET', '/dir/index.html')));
    }
  });

  test.each([
    ['the best Digest where everybody can listen', false, /^Digest .*algorithm=SHA-256/],
    ['Basic where nobody can', true, /^Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl$/],
  ])('is %s', (_, encrypted, expected) => {
    const authentication = new Authentication(encrypted);
    authentication.learn(ONE, ['Basic realm="x"', digest('MD5'), digest('SHA-256')]);
    expect(authentication.header(ONE, CREDENTIALS, 'GET', '/')).toMatch(expected);
  });

  test('is Digest where there is no Basic, also where nobody can listen; and Basic where there is nothing else', () => {
    const authentication = new Authentication(true);
    authentication.learn(ONE, [digest('MD5')]);
    expect(authentication.header(ONE, CREDENTIALS, 'GET', '/')).toMatch(/^Digest/);
    const open = new Authentication(false);
    open.learn(ONE, ['Basic realm="x"']);
    expect(open.header(ONE, CREDENTIALS, 'GET', '/')).toMatch(/^Basic/);
  });

  test('is what the server of the connection has asked; by a new connection, what was asked last', () => {
    const [authentication, another, third] = [new Authentication(false), {}, {}];
    const of = (nonce: string, more = '') => `Digest realm="x", nonce="${nonce}", algorithm=MD5, qop="auth"${more}`;
    authentication.learn(ONE, [of('a')]);
    expect(fields(authentication.header(another, CREDENTIALS, 'GET', '/')!)).toMatchObject({ nonce: 'a', nc: '00000001' });
    expect(isStale(authentication.learn(another, [of('b', ', stale=true')])!)).toBe(true);
    const nonces = [ONE, another, third, third].map((connection) => fields(authentication.header(connection, CREDENTIALS, 'GET', '/')!)).map(({ nonce, nc }) => `${nonce} ${nc}`);
    expect(nonces).toEqual(['a 00000002', 'b 00000001', 'b 00000002', 'b 00000003']);
  });

  test('is nothing before a challenge, and nothing when there is no way in common', () => {
    const authentication = new Authentication(false);
    expect(authentication.header(ONE, CREDENTIALS, 'GET', '/')).toBeUndefined();
    for (const way of ['Negotiate', digest('SHA-512-256'), 'Digest realm="x", nonce="y", algorithm=MD5, qop="auth-int"']) expect(authentication.learn(ONE, [way])).toBeUndefined();
    expect(authentication.header(ONE, CREDENTIALS, 'GET', '/')).toBeUndefined();
  });
});
