/** Types of build-program.mjs, which bundles what was compiled and so is no TypeScript. */

/** What processes and threads begin with: places in `build/src/` without ending. */
export const ENTRIES: readonly string[];
/** File name of the bundle of the metrics library. */
export const METRICS_BUNDLE: string;
