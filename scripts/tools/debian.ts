import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'fs';
import { join } from 'path';
import { BIN, run, Step, TOOLS } from './step';

/** Debian packages by name, at the versions of bookworm. They are unpacked, never installed: no service is started. */
const PACKAGES: Record<string, string> = {
  'runc': '1.1.5+ds1-1+deb12u1',
  'libseccomp2': '2.5.4-1+deb12u1',
  'nftables': '1.0.6-2+deb12u2',
  'libnftables1': '1.0.6-2+deb12u2',
  'libnftnl11': '1.2.4-2',
  'libedit2': '3.1-20221030-2',
  'libjansson4': '2.14-2',
  'libmnl0': '1.0.4-3',
  'busybox-static': '1:1.35.0-4+deb12u1+b1',
};

const FOLDER = join(TOOLS, 'debian');
const LIBRARIES = [join(FOLDER, 'usr/lib/x86_64-linux-gnu'), join(FOLDER, 'lib/x86_64-linux-gnu')].join(':');

/** Programs of the unpacked packages, and whether they need its libraries. */
const PROGRAMS: Record<string, string> = { runc: 'usr/sbin/runc', nft: 'usr/sbin/nft', busybox: 'bin/busybox' };

/** What the nodes need from the distribution. */
export const debianStep: Step = {
  name: 'debian',
  seconds: 20,
  inputs: [JSON.stringify(PACKAGES), LIBRARIES],
  outputs: Object.keys(PROGRAMS).map((name) => join(BIN, name)),
  run: async () => {
    const downloads = join(TOOLS, 'debian-packages');
    for (const folder of [FOLDER, downloads]) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
    }
    const pinned = Object.entries(PACKAGES).map(([name, version]) => `${name}=${version}`);
    try {
      await run('apt-get', ['download', ...pinned], { cwd: downloads });
    } catch {
      // A machine that never asked for the list of packages.
      await run('apt-get', ['update'], { cwd: downloads });
      await run('apt-get', ['download', ...pinned], { cwd: downloads });
    }
    for (const file of readdirSync(downloads)) await run('dpkg', ['-x', join(downloads, file), FOLDER], { cwd: downloads });
    for (const [name, path] of Object.entries(PROGRAMS)) {
      writeFileSync(join(BIN, name), `#!/bin/sh\nLD_LIBRARY_PATH=${LIBRARIES} exec ${join(FOLDER, path)} "$@"\n`, { mode: 0o755 });
    }
  },
};
