/**
 * Runs the bundles of the program; see build-program.mjs, which copies this file to `build/program/load.js`. Compiling a
 * bundle takes ten times as long as reading its compiled code, which keep-code.mjs stores for one version of Node.js.
 * Other versions compile the bundle.
 */
const { existsSync, readFileSync } = require('node:fs');
const { wrap } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');

/** The exports of the bundles that this thread has run with stored code. */
const loaded = new Map();

/** File with the compiled code of a bundle for this version of Node.js. */
const codeFile = (name) => join(__dirname, `${name}.${process.version}-${process.arch}.code`);

/** Runs a bundle once. @returns its exports */
function load(name) {
  const filename = join(__dirname, `${name}.js`);
  const code = codeFile(name);
  if (!existsSync(code)) return require(filename);
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  // Only comments have characters beyond ASCII, and Latin-1 is read fastest.
  const script = new Script(wrap(readFileSync(filename, 'latin1')), {
    filename,
    cachedData: readFileSync(code),
  });
  const module = { exports: {} };
  loaded.set(name, module);
  script.runInThisContext()(module.exports, require, module, filename, __dirname);
  return module.exports;
}

module.exports = {
  codeFile,
  load,
  /** For dynamic imports, which a script with stored code cannot make itself. */
  importModule: (specifier) => import(specifier),
};
