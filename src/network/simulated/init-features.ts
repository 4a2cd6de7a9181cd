/** What the nodes of a simulated network tell their peers in `init` (BOLT 1, BOLT 9). */
import { featuresOf } from '../../bolt/features.ts';

/** What every node, ours included, offers its peers: onion payloads, payment secrets, several parts, route blinding, onion messages. */
export const INIT_FEATURES = featuresOf([8, 14, 17, 25, 39]);
