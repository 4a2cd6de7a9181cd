/** One HTLC on one channel, and the attempt of ours to which it belongs. */
import { sha256 } from '../../bolt/crypto/hashes.ts';
import type { Msat } from '../../model/msat.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { OutgoingHtlc, SentHtlc } from '../port.ts';

/** Our HTLC as our first peer sees it (BOLT 2, `update_add_htlc`). */
export interface HtlcOffer {
  /** Our channel to which the HTLC is added. */
  readonly shortChannelId: ShortChannelId;
  readonly amountMsat: Msat;
  /** Absolute block height. */
  readonly cltvExpiry: number;
  readonly paymentHash: Uint8Array;
  /** The onion: 1366 bytes (BOLT 4). */
  readonly onion: Uint8Array;
  /** Unique among all HTLCs ever sent. The network stores the outcome of the HTLC under this id. */
  readonly attemptId: string;
  readonly groupId: bigint;
  readonly partId: number;
}

/** One of our attempts, as tracked by the simulation. */
export interface SentAttempt {
  readonly attemptId: string;
  readonly paymentHash: Uint8Array;
  /** Two words of the SHA-256 of the attempt's id. Random draws about this attempt depend on them. */
  readonly key: readonly [number, number];
  /** The attempt's order among the events of one instant. */
  readonly order: number;
}

/** One HTLC, on one channel, while it is in flight. */
export interface Htlc {
  readonly attempt: SentAttempt;
  /** Number of the hop on the route. 0 is our own channel. */
  readonly hop: number;
  /** Index of the channel direction that the HTLC crosses. */
  readonly directionIndex: number;
  /** The node that receives the HTLC. */
  readonly node: number;
  readonly amountMsat: Msat;
  readonly cltvExpiry: number;
  /** The incoming HTLC of the offering node. Undefined at our own node. */
  readonly previous: Htlc | undefined;
  /** The accompanying path key, for a node inside a blinded path (BOLT 2, `update_add_htlc`). */
  readonly pathKey: Uint8Array | undefined;
  arrivedAtMs: number;
  /** The secret shared with the payer, from the onion. Undefined until the onion is peeled. */
  sharedSecret: Uint8Array | undefined;
  /**
   * Hash of the HTLC's onion. Set only at nodes of a blinded path, which must not reveal why the HTLC failed, so their
   * failures contain only this hash. A node inside the path returns such a failure to the previous node, and the
   * introduction node returns it to the sender.
   */
  blindedOnion: Uint8Array | undefined;
}

/** The HTLCs of one part on all channels that it crossed, from the recipient back to our own channel. */
export function hopsOf(last: Htlc): Htlc[] {
  const hops: Htlc[] = [];
  for (let htlc: Htlc | undefined = last; htlc !== undefined; htlc = htlc.previous) hops.push(htlc);
  return hops;
}

/** The members of an HTLC that our node sends to its first peer. */
export function offerOf(htlc: OutgoingHtlc, onion: Uint8Array): HtlcOffer {
  const { path, paymentHash, attemptId, groupId, partId } = htlc;
  const { shortChannelId, amountMsat, cltvExpiry } = path[0]!;
  return { shortChannelId, amountMsat, cltvExpiry, paymentHash, onion, attemptId, groupId, partId };
}

/** The members of an offer that are kept while the HTLC is in flight, and after it has settled. */
export const sentHtlcOf = ({ attemptId, paymentHash, groupId, partId, amountMsat }: HtlcOffer): SentHtlc => ({
  ...{ attemptId, paymentHash, groupId, partId, amountMsat },
});

/** The attempt that starts with our offer. */
export function attemptOf({ attemptId, paymentHash }: HtlcOffer): SentAttempt {
  const digest = sha256(Buffer.from(attemptId, 'utf8'));
  const view = new DataView(digest.buffer, digest.byteOffset);
  const key = [view.getUint32(0), view.getUint32(4)] as const;
  return { attemptId, paymentHash, key, order: key[0] * 0x20_0000 + (key[1] >>> 11) };
}
