/**
 * The least macaroon that we work with: one permission for each method that we call, and no other. It allows no on-chain
 * spending, no signing, no invoices and no closing of channels.
 */
import { type LndMethod, METHOD_PATHS } from './schema.ts';

/** Every method that the network needs. */
const NEEDED: readonly LndMethod[] = [
  ...(['GetInfo', 'DescribeGraph', 'SubscribeChannelGraph', 'GetChanInfo', 'GetNodeInfo'] as const),
  ...(['ListChannels', 'SubscribeChannelEvents', 'ListPeers', 'SubscribePeerEvents'] as const),
  ...(['ConnectPeer', 'DisconnectPeer', 'SendToRouteV2', 'TrackPaymentV2'] as const),
  'RegisterBlockEpochNtfn',
];

/** Methods of releases from 0.21 on. Older ones refuse to bake a macaroon that names them. */
const SINCE_0_21: readonly LndMethod[] = ['SendOnionMessage', 'SubscribeOnionMessages'];

/** The arguments of `lncli bakemacaroon`. @param isRecent whether LND is 0.21 or later */
export function macaroonPermissions(isRecent: boolean): string[] {
  const methods = isRecent ? [...NEEDED, ...SINCE_0_21] : NEEDED;
  return methods.map((method) => `uri:${METHOD_PATHS[method]}`);
}
