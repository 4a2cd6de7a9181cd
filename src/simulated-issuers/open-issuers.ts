/**
 * Opens the issuers of a simulated network, in the process or thread of the network. Their state is stored next to the
 * state of the network, so recurring offers continue after a restart, as with real issuers.
 */
import { dirname, join } from 'node:path';
import { CHAIN_HASHES } from '../bolt/invoice/bolt12-offer.ts';
import type { NetworkMap } from '../network/simulated/index.ts';
import { Store } from '../store/store.ts';
import { memoryOf, messageGraphOf, SimulatedIssuers } from './issuers.ts';

const STORE_FILE = 'simulated-issuers.sqlite3';

/**
 * Opens the issuers, with their stored state if the network keeps a journal. @throws StoreError when the state cannot
 * be used
 */
export async function openIssuers(
  map: NetworkMap,
  journalPath: string | undefined,
): Promise<SimulatedIssuers> {
  const store = journalPath === undefined ? undefined : new Store(join(dirname(journalPath), STORE_FILE));
  process.once('exit', () => store?.close());
  return new SimulatedIssuers(messageGraphOf(map), {
    chainHash: CHAIN_HASHES.bitcoin,
    ...(store && { memory: await memoryOf(store.offers) }),
  });
}
