/** How tests run, alone or together: `npx vitest run --config test/vitest.config.ts FILE…`. */
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.ts';

/** Mutation tests change a copy of the repository that lies in `build/`. */
const exclude = [...configDefaults.exclude, 'build/**'];

/**
 * What needs a process of its own: it replaces a part of Node, measures the memory of its process, or loads
 * LDK, whose bindings free memory at random moments. All other files
 * share a few processes, and load the sources once in each.
 */
const ALONE = [
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
    // Vitest would leave one processor idle; on two that is half of them. More than all of them gain nothing.
    maxWorkers: '100%',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A busy machine can upset a test of several processes. The reporter names each test that needed this.
    retry: 1,
    // The default of a second is too short where the machine is slow.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      { extends: true, test: { name: 'together', isolate: false, exclude: [...exclude, ...ALONE] } },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
});
