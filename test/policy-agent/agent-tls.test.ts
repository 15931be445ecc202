import { Duration } from 'cdk8s';
import { AgentAccess, AgentTls, ClientCertificates, DeploymentMode } from '../../lib';
import { agentObjects, cerbos, find, opa, podTemplate } from '../support/synth';

test('the Secret is mounted as a directory, certificate and key required', () => {
  const { spec } = podTemplate(agentObjects({ engine: opa(), tls: AgentTls.fromSecret('opa-tls') }));
  expect(spec.volumes).toContainEqual({ name: 'tls', secret: { secretName: 'opa-tls', defaultMode: 0o440, optional: false } });
  expect(spec.containers[0].volumeMounts).toContainEqual({ name: 'tls', mountPath: '/tls', readOnly: true });
  expect(spec.containers[0].volumeMounts.find(({ name }: any) => name === 'tls')).not.toHaveProperty('subPath');
  expect(spec.containers[0].args).toEqual(expect.arrayContaining(['--tls-cert-file=/tls/tls.crt', '--tls-private-key-file=/tls/tls.key']));
});

test('a cert-manager Certificate is emitted for every name of the Services', () => {
  const tls = AgentTls.fromCertificate({
    issuerName: 'internal', issuerKind: 'ClusterIssuer', dnsNames: ['pdp.example.com'], serverName: 'pdp', duration: Duration.days(30), renewBefore: Duration.days(10),
  });
  const objects = agentObjects({ engine: cerbos(), tls, headlessService: true, clusterDomain: 'cluster.local' });
  expect(find(objects, 'Certificate')).toMatchObject({
    apiVersion: 'cert-manager.io/v1',
    metadata: { name: 'agent' },
    spec: {
      secretName: 'agent-tls',
      issuerRef: { name: 'internal', kind: 'ClusterIssuer', group: 'cert-manager.io' },
      dnsNames: [
        'agent', 'agent.authz', 'agent.authz.svc', 'agent.authz.svc.cluster.local',
        'agent-headless', 'agent-headless.authz', 'agent-headless.authz.svc', 'agent-headless.authz.svc.cluster.local',
        'pdp', 'pdp.example.com',
      ],
      duration: '2592000s',
      renewBefore: '864000s',
      privateKey: { rotationPolicy: 'Always' },
    },
  });
  expect(podTemplate(objects).spec.volumes).toContainEqual(expect.objectContaining({ secret: expect.objectContaining({ secretName: 'agent-tls' }) }));
});

test('required client certificates of OPA: real, with probes on the diagnostic port', () => {
  const tls = AgentTls.fromSecret('opa-tls', { clientCertificates: ClientCertificates.REQUIRED });
  const [container] = podTemplate(agentObjects({ engine: opa(), tls })).spec.containers;
  expect(container.args).toEqual(expect.arrayContaining(['--authentication=tls', '--tls-ca-cert-file=/tls/ca.crt']));
  for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) expect(probe.httpGet.port).toBe('diagnostics');
  expect(container.args.filter((arg: string) => arg.startsWith('--addr'))).toEqual(['--addr=:8181']);
});

test('the authority of clients can stand in a Secret of its own', () => {
  const tls = AgentTls.fromSecret('opa-tls', { clientCertificates: ClientCertificates.REQUIRED, clientCaSecret: 'clients-ca' });
  const { spec } = podTemplate(agentObjects({ engine: opa(), tls }));
  expect(spec.containers[0].args).toContain('--tls-ca-cert-file=/client-ca/ca.crt');
  expect(spec.volumes).toContainEqual({
    name: 'client-ca', secret: { secretName: 'clients-ca', defaultMode: 0o440, optional: false, items: [{ key: 'ca.crt', path: 'ca.crt' }] },
  });
});

test('Cerbos is probed by HTTPS, so that one that fell back to plain text is never ready', () => {
  const [container] = podTemplate(agentObjects({ engine: cerbos(), tls: AgentTls.fromSecret('tls') })).spec.containers;
  for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) expect(probe.httpGet.scheme).toBe('HTTPS');
});

test('fails when it would do nothing', () => {
  const access = [AgentAccess.unixSocket()];
  const tls = AgentTls.fromSecret('tls');
  expect(() => agentObjects({ engine: opa(), access, tls })).toThrow('[test/Agent] OPA speaks no TLS on a Unix socket, and there is no other way of access');
  agentObjects({ engine: cerbos(), deploymentMode: DeploymentMode.DAEMON_SET, access, tls });
  expect(() => agentObjects({ engine: opa(), tls: AgentTls.fromSecret('tls', { clientCaSecret: 'ca' }) })).toThrow(
    '[test/Agent] clientCaSecret ca has no effect with ClientCertificates.NONE',
  );
  const nameless = { engine: cerbos(), deploymentMode: DeploymentMode.DAEMON_SET, access, tls: AgentTls.fromCertificate({ issuerName: 'i' }) };
  expect(() => agentObjects(nameless)).toThrow('[test/Agent] a certificate needs a name, and there is no Service to take one from: give dnsNames or serverName');
  agentObjects({ ...nameless, tls: AgentTls.fromCertificate({ issuerName: 'i', serverName: 'cerbos' }) });
});

test('Cerbos gets no caCert that it would ignore when the Secret lacks it', () => {
  const config = (tls: AgentTls) => JSON.parse(find(agentObjects({ engine: cerbos(), tls, deploymentMode: DeploymentMode.DAEMON_SET }), 'ConfigMap', 'agent-config').data['.cerbos.yaml']);
  expect(config(AgentTls.fromSecret('tls')).server.tls).toEqual({ cert: '/tls/tls.crt', key: '/tls/tls.key' });
  expect(config(AgentTls.fromSecret('tls', { clientCertificates: ClientCertificates.VERIFY_IF_GIVEN })).server.tls.caCert).toBe('/tls/ca.crt');
});
