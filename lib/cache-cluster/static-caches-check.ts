import { ApiObject } from 'cdk8s';
import { IConstruct } from 'constructs';
import { CacheAcknowledgement } from './cache-acknowledgement';
import { STATIC_CACHES_ANNOTATION } from './objects/config-map';
import { VERSION_LABEL } from './objects/stateful-set';
import { PreviousManifest } from './previous-manifest';
import { StaticDefinitions } from './server/static-definitions';
import { CacheClusterSettings } from './settings';
import { compareVersions } from './versions';
import { warn } from '../private/messages';

interface Objects {
  readonly configMap: ApiObject;
  readonly statefulSet: ApiObject;
}

/** Whether what stands in the servers' configuration gets along with what servers remember of the last release. */
export class StaticCachesCheck {
  private warned = false;

  constructor(
    private readonly settings: CacheClusterSettings,
    private readonly definitions: StaticDefinitions,
    private readonly objects: Objects,
    private readonly previous: PreviousManifest | undefined,
  ) {}

  /** What is wrong; warnings go to the construct. */
  public errors(scope: IConstruct): string[] {
    const say = (message: string) => this.warned || warn(scope, message);
    this.warnOfLosses(say);
    const errors = this.previous ? this.compare(this.previous, say) : this.withoutPrevious(say);
    this.warned = true;
    return errors;
  }

  private warnOfLosses(say: (message: string) => void) {
    const { volatileCaches } = this.definitions;
    if (volatileCaches.length > 0) {
      say(`caches ${volatileCaches.join(', ')} have entries on one server only: each rollout loses them`);
    }
  }

  private withoutPrevious(say: (message: string) => void): string[] {
    const { storage, acknowledged, clusterName, props } = this.settings;
    if (props.acceptCacheChanges) return ['acceptCacheChanges needs previousManifest: there is nothing that changed'];
    if (!storage._persistent || this.definitions.cacheNames.length === 0) return [];
    const danger = 'a changed definition makes servers disagree while it is rolled out, or stops one that remembers the old one; a removed cache takes its entries along';
    if (!acknowledged.includes(CacheAcknowledgement.STATIC_CACHES_ON_PERSISTENT_STORAGE)) {
      return [`caches of cluster ${clusterName} on persistent storage: ${danger}; name the last release's manifest (previousManifest), or acknowledge ` +
        'STATIC_CACHES_ON_PERSISTENT_STORAGE'];
    }
    say(`${danger}; without previousManifest nobody looks whether that is so`);
    return [];
  }

  private compare(previous: PreviousManifest, say: (message: string) => void): string[] {
    const { acceptCacheChanges = [] } = this.settings.props;
    const configMap = previous.find(this.objects.configMap.toJson());
    if (!configMap) {
      say(`previousManifest has no ConfigMap ${this.objects.configMap.name}: the cluster is taken for a new one`);
      return [];
    }
    const before: Record<string, string> = JSON.parse(configMap.metadata.annotations?.[STATIC_CACHES_ANNOTATION] ?? '{}');
    const now = this.definitions.checksums();
    const gone = Object.keys(before).filter((name) => !Object.hasOwn(now, name));
    const moved = gone.filter((name) => this.definitions.isResource(name));
    const removed = gone.filter((name) => !moved.includes(name));
    const changed = Object.keys(before).filter((name) => Object.hasOwn(now, name) && now[name] !== before[name]);
    const idle = acceptCacheChanges.filter((name) => ![...removed, ...changed].includes(name));
    if (idle.length > 0) say(`acceptCacheChanges name ${idle.join(', ')}, which did not change: leave them out`);
    const refused = (names: string[], what: string, consequence: string) => names.filter((name) => !acceptCacheChanges.includes(name)).map((name) =>
      `cache ${JSON.stringify(name)} ${what} after the last release: ${consequence}; see docs/how-to/run-caches.md, then name it in acceptCacheChanges`);
    return [
      ...refused(changed, 'has changed', 'old and new servers disagree while it is rolled out, and one that remembers the old definition does not start'),
      ...refused(removed, 'was removed', 'its entries are lost, and a server that remembers it has it again after each start'),
      ...moved.map((name) => `cache ${JSON.stringify(name)} stood in the servers' configuration in the last release: as long as one of them has it, its reconciler takes it ` +
        'for made, and does not make it again when the last one has lost it; leave it out of this release, name it in acceptCacheChanges, and add it in the next'),
      ...this.downgrade(previous),
    ];
  }

  private downgrade(previous: PreviousManifest): string[] {
    const before = previous.find(this.objects.statefulSet.toJson())?.metadata.labels?.[VERSION_LABEL];
    const now = this.settings.version!;
    return before && compareVersions(now, before) < 0 ? [`version ${now} is older than ${before} of the last release: servers cannot read the state of newer ones`] : [];
  }
}
