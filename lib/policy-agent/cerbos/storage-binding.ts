import { PolicyEngineConfigMap, PolicyEngineContext } from '../engine';

/** What a storage comes to in Cerbos' configuration and in the pod. */
export interface StorageBinding {
  readonly driver: string;
  /** Section of the driver. */
  readonly config: any;
  /** Sections of further drivers. */
  readonly others?: Record<string, any>;
  readonly volumes?: any[];
  readonly volumeMounts?: any[];
  readonly env?: any[];
  readonly configMaps?: PolicyEngineConfigMap[];
  readonly checksums?: string[];
  readonly warnings?: string[];
  /** Policies are written through an agent; the others do not notice. */
  readonly changedByAdminApi?: boolean;
  /** Each pod has policies of its own. */
  readonly isPerPod?: boolean;
}

export type CerbosStorageBinder = (context: PolicyEngineContext) => StorageBinding;
