/**
 * The tests that judge mutants: those of the mutated folders, and of `model` and `rpc`, which these use.
 *
 * Excluded are tests that do not run the sources that Stryker changes (they start daemons or workers from `build`),
 * and tests that repeat thousands of random cases, which would take minutes per mutant. The tests of `test/engine/`
 * run the code of workers in their own process (in-process-solvers.ts), so its mutants are judged too.
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{layers,payments,engine,commands,model,rpc}/**/*.test.ts'],
    exclude: [
      '**/*crash*',
      '**/*daemon*',
      '**/*full-disk*',
      '**/choice.test.ts',
      '**/faults.test.ts',
      '**/mirror.test.ts',
      '**/noise.test.ts',
      '**/overlay.property.test.ts',
      '**/routes.property.test.ts',
      '**/search-effort.test.ts',
      '**/simulation.test.ts',
      '**/socket-server.test.ts',
      '**/workers.test.ts',
    ],
    setupFiles: ['test/mutation/setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
