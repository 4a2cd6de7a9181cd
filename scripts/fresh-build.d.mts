/** Types of fresh-build.mjs, which runs before anything is compiled and so is no TypeScript. */

/** Runs one npm script in a folder. @throws Error with what it printed, as `stdout` and `stderr`. */
export type RunScript = (script: string, root: string) => void;

/** The first source of the kernel that is newer than the kernel. Undefined when none is. */
export function newerThanKernel(root: string): string | undefined;

/** The first source that is newer than what was compiled from it. Undefined when none is. */
export function newerThanCompiled(root: string): string | undefined;

/** The first compiled file that is newer than the bundles of the program. Undefined when none is. */
export function newerThanProgram(root: string): string | undefined;

/** The calls of the examples, if they are newer than the answers. Undefined when they are not. */
export function newerThanExamples(root: string): string | undefined;

/** The first source of the page that is newer than the page. Undefined when none is. */
export function newerThanPage(root: string): string | undefined;

/** Builds one part anew if a source is newer. @throws Error that names the source and repeats what the build said. */
export function refresh(
  newer: string | undefined,
  script: 'build:kernel' | 'build:ts' | 'build:program' | 'build:web' | 'build:examples',
  root: string,
  say: (line: string) => void,
  run?: RunScript,
): void;

/** Removes what was compiled from sources that are gone. */
export function removeOrphans(root: string): void;

/** Builds all parts where they are stale. @throws Error when a build fails. */
export function buildWhatIsStale(root: string, say: (line: string) => void, run?: RunScript): void;
