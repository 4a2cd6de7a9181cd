/**
 * Examples of calls with real results, for the API description. `npm run build` runs them on a simulated node and
 * stores the answers in `build/examples.json` (src/cli/generate-examples.ts). Lists are cut to their first element, and
 * long texts are shortened.
 */
import { readFileSync } from 'node:fs';
import type { CommandExample } from '../rpc/command.ts';
import { parseJson, plainValue } from '../rpc/json-token.ts';

/** A call of a command, and the node's response. */
export type Example = CommandExample & { readonly command: string };

let kept: readonly Example[] | undefined;

/** All examples, in the order of the calls. Empty while the build is creating them. */
export function examples(): readonly Example[] {
  kept ??= readExamples();
  return kept;
}

/** The examples of one command. Undefined if it has none. */
export function examplesOf(command: string): readonly CommandExample[] | undefined {
  const found = examples().filter((one) => one.command === command);
  return found.length > 0 ? found : undefined;
}

/** Reads `build/examples.json`. The result is empty if the file does not exist. */
function readExamples(): readonly Example[] {
  const compiled = import.meta.url.endsWith('.js');
  const file = new URL(compiled ? '../../examples.json' : '../../build/examples.json', import.meta.url);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const integer = (digits: string): number | bigint =>
    Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits);
  return plainValue(parseJson(text), integer) as readonly Example[];
}
