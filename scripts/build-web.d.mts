/** Types of build-web.mjs, which builds the page and is not compiled. */

/** The parts of esbuild's metafile that are read. */
export type Outputs = Readonly<
  Record<string, { readonly imports: readonly { readonly path: string; readonly kind: string }[] }>
>;

/** Maximum compressed bytes of code that the start page, and any other page, may need. */
export const BUDGETS: { readonly start: number; readonly page: number };

/** URLs in a text that point to other servers. */
export function foreignAddresses(text: string): string[];

/** The given file and all files that it imports statically, directly or indirectly. */
export function neededBy(outputs: Outputs, path: string, found?: Set<string>): Set<string>;

/** One message for each page that needs more code than allowed. */
export function overBudget(
  outputs: Outputs,
  sizes: ReadonlyMap<string, number>,
  entry: string,
  pages: Readonly<Record<string, string>>,
): string[];

/** The result of a build. */
export interface Built {
  readonly outputs: Outputs;
  readonly sizes: ReadonlyMap<string, number>;
  readonly shell: string;
  readonly pages: Readonly<Record<string, string>>;
}

/** Builds all files. @throws Error when a page exceeds its budget or a file contains the URL of another server */
export function buildWeb(root: string, out?: string): Promise<Built>;
