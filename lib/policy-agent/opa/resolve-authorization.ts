import { Claim, refuseMissingDecisions } from './claims';
import { AUTHORIZATION_ROOT, OpaAuthorization } from './opa-authorization';
import { OpaEngineProps } from './opa-engine-props';
import { EVERYTHING, overlap } from './roots';
import { ClientCertificates } from '../agent-tls';

/** Which authorization holds. The generated policy is a file, and a bundle erases the files at its roots. */
export function resolveAuthorization(props: OpaEngineProps, downloads: Claim[], files: Claim[]): OpaAuthorization {
  const { authorization, decisions } = props;
  const ownsEverything = downloads.some(({ root }) => root === EVERYTHING);
  const chosen = authorization ?? (ownsEverything ? OpaAuthorization.OFF : OpaAuthorization.DECISIONS);
  switch (chosen) {
    case OpaAuthorization.DECISIONS:
      refuseErased(downloads);
      refuseOwnPolicy(files);
      if (!decisions || decisions.length === 0) {
        throw new Error("decisions must name the rules that clients may query, such as ['authz/allow'] (or choose another authorization)");
      }
      refuseMissingDecisions(decisions, [...downloads, ...files]);
      return chosen;
    case OpaAuthorization.OWN_POLICY:
      if (![...downloads, ...files].some(({ root }) => overlap(root, AUTHORIZATION_ROOT))) {
        throw new Error('OpaAuthorization.OWN_POLICY needs a package system.authz, but neither the roots of a bundle nor a policy file holds it');
      }
      break;
    case OpaAuthorization.OFF:
      if (!authorization) refuseOpenSecrets(props);
  }
  if (decisions) {
    throw new Error(
      `decisions are enforced by OpaAuthorization.DECISIONS only, given ${authorization ?? "roots ['']"}` +
      (authorization ? '' : ': such a bundle would erase the policy that enforces them; state narrower roots, or leave decisions out'),
    );
  }
  return chosen;
}

function refuseErased(downloads: Claim[]) {
  const erasing = downloads.find(({ root }) => overlap(root, AUTHORIZATION_ROOT));
  if (!erasing) return;
  throw new Error(
    `OpaAuthorization.DECISIONS cannot hold beside roots '${erasing.root}' of ${erasing.what}: the bundle would erase the generated policy ` +
    `at ${AUTHORIZATION_ROOT}; state narrower roots, or put system.authz into the bundle and use OpaAuthorization.OWN_POLICY`,
  );
}

function refuseOwnPolicy(files: Claim[]) {
  const own = files.find(({ root, known }) => known && overlap(root, AUTHORIZATION_ROOT));
  if (own) throw new Error(`${own.what} is an authorization policy of your own: choose OpaAuthorization.OWN_POLICY, and leave decisions out`);
}

/** Whoever may ask an open OPA anything may ask for its variables. */
function refuseOpenSecrets({ environment = {}, bundles = {}, discovery }: OpaEngineProps) {
  const secrets = [
    ...Object.entries(environment).filter(([, { valueFrom }]) => valueFrom?.secretKeyRef).map(([name]) => `variable ${name}`),
    ...[...Object.entries(bundles), ['discovery', discovery] as const].filter(([, download]) => download?.signing?.secretKey)
      .map(([name]) => `the signing key of ${name}`),
  ];
  if (secrets.length === 0) return;
  throw new Error(
    `a bundle with roots [''] leaves OPA's API open, where everyone can read ${secrets.join(' and ')}: state narrower roots, put system.authz into the ` +
    'bundle and use OpaAuthorization.OWN_POLICY, or accept it by OpaAuthorization.OFF',
  );
}

/** Refuses ways of authentication that OPA does not have, or that nothing would check. */
export function refuseAuthentication({ clientTokenSecret }: OpaEngineProps, certificates: ClientCertificates, authorization: OpaAuthorization) {
  if (certificates === ClientCertificates.VERIFY_IF_GIVEN) {
    throw new Error('OPA either requires client certificates or does not ask for them: clientCertificates must be REQUIRED or NONE');
  }
  if (!clientTokenSecret) return;
  if (certificates === ClientCertificates.REQUIRED) {
    throw new Error('OPA knows one way of authentication at a time: give clientTokenSecret or required client certificates, not both');
  }
  if (authorization === OpaAuthorization.OFF) {
    throw new Error("clientTokenSecret has no effect with OpaAuthorization.OFF (the default beside roots ['']): tokens are checked by authorization");
  }
}

/** What a user should know who did not ask for an open API, but has one. */
export function openApiWarnings(props: OpaEngineProps, authorization: OpaAuthorization): string[] {
  if (authorization !== OpaAuthorization.OFF || props.authorization === OpaAuthorization.OFF) return [];
  return [
    "a bundle with roots [''] leaves OPA's API readable (data, policies, configuration, variables of the container), and writable until it is first activated and wherever " +
    'it owns less than everything: state narrower roots, or put system.authz into the bundle and use OpaAuthorization.OWN_POLICY',
  ];
}
