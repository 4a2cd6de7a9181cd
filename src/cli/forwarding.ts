/**
 * Which methods go to the attached Core Lightning node: those that we do not have, and those of ours that are about the
 * node's own books (`OF_NODE`). `--forward METHOD` restricts them to a list, and `--no-forward` turns forwarding off.
 */
import type { NodeContext } from '../commands/context.ts';
import { NodeForward } from '../network/cln/index.ts';
import type { Forwarder } from '../rpc/forwarder.ts';
import type { NodeBeside } from './reach-node.ts';
import type { StartOptions } from './start-options.ts';

/** Ours on other networks. The node knows its invoices, offers and coins; we do not. */
const OF_NODE: ReadonlySet<string> = new Set([
  ...['invoice', 'listinvoices', 'delinvoice', 'waitinvoice', 'waitanyinvoice'],
  ...['offer', 'listoffers', 'disableoffer', 'listfunds'],
]);

/** Names the node's own method where we have one of the same name: `node-listpays`. */
const NODE_PREFIX = 'node-';

/** What the daemon does with methods of the node. */
export interface Forwarding extends Forwarder {
  /** The usages of the node's commands, for `help`. @throws FulguriteError nodeAway */
  usages(): Promise<readonly string[]>;
  close(): void;
}

/** Forwards to the node beside us. Undefined where there is none, or where the operator does not want it. */
export function openForwarding(
  { forward, nodeSocket }: Pick<StartOptions, 'forward' | 'nodeSocket'>,
  beside: NodeBeside | undefined,
  commands: NodeCommands,
): Forwarding | undefined {
  if (forward === 'none' || nodeSocket === undefined || beside?.kind !== 'cln') return undefined;
  const { link } = beside;
  const node = new NodeForward({ socketPath: nodeSocket, link });
  const isWanted = (method: string): boolean => forward === 'all' || forward.includes(method);
  return {
    takes(method) {
      const own = method.startsWith(NODE_PREFIX) ? method.slice(NODE_PREFIX.length) : method;
      return isWanted(own) && (OF_NODE.has(method) || !commands.has(method));
    },
    answer: (request, session, send) => node.answer(request, session, send),
    async usages() {
      const help = await link.call('help');
      return help.objects('help').map((entry) => entry.text('command') ?? '');
    },
    close: () => node.close(),
  };
}

type NodeCommands = Pick<ReadonlyMap<string, unknown>, 'has'>;

/** What `help` needs of forwarding. */
export const forwardedCommands = (forwarding: Forwarding | undefined): NodeContext['forwarded'] =>
  forwarding && {
    takes: (method) => forwarding.takes(method),
    usages: () => forwarding.usages(),
  };
