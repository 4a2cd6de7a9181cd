/** Finds which of our nodes a request may use, for restrictions of runes on `node`. */
import { FulguriteError } from '../model/errors.ts';
import { OwnNode } from '../network/several/index.ts';
import type { Registry } from '../rpc/command.ts';
import type { JsonToken } from '../rpc/json-token.ts';
import { parseParams } from '../rpc/params.ts';
import type { Unreadable } from '../runes/field-value.ts';
import type { NodeContext } from './context.ts';
import { paramsOfQuote } from './payments/quotes/quoted-payment.ts';

/** Finds the names of the nodes that a request may use. Undefined if there is only one node. */
export type NodesOf = (
  method: string,
  params: JsonToken | undefined,
) => readonly string[] | Unreadable | undefined;

/**
 * Makes the function for a registry. A request uses the nodes that its parameters name. If it names none, a command
 * that spends money or has the parameter `nodes` may use all nodes, and any other command uses none.
 */
export function nodesOf(registry: Registry<NodeContext>, context: NodeContext): NodesOf {
  return (method, params) => {
    const all = context.payments?.purse?.nodes.list;
    if (all === undefined) return undefined;
    const command = registry.commands.get(method);
    if (command === undefined) return [];
    try {
      const parsed = parseParams(command, params, context, 'run', registry.isDeveloper);
      const quoted = typeof parsed.quote === 'string' ? paramsOfQuote(parsed.quote, context) : undefined;
      const named = namedIn({ ...parsed, ...quoted });
      const mayUseAll = command.outgo !== undefined || 'nodes' in command.params;
      return (named.length === 0 && mayUseAll ? all : named).map(({ name }) => name);
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
      return { kind: 'unreadable', complaint: `node is not known: ${error.message}` };
    }
  };
}

const namedIn = (parsed: Readonly<Record<string, unknown>>): OwnNode[] =>
  Object.values(parsed)
    .flat()
    .filter((value) => value instanceof OwnNode);
