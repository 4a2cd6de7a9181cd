/**
 * Writes the examples of the API description: each call of src/commands/example-calls.ts with what a node on the
 * simulated network answers. Lists are cut to their first element, and long texts to their beginning.
 *
 *     generate-examples FILE
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExampleCall } from '../commands/example-calls.ts';
import { askExamples, EXAMPLE_RUNS } from './ask-examples.ts';
import { startNode } from './library.ts';

const MAX_CHARACTERS = 1000;
const SHOWN_CHARACTERS = 300;
/** What stands in the examples for the folder in which they were made. */
const SHOWN_FOLDER = '/home/you/.fulgurite';

async function main(file: string): Promise<void> {
  const lines: string[] = [];
  for (const { options, calls } of EXAMPLE_RUNS) lines.push(...(await linesOf(options, calls)));
  writeFileSync(file, `${HEAD}${lines.join('')}];\n`);
}

async function linesOf(options: readonly string[], calls: readonly ExampleCall[]): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-examples-'));
  const node = await startNode([...options, '--data-dir', directory]);
  try {
    const lines: string[] = [];
    const ask = (method: string, params: object) => node.client.callByName(method, params);
    for await (const { call, params, result, error } of askExamples(ask, directory, calls)) {
      const shown = {
        command: call.command,
        params,
        ...(error === undefined ? { result: brief(result) } : { error }),
      };
      lines.push(`  ${source(shown).replaceAll(directory, SHOWN_FOLDER)},\n`);
    }
    return lines;
  } finally {
    await node.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const HEAD = [
  '/**',
  ' * Examples of calls with real results: made by `npm run examples` from a node on the simulated network, and not by',
  ' * hand. Lists have their first element only, and long texts their beginning.',
  ' */',
  "import type { CommandExample } from '../rpc/command.ts';",
  '',
  '/** In the order in which they were asked. */',
  'export const EXAMPLES: readonly (CommandExample & { readonly command: string })[] = [',
  '',
].join('\n');

function brief(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(brief);
  if (typeof value === 'string') {
    return value.length > MAX_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, brief(one)]));
}

/** A value as TypeScript. */
function source(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(source).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{ ${members.map(([name, one]) => `${JSON.stringify(name)}: ${source(one)}`).join(', ')} }`;
}

await main(process.argv[2]!);
