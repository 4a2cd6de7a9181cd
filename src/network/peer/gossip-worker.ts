/** The thread that verifies gossip signatures. Its only task is in gossip-check.ts. */
import { checkPackedGossip } from './gossip-check.ts';

export default checkPackedGossip;
