/**
 * Tests run the sources that they test, but worker threads, daemons and the kernel run from `build/`. So
 * before the first test, everything there that is older than its source is rebuilt
 * (`scripts/fresh-build.mjs`). A build that fails ends the run.
 */
import { fileURLToPath } from 'node:url';
import { buildWhatIsStale } from '../scripts/fresh-build.mjs';

/** Vitest calls this once, before all tests. */
export default function setup(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  buildWhatIsStale(root, (line) => process.stdout.write(line));
}
