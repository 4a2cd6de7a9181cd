/**
 * Writes `src/client/methods.ts`, the types of the client, from the commands (`src/cli/generate-client.ts`). It runs
 * before the compiler, which needs them: so it is bundled from the sources here, at the depth of compiled files, which find the root by it. An unchanged file keeps its time, so
 * nothing is compiled again for it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = join(root, 'build/src/client/generate-client.mjs');
const types = join(root, 'src/client/methods.ts');

await build({
  entryPoints: [join(root, 'src/cli/generate-client.ts')],
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  outfile: bundle,
  logLevel: 'warning',
});
const { ownTypes } = await import(bundle);
const made = ownTypes();
if (!existsSync(types) || readFileSync(types, 'utf8') !== made) writeFileSync(types, made);
