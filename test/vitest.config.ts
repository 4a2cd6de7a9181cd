/** How tests run, alone or together: `npx vitest run --config test/vitest.config.ts FILE…`. */
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    // Mutation tests change a copy of the repository that lies there.
    exclude: [...configDefaults.exclude, 'build/**'],
    globalSetup: './test/fresh-build.ts',
    reporters: ['./test/reporter.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
