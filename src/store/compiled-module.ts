/** The file of a module of this folder that a thread or a process begins with. */

/**
 * The compiled module. Under a test runner this file is a source, and the build is beside `src`.
 * @param name file name without ending
 */
export function compiledModule(name: 'check-process' | 'store-thread'): URL {
  const isCompiled = import.meta.url.endsWith('.js');
  return new URL(isCompiled ? `./${name}.js` : `../../build/program/store/${name}.js`, import.meta.url);
}
