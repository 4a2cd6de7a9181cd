/** The features that nodes of a simulated network send their peers in `init` (BOLT 1, BOLT 9). */
import { FEATURE, featuresOf, optional } from '../../bolt/peer/features.ts';

/**
 * The features that every node, including ours, offers its peers: onion payloads, payment secrets, several parts, route
 * blinding, onion messages.
 */
export const INIT_FEATURES = featuresOf([
  FEATURE.var_onion_optin,
  FEATURE.payment_secret,
  optional(FEATURE.basic_mpp),
  optional(FEATURE.option_route_blinding),
  optional(FEATURE.option_onion_messages),
]);
