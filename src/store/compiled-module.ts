/** Locates the module of this folder that a new thread or process runs. */

/**
 * The URL of the compiled module. Under a test runner this file is TypeScript source, and the build is next to `src`.
 * @param name file name without extension
 */
export function compiledModule(name: 'check-process' | 'store-thread'): URL {
  const isCompiled = import.meta.url.endsWith('.js');
  return new URL(isCompiled ? `./${name}.js` : `../../build/program/store/${name}.js`, import.meta.url);
}
