import { execFileSync } from 'child_process';
import { readdirSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { BIN, ROOT, run, Step } from './step';

/** Programs of one Go module in `tools/<name>/`, whose `go.mod` pins versions and whose `go.sum` seals them. */
export interface GoTool {
  readonly name: string;
  readonly seconds: number;
  /** Import paths of programs by their name; `.` is the wrapper module's own. */
  readonly programs: Record<string, string>;
  readonly tags?: string;
  /** Values of variables, by import path. */
  readonly variables?: Record<string, string>;
}

/** A file made of files of a Go module that a wrapper module requires. */
export function goFilesStep(name: string, module: string, files: string[], output: string): Step {
  const wrapper = join(ROOT, 'tools', name);
  return {
    name: `${name}-files`,
    seconds: 1,
    inputs: [readFileSync(join(wrapper, 'go.mod')), ...files],
    outputs: [output],
    run: async () => {
      const folder = execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', module], { cwd: wrapper }).toString().trim();
      writeFileSync(output, files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n---\n'));
    },
  };
}

/** Builds static programs without traces of the machine. */
export function goStep(tool: GoTool): Step {
  const module = join(ROOT, 'tools', tool.name);
  const values = Object.entries(tool.variables ?? {}).map(([variable, value]) => ` -X ${variable}=${value}`);
  const flags = ['-trimpath', '-buildvcs=false', `-ldflags=-s -w${values.join('')}`, ...(tool.tags ? [`-tags=${tool.tags}`] : [])];
  return {
    name: tool.name,
    seconds: tool.seconds,
    inputs: [...readdirSync(module).sort().map((file) => readFileSync(join(module, file))), JSON.stringify([tool.programs, flags])],
    outputs: Object.keys(tool.programs).map((program) => join(BIN, program)),
    run: async () => {
      for (const [program, path] of Object.entries(tool.programs)) {
        await run('go', ['build', ...flags, '-o', join(BIN, program), path], { cwd: module, env: { CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' } });
      }
    },
  };
}
