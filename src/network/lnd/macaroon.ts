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

/** The arguments of `lncli bakemacaroon`. */
export const macaroonPermissions = (): string[] => NEEDED.map((method) => `uri:${METHOD_PATHS[method]}`);

/** The command that makes the macaroon, for a shell on LND's machine. */
export function bakeCommand(): string {
  const lines = ['lncli bakemacaroon --save_to fulgurite.macaroon', ...macaroonPermissions()];
  return `${lines.join(' \\\n  ')}\nchmod 600 fulgurite.macaroon\n`;
}
