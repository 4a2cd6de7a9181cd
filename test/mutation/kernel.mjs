/**
 * Mutants of the kernel, which Stryker cannot make. Each mutant changes one line of the kernel's sources. The
 * kernel is rebuilt in a copy of the repository, and a test must fail. The name of the failing test is
 * printed.
 *
 *     node test/mutation/kernel.mjs [WORD…]     only mutants whose name contains one of the words
 *
 * Exits with status 1 if a mutant survives, or if its line no longer exists. First, all tests run on the
 * unchanged kernel: a test that fails there would seem to kill every mutant. For each mutant, the test that
 * killed it before runs first, and the others only if that one passes.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const COPY = 'build/mutation-kernel';
/** Fast tests first, because the first failure ends the test of a mutant. */
const TESTS = [
  'test/engine/solver/kernel-limits.test.ts',
  'test/engine/solver/burdens.test.ts',
  'test/engine/solver/noise.test.ts',
  'test/engine/solver/biases.test.ts',
  'test/engine/solver/askrene-cases.test.ts',
];

/**
 * Name, file in assembly/, a text that occurs there exactly once, its replacement, and optionally the test
 * that is known to kill the mutant, in the printed form: FILE, or FILE: TITLE.
 */
const MUTANTS = JSON.parse(readFileSync(new URL('kernel-mutants.json', import.meta.url), 'utf8'));

/**
 * A copy of the repository in which to build and test. Mutated and tested files are copied, and packages are
 * linked.
 */
function prepare() {
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(`${COPY}/build`, { recursive: true });
  for (const folder of ['src', 'test', 'assembly', 'build/src'])
    cpSync(folder, `${COPY}/${folder}`, { recursive: true });
  for (const file of ['package.json', 'tsconfig.json']) copyFileSync(file, `${COPY}/${file}`);
  symlinkSync(resolve('node_modules'), `${COPY}/node_modules`);
}

/**
 * The first test that fails with the mutant; undefined if none does.
 * @throws Error unless the file contains the mutant's text exactly once.
 */
function killerOf({ name, file, text, instead, killer }) {
  const source = readFileSync(`assembly/${file}`, 'utf8');
  if (source.split(text).length !== 2)
    throw new Error(`${name}: its line does not occur exactly once in assembly/${file}`);
  writeFileSync(
    `${COPY}/assembly/${file}`,
    source.replace(text, () => instead),
  );
  buildKernel();
  const failed = (killer !== undefined && failureOf(...killer.split(': '))) || firstFailed();
  writeFileSync(`${COPY}/assembly/${file}`, source);
  return failed;
}

function buildKernel() {
  const asc = ['assembly/index.ts', '--config', 'assembly/asconfig.json', '--target', 'release'];
  execFileSync('node_modules/.bin/asc', asc, { cwd: COPY, stdio: 'inherit' });
  copyFileSync(`${COPY}/build/kernel.wasm`, `${COPY}/build/kernel.debug.wasm`);
}

/** Runs all tests with the copy's kernel. Returns the name of the first one that fails. */
function firstFailed() {
  for (const test of TESTS) {
    const failed = failureOf(test);
    if (failed !== undefined) return failed;
  }
  return undefined;
}

/**
 * Runs the tests of a file, or only the test with the given title. Returns the name of the first test that fails. If
 * no test has the title, none fails.
 */
function failureOf(test, ...title) {
  const only = title.length === 0 ? [] : ['-t', title.join(': ').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')];
  const vitest = ['run', '--root', '.', '--bail=1', '--testTimeout=120000', '--reporter=json', ...only, test];
  const { stdout } = spawnSync('node_modules/.bin/vitest', vitest, { cwd: COPY, encoding: 'utf8' });
  const failed = JSON.parse(stdout.slice(stdout.indexOf('{')))
    .testResults.flatMap((result) => result.assertionResults)
    .find((each) => each.status === 'failed');
  return failed && `${test}: ${failed.fullName}`;
}

prepare();
buildKernel();
const broken = firstFailed();
if (broken !== undefined) throw new Error(`a test fails without any mutant: ${broken}`);
const words = process.argv.slice(2);
const wanted = MUTANTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
let survived = 0;
for (const mutant of wanted) {
  const killer = killerOf(mutant);
  if (killer === undefined) survived++;
  process.stdout.write(
    `${mutant.name.padEnd(28)} ${killer === undefined ? 'SURVIVED' : `killed by ${killer}`}\n`,
  );
}
process.stdout.write(`${wanted.length} mutants of the kernel, ${survived} survived\n`);
rmSync(COPY, { recursive: true, force: true });
process.exitCode = survived > 0 ? 1 : 0;
