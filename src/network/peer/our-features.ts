/**
 * The feature bits (BOLT 9) we offer, and those of peers that we can live with.
 *
 * Offered, all as optional: what common nodes refuse a peer without (data_loss_protect, var_onion_optin,
 * static_remotekey, payment_secret, channel_type), what makes an answerer of onion messages (route_blinding,
 * basic_mpp, onion_messages), and gossip_queries, without which some nodes send no gossip.
 */

import { featuresOf } from '../../bolt/features.ts';

export const ONION_MESSAGES_BIT = 38;
export const GOSSIP_QUERIES_BIT = 6;

export const OUR_FEATURES = featuresOf([1, 7, 9, 13, 15, 17, 25, 39, 45]);

/**
 * Even bits whose demand concerns channels, payments or gossip as we know them: a peer that opens no channel
 * with us asks nothing by them. Any other even bit may change the connection itself and is refused.
 */
export const UNDERSTOOD_FEATURES: readonly number[] = [
  0, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 34, 36, 38, 40, 42, 44, 46, 48, 50, 54, 56, 60, 62,
];
