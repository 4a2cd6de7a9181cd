#!/usr/bin/env node
/**
 * What `fulgurite` runs. It is not compiled, so it is always there and always executable. It starts the program
 * in `build/`. In a clone that was never built it builds that first. Where something is missing, it says what.
 */
import { existsSync } from 'node:fs';
import * as modules from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const EXIT_FAILED = 1;

/** Ends the program with a sentence for its user. */
function refuse(text) {
  process.stderr.write(`fulgurite: ${text}\n`);
  process.exit(EXIT_FAILED);
}

/** Whether this Node.js is one that package.json allows. */
function isSupported(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19);
}

/** What the program cannot run without. */
const NEEDED = ['build/program/cli/main.js', 'build/kernel.wasm'];
const missing = () => NEEDED.find((path) => !existsSync(root + path));

if (!isSupported(process.versions.node)) {
  refuse(`this is Node.js ${process.versions.node}, and 20.19 or later is needed`);
}
if (!existsSync(`${root}node_modules`) && existsSync(`${root}tsconfig.json`)) {
  refuse(`its packages are not installed. Run there: cd ${root} && npm install`);
}
if (missing() !== undefined) {
  if (!existsSync(`${root}tsconfig.json`)) {
    refuse(`${root}${missing()} is missing. Install the package again`);
  }
  if (!existsSync(`${root}node_modules/typescript`)) {
    refuse(
      `it is not built, and its compilers are not installed. Run: cd ${root} && npm install && npm run build`,
    );
  }
  process.stderr.write('fulgurite: not built yet; this takes about 20 seconds, once\n');
  const { buildWhatIsStale } = await import('../scripts/fresh-build.mjs');
  try {
    buildWhatIsStale(root, (line) => process.stderr.write(line));
  } catch (error) {
    refuse(error.message);
  }
}
// From Node.js 22.1 on, compiled code can be kept between runs.
modules.enableCompileCache?.();
try {
  await import('../build/program/cli/main.js');
} catch (error) {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND' && error?.code !== 'MODULE_NOT_FOUND') throw error;
  refuse(`a package is missing: ${error.message.split('\n')[0]}. Run: cd ${root} && npm install`);
}
