/** Types of fresh-build.mjs. That file runs before anything is compiled, so it cannot be TypeScript itself. */

/**
 * Runs one npm script in a folder.
 * @throws Error with the script's output in `stdout` and `stderr`
 */
export type RunScript = (script: string, root: string) => void;

/** The first source of the kernel that is newer than the kernel. Undefined if there is none. */
export function newerThanKernel(root: string): string | undefined;

/** The first source that is newer than its compiled file. Undefined if there is none. */
export function newerThanCompiled(root: string): string | undefined;

/** The first compiled file that is newer than the program's bundles. Undefined if there is none. */
export function newerThanProgram(root: string): string | undefined;

/** The file with the example calls, if it is newer than the file with their answers. Undefined otherwise. */
export function newerThanExamples(root: string): string | undefined;

/** The first source of the page that is newer than the page. Undefined if there is none. */
export function newerThanPage(root: string): string | undefined;

/**
 * Rebuilds one part if a source is newer.
 * @throws Error that names the source and contains the output of the build
 */
export function refresh(
  newer: string | undefined,
  script: 'build:kernel' | 'build:ts' | 'build:program' | 'build:web' | 'build:examples',
  root: string,
  say: (line: string) => void,
  run?: RunScript,
): void;

/** Removes compiled files whose sources no longer exist. */
export function removeOrphans(root: string): void;

/**
 * Builds all stale parts.
 * @throws Error when a build fails
 */
export function buildWhatIsStale(root: string, say: (line: string) => void, run?: RunScript): void;
