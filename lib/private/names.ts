const DNS_LABEL = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Turns a construct id into a DNS label: lower case, everything else a dash. */
export function dnsLabelOf(id: string): string {
  return id.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^[^a-z]+|-+$/g, '');
}

/**
 * Checks a name that becomes (part of) the name of a Service: at most 63 lower-case letters, digits and dashes,
 * first a letter.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#rfc-1035-label-names
 */
export function checkDnsLabel(name: string, what: string): string {
  if (!DNS_LABEL.test(name)) {
    throw new Error(
      `${what} must be a DNS label (at most 63 lower-case letters, digits and dashes, first a letter), given ${JSON.stringify(name)}`,
    );
  }
  return name;
}

/** Name by which clients find a Service; without a domain it is completed by the pods' search path. */
export function serviceHost(name: string, namespace?: string, clusterDomain?: string): string {
  if (!namespace) return name;
  return clusterDomain ? `${name}.${namespace}.svc.${clusterDomain}` : `${name}.${namespace}.svc`;
}

/** Name of the Service without an address of its own. */
export function headlessName(name: string): string {
  return `${name}-headless`;
}

/** The key of a ConfigMap that holds the file at this path: keys know no slashes. */
export function configMapKey(path: string): string {
  const key = path.replaceAll('/', '__');
  if (key.length > 253) throw new Error(`path of a policy file must have at most 253 characters in a ConfigMap, given ${path}`);
  return key;
}
