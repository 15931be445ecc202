import { createServer, Server } from 'http';
import { Metrics } from './metrics';

interface Page {
  readonly status: number;
  readonly text: string;
}

/** Health and metrics, for the kubelet and Prometheus. */
export function endpoints(notReady: () => string[], metrics: Metrics): Server {
  const pages: Record<string, () => Page> = {
    '/livez': () => ({ status: 200, text: 'ok\n' }),
    '/readyz': () => {
      const reasons = notReady();
      return reasons.length === 0 ? { status: 200, text: 'ok\n' } : { status: 503, text: `${reasons.join('\n')}\n` };
    },
    '/metrics': () => ({ status: 200, text: metrics.render() }),
  };
  return createServer((request, response) => {
    const page = pages[request.url!.split('?')[0]]?.() ?? { status: 404, text: `there are ${Object.keys(pages).join(', ')}\n` };
    response.writeHead(page.status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(page.text);
    request.resume();
  });
}
