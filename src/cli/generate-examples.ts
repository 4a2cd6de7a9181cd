/**
 * Writes the examples of the API description as JSON: each call of src/commands/example-calls.ts with the response of a
 * node on the simulated network. Lists are cut after their first element, and long texts are shortened.
 *
 *     generate-examples FILE
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExampleCall } from '../commands/example-calls.ts';
import { toJson } from '../rpc/json-write.ts';
import { askExamples, EXAMPLE_RUNS } from './ask-examples.ts';
import { startNode } from './library.ts';

const MAX_CHARACTERS = 1000;
const SHOWN_CHARACTERS = 300;
/** Shown in place of the temporary folder in which the examples were made. */
const SHOWN_FOLDER = '/home/you/.fulgurite';

async function main(file: string): Promise<void> {
  const examples: string[] = [];
  for (const { options, calls } of EXAMPLE_RUNS) examples.push(...(await ask(options, calls)));
  writeFileSync(file, `[\n${examples.join(',\n')}\n]\n`);
}

/** Starts a daemon and makes the calls. Returns each example as JSON. */
async function ask(options: readonly string[], calls: readonly ExampleCall[]): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-examples-'));
  const node = await startNode([...options, '--data-dir', directory]);
  try {
    const examples: string[] = [];
    const call = (method: string, params: object) => node.client.callByName(method, params);
    for await (const { call: asked, params, result, error } of askExamples(call, directory, calls)) {
      const shown = {
        command: asked.command,
        params,
        ...(error === undefined ? { result: brief(result) } : { error }),
      };
      examples.push(toJson(shown).replaceAll(directory, SHOWN_FOLDER));
    }
    return examples;
  } finally {
    await node.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function brief(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(brief);
  if (typeof value === 'string') {
    return value.length > MAX_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, brief(one)]));
}

await main(process.argv[2]!);
