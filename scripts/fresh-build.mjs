/**
 * Builds what is stale in `build/`, and nothing else. `npm start` runs this first, as do the tests, and `fulgurite` in
 * a clone that was never built. The rule is that of `make`: an output is stale if it is missing or older than its
 * source.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const KERNELS = ['build/kernel.wasm', 'build/kernel.debug.wasm'];

/** What `tsconfig.json` includes: the sources, the benchmarks, and the programs that tests start and kill. */
const COMPILED = ['src', 'bench', 'test/payments/crash', 'test/store/crash', 'test/fleet/chaos'];

/** The sources of the page, which are bundled for browsers instead of compiled, and the other inputs of its bundles. */
const EXPLORER = join('src', 'explorer');
const BUNDLED_WITH = [
  'scripts/build-web.mjs',
  'src/client/methods.ts',
  'src/rpc/json-token.ts',
  'src/rpc/json-scan.ts',
];
const PAGE = 'build/web/index.html';

/** Example calls with their answers, which the API description shows. */
const EXAMPLES = 'build/examples.json';

/** A bundle of the program, made from compiled files. It stands for all bundles, because it is written first. */
const PROGRAM = 'build/program/cli/main.js';

/** What makes the bundles. */
const BUNDLERS = [
  'scripts/build-program.mjs',
  'scripts/keep-code.mjs',
  'scripts/load.cjs',
  'scripts/record-scripts.cjs',
  'scripts/store-node-ids.mjs',
];

/** Time of the last change, in milliseconds. −∞ for a file that does not exist. */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;

function filesBelow(root, folder, ending) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name));
}

/** The first source of the kernel that is newer than the kernel, release or debug build. Undefined if there is none. */
export function newerThanKernel(root) {
  const builtAt = Math.min(...KERNELS.map((kernel) => changedAt(join(root, kernel))));
  const sources = [...filesBelow(root, 'assembly', '.ts'), 'assembly/asconfig.json'];
  return sources.find((source) => changedAt(join(root, source)) > builtAt);
}

/** The first source that is newer than its compiled file. Undefined if there is none. */
export function newerThanCompiled(root) {
  // Test files that those programs import are compiled as well.
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

/** The first compiled file that is newer than the program's bundles. Undefined if there is none. */
export function newerThanProgram(root) {
  const builtAt = changedAt(join(root, PROGRAM));
  const compiled = filesBelow(root, 'build/src', '.js');
  return (compiled.length === 0 ? [] : [...compiled, ...BUNDLERS]).find(
    (file) => changedAt(join(root, file)) > builtAt,
  );
}

/** The file with the example calls, if it is newer than the file with their answers. Undefined otherwise. */
export function newerThanExamples(root) {
  const calls = 'src/commands/example-calls.ts';
  return changedAt(join(root, calls)) > changedAt(join(root, EXAMPLES)) ? calls : undefined;
}

/** The first source of the page that is newer than the page. Undefined if there is none. */
export function newerThanPage(root) {
  const builtAt = changedAt(join(root, PAGE));
  const sources = filesBelow(root, EXPLORER, '').filter((path) => extname(path) !== '');
  return (sources.length === 0 ? [] : [...sources, ...BUNDLED_WITH]).find(
    (source) => changedAt(join(root, source)) > builtAt,
  );
}

/**
 * Rebuilds one part if a source is newer, and reports this with a line to `say`.
 * @throws Error that names the source and contains the output of the build
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

/** Removes compiled files whose sources no longer exist, so that they are not packed or run. */
export function removeOrphans(root) {
  for (const compiled of filesBelow(root, 'build/src', '.js')) {
    const stem = compiled.slice('build/'.length, -'.js'.length);
    if (existsSync(join(root, `${stem}.ts`))) continue;
    for (const ending of ['.js', '.js.map', '.d.ts'])
      rmSync(join(root, `build/${stem}${ending}`), { force: true });
  }
}

/**
 * Builds all stale parts.
 * @throws Error when a build fails
 */
export function buildWhatIsStale(root, say, run = npmRun) {
  removeOrphans(root);
  refresh(newerThanKernel(root), 'build:kernel', root, say, run);
  refresh(newerThanCompiled(root), 'build:ts', root, say, run);
  refresh(newerThanPage(root), 'build:web', root, say, run);
  refresh(newerThanProgram(root), 'build:program', root, say, run);
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
