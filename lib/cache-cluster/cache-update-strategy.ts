/** What happens when what is changed cannot be changed on the server. */
export enum CacheUpdateStrategy {
  /** It stays as it is, and its resource says so, or an Event of its ConfigMap. */
  RETAIN = 'retain',

  /** It is removed and made anew: what it holds is lost. */
  RECREATE = 'recreate',
}
