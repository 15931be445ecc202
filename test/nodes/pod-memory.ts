import { execFileSync } from 'child_process';
import { existsSync, readFileSync } from 'fs';
import { join } from 'path';

/** Memory of a pod as its cgroup counts it, in MiB. */
export interface PodMemory {
  /** With files that are cached. */
  readonly usage: number;
  /** What the kubelet compares with limits and requests: without files that nobody has used for a while. */
  readonly workingSet: number;
  /** Of its processes alone, without any file. */
  readonly anonymous: number;
}

/** Of a pod on this machine. */
export function podMemory(uid: string): PodMemory {
  const found = execFileSync('find', ['/sys/fs/cgroup', '-type', 'd', '-name', `pod${uid}`], { encoding: 'utf8' }).trim().split('\n');
  // With cgroup v1 each controller has folders of its own.
  const v1 = found.find((folder) => existsSync(join(folder, 'memory.usage_in_bytes')));
  const folder = v1 ?? found.find((one) => existsSync(join(one, 'memory.current')))!;
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const stat = new Map(read('memory.stat').trim().split('\n').map((line) => line.split(' ') as [string, string]));
  const mebibytes = (bytes: string | undefined) => Number(bytes) / 2 ** 20;
  const usage = mebibytes(read(v1 ? 'memory.usage_in_bytes' : 'memory.current'));
  return {
    usage,
    workingSet: usage - mebibytes(stat.get(v1 ? 'total_inactive_file' : 'inactive_file')),
    anonymous: mebibytes(stat.get(v1 ? 'total_rss' : 'anon')),
  };
}
