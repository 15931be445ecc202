import { execFileSync } from 'child_process';
import { createHash } from 'crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';

/** An image to pack: nothing but some programs, as in the engines' own images. */
export interface ImageSpec {
  readonly reference: string;
  /** Programs by their path in the image. */
  readonly files: Record<string, string>;
  readonly entrypoint: string[];
}

/** Packs an image as an archive that containerd imports, without docker. */
export function packImage({ reference, files, entrypoint }: ImageSpec, archive: string) {
  const folder = mkdtempSync(join(tmpdir(), 'image-'));
  try {
    const root = join(folder, 'root');
    mkdirSync(join(root, 'tmp'), { recursive: true, mode: 0o1777 });
    for (const [path, source] of Object.entries(files)) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      copyFileSync(source, join(root, path));
    }
    const tar = (...args: string[]) => execFileSync('tar', ['--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--sort=name', ...args]);
    tar('--mode=a+rx', '-C', root, '-cf', join(folder, 'layer.tar'), '.');
    const layer = createHash('sha256').update(readFileSync(join(folder, 'layer.tar'))).digest('hex');
    writeFileSync(join(folder, 'config.json'), JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      config: { Entrypoint: entrypoint, Env: ['PATH=/:/bin'], WorkingDir: '/' },
      rootfs: { type: 'layers', diff_ids: [`sha256:${layer}`] },
    }));
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify([{ Config: 'config.json', RepoTags: [reference], Layers: ['layer.tar'] }]));
    tar('-C', folder, '-cf', archive, 'manifest.json', 'config.json', 'layer.tar');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
