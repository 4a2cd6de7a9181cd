/**
 * Arguments of Node for the threads of piscina's pools.
 *
 * Piscina loads a thread's module by `require` first. If Node can require ES modules, terminating a thread while it
 * loads aborts the whole process ("IsGraphAsync must be used on an instantiated module", Node 20.20). Without that
 * ability, piscina falls back to `import`, which may be interrupted.
 */
export const WORKER_ARGUMENTS: string[] = ['--no-experimental-require-module'];
