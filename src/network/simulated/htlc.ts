/** One HTLC on one channel, and the attempt of ours that it belongs to. */
import { sha256 } from '../../bolt/hashes.ts';
import type { Msat } from '../../model/msat.ts';
import type { HtlcOffer } from '../port.ts';

/** What we sent. */
export interface Attempt {
  readonly attemptId: string;
  readonly paymentHash: Uint8Array;
  /** Two words of the id's SHA-256: what draws about this attempt are keyed with. */
  readonly key: readonly [number, number];
  /** Place among events of one instant. */
  readonly order: number;
  /** Slots and amounts that settled, deepest first. */
  readonly moves: Move[];
}

export interface Move {
  readonly slot: number;
  readonly amountMsat: Msat;
}

export interface Htlc {
  readonly attempt: Attempt;
  /** 0 on our own channel. */
  readonly hop: number;
  /** Channel and direction that it is on. */
  readonly slot: number;
  /** The node that receives it. */
  readonly node: number;
  readonly amountMsat: Msat;
  readonly cltvExpiry: number;
  /** The HTLC that the offering node took in return; none at our own node. */
  readonly previous: Htlc | undefined;
  arrivedAtMs: number;
  /** From the onion, once it is peeled. */
  sharedSecret: Uint8Array | undefined;
}

export function attemptOf({ attemptId, paymentHash }: HtlcOffer): Attempt {
  const digest = sha256(Buffer.from(attemptId, 'utf8'));
  const view = new DataView(digest.buffer, digest.byteOffset);
  const key = [view.getUint32(0), view.getUint32(4)] as const;
  return { attemptId, paymentHash, key, order: key[0] * 0x20_0000 + (key[1] >>> 11), moves: [] };
}
