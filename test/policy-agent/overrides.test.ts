import { ApiObject, JsonPatch } from 'cdk8s';
import { AgentAccess, AgentMetrics, AgentTls, CerbosStorage, DeploymentMode, NetworkPeer, PolicyAgent, PolicyAgentProps } from '../../lib';
import { agentObjects, cerbos, find, opa, podTemplate, secretValue, synthesise, testChart } from '../support/synth';

/** An agent that emits every kind of object that there is. */
const EVERYTHING: PolicyAgentProps = {
  engine: cerbos(),
  deploymentMode: DeploymentMode.DEPLOYMENT,
  headlessService: true,
  tls: AgentTls.fromCertificate({ issuerName: 'internal' }),
  metrics: AgentMetrics.podMonitor(),
  networkPolicy: { clients: [NetworkPeer.everyPod()] },
  priorityClassName: 'system-cluster-critical',
  roleGroups: { default: { autoscaling: { maxReplicas: 3 } } },
};

function everyObject(agent: PolicyAgent): ApiObject[] {
  return agent.node.findAll().filter((construct): construct is ApiObject => ApiObject.isApiObject(construct));
}

describe('objectOverrides', () => {
  const kinds = everyObject(new PolicyAgent(testChart(), 'Agent', EVERYTHING)).map(({ kind, name }) => [kind, name]);

  test.each(kinds)('reach %s %s, and nothing is lost', (kind, name) => {
    const objectOverrides = [{ kind, metadata: { name, annotations: { 'example.com/added': 'yes' }, labels: { team: 'authz' } } }];
    const object = find(agentObjects({ ...EVERYTHING, objectOverrides }), kind, name);
    expect(object.metadata).toMatchObject({ annotations: { 'example.com/added': 'yes' }, labels: { 'team': 'authz', 'app.kubernetes.io/instance': 'agent' } });
  });

  test('are JSON merge patches: lists are replaced, null removes, fields that no generated type knows stay', () => {
    const objects = agentObjects({
      engine: opa(),
      objectOverrides: [
        { kind: 'Service', metadata: { name: 'agent' }, spec: { internalTrafficPolicy: null, trafficDistribution: 'PreferSameNode', ports: [{ name: 'other', port: 1 }] } },
        { kind: 'DaemonSet', metadata: { name: 'agent-default' }, spec: { updateStrategy: { rollingUpdate: { maxSurge: '50%' } }, minReadySeconds: 3 } },
        { kind: 'ConfigMap', metadata: { name: 'agent' }, immutable: true },
      ],
    });
    const { spec } = find(objects, 'Service');
    expect(spec).not.toHaveProperty('internalTrafficPolicy');
    expect(spec).toMatchObject({ trafficDistribution: 'PreferSameNode', ports: [{ name: 'other', port: 1 }] });
    expect(find(objects, 'DaemonSet').spec).toMatchObject({ updateStrategy: { rollingUpdate: { maxSurge: '50%', maxUnavailable: 0 } }, minReadySeconds: 3 });
    expect(find(objects, 'ConfigMap', 'agent').immutable).toBe(true);
  });

  test('fail for $patch in a list, which is replaced as a whole', () => {
    const objectOverrides = [{ kind: 'Service', metadata: { name: 'agent' }, spec: { ports: [{ name: 'http', $patch: 'delete' }] } }];
    expect(() => agentObjects({ engine: opa(), objectOverrides })).toThrow('list ports is replaced as a whole, so $patch has no meaning in it');
  });

  test('fail when they fit no object, and name those that there are', () => {
    const wrong = (override: any) => () => agentObjects({ engine: opa(), objectOverrides: [override] });
    expect(wrong({ kind: 'Deployment', metadata: { name: 'agent-default' } })).toThrow(
      '[test/Agent] objectOverrides name Deployment/agent-default, which is not emitted; there are ConfigMap/agent-config, ConfigMap/agent-policies, ' +
      'DaemonSet/agent-default, Service/agent, ConfigMap/agent',
    );
    expect(wrong({ metadata: { name: 'agent' } })).toThrow('[test/Agent] each of objectOverrides needs kind and metadata.name');
  });
});

describe('podOverrides', () => {
  test('merge containers, volumes and variables by name; those of a role group come last', () => {
    const { metadata, spec } = podTemplate(agentObjects({
      engine: opa(),
      podOverrides: {
        metadata: { annotations: { 'example.com/a': 'agent', 'example.com/b': 'agent' } },
        spec: {
          hostAliases: [{ ip: '10.0.0.1', hostnames: ['bundles'] }],
          securityContext: { runAsUser: null },
          containers: [
            {
              name: 'opa',
              env: [{ name: 'EXTRA', value: '1' }, { name: 'NODE_NAME', value: 'fixed', valueFrom: null }],
              volumeMounts: [{ mountPath: '/extra', name: 'extra' }],
              ports: [{ containerPort: 8181, hostIP: '127.0.0.1' }],
            },
            { name: 'sidecar', image: 'sidecar:1' },
          ],
          volumes: [{ name: 'extra', emptyDir: {} }],
        },
      },
      roleGroups: { default: { podOverrides: { metadata: { annotations: { 'example.com/b': 'group' } } } } },
    }));
    expect(metadata.annotations).toMatchObject({ 'example.com/a': 'agent', 'example.com/b': 'group', 'prometheus.io/scrape': 'true' });
    expect(spec.securityContext).not.toHaveProperty('runAsUser');
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(spec.containers.map(({ name }: any) => name)).toEqual(['opa', 'sidecar']);
    const [container] = spec.containers;
    expect(container.args).toContain('--server');
    expect(container.env).toEqual(expect.arrayContaining([{ name: 'NODE_NAME', value: 'fixed' }, { name: 'EXTRA', value: '1' }]));
    expect(container.env.map(({ name }: any) => name)).toEqual(['NODE_NAME', 'POD_NAME', 'POD_NAMESPACE', 'EXTRA', 'GOMEMLIMIT']);
    expect(container.volumeMounts.map(({ name }: any) => name)).toEqual(['config', 'policies', 'extra']);
    expect(container.ports[0]).toEqual({ name: 'http', containerPort: 8181, protocol: 'TCP', hostIP: '127.0.0.1' });
    expect(spec.volumes.map(({ name }: any) => name)).toEqual(['config', 'policies', 'extra']);
  });

  test('tell ports of one number apart by their protocol, and leave no $patch in what they add', () => {
    const containers = [
      { name: 'opa', ports: [{ containerPort: 8181, protocol: 'UDP', name: 'udp' }] },
      { name: 'sidecar', image: 'x', securityContext: { privileged: { $patch: 'delete' } } },
    ];
    const { spec } = podTemplate(agentObjects({ engine: opa(), podOverrides: { spec: { containers } } }));
    expect(spec.containers[0].ports.map(({ name }: any) => name)).toEqual(['http', 'diagnostics', 'udp']);
    expect(spec.containers[1].securityContext).toEqual({});
  });

  test('fail for what Kubernetes would take the last of', () => {
    const twice = { spec: { containers: [{ name: 'opa', volumeMounts: [{ name: 'config', mountPath: '/config/' }] }] } };
    agentObjects({ engine: opa(), podOverrides: twice });
    expect(() => agentObjects({ engine: opa(), access: [AgentAccess.unixSocket({ hostDirectory: '/config' })] })).toThrow(
      'container opa of role group default mounts /config twice',
    );
    const environment = { CERBOS_GIT_PASSWORD: secretValue('a', 'b') };
    const storage = CerbosStorage.git({ url: 'https://g/p', passwordSecret: { secretName: 'a', key: 'b' } });
    expect(() => agentObjects({ engine: cerbos({ storage, environment }) })).toThrow('container cerbos of role group default sets variable CERBOS_GIT_PASSWORD twice');
  });

  test('remove items by $patch, and fail for what is not there', () => {
    const without = (name: string) => agentObjects({ engine: opa(), podOverrides: { spec: { containers: [{ name: 'opa', env: [{ name, $patch: 'delete' }] }] } } });
    expect(podTemplate(without('POD_NAMESPACE')).spec.containers[0].env.map(({ name }: any) => name)).toEqual(['NODE_NAME', 'POD_NAME', 'GOMEMLIMIT']);
    expect(() => without('POD_NAME')).toThrow('[test/Agent] the configuration refers to variable POD_NAME, which is not set: name it in environment');
    expect(() => without('NOTHING')).toThrow('[test/Agent] pod overrides delete NOTHING from env, which has NODE_NAME, POD_NAME');
    const nameless = () => agentObjects({ engine: opa(), podOverrides: { spec: { containers: [{ image: 'x' }] } } });
    expect(() => agentObjects({ engine: opa(), podOverrides: { containers: [] } })).toThrow('podOverrides are a pod template, which has metadata and spec, given containers');
    expect(nameless).toThrow('[test/Agent] every item of containers in pod overrides needs the field name, given {"image":"x"}');
  });
});

describe('patches on objects', () => {
  test('reach every object in wire form, and nothing is lost', () => {
    const chart = testChart();
    const agent = new PolicyAgent(chart, 'Agent', EVERYTHING);
    for (const object of everyObject(agent)) object.addJsonPatch(JsonPatch.add('/metadata/annotations', { patched: object.kind }));
    for (const object of synthesise(chart)) expect(object.metadata.annotations).toEqual({ patched: object.kind });
  });

  test('may use fields, acronyms and numbers that generated classes drop', () => {
    const chart = testChart();
    const agent = new PolicyAgent(chart, 'Agent', { engine: opa() });
    agent.workloads.default.addJsonPatch(
      JsonPatch.add('/spec/template/spec/hostPID', true),
      JsonPatch.replace('/spec/updateStrategy/rollingUpdate/maxSurge', 2),
      JsonPatch.replace('/spec/template/spec/containers/0/resources/requests/cpu', '50m'),
    );
    agent.service!.addJsonPatch(JsonPatch.add('/spec/trafficDistribution', 'PreferSameZone'));
    ApiObject.of(agent).metadata.addAnnotation('found', 'by default child');
    const objects = synthesise(chart);
    expect(find(objects, 'DaemonSet')).toMatchObject({
      metadata: { annotations: { found: 'by default child' } },
      spec: { updateStrategy: { rollingUpdate: { maxSurge: 2 } }, template: { spec: { hostPID: true, containers: [{ resources: { requests: { cpu: '50m' } } }] } } },
    });
    expect(find(objects, 'Service').spec.trafficDistribution).toBe('PreferSameZone');
  });
});
