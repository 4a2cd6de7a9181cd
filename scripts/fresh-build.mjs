/**
 * Builds what is stale in `build/`, and nothing else. `npm start` runs this first; so do the tests, and
 * `fulgurite` in a clone that was never built.
 *
 * The rule is that of `make`: an output is stale when it is missing, or was changed before its source.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const KERNELS = ['build/kernel.wasm', 'build/kernel.debug.wasm'];

/** What `tsconfig.json` includes: the sources, the bench, and the processes that tests kill. */
const COMPILED = ['src', 'bench', 'test/payments/crash', 'test/store/crash', 'test/fleet/chaos'];

/** The page, which is bundled for browsers instead of compiled; and what else its bundles are made from. */
const EXPLORER = join('src', 'explorer');
const BUNDLED_WITH = [
  'scripts/build-web.mjs',
  'src/client/methods.ts',
  'src/rpc/json-token.ts',
  'src/rpc/json-scan.ts',
];
const PAGE = 'build/web/index.html';

/** Calls with their answers, which the API description shows. */
const EXAMPLES = 'build/examples.json';

/** A bundle of the program, made from what was compiled. The first that is written is as old as any. */
const PROGRAM = 'build/program/cli/main.js';

/** Time of the last change in milliseconds. −∞ for a file that does not exist. */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;

function filesBelow(root, folder, ending) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name));
}

/** The first source of the kernel that is newer than the kernel, release or debug. Undefined when none is. */
export function newerThanKernel(root) {
  const builtAt = Math.min(...KERNELS.map((kernel) => changedAt(join(root, kernel))));
  const sources = [...filesBelow(root, 'assembly', '.ts'), 'assembly/asconfig.json'];
  return sources.find((source) => changedAt(join(root, source)) > builtAt);
}

/** The first source that is newer than what was compiled from it. Undefined when none is. */
export function newerThanCompiled(root) {
  // What those processes import beside the sources is compiled with them.
  const imported = filesBelow(root, 'build/test', '.js').map((name) =>
    name.replace(/^build\/(.*)\.js$/, '$1.ts'),
  );
  const sources = [...COMPILED.flatMap((folder) => filesBelow(root, folder, '.ts')), ...imported].filter(
    (source) => !source.startsWith(EXPLORER),
  );
  return sources.find((source) => {
    const compiled = join(root, 'build', `${source.slice(0, -'.ts'.length)}.js`);
    const compiledAt = changedAt(compiled);
    return changedAt(join(root, source)) > compiledAt || changedAt(join(root, 'tsconfig.json')) > compiledAt;
  });
}

/** The first compiled file that is newer than the bundles of the program. Undefined when none is. */
export function newerThanProgram(root) {
  const builtAt = changedAt(join(root, PROGRAM));
  const compiled = filesBelow(root, 'build/src', '.js');
  return (compiled.length === 0 ? [] : [...compiled, 'scripts/build-program.mjs']).find(
    (file) => changedAt(join(root, file)) > builtAt,
  );
}

/** The calls of the examples, if they are newer than the answers. Undefined when they are not. */
export function newerThanExamples(root) {
  const calls = 'src/commands/example-calls.ts';
  return changedAt(join(root, calls)) > changedAt(join(root, EXAMPLES)) ? calls : undefined;
}

/** The first source of the page that is newer than the page. Undefined when none is. */
export function newerThanPage(root) {
  const builtAt = changedAt(join(root, PAGE));
  const sources = filesBelow(root, EXPLORER, '').filter((path) => extname(path) !== '');
  return (sources.length === 0 ? [] : [...sources, ...BUNDLED_WITH]).find(
    (source) => changedAt(join(root, source)) > builtAt,
  );
}

/**
 * Builds one part anew if a source is newer. `say` gets a line when it does.
 * @throws Error that names the source and repeats what the build said.
 */
export function refresh(newer, script, root, say, run = npmRun) {
  if (newer === undefined) return;
  say(`build/ is older than ${newer}: npm run ${script}\n`);
  try {
    run(script, root);
  } catch (error) {
    const { stdout = '', stderr = '', message } = error;
    throw new Error(
      `build/ is older than ${newer}, and npm run ${script} failed\n${`${stdout}${stderr}`.trim() || message}`,
    );
  }
}

function npmRun(script, root) {
  execFileSync('npm', ['run', '--silent', script], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
}

/** Removes what was compiled from sources that are gone, so that no one packs or runs it. */
export function removeOrphans(root) {
  for (const compiled of filesBelow(root, 'build/src', '.js')) {
    const stem = compiled.slice('build/'.length, -'.js'.length);
    if (existsSync(join(root, `${stem}.ts`))) continue;
    for (const ending of ['.js', '.js.map', '.d.ts'])
      rmSync(join(root, `build/${stem}${ending}`), { force: true });
  }
}

/** Builds all parts where they are stale. @throws Error when a build fails. */
export function buildWhatIsStale(root, say, run = npmRun) {
  removeOrphans(root);
  refresh(newerThanKernel(root), 'build:kernel', root, say, run);
  refresh(newerThanCompiled(root), 'build:ts', root, say, run);
  refresh(newerThanProgram(root), 'build:program', root, say, run);
  refresh(newerThanPage(root), 'build:web', root, say, run);
  refresh(newerThanExamples(root), 'build:examples', root, say, run);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    buildWhatIsStale(fileURLToPath(new URL('..', import.meta.url)), (line) => process.stderr.write(line));
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
