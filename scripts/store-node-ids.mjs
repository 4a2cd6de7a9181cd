/**
 * Stores the ids of the first nodes of snapshots and simulated networks in `build/node-ids.bin`, so that a daemon need not
 * compute them at each start (src/gossip/stored-node-ids.ts).
 */
import { writeFileSync } from 'node:fs';
import { computedNodeIds } from '../build/src/gossip/node-keys.js';
import { NODE_IDS_FILE } from '../build/src/gossip/stored-node-ids.js';

/** More nodes than the main network has ever had. They take 676 KB. */
const NODES = 20_480;

writeFileSync(NODE_IDS_FILE, computedNodeIds(NODES));
