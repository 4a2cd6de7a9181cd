/** Connects to the node whose channels and money the daemon uses, when the options of `start` name one. */
import { type NodeLink as ClnLink, reachNode } from '../network/cln/index.ts';
import { type LndLink, reachLnd } from '../network/lnd/index.ts';
import type { Log } from '../rpc/log.ts';
import { UsageError } from './client-arguments.ts';
import type { StartOptions } from './start-options.ts';

/** A node that was reached: what it is, and the link that leads to it. */
export type NodeBeside =
  | { readonly kind: 'cln'; readonly link: ClnLink }
  | { readonly kind: 'lnd'; readonly link: LndLink };

/**
 * Connects to the node that the options name. Undefined when they name none.
 * @throws FulguriteError nodeAway, notSupported; UsageError when it is on another chain than the one named
 */
export async function reachNodeBeside(options: StartOptions, log: Log): Promise<NodeBeside | undefined> {
  const { isChainGiven, chain } = options;
  const beside = await reach(options, log);
  if (beside === undefined || !isChainGiven || chain === beside.link.facts.chain) return beside;
  await beside.link.close();
  throw new UsageError(
    `--chain is ${chain}, and the node at ${placeOf(options)} is on ${beside.link.facts.chain}`,
  );
}

async function reach({ nodeSocket, lnd }: StartOptions, log: Log): Promise<NodeBeside | undefined> {
  if (lnd !== undefined) return { kind: 'lnd', link: await reachLnd(lnd, log) };
  if (nodeSocket === undefined) return undefined;
  return { kind: 'cln', link: await reachNode({ socketPath: nodeSocket, log }) };
}

/** Where the node is, for messages. */
function placeOf({ nodeSocket, lnd }: StartOptions): string {
  if (lnd === undefined) return nodeSocket ?? '';
  return 'connectPath' in lnd ? lnd.connectPath : lnd.address;
}
