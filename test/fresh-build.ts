/**
 * Tests run the sources that they test. Worker threads, daemons and the kernel run what is in `build/`.
 * Before the first test, everything there that is older than its source is built again. A build that fails
 * ends the run.
 *
 * The rule is that of `make`: an output is stale when it is missing, or was changed before its source.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const KERNELS = ['build/kernel.wasm', 'build/kernel.debug.wasm'];

/** Time of the last change in milliseconds. −∞ for a file that does not exist. */
const changedAt = (path: string): number =>
  statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;

function filesBelow(root: string, folder: string, ending: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name));
}

/** The first source of the kernel that is newer than the kernel, release or debug. Undefined when none is. */
export function newerThanKernel(root: string): string | undefined {
  const builtAt = Math.min(...KERNELS.map((kernel) => changedAt(join(root, kernel))));
  const sources = [...filesBelow(root, 'assembly', '.ts'), 'assembly/asconfig.json'];
  return sources.find((source) => changedAt(join(root, source)) > builtAt);
}

/** What `tsconfig.json` includes: the sources, the bench, and the processes that tests kill. */
const COMPILED = ['src', 'bench', 'test/payments/crash', 'test/store/crash'];

/** The first source that is newer than what was compiled from it; undefined when none is. */
export function newerThanCompiled(root: string): string | undefined {
  // What those processes import beside the sources is compiled with them.
  const imported = filesBelow(root, 'build/test', '.js').map((name) =>
    name.replace(/^build\/(.*)\.js$/, '$1.ts'),
  );
  const sources = [...COMPILED.flatMap((folder) => filesBelow(root, folder, '.ts')), ...imported];
  return sources.find((source) => {
    const compiled = join(root, 'build', `${source.slice(0, -'.ts'.length)}.js`);
    const compiledAt = changedAt(compiled);
    return changedAt(join(root, source)) > compiledAt || changedAt(join(root, 'tsconfig.json')) > compiledAt;
  });
}

/** Builds one half anew if a source is newer. @throws Error that names the source and repeats what the build said. */
export function refresh(
  newer: string | undefined,
  script: 'build:kernel' | 'build:ts',
  root: string,
  run: (script: string, root: string) => void = npmRun,
): void {
  if (newer === undefined) return;
  process.stdout.write(`build/ is older than ${newer}: npm run ${script}\n`);
  try {
    run(script, root);
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(
      `build/ is older than ${newer}, and npm run ${script} failed: no test was run\n` +
        (`${stdout}${stderr}`.trim() || message),
    );
  }
}

function npmRun(script: string, root: string): void {
  execFileSync('npm', ['run', '--silent', script], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
}

/** Vitest calls this once, before all tests. */
export default function setup(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  refresh(newerThanKernel(root), 'build:kernel', root);
  refresh(newerThanCompiled(root), 'build:ts', root);
}
