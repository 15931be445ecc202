import { PolicyEngineBinding } from './engine';
import { checkDnsLabel } from '../private/names';

/** Refuses what an engine of the user's own must not return; says so before anything is made of it. */
export function checkBinding(engineName: string, binding: PolicyEngineBinding): PolicyEngineBinding {
  const { containers, ports, configMaps = [], metricsPort } = binding;
  const fail = (message: string): never => {
    throw new Error(`engine ${engineName} ${message}`);
  };
  checkDnsLabel(engineName, 'engineName');
  if (!containers?.length) fail('must return at least one container');
  if (!ports?.length && !binding.socketFile) fail('must return at least one port, or a socketFile');
  for (const container of [...containers, ...(binding.initContainers ?? [])]) {
    if (!container?.name || !container.image) fail(`must name every container and its image, given ${JSON.stringify(container)}`);
  }

  for (const { name, port, containerPort = port } of ports) {
    if (!/^(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/.test(name) || name.includes('--')) {
      fail(`must name its ports with at most 15 lower-case letters, digits and single dashes, given ${JSON.stringify(name)}`);
    }
    if (![port, containerPort].every((number) => Number.isInteger(number) && number >= 1 && number <= 65535)) {
      fail(`must listen on ports from 1 to 65535, given ${name} ${port}`);
    }
    if (!ports.some((other) => other.port === containerPort && (other.containerPort ?? other.port) === containerPort)) {
      fail(`returns port ${name} with containerPort ${containerPort}, but no port of that number that listens`);
    }
  }
  refuseTwice(ports.map(({ name }) => name), (name) => fail(`returns port ${name} twice`));
  if (metricsPort !== undefined && !ports.some(({ name }) => name === metricsPort)) {
    fail(`returns metricsPort ${metricsPort}, but its ports are ${ports.map(({ name }) => name).join(', ')}`);
  }

  configMaps.forEach(({ suffix }) => checkDnsLabel(suffix, `suffix of a ConfigMap of engine ${engineName}`));
  refuseTwice(configMaps.map(({ suffix }) => suffix), (suffix) => fail(`returns ConfigMap suffix ${suffix} twice`));
  return binding;
}

function refuseTwice(values: string[], fail: (value: string) => never) {
  const twice = values.find((value, index) => values.indexOf(value) !== index);
  if (twice !== undefined) fail(twice);
}
