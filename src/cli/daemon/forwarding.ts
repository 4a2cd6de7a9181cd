/**
 * Which methods are forwarded to the attached Core Lightning node: those that we do not have, and those about the
 * node's own records (`OF_NODE`). `--forward METHOD` restricts them to a list, and `--no-forward` turns forwarding off.
 */
import type { ForwardedCommands } from '../../commands/context.ts';
import { NodeForward } from '../../network/cln/index.ts';
import { type Forwarder, nodeMethod } from '../../rpc/forwarder.ts';
import type { StartOptions } from '../options/start-options.ts';
import type { NodeBeside } from './reach-node.ts';

/**
 * Methods that the attached node serves, because it has its own invoices, offers, coins, forwards and sent onions. On
 * other networks we serve them ourselves.
 */
const OF_NODE: ReadonlySet<string> = new Set([
  ...['invoice', 'listinvoices', 'delinvoice', 'waitinvoice', 'waitanyinvoice'],
  ...['offer', 'listoffers', 'disableoffer', 'listfunds'],
  ...['getroute', 'sendpay', 'sendonion', 'createonion', 'listforwards'],
]);
/** A method that the attached node serves, unless the operator names a DNS resolver. */
const OF_NAMES = 'fetchbip353';

/** Decides which methods are forwarded to the node, and forwards them. */
export interface Forwarding extends Forwarder, ForwardedCommands {
  close(): void;
}

/** Forwards to the attached Core Lightning node. Undefined without such a node, or with forwarding turned off. */
export function openForwarding(
  { forward, nodeSocket, nameResolver }: Pick<StartOptions, 'forward' | 'nodeSocket' | 'nameResolver'>,
  beside: NodeBeside | undefined,
  commands: NodeCommands,
): Forwarding | undefined {
  if (forward === 'none' || nodeSocket === undefined || beside?.kind !== 'cln') return undefined;
  const { link } = beside;
  const node = new NodeForward({ socketPath: nodeSocket, link });
  const isWanted = (method: string): boolean => forward === 'all' || forward.includes(method);
  const isOfNode = (method: string): boolean =>
    OF_NODE.has(method) || (method === OF_NAMES && nameResolver === undefined);
  return {
    takes(method) {
      return isWanted(nodeMethod(method)) && (isOfNode(method) || !commands.has(method));
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
