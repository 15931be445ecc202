/** Directory of the container with the configuration. */
export const CONFIG_DIRECTORY = '/config';

/** Scratch directory of the pod, for what a storage downloads. */
export const WORK_DIRECTORY = '/work';

/** Directory of the pod for audit entries that wait. */
export const AUDIT_DIRECTORY = '/audit';
