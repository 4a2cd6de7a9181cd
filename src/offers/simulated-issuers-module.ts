/** The issuers of a simulated network that runs in a thread of its own: loaded there, by the network. */
import { workerData } from 'node:worker_threads';
import { CHAIN_HASHES } from '../bolt/bolt12-offer.ts';
import type { NetworkMap } from '../network/simulated/index.ts';
import { messageGraphOf, SimulatedIssuers } from './simulated-issuers.ts';

const { map } = workerData as { readonly map: NetworkMap };

export default new SimulatedIssuers(messageGraphOf(map), { chainHash: CHAIN_HASHES.bitcoin }).handle;
