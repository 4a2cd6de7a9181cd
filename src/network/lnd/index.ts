/** The entry point of the network for an LND node. */
import type { Log } from '../../rpc/log.ts';
import type { LndPlace } from './client/credentials.ts';
import { LndGraph } from './graph/node-graph.ts';
import { LndNetwork, type LndNetworkOptions } from './lnd-network.ts';
import { LndLink } from './node-link.ts';
import { DEFAULT_TIMING } from './timing.ts';
import { WorkerCalls } from './worker-calls.ts';

export { LndError } from './client/calls.ts';
export type { LndPlace } from './client/credentials.ts';
export {
  bakeCommand,
  MORE_PERMISSIONS,
  type MorePermission,
  macaroonPermissions,
} from './client/macaroon.ts';
export { lndForwardList, lndForwards } from './forwards.ts';
export { LndGraph } from './graph/node-graph.ts';
export { lndInvoice } from './invoice.ts';
export { LND_LIMITS } from './lnd-network.ts';
export { LndMessages } from './messages.ts';
export { LndLink } from './node-link.ts';
export { type LndPurseMark, lndPurseMark, markLndForPurse } from './purse-mark.ts';
export { LndReceiver } from './receiver.ts';

/**
 * Connects to the node and reads its identity.
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

/** The network on a connected node. Resolves after the first listing of its channels. */
export function openLndNetwork(
  link: LndLink,
  messages: LndNetworkOptions['messages'],
  log: Log,
): Promise<LndNetwork> {
  return LndNetwork.open({ link, messages, log, timing: DEFAULT_TIMING });
}

/** The graph of a connected node. @throws FulguriteError nodeAway, notSupported, graphSource */
export function openLndGraph(link: LndLink, log: Log): Promise<LndGraph> {
  return LndGraph.open({ link, log, timing: DEFAULT_TIMING });
}
