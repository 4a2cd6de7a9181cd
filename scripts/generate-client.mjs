/**
 * Writes `src/client/methods.ts`, the types of the client, from the commands (`src/cli/generate-client.ts`).
 *
 * It runs before the compiler, which needs these types. So it bundles the sources here. The bundle has the same folder
 * depth as compiled files, since it finds the root of the project by that depth. If the types are unchanged, the file
 * is not written, so nothing is recompiled because of it.
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
