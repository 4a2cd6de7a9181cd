/**
 * Mutants of the kernel, which Stryker cannot make: each changes one line of its sources, the kernel is rebuilt in
 * a copy of the repository, and a test must fail. Prints which one did.
 *
 *     node test/mutation/kernel.mjs [WORD…]     only the mutants whose name contains one of them
 *
 * Ends with status 1 if one survives, or if its line is no longer there. The tests run on the kernel as it is first: a
 * test that fails there would seem to kill every mutant.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const COPY = 'build/mutation-kernel';
/** Quick ones first: the first that fails ends a mutant. */
const TESTS = [
  'test/engine/solver/kernel-limits.test.ts',
  'test/engine/solver/burdens.test.ts',
  'test/engine/solver/noise.test.ts',
  'test/engine/solver/biases.test.ts',
  'test/engine/solver/askrene-cases.test.ts',
];

/** Name, file of assembly/, the text that stands there once, and what stands there instead. */
const MUTANTS = JSON.parse(readFileSync(new URL('kernel-mutants.json', import.meta.url), 'utf8'));

/** A copy to build and test in: what is mutated and tested is there, packages are linked. */
function prepare() {
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(`${COPY}/build`, { recursive: true });
  for (const folder of ['src', 'test', 'assembly', 'build/src'])
    cpSync(folder, `${COPY}/${folder}`, { recursive: true });
  for (const file of ['package.json', 'tsconfig.json']) copyFileSync(file, `${COPY}/${file}`);
  symlinkSync(resolve('node_modules'), `${COPY}/node_modules`);
}

/** The first test that fails with the mutant, or undefined. @throws Error when its line is not there exactly once. */
function killerOf({ name, file, text, instead }) {
  const source = readFileSync(`assembly/${file}`, 'utf8');
  if (source.split(text).length !== 2) throw new Error(`${name}: its line is not in assembly/${file} once`);
  writeFileSync(
    `${COPY}/assembly/${file}`,
    source.replace(text, () => instead),
  );
  const failed = firstFailed();
  writeFileSync(`${COPY}/assembly/${file}`, source);
  return failed;
}

/** Builds the kernel of the copy. Names the first test that fails with it. */
function firstFailed() {
  const asc = ['assembly/index.ts', '--config', 'assembly/asconfig.json', '--target', 'release'];
  execFileSync('node_modules/.bin/asc', asc, { cwd: COPY, stdio: 'inherit' });
  copyFileSync(`${COPY}/build/kernel.wasm`, `${COPY}/build/kernel.debug.wasm`);
  for (const test of TESTS) {
    const vitest = ['run', '--root', '.', '--bail=1', '--testTimeout=120000', '--reporter=json', test];
    const { stdout } = spawnSync('node_modules/.bin/vitest', vitest, { cwd: COPY, encoding: 'utf8' });
    const results = JSON.parse(stdout.slice(stdout.indexOf('{'))).testResults;
    const failed = results
      .flatMap((result) => result.assertionResults)
      .find((each) => each.status === 'failed');
    if (failed !== undefined) return `${test}: ${failed.fullName}`;
  }
  return undefined;
}

prepare();
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
