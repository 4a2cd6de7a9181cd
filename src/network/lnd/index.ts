/** The entry point of the network of an LND node. */
import type { Log } from '../../rpc/log.ts';
import type { LndPlace } from './credentials.ts';
import { LndNetwork, type LndNetworkOptions } from './lnd-network.ts';
import { LndGraph } from './node-graph.ts';
import { LndLink } from './node-link.ts';
import { DEFAULT_TIMING } from './timing.ts';
import { WorkerCalls } from './worker-calls.ts';

export { LndError } from './calls.ts';
export type { LndPlace } from './credentials.ts';
export { lndInvoice } from './invoice.ts';
export { LND_LIMITS } from './lnd-network.ts';
export { bakeCommand, MORE_PERMISSIONS, type MorePermission, macaroonPermissions } from './macaroon.ts';
export { LndMessages } from './messages.ts';
export { LndGraph } from './node-graph.ts';
export { LndLink } from './node-link.ts';
export { type LndPurseMark, markLndForPurse } from './purse-mark.ts';
export { LndReceiver } from './receiver.ts';

/**
 * Connects to the node and asks who it is.
 * @throws FulguriteError nodeAway, notSupported
 */
export async function reachLnd(place: LndPlace, log: Log): Promise<LndLink> {
  const calls = new WorkerCalls(place);
  const where = 'connectPath' in place ? place.connectPath : place.address;
  try {
    return await LndLink.open({ calls, where, log, timing: DEFAULT_TIMING });
  } catch (error) {
    await calls.close();
    throw error;
  }
}

/** The network on a node that was reached. Resolves when its channels are known. */
export function openLndNetwork(
  link: LndLink,
  messages: LndNetworkOptions['messages'],
  log: Log,
): Promise<LndNetwork> {
  return LndNetwork.open({ link, messages, log, timing: DEFAULT_TIMING });
}

/** The graph of a node that was reached. @throws FulguriteError nodeAway, notSupported */
export function openLndGraph(link: LndLink, log: Log): Promise<LndGraph> {
  return LndGraph.open({ link, log, timing: DEFAULT_TIMING });
}
