import { execFileSync, spawn } from 'child_process';
import { existsSync, readFileSync } from 'fs';
import { join } from 'path';
import { createInterface } from 'readline';
import { ControlPlane } from '../rig/control-plane';
import { eventually } from '../support/http';

test('two control planes stand side by side, and leave nothing behind', async () => {
  const planes = await Promise.all([ControlPlane.start(), ControlPlane.start()]);
  const [one, other] = planes;
  await one.kubectl.run('create', 'namespace', 'only-here');
  expect(await other.kubectl.get('namespace', 'only-here')).toBeUndefined();
  await Promise.all(planes.map(async (plane) => plane.stop()));
  for (const { directory } of planes) expect([running(directory), existsSync(directory)]).toEqual([[], false]);
});

test('a start that fails shows the lines of the log that explain it, and leaves nothing behind', async () => {
  await expect(ControlPlane.start({ apiServerArgs: ['--no-such-flag'] })).rejects.toThrow(/kube-apiserver: [^]*the program has ended[^]*unknown flag: --no-such-flag/);
  const own = execFileSync('ps', ['--ppid', String(process.pid), '-o', 'args='], { encoding: 'utf8' });
  expect(own).not.toMatch(/etcd|kube-/);
});

test.each([['before it is ready', false], ['afterwards', true]])('Ctrl-C %s ends the cluster of `npm run cluster`', async (_, ready) => {
  const child = spawn(process.execPath, [require.resolve('tsx/cli'), join(__dirname, '..', 'rig', 'run-cluster.ts'), '3'], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  if (ready) {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.includes('KUBECONFIG')) break;
    }
  } else {
    await eventually('something runs', async () => descendants(child.pid!).some((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('etcd')), 30);
  }
  const processes = descendants(child.pid!);
  expect(processes.length).toBeGreaterThan(1);
  // As a terminal does: to the whole group.
  process.kill(-child.pid!, 'SIGINT');
  await eventually('all processes have ended', async () => !processes.some((pid) => existsSync(`/proc/${pid}`)), 30);
});

/** Processes whose command names something. */
function running(text: string): string[] {
  return execFileSync('ps', ['-eo', 'args', '--no-headers'], { encoding: 'utf8' }).split('\n').filter((line) => line.includes(text));
}

/** Processes that a process has started. */
function descendants(pid: number): number[] {
  const children = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const own = children.filter(([, parent]) => parent === pid).map(([child]) => child);
  return own.flatMap((child) => [child, ...descendants(child)]);
}
