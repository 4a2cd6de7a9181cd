/** The thread that checks signatures of gossip. It has one task; see gossip-check.ts. */
import { checkPackedGossip } from './gossip-check.ts';

export default checkPackedGossip;
