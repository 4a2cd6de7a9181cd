/** Runs the calls of the API description's examples (src/commands/example-calls.ts) against a node, one by one. */
import { RpcError } from '../client/client.ts';
import { EXAMPLE_CALLS, type ExampleCall, SEVERAL_NODES_CALLS } from '../commands/example-calls.ts';

const OPTIONS = [
  ...['--graph', 'synthetic:60', '--seed', '7', '--workers', '1', '--http', '127.0.0.1:0'],
  ...['--webhook-host', 'hooks.example'],
];

/** For each daemon to start, in order: its options and the calls to make. */
export const EXAMPLE_RUNS: readonly {
  readonly options: readonly string[];
  readonly calls: readonly ExampleCall[];
}[] = [
  { options: OPTIONS, calls: EXAMPLE_CALLS },
  { options: [...OPTIONS, '--node', 'a=simulated', '--node', 'b=simulated'], calls: SEVERAL_NODES_CALLS },
];

/** A call and its outcome: a result or an error. */
export interface AnsweredExample {
  readonly call: ExampleCall;
  readonly params: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/**
 * Makes the calls of a run one by one, and yields the outcome of each.
 * @param directory a folder in which a backup can be made
 * @throws any unexpected error of the node
 */
export async function* askExamples(
  ask: (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>,
  directory: string,
  calls: readonly ExampleCall[],
): AsyncGenerator<AnsweredExample, void> {
  const results = new Map<string, unknown>();
  for (const call of calls) {
    const params = call.params((command) => results.get(command), directory);
    try {
      const result = await ask(call.command, params);
      results.set(call.command, result);
      yield { call, params, result };
    } catch (error) {
      if (call.fails !== true || !(error instanceof RpcError)) throw error;
      yield { call, params, error: { code: error.code, message: error.message } };
    }
  }
}
