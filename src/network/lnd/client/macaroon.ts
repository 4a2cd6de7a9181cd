/**
 * The smallest macaroon that suffices for us. It permits the methods that we call, and no others: no on-chain spending,
 * no signing, no closing of channels, and no invoices unless requested.
 */
import { type LndMethod, METHOD_PATHS } from '../graph/schema.ts';

/** Every method that the network needs. */
const NEEDED: readonly LndMethod[] = [
  ...(['GetInfo', 'DescribeGraph', 'SubscribeChannelGraph', 'GetChanInfo', 'GetNodeInfo'] as const),
  ...(['ListChannels', 'SubscribeChannelEvents', 'ListPeers', 'SubscribePeerEvents'] as const),
  ...(['ConnectPeer', 'DisconnectPeer', 'SendToRouteV2', 'TrackPaymentV2'] as const),
  'RegisterBlockEpochNtfn',
];

/** Optional permissions, by the option of `lnd-macaroon` that requests them. */
const MORE = {
  /** Permits sending our requests for invoices through LND. LND before 0.21 refuses to bake these permissions. */
  'onion-messages': ['SendOnionMessage', 'SubscribeOnionMessages'],
  /** Permits reading what LND has learned about pairs of nodes, and adding to it. */
  'mission-control': ['QueryMissionControl', 'XImportMissionControl'],
  /**
   * Permits issuing and tracking invoices, receiving transfers and rebalancings, and marking the node as part of a
   * purse.
   */
  invoices: ['AddInvoice', 'LookupInvoice', 'SubscribeInvoices', 'CancelInvoice'],
  /** Permits reading the node's forwards, to determine what channels earn. */
  forwards: ['ForwardingHistory'],
} as const satisfies Readonly<Record<string, readonly LndMethod[]>>;

/** An optional permission. */
export type MorePermission = keyof typeof MORE;
/** The names of all optional permissions. */
export const MORE_PERMISSIONS = Object.keys(MORE) as MorePermission[];

/** The permissions, as arguments of `lncli bakemacaroon`. */
export const macaroonPermissions = (more: readonly MorePermission[] = []): string[] =>
  [...NEEDED, ...more.flatMap((one) => MORE[one])].map((method) => `uri:${METHOD_PATHS[method]}`);

/** The command that bakes the macaroon, for a shell on LND's machine. */
export function bakeCommand(more: readonly MorePermission[] = []): string {
  const lines = ['lncli bakemacaroon --save_to fulgurite.macaroon', ...macaroonPermissions(more)];
  return `${lines.join(' \\\n  ')}\nchmod 600 fulgurite.macaroon\n`;
}
