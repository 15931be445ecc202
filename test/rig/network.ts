import { execFileSync } from 'child_process';
import { Daemon } from './daemon';

/** Addresses of the control plane (.1) and the nodes (.11, .12, …). */
const SUBNET = '10.200.0';
export const CONTROL_PLANE_ADDRESS = `${SUBNET}.1`;

export function nodeAddress(index: number): string {
  return `${SUBNET}.${10 + index}`;
}

/** Addresses of a node's pods. */
export function podCidr(index: number): string {
  return `10.244.${index}.0/24`;
}

/**
 * A network of its own for a control plane, with a bridge to which nodes are tied. It lives as long as its holder does, so a
 * crash leaves neither interface nor route behind; two can stand side by side.
 */
export class Network {
  private readonly holder: Daemon;

  public constructor(logs: string) {
    this.holder = new Daemon({ name: 'network', command: ['unshare', '--net', '--', 'sleep', 'infinity'], logs });
    // The holder is there before its network is.
    const own = execFileSync('readlink', ['/proc/self/ns/net']).toString();
    const end = Date.now() + 5000;
    while (execFileSync('readlink', [`/proc/${this.holder.pid}/ns/net`]).toString() === own) {
      if (Date.now() > end) throw new Error(`no network namespace could be made, which needs root:\n${this.holder.logTail()}`);
    }
    this.run('ip', 'link', 'set', 'lo', 'up');
    this.run('ip', 'link', 'add', 'br0', 'type', 'bridge');
    this.run('ip', 'address', 'add', `${CONTROL_PLANE_ADDRESS}/24`, 'dev', 'br0');
    this.run('ip', 'link', 'set', 'br0', 'up');
    this.run('sysctl', '-qw', 'net.ipv4.ip_forward=1');
  }

  /** Command to run something in this network. */
  public get prefix(): string[] {
    return ['nsenter', `--net=/proc/${this.holder.pid}/ns/net`, '--'];
  }

  /** Ties the network of a process to the bridge, as the node of this number among so many. */
  public tie(pid: number, index: number, count: number) {
    const link = `node${index}`;
    execFileSync('ip', ['link', 'add', link, 'netns', String(this.holder.pid), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid)]);
    this.run('ip', 'link', 'set', link, 'master', 'br0', 'up');
    this.run('ip', 'route', 'replace', podCidr(index), 'via', nodeAddress(index));
    const inNode = (...args: string[]) => execFileSync('nsenter', [`--net=/proc/${pid}/ns/net`, '--', 'ip', ...args]);
    inNode('link', 'set', 'lo', 'up');
    inNode('address', 'add', `${nodeAddress(index)}/24`, 'dev', 'eth0');
    inNode('link', 'set', 'eth0', 'up');
    inNode('route', 'add', 'default', 'via', CONTROL_PLANE_ADDRESS);
    for (let other = 1; other <= count; other++) {
      if (other !== index) inNode('route', 'add', podCidr(other), 'via', nodeAddress(other));
    }
  }

  public async stop() {
    await this.holder.stop('SIGKILL');
  }

  private run(...command: string[]) {
    const [program, ...args] = [...this.prefix, ...command];
    execFileSync(program, args, { stdio: 'pipe' });
  }
}
