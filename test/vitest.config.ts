/** How tests run, together or alone: `npx vitest run --config test/vitest.config.ts FILE…`. */
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.ts';

/** Mutation tests change a copy of the repository in `build/`. */
const exclude = [...configDefaults.exclude, 'build/**'];

/**
 * Files that need their own process: they replace a part of Node, measure the memory of their process, or load LDK,
 * whose bindings free memory at random moments. All other files share a few processes, each of which loads the
 * sources once.
 */
const ALONE = [
  'test/cli/files/power-cut.test.ts',
  'test/network/simulated/full-disk.test.ts',
  'test/simulation/layers-soak.test.ts',
  'test/engine/host/solver-link.test.ts',
  'test/interop/ldk/ldk-invoices.test.ts',
  'test/interop/ldk/ldk-rapid-gossip.test.ts',
  'test/interop/ldk/ldk-recipient.test.ts',
];

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    exclude,
    globalSetup: './test/fresh-build.ts',
    reporters: ['./test/reporter.ts'],
    sequence: { sequencer: LongestFirst },
    // By default vitest leaves one processor idle; on a machine with two, that is half. More workers than
    // processors gain nothing.
    maxWorkers: '100%',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A busy machine can upset a test that runs several processes. The reporter lists each test that needed a
    // retry.
    retry: 1,
    // The default of one second is too short on slow machines.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      { extends: true, test: { name: 'together', isolate: false, exclude: [...exclude, ...ALONE] } },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
});
