/** The issuers of a simulated network that runs in a separate thread. The network loads this module there. */
import { workerData } from 'node:worker_threads';
import type { NetworkMap } from '../network/simulated/index.ts';
import { openIssuers } from './open-issuers.ts';

const { map, journalPath } = workerData as {
  readonly map: NetworkMap;
  readonly journalPath: string | undefined;
};

const issuers = await openIssuers(map, journalPath);

/** Receives the messages that reach nodes. */
export default issuers.handle;

/** Called with the payments that reach nodes. */
export const { received } = issuers;
