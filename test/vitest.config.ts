/** How tests run, alone or all: `npx vitest run --config test/vitest.config.ts FILE…`. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    globalSetup: './test/fresh-build.ts',
    reporters: ['./test/reporter.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
