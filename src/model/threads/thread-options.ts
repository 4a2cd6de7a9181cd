/** Options that Node.js gets for each worker thread, so that its memory stays small and it can be ended safely. */

/**
 * Options of every worker thread. They limit V8's young generation to 12 MB: two semi-spaces of 4 MB for new objects,
 * and as much for large ones. V8's default is 48 MB. It enlarges the semi-spaces when enough objects survive a
 * collection, and shrinks them later, so the memory of a daemon with six threads varied by up to 100 MB. Few objects of
 * these threads live long, so larger semi-spaces save little work.
 */
export const THREAD_OPTIONS = { resourceLimits: { maxYoungGenerationSizeMb: 12 } };

/**
 * Options of every thread of a piscina pool.
 *
 * Piscina loads a thread's module by `require` first. If Node can require ES modules, terminating a thread while it
 * loads aborts the whole process ("IsGraphAsync must be used on an instantiated module", Node 20.20). Without that
 * ability, piscina falls back to `import`, which may be interrupted.
 */
export const POOL_THREAD_OPTIONS = { ...THREAD_OPTIONS, execArgv: ['--no-experimental-require-module'] };
