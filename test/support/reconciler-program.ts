/** The objects with another text in place of the config-reconciler program and its hash, so that snapshots do not change with it. */
export function withoutProgram(objects: any[]): any[] {
  return JSON.parse(JSON.stringify(objects).replace(/-program-[0-9a-f]{10}(?=")/g, '-program-HASH'), (key, value) => key === 'program.js' ? 'PROGRAM' : value);
}
