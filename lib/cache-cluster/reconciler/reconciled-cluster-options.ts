import { ConfigDirection, ConfigRemoval } from './config-policies';

/** How a `ConfigReconciler` serves one cluster. */
export interface ReconciledClusterOptions {
  /**
   * Who may write what.
   *
   * @default - SERVER_TO_RESOURCES with the operator, BOTH without
   */
  readonly direction?: ConfigDirection;

  /**
   * What becomes of what the servers have when a user removes the resource for it. With the operator, caches go with their resource
   * in any case, since the operator removes them.
   *
   * @default ConfigRemoval.KEEP
   */
  readonly removal?: ConfigRemoval;

  /**
   * Whether nothing at all is written for the cluster. A change takes effect without a restart.
   *
   * @default false
   */
  readonly paused?: boolean;

  /**
   * Secret, in the namespace of both, with the name and the password of a user who may do everything (permission `ADMIN`).
   *
   * @default - the operator's own user with the operator; otherwise, or with `url`, the cluster's `clientCredentialsSecret`
   */
  readonly credentialsSecret?: string;

  /**
   * Key of the Secret that holds the user's name.
   *
   * @default 'username'
   */
  readonly usernameKey?: string;

  /**
   * Key of the Secret that holds the password.
   *
   * @default 'password'
   */
  readonly passwordKey?: string;

  /**
   * Address of the servers' REST, such as `https://infinispan:11222` for those of the Helm chart.
   *
   * @default - the administrative port, `http://<cluster>-admin.<namespace>.svc:11223`
   */
  readonly url?: string;

  /**
   * Secret whose key `ca.crt` verifies the servers' certificates. Only with `url` and https.
   *
   * @default - the cluster's
   */
  readonly caSecret?: string;

  /**
   * Name in the servers' certificate. Only with `url` and https.
   *
   * @default - that of `url`
   */
  readonly serverName?: string;

  /**
   * Headless Service of the servers' pods. From Infinispan 16.2 on, each pod tells of the counters that it has made itself, so each
   * is listened to; only with definitions.
   *
   * @default - `<cluster>-admin` from 16.2 on; none with `url`
   */
  readonly podService?: string;
}
