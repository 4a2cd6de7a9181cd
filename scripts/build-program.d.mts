/** Types of build-program.mjs. That file bundles compiled code, so it cannot be TypeScript itself. */

/** The modules with which processes and threads start: paths in `build/src/` without extension. */
export const ENTRIES: readonly string[];
/** File name of the bundle of the metrics library. */
export const METRICS_BUNDLE: string;
