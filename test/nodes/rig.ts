import { execFileSync, spawn } from 'child_process';
import { existsSync } from 'fs';
import { join } from 'path';
import { createInterface } from 'readline';
import { eventually } from '../support/http';

/** A second cluster beside that of the tests, as a developer starts one. */
export function rig() {
  test.concurrent('two clusters stand side by side, and Ctrl-C leaves nothing of one behind', async () => {
    const child = spawn(process.execPath, [require.resolve('tsx/cli'), join(__dirname, '..', 'rig', 'run-nodes.ts'), '1'], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    let kubeconfig: string | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      kubeconfig = /KUBECONFIG=(\S+)/.exec(line)?.[1];
      if (kubeconfig) break;
    }
    const directory = join(kubeconfig!, '..');
    expect(running(directory).length).toBeGreaterThan(5);
    // As a terminal does: to the whole group.
    process.kill(-child.pid!, 'SIGINT');
    await eventually('nothing of it is left', async () => running(directory).length === 0 && !existsSync(directory), 30);
  });
}

/** Processes whose command names a folder. */
function running(folder: string): string[] {
  return execFileSync('ps', ['-eo', 'args', '--no-headers'], { encoding: 'utf8' }).split('\n').filter((line) => line.includes(folder));
}
