/** A file that servers load, such as a database driver. They fetch it when they start. */
export class CacheLibrary {
  /**
   * From a Maven repository.
   *
   * @param coordinates `group:artifact:version`, optionally with a classifier.
   * @param hash Checksum such as `sha256:…`, in lower case.
   */
  public static fromMaven(coordinates: string, hash?: string): CacheLibrary {
    if (!/^[-\w.]+:[-\w.]+:[-\w.]+(:[-\w.]+)?$/.test(coordinates)) {
      throw new Error(`coordinates of a library must be group:artifact:version, given ${JSON.stringify(coordinates)}`);
    }
    return new CacheLibrary('maven', coordinates, hash);
  }

  /**
   * From an address.
   *
   * @param url Of the jar or archive, by http, https or ftp.
   * @param hash Checksum such as `sha256:…`, in lower case.
   */
  public static fromUrl(url: string, hash?: string): CacheLibrary {
    if (!/^(https?|ftp):\/\/[-\w+&@#/%?=~|!:,.;]*[-\w+&@#/%=~|]$/.test(url)) {
      throw new Error(`url of a library must be an http, https or ftp address, given ${JSON.stringify(url)}`);
    }
    return new CacheLibrary('url', url, hash);
  }

  private constructor(
    /** @internal */
    public readonly _kind: 'maven' | 'url',
    /** @internal */
    public readonly _source: string,
    /** @internal */
    public readonly _hash?: string,
  ) {
    if (_hash !== undefined && !/^(sha1|sha224|sha256|sha384|sha512|md5):[a-z0-9]+$/.test(_hash)) {
      throw new Error(`hash of library ${_source} must be such as sha256:0123abcd, given ${JSON.stringify(_hash)}`);
    }
  }
}
