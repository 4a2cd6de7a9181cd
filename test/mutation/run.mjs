/**
 * Mutation tests: Stryker changes the sources of payments, layers, engine and commands one expression at a
 * time, and each change must make a test fail. A change that makes no test fail ("survived") either has no
 * effect or reveals a gap in the tests.
 *
 *     npm run mutants -- [--share 5] [--seed 7] [--only src/payments/plan/limits.ts]
 *
 * Testing all mutants takes hours, so a run takes a sample: from every file, blocks of four lines, each
 * chosen with a probability of `share` per cent by a generator started with `seed`. `--only` first selects
 * files by a prefix of their path. The report is `build/mutation/report.json`; survivors and the score are
 * printed. Only a copy of the repository under `build/mutation` is changed, never the sources themselves.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const BLOCK_LINES = 4;
const FOLDERS = ['src/payments', 'src/layers', 'src/engine', 'src/commands'];
/** Files that run in worker threads, from `build`, so their mutants would never be executed. */
const ELSEWHERE = /worker\.ts$|\.d\.ts$/;
const OUTPUT = 'build/mutation';
/** The copy that is mutated. It is removed when a run ends. */
const COPY = `${OUTPUT}/copy`;

const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '5' },
    seed: { type: 'string', default: '7' },
    only: { type: 'string', default: '' },
  },
});
const share = Number(values.share) / 100;
const seed = Number(values.seed);
if (!(share > 0 && share <= 1)) throw new Error('--share must be a percentage above 0 and at most 100');
if (!Number.isInteger(seed)) throw new Error('--seed must be a whole number');

/** Uniform in [0, 1) and repeatable: mulberry32. */
function generator(state) {
  let a = state >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = generator(seed);
const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((path) => path.endsWith('.ts') && !ELSEWHERE.test(path))
    .sort(),
);
const mutate = files
  .filter((path) => path.startsWith(values.only))
  .flatMap((path) => {
    const lines = readFileSync(path, 'utf8').split('\n').length;
    const starts = Array.from(
      { length: Math.ceil(lines / BLOCK_LINES) },
      (_, block) => block * BLOCK_LINES + 1,
    );
    return starts
      .filter(() => random() < share)
      .map((start) => `${path}:${start}-${start + BLOCK_LINES - 1}`);
  });
if (mutate.length === 0) throw new Error('the sample is empty: use a larger --share, or another --only');

const config = {
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  mutate,
  coverageAnalysis: 'perTest',
  concurrency: 1,
  disableTypeChecks: false,
  ignoreStatic: true,
  timeoutMS: 30_000,
  dryRunTimeoutMinutes: 60,
  // Stryker would rewrite tsconfig.json using a compiler API that TypeScript 7 no longer has. Vitest does not need
  // it.
  tsconfigFile: 'none',
  tempDirName: COPY,
  cleanTempDir: 'always',
  ignorePatterns: ['build/docs', OUTPUT, 'biome.json'],
  reporters: ['clear-text', 'json', 'progress-append-only'],
  jsonReporter: { fileName: `${OUTPUT}/report.json` },
  clearTextReporter: { logTests: false, allowColor: false },
};
mkdirSync(COPY, { recursive: true });
writeFileSync(`${OUTPUT}/stryker.json`, JSON.stringify(config, null, 2));
// Recordings are stored beside the repository, and tests look for them beside the copy.
if (existsSync('../shared') && !existsSync(`${COPY}/shared`))
  symlinkSync('../../../../shared', `${COPY}/shared`);
process.stdout.write(
  `mutation sample: seed ${seed}, ${values.share} % of the lines: ${mutate.length} blocks\n`,
);
const { status } = spawnSync('npx', ['--no-install', 'stryker', 'run', `${OUTPUT}/stryker.json`], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
