import { Log } from '../../reconciler/src/log';
import { Metrics } from '../../reconciler/src/metrics';

test('numbers are told in the format of Prometheus; those that only hold now are asked for each time', () => {
  const metrics = new Metrics();
  metrics.count('events_total', 'Events.', { of: 'a "b"\n\\' });
  metrics.count('events_total', 'Events.', { of: 'a "b"\n\\' }, 2);
  let depth = 5;
  const end = metrics.collect(() => metrics.gauge('depth', 'Depth.', {}, depth--));
  const events = '# HELP config_reconciler_events_total Events.\n# TYPE config_reconciler_events_total counter\nconfig_reconciler_events_total{of="a \\"b\\"\\n\\\\"} 3\n';
  expect(metrics.render()).toBe(`${events}# HELP config_reconciler_depth Depth.\n# TYPE config_reconciler_depth gauge\nconfig_reconciler_depth 5\n`);
  expect(metrics.render()).toContain('config_reconciler_depth 4');
  end();
  expect(metrics.render()).toBe(events);
});

test('a log line is one JSON object; what is less than the level is left out, also in logs made before the level was set', () => {
  const lines: string[] = [];
  const log = new Log({ level: 'info' }, {}, (line) => lines.push(line));
  const cluster = log.with({ cluster: 'sessions' });
  cluster.debug('no');
  cluster.warn('line\nbreak', { cache: 'x' });
  log.set('debug');
  cluster.debug('yes');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time: expect.any(String), level: 'warn', message: 'line\nbreak', cluster: 'sessions', cache: 'x' },
    { time: expect.any(String), level: 'debug', message: 'yes', cluster: 'sessions' },
  ]);
  expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
});
