/**
 * Mutants of the kernel, which Stryker cannot make: each changes one line of its sources, the kernel is built anew in
 * a copy of the repository, and a test must fail. Prints which one did.
 *
 *     node test/mutation/kernel.mjs [WORD]     only the mutants whose name contains it
 *
 * Ends with status 1 if one survives, or if its line is no longer there.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const COPY = 'build/mutation-kernel';
/** Quick ones first: the first that fails ends a mutant. */
const TESTS = [
  'test/engine/kernel-limits.test.ts',
  'test/engine/noise.test.ts',
  'test/engine/askrene-cases.test.ts',
];

/** Name, file, the text that stands there once, and what stands there instead. */
const MUTANTS = [
  ['noise too narrow', 'solve/search.ts', '1.0 + noiseSpread *', '1.0 + (noiseSpread * 0.85) *'],
  ['noise of one side', 'graph/numbers.ts', '(2.0 / 9007199254740992.0) - 1.0', '(1.0 / 9007199254740992.0)'],
  ['HTLC maximum not looked at', 'solve/search.ts', '    reach > load<i64>(record + A_HTLC_MAX) ||\n', ''],
  [
    'HTLC maximum excluded',
    'solve/search.ts',
    '    reach > load<i64>(record + A_HTLC_MAX)',
    '    reach >= load<i64>(record + A_HTLC_MAX)',
  ],
  ['HTLC minimum not looked at', 'solve/search.ts', '    reach < load<i64>(record + A_HTLC_MIN) ||\n', ''],
  [
    'HTLC minimum excluded',
    'solve/search.ts',
    '    reach < load<i64>(record + A_HTLC_MIN)',
    '    reach <= load<i64>(record + A_HTLC_MIN)',
  ],
  [
    'layers from the top',
    'overlay/effective.ts',
    'const layer = layerAt(i);\n    if (layer == SOURCEFREE) {',
    'const layer = layerAt(stackLength - 1 - i);\n    if (layer == SOURCEFREE) {',
  ],
  [
    'fee rounded up',
    'graph/numbers.ts',
    '(remainder * (ppm as i64)) / MILLION;',
    '(remainder * (ppm as i64) + MILLION - 1) / MILLION;',
  ],
  ['21 hops', 'solve/parts.ts', 'MAX_HOPS: u32 = 20', 'MAX_HOPS: u32 = 21'],
  ['19 hops', 'solve/parts.ts', 'MAX_HOPS: u32 = 20', 'MAX_HOPS: u32 = 19'],
  [
    'delay not added',
    'solve/search.ts',
    'const blocks = delay + (load<u16>(record + A_CLTV) as u32);',
    'const blocks = delay;',
  ],
  [
    'delay limit excluded',
    'solve/search.ts',
    'if (blocks > maxDelay) return;',
    'if (blocks >= maxDelay) return;',
  ],
  [
    'bias turned',
    'overlay/effective.ts',
    'exp(-BIAS_SCALE * (bias as f64))',
    'exp(BIAS_SCALE * (bias as f64))',
  ],
];

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
function killerOf([name, file, text, instead]) {
  const source = readFileSync(`assembly/${file}`, 'utf8');
  if (source.split(text).length !== 2) throw new Error(`${name}: its line is not in assembly/${file} once`);
  writeFileSync(
    `${COPY}/assembly/${file}`,
    source.replace(text, () => instead),
  );
  const asc = ['assembly/index.ts', '--config', 'assembly/asconfig.json', '--target', 'release'];
  execFileSync('node_modules/.bin/asc', asc, { cwd: COPY, stdio: 'inherit' });
  copyFileSync(`${COPY}/build/kernel.wasm`, `${COPY}/build/kernel.debug.wasm`);
  writeFileSync(`${COPY}/assembly/${file}`, source);
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
const wanted = MUTANTS.filter(([name]) => name.includes(process.argv[2] ?? ''));
let survived = 0;
for (const mutant of wanted) {
  const killer = killerOf(mutant);
  if (killer === undefined) survived++;
  process.stdout.write(
    `${mutant[0].padEnd(28)} ${killer === undefined ? 'SURVIVED' : `killed by ${killer}`}\n`,
  );
}
process.stdout.write(`${wanted.length} mutants of the kernel, ${survived} survived\n`);
rmSync(COPY, { recursive: true, force: true });
process.exitCode = survived > 0 ? 1 : 0;
