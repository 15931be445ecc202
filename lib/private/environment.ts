/** Variables by which a server knows where it runs. */
const NODE_VARIABLES: Record<string, string> = {
  NODE_NAME: 'spec.nodeName',
  POD_NAME: 'metadata.name',
  POD_NAMESPACE: 'metadata.namespace',
};

/** Variables that an agent sets by itself. */
export function isReserved(name: string): boolean {
  return name in NODE_VARIABLES;
}

export function nodeVariables(): any[] {
  return Object.entries(NODE_VARIABLES).map(([name, fieldPath]) => ({ name, valueFrom: { fieldRef: { fieldPath } } }));
}

/** Variables of the user, in wire form. */
export function engineVariables(environment: Record<string, { readonly value?: any; readonly valueFrom?: any }> = {}): any[] {
  return Object.entries(environment).map(([name, { value, valueFrom }]) => ({ name, value, valueFrom }));
}

/** Names of the variables that a configuration refers to, but for those with a default (`${NAME:default}`). */
export function referredVariables(config: string): string[] {
  return [...new Set([...config.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name))];
}

/** A variable whose value is a key of a Secret. */
export function secretVariable(name: string, secret: { readonly secretName: string; readonly key: string }): any {
  return { name, valueFrom: { secretKeyRef: { name: secret.secretName, key: secret.key } } };
}
