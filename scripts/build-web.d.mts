/** Types of build-web.mjs, which builds the page and so is no part of what is compiled. */

/** What is read of esbuild's metafile. */
export type Outputs = Readonly<
  Record<string, { readonly imports: readonly { readonly path: string; readonly kind: string }[] }>
>;

/** Most bytes of code, compressed, that the start page and any page need. */
export const BUDGETS: { readonly start: number; readonly page: number };

/** Addresses of other servers in a text. */
export function foreignAddresses(text: string): string[];

/** The files that a file imports at once, with itself. */
export function neededBy(outputs: Outputs, path: string, found?: Set<string>): Set<string>;

/** Sentences for pages that need more code than they may. */
export function overBudget(
  outputs: Outputs,
  sizes: ReadonlyMap<string, number>,
  entry: string,
  pages: Readonly<Record<string, string>>,
): string[];

/** What a build was. */
export interface Built {
  readonly outputs: Outputs;
  readonly sizes: ReadonlyMap<string, number>;
  readonly shell: string;
  readonly pages: Readonly<Record<string, string>>;
}

/** Builds all files. @throws Error when a budget or the rule about addresses is broken */
export function buildWeb(root: string, out?: string): Promise<Built>;
