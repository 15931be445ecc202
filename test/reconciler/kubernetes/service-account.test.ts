import { apiServerUrl } from '../../../reconciler/src/kubernetes/service-account';

test.each([['10.96.0.1', 'https://10.96.0.1:443'], ['fd00:10:96::1', 'https://[fd00:10:96::1]:443'], ['kubernetes.default', 'https://kubernetes.default:443']])('the API server at %s has the address %s', (host, url) => {
  expect(apiServerUrl({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: '443' })).toBe(url);
  expect(new URL(url).href).toBe(`${url.replace(':443', '')}/`);
});
