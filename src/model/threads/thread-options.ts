/** Options of Node for the threads of a process. */

/**
 * For each thread. V8's young generation is limited to 12 MB, of which two halves of 4 MB hold new objects. By default the
 * halves grow to 16 MB in any thread in which enough objects survive a collection, and shrink when few do. In a daemon with
 * six threads, memory changed by up to 100 MB because of that. Few objects of these threads live long, so larger halves
 * save little work.
 */
export const THREAD_OPTIONS = { resourceLimits: { maxYoungGenerationSizeMb: 12 } };

/**
 * For each thread of a piscina pool.
 *
 * Piscina loads a thread's module by `require` first. If Node can require ES modules, terminating a thread while it
 * loads aborts the whole process ("IsGraphAsync must be used on an instantiated module", Node 20.20). Without that
 * ability, piscina falls back to `import`, which may be interrupted.
 */
export const POOL_THREAD_OPTIONS = { ...THREAD_OPTIONS, execArgv: ['--no-experimental-require-module'] };
