import { parseArgs } from 'util';
import { setFlagsFromString } from 'v8';
import { followConfiguration, readConfiguration } from './configuration-file';
import { endpoints } from './endpoints';
import { KubernetesClient } from './kubernetes/kubernetes-client';
import { apiServerUrl, SERVICE_ACCOUNT_DIRECTORY, ServiceAccount } from './kubernetes/service-account';
import { Log, messageOf } from './log';
import { Metrics } from './metrics';
import { Reconciler } from './reconciler';

// The heap grows in small steps: after the same work the program holds some 3 MiB less, and is no slower. The environment cannot say it.
setFlagsFromString('--optimize-for-size');

function main() {
  const { values } = parseArgs({
    options: {
      'config': { type: 'string', default: '/etc/config-reconciler/config.json' },
      'port': { type: 'string', default: '8080' },
      'api-server': { type: 'string', default: apiServerUrl(process.env) },
      'service-account': { type: 'string', default: SERVICE_ACCOUNT_DIRECTORY },
    },
  });
  const configuration = readConfiguration(values.config);
  const log = new Log({ level: configuration.logLevel });
  const metrics = new Metrics();
  const account = new ServiceAccount(values['service-account']);
  const kubernetes = new KubernetesClient(values['api-server'], account, (verb) => metrics.count('api_requests_total', 'Requests to the API server.', { verb }));
  const reconciler = new Reconciler({ kubernetes, namespace: configuration.namespace ?? account.namespace, log, metrics }, configuration);
  const server = endpoints(() => reconciler.notReady, metrics).listen(Number(values.port));
  const file = followConfiguration(values.config, {
    changed: (next) => {
      if (next.instance !== configuration.instance || next.namespace !== configuration.namespace) {
        log.error('instance and namespace take effect with a restart only');
        return;
      }
      void reconciler.configure(next);
    },
    wrong: (error) => {
      metrics.count('wrong_configurations_total', 'Configurations that were passed over.');
      log.error('the new configuration is wrong, so the last one stays', { error: messageOf(error) });
    },
  });
  reconciler.start();
  log.info('started', { clusters: configuration.clusters.length });

  const stop = (signal: string) => {
    log.info('stopping', { signal });
    file.close();
    server.close();
    server.closeAllConnections();
    void reconciler.stop().then(() => {
      kubernetes.close();
      log.info('stopped');
      // Nothing is left to do; what the runtime still holds must not keep the pod.
      process.exit(0);
    });
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
}

try {
  main();
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
