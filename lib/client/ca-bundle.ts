/** The certificates by which a client verifies its agent's, as a file in its containers. */
export class CaBundle {
  /**
   * From a ConfigMap in the client's namespace, such as trust-manager writes.
   *
   * @param key of the certificates; `ca.crt` when left out
   */
  public static fromConfigMap(name: string, key: string = 'ca.crt'): CaBundle {
    if (!name || !key) throw new Error('name and key of the ConfigMap with certificates must not be empty');
    return new CaBundle({ configMap: { items: [{ key, path: 'ca.crt' }], name } });
  }

  /**
   * From a Secret in the client's namespace. Nothing but this key reaches the client's containers.
   *
   * @param key of the certificates; `ca.crt` when left out
   */
  public static fromSecret(name: string, key: string = 'ca.crt'): CaBundle {
    if (!name || !key) throw new Error('name and key of the Secret with certificates must not be empty');
    return new CaBundle({ secret: { items: [{ key, path: 'ca.crt' }], secretName: name } });
  }

  /** The client trusts the authority anyway: nothing is mounted. */
  public static ofClient(): CaBundle {
    return new CaBundle();
  }

  private constructor(
    /** @internal */
    public readonly _source?: any,
  ) {}
}
