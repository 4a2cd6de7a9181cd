/**
 * Examples of calls with real results, as the API description shows them. `npm run build` asks a node on the simulated
 * network and keeps the answers in `build/examples.json` (src/cli/generate-examples.ts). Lists have their first element
 * only, and long texts their beginning.
 */
import { readFileSync } from 'node:fs';
import type { CommandExample } from '../rpc/command.ts';
import { parseJson, plainValue } from '../rpc/json-token.ts';

/** One call of a command, with what a node answered. */
export type Example = CommandExample & { readonly command: string };

let kept: readonly Example[] | undefined;

/** All examples, in the order they were asked. Empty while the build is making them. */
export function examples(): readonly Example[] {
  kept ??= readExamples();
  return kept;
}

/** The examples of one command. Undefined if it has none. */
export function examplesOf(command: string): readonly CommandExample[] | undefined {
  const found = examples().filter((one) => one.command === command);
  return found.length > 0 ? found : undefined;
}

/** Beside compiled sources, or, when the sources themselves run, in `build/` one folder up. */
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
