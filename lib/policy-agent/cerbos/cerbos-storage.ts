import { Duration } from 'cdk8s';
import { CerbosBlobOptions, CerbosDatabaseOptions, CerbosGitOptions, CerbosHubOptions } from './cerbos-storage-options';
import { WORK_DIRECTORY } from './directories';
import { CerbosStorageBinder, StorageBinding } from './storage-binding';
import { secretVariable } from '../../private/environment';
import { redact, refuseSecretInUrl } from '../../private/secrets';
import { bindPolicyFiles } from '../bind-policy-files';
import { PolicyFiles } from '../policy-files';

/** Options of `CerbosStorage.overlay`. */
export interface CerbosOverlayOptions {
  /** Where policies come from. Must be reachable when an agent starts. */
  readonly base: CerbosStorage;

  /** Where they come from when the base fails while running. Must be reachable when an agent starts, too. */
  readonly fallback: CerbosStorage;

  /**
   * Errors of the base within `errorWindow` after which the fallback takes over.
   *
   * @default 5
   */
  readonly errorThreshold?: number;

  /**
   * Time in which errors of the base are counted.
   *
   * @default Duration.seconds(5)
   */
  readonly errorWindow?: Duration;
}

/**
 * Where Cerbos takes its policies from.
 *
 * @see https://docs.cerbos.dev/cerbos/latest/configuration/storage
 */
export class CerbosStorage {
  /** Files of the pod. A change of inline files rolls the pods. */
  public static disk(...policies: PolicyFiles[]): CerbosStorage {
    if (policies.length === 0) throw new Error('disk storage needs policy files, given none: an agent without policies would deny everything');
    return new CerbosStorage((context) => {
      const bound = bindPolicyFiles(policies, isTest, context);
      if (bound.directories.length > 1) {
        throw new Error('Cerbos reads policies from one directory: an image with policies cannot be combined with other policy files');
      }
      return {
        driver: 'disk',
        // Cerbos does not notice how the kubelet swaps the files of a volume, so it need not watch; pods are rolled instead.
        config: { directory: bound.directories[0], watchForChanges: false },
        volumes: bound.volumes,
        volumeMounts: bound.volumeMounts,
        configMaps: bound.configMaps,
        checksums: bound.checksums,
        warnings: bound.warnings,
      };
    });
  }

  /** A Git repository. Agents follow it one by one, so they may answer differently for an `updatePollInterval`. */
  public static git(options: CerbosGitOptions): CerbosStorage {
    const protocol = /^(https|ssh):\/\//.exec(options.url)?.[1];
    if (!protocol) throw new Error(`url of the Git repository must begin with https:// or ssh://, given ${JSON.stringify(redact(options.url))}`);
    refuseSecretInUrl(options.url, 'url of the Git repository');
    if (protocol === 'ssh' && (options.passwordSecret || !options.sshKeySecret)) throw new Error('a Git repository by ssh:// needs sshKeySecret, and no passwordSecret');
    if (protocol === 'https' && options.username && !options.passwordSecret) throw new Error('username of the Git repository has no effect without passwordSecret');
    if (protocol === 'https' && options.sshKeySecret) throw new Error('a Git repository by https:// takes passwordSecret, not sshKeySecret');
    return new CerbosStorage(() => ({
      driver: 'git',
      config: {
        protocol,
        url: options.url,
        branch: options.branch,
        subDir: options.subDir,
        checkoutDir: `${WORK_DIRECTORY}/git`,
        updatePollInterval: seconds(options.updatePollInterval, 60),
        ...(options.passwordSecret && { https: { username: options.username ?? 'git', password: '${CERBOS_GIT_PASSWORD}' } }),
        ...(options.sshKeySecret && { ssh: { user: options.username ?? 'git', privateKeyFile: '/git/key' } }),
      },
      ...writable(),
      ...(options.passwordSecret && { env: [secretVariable('CERBOS_GIT_PASSWORD', options.passwordSecret)] }),
      ...(options.sshKeySecret && {
        volumes: [
          ...writable().volumes,
          { name: 'git-key', secret: { secretName: options.sshKeySecret.secretName, defaultMode: 0o440, items: [{ key: options.sshKeySecret.key, path: 'key' }] } },
        ],
        volumeMounts: [...writable().volumeMounts, { name: 'git-key', mountPath: '/git', readOnly: true }],
      }),
    }));
  }

  /** A bucket. Agents follow it one by one, so they may answer differently for an `updatePollInterval`. */
  public static blob(options: CerbosBlobOptions): CerbosStorage {
    if (!/^[a-z0-9]+:\/\/\S+$/.test(options.bucket)) throw new Error(`bucket must be a URL such as s3://policies, given ${JSON.stringify(options.bucket)}`);
    return new CerbosStorage(() => ({
      driver: 'blob',
      config: {
        bucket: options.bucket,
        prefix: options.prefix,
        workDir: `${WORK_DIRECTORY}/blob`,
        updatePollInterval: seconds(options.updatePollInterval, 60),
      },
      ...writable(),
    }));
  }

  /**
   * A SQLite database, one for each agent, filled through the admin API.
   *
   * @param dsn data source; a file must be below `/work`, which lasts as long as the pod
   */
  public static sqlite3(dsn: string = ':memory:?_fk=true'): CerbosStorage {
    if (!/^(:memory:|file::memory:|(file:)?\/work\/[^/])/.test(dsn)) {
      throw new Error(`dsn of a SQLite database must begin with :memory: or name a file below /work, given ${JSON.stringify(dsn)}`);
    }
    return new CerbosStorage(() => ({
      driver: 'sqlite3',
      config: { dsn },
      ...writable(),
      changedByAdminApi: true,
      isPerPod: true,
    }));
  }

  /**
   * A PostgreSQL database.
   *
   * @param url such as `postgres://cerbos:${PGPASSWORD}@db:5432/cerbos?sslmode=verify-full`; the variable stands in the engine's `environment`
   */
  public static postgres(url: string, options: CerbosDatabaseOptions = {}): CerbosStorage {
    if (!/^postgres(ql)?:\/\//.test(url)) throw new Error(`url of the database must begin with postgres://, given ${JSON.stringify(redact(url))}`);
    refuseSecretInUrl(url, 'url of the database');
    return new CerbosStorage(() => ({
      driver: 'postgres',
      config: { url, connRetry: { maxAttempts: options.maxAttempts ?? 10 } },
      changedByAdminApi: true,
    }));
  }

  /**
   * A MySQL database.
   *
   * @param dsn such as `cerbos:${MYSQL_PASSWORD}@tcp(db:3306)/cerbos`; the variable stands in the engine's `environment`
   */
  public static mysql(dsn: string, options: CerbosDatabaseOptions = {}): CerbosStorage {
    refuseSecretInUrl(dsn, 'dsn of the database');
    return new CerbosStorage(() => ({
      driver: 'mysql',
      config: { dsn, connRetry: { maxAttempts: options.maxAttempts ?? 10 } },
      changedByAdminApi: true,
    }));
  }

  /** Cerbos Hub. */
  public static hub(options: CerbosHubOptions): CerbosStorage {
    return new CerbosStorage(() => ({
      driver: 'hub',
      // Cerbos does not make these directories, so each is a mount of its own.
      config: { remote: { deploymentID: options.deploymentId, cacheDir: '/hub/cache', tempDir: '/hub/tmp' } },
      volumes: [{ name: 'hub-cache', emptyDir: {} }, { name: 'hub-tmp', emptyDir: {} }],
      volumeMounts: [{ name: 'hub-cache', mountPath: '/hub/cache' }, { name: 'hub-tmp', mountPath: '/hub/tmp' }],
      env: [
        secretVariable('CERBOS_HUB_CLIENT_ID', options.clientIdSecret),
        secretVariable('CERBOS_HUB_CLIENT_SECRET', options.clientSecretSecret),
      ],
    }));
  }

  /** Two storages, the second for when the first fails. */
  public static overlay(options: CerbosOverlayOptions): CerbosStorage {
    return new CerbosStorage((context) => {
      const [base, fallback] = [options.base._bind(context), options.fallback._bind(context)];
      if (base.driver === fallback.driver) {
        throw new Error(`base and fallback of an overlay must be of different kinds, given ${base.driver} for both`);
      }
      return {
        driver: 'overlay',
        config: {
          baseDriver: base.driver,
          fallbackDriver: fallback.driver,
          fallbackErrorThreshold: options.errorThreshold ?? 5,
          fallbackErrorWindow: seconds(options.errorWindow, 5),
        },
        others: { [base.driver]: base.config, [fallback.driver]: fallback.config, ...base.others, ...fallback.others },
        volumes: byName([...(base.volumes ?? []), ...(fallback.volumes ?? [])], 'name'),
        volumeMounts: byName([...(base.volumeMounts ?? []), ...(fallback.volumeMounts ?? [])], 'mountPath'),
        env: byName([...(base.env ?? []), ...(fallback.env ?? [])], 'name'),
        configMaps: [...(base.configMaps ?? []), ...(fallback.configMaps ?? [])],
        checksums: [...(base.checksums ?? []), ...(fallback.checksums ?? [])],
        warnings: [...(base.warnings ?? []), ...(fallback.warnings ?? [])],
        changedByAdminApi: base.changedByAdminApi || fallback.changedByAdminApi,
        isPerPod: base.isPerPod || fallback.isPerPod,
      };
    });
  }

  private constructor(
    /** @internal */
    public readonly _bind: CerbosStorageBinder,
  ) {}
}

function writable(): Required<Pick<StorageBinding, 'volumes' | 'volumeMounts'>> {
  return { volumes: [{ name: 'work', emptyDir: {} }], volumeMounts: [{ name: 'work', mountPath: WORK_DIRECTORY }] };
}

function seconds(duration: Duration | undefined, otherwise: number): string {
  return `${duration?.toSeconds() ?? otherwise}s`;
}

function byName(items: any[], key: string): any[] {
  return [...new Map(items.map((item) => [item[key], item])).values()];
}

/** Cerbos' own test suites and their data. */
function isTest(path: string): boolean {
  return /(^|\/)testdata\//.test(path) || /_test\.(ya?ml|json)$/.test(path);
}
