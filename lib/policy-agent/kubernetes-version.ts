/** The oldest Kubernetes minor version that the manifests must work on. Decides what may be emitted. */
export enum KubernetesVersion {
  /** 1.34, the default. */
  V1_34 = '1.34',

  /** 1.35. */
  V1_35 = '1.35',

  /** 1.36. */
  V1_36 = '1.36',
}

/** What needs more than the oldest supported version. */
export enum KubernetesFeature {
  /** @see https://github.com/kubernetes/enhancements/issues/4639 (on by default from 1.35) */
  IMAGE_VOLUME = 'image volumes',
}

const NEEDS: Record<KubernetesFeature, KubernetesVersion> = {
  [KubernetesFeature.IMAGE_VOLUME]: KubernetesVersion.V1_35,
};

/** Refuses a feature that the stated version does not have. */
export function checkFeature(feature: KubernetesFeature, given: KubernetesVersion, what: string) {
  const needed = NEEDS[feature];
  if (given < needed) {
    throw new Error(`${what} needs ${feature}, which Kubernetes has from ${needed}; given kubernetesVersion ${given}`);
  }
}
