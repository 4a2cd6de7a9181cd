/**
 * The issuers of a simulated network that runs in a thread of its own. The network loads this module there.
 * What the issuers remember is kept beside the state of the network. So a series goes on after a restart, as
 * with real issuers.
 */
import { dirname, join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { CHAIN_HASHES } from '../bolt/bolt12-offer.ts';
import type { NetworkMap } from '../network/simulated/index.ts';
import { Store } from '../store/store.ts';
import { memoryOf, messageGraphOf, SimulatedIssuers } from './issuers.ts';

const STORE_FILE = 'simulated-issuers.sqlite3';

const { map, journalPath } = workerData as {
  readonly map: NetworkMap;
  readonly journalPath: string | undefined;
};
const store = journalPath === undefined ? undefined : new Store(join(dirname(journalPath), STORE_FILE));
process.once('exit', () => store?.close());

const issuers = new SimulatedIssuers(messageGraphOf(map), {
  chainHash: CHAIN_HASHES.bitcoin,
  ...(store && { memory: await memoryOf(store.offers) }),
});

/** Gets the messages that reach nodes. */
export default issuers.handle;

/** Called with the payments that reach nodes. */
export const { received } = issuers;
