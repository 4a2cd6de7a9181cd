/**
 * The feature bits (BOLT 9) that we offer, and the bits that we accept from peers.
 *
 * All our bits are optional. Common nodes refuse peers without data_loss_protect, var_onion_optin, static_remotekey,
 * payment_secret and channel_type. Nodes that answer onion messages require route_blinding, basic_mpp and
 * onion_messages. Without gossip_queries some nodes send no gossip.
 */

import { FEATURE, featuresOf, optional } from '../../bolt/peer/features.ts';

/** The feature field of our `init`. */
export const OUR_FEATURES = featuresOf(
  [
    FEATURE.option_data_loss_protect,
    FEATURE.gossip_queries,
    FEATURE.var_onion_optin,
    FEATURE.option_static_remotekey,
    FEATURE.payment_secret,
    FEATURE.basic_mpp,
    FEATURE.option_route_blinding,
    FEATURE.option_onion_messages,
    FEATURE.option_channel_type,
  ].map(optional),
);

/**
 * The features that a peer may require of us (even bits): those that we support, and those about channels, payments,
 * storage or gossip that demand nothing of a peer without channels. Any other even bit may change the connection
 * itself, so a peer that sets one is refused.
 */
export const UNDERSTOOD_FEATURES: readonly number[] = [
  FEATURE.option_data_loss_protect,
  FEATURE.option_upfront_shutdown_script,
  FEATURE.gossip_queries,
  FEATURE.var_onion_optin,
  FEATURE.gossip_queries_ex,
  FEATURE.option_static_remotekey,
  FEATURE.payment_secret,
  FEATURE.basic_mpp,
  FEATURE.option_support_large_channel,
  FEATURE.option_anchor_outputs,
  FEATURE.option_anchors,
  FEATURE.option_route_blinding,
  FEATURE.option_shutdown_anysegwit,
  FEATURE.option_dual_fund,
  FEATURE.option_quiesce,
  FEATURE.option_attribution_data,
  FEATURE.option_onion_messages,
  FEATURE.option_want_peer_backup_storage,
  FEATURE.option_provide_storage,
  FEATURE.option_channel_type,
  FEATURE.option_scid_alias,
  FEATURE.option_payment_metadata,
  FEATURE.option_zeroconf,
  FEATURE.keysend,
  FEATURE.option_trampoline_routing,
  FEATURE.option_simple_close,
  FEATURE.option_splice,
];
