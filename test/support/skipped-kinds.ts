import os from 'os';

/**
 * What this jest worker has reported. Jest gives each test file modules and globals of its own; only the modules of
 * Node itself live as long as the worker, so one of them holds the set.
 */
const reported: Set<string> = ((os as any)[Symbol.for('cdk8s-platform-services.skipped-kinds')] ??= new Set<string>());
const skipped = new Set<string>();

/** Notes a kind that could not be checked, as `<kind>.<group>`. */
export function recordSkipped(kind: string) {
  if (!reported.has(kind)) skipped.add(kind);
}

/** Says by name what could not be checked, once per jest worker. */
export function reportSkipped() {
  if (skipped.size === 0) return;
  console.warn(`skipped strict schema checks (no CRDs): ${[...skipped].sort().join(', ')}`);
  for (const kind of skipped) reported.add(kind);
  skipped.clear();
}

afterAll(reportSkipped);
