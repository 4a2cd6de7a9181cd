/**
 * A network of two hops that keeps a ledger in a file: every HTLC is written before anything happens with it,
 * and what became of it is decided by its id. It survives whoever uses it, as a real network does.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { toHex } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/curve.ts';
import { sha256 } from '../../../src/bolt/hashes.ts';
import { decodePayload } from '../../../src/bolt/payload.ts';
import { peelOnion } from '../../../src/bolt/sphinx.ts';
import type { RouteAnswer, RouteHop, RouteQuery } from '../../../src/engine/route.ts';
import { msat } from '../../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes } from '../../../src/model/node-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import type { HtlcLookup, HtlcOffer, HtlcOutcome } from '../../../src/network/port.ts';

const keyOf = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const idOf = (n: number): NodeId => nodeIdFromBytes(curve.publicKey(keyOf(n)));
export const [OURS, PEER, RECIPIENT] = [idOf(1), idOf(2), idOf(3)];

export interface Entry {
  readonly attemptId: string;
  readonly hash: string;
  readonly preimage: string;
  readonly amountMsat: string;
  readonly settles: boolean;
}

export function readLedger(path: string): Entry[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Entry);
}

export class LedgerNetwork {
  readonly identity = { nodeId: OURS, features: new Uint8Array(), chainHash: new Uint8Array(32) };
  readonly #path: string;
  readonly #entries = new Map<string, Entry>();
  /** Not yet told to anybody: in flight. */
  readonly #pending = new Set<string>();

  constructor(path: string) {
    this.#path = path;
    for (const entry of readLedger(path)) {
      this.#entries.set(entry.attemptId, entry);
      // What was under way at the crash is half of the time still so.
      if (sha256(Buffer.from(entry.attemptId))[1]! < 128) this.#pending.add(entry.attemptId);
    }
  }

  async sendHtlc(offer: HtlcOffer): Promise<HtlcOutcome> {
    const { attemptId } = offer;
    const entry = this.#entries.get(attemptId) ?? this.#accept(offer);
    await new Promise((resolve) => setTimeout(resolve, 1));
    this.#pending.delete(attemptId);
    return outcomeOf(entry);
  }

  async lookUpHtlc(attemptId: string): Promise<HtlcLookup> {
    const entry = this.#entries.get(attemptId);
    if (entry === undefined) return { status: 'unknown' };
    return this.#pending.has(attemptId) ? { status: 'pending' } : outcomeOf(entry);
  }

  #accept({ attemptId, onion, paymentHash, amountMsat }: HtlcOffer): Entry {
    const { next } = peelOnion(onion, keyOf(2), paymentHash);
    const { payload } = peelOnion(next!, keyOf(3), paymentHash);
    const { keysendPreimage } = decodePayload(payload);
    const entry: Entry = {
      attemptId,
      hash: toHex(paymentHash),
      preimage: toHex(keysendPreimage!),
      amountMsat: String(amountMsat),
      settles: sha256(Buffer.from(attemptId))[0]! < 160,
    };
    appendFileSync(this.#path, `${JSON.stringify(entry)}\n`);
    this.#entries.set(attemptId, entry);
    this.#pending.add(attemptId);
    return entry;
  }

  blockHeight = (): number => 100;
  ownChannels = (): [] => [];
  ownChannelRecords = async (): Promise<[]> => [];
  onOwnChannelsChanged = (): (() => void) => () => undefined;
}

const outcomeOf = ({ settles, preimage }: Entry): HtlcOutcome =>
  settles
    ? { status: 'settled', preimage: Uint8Array.from(Buffer.from(preimage, 'hex')) }
    : { status: 'failed', packet: new Uint8Array(292) };

/** Two hops, over another channel to the recipient each time. */
export class TwoHopRoutes {
  #asked = 0;

  async getroutes({ amountMsat, finalCltv }: RouteQuery): Promise<RouteAnswer> {
    this.#asked++;
    const hop = (from: NodeId, to: NodeId, block: number, amount: bigint, cltv: number): RouteHop => ({
      shortChannelIdDir: { shortChannelId: shortChannelId(block, 1, 0), direction: from < to ? 0 : 1 },
      nodeIdIn: from,
      nodeIdOut: to,
      amountInMsat: msat(amount),
      amountOutMsat: msat(amount),
      cltvIn: cltv,
      cltvOut: cltv,
    });
    const path = [
      hop(OURS, PEER, 1, amountMsat + 1n, finalCltv + 6),
      hop(PEER, RECIPIENT, 1 + this.#asked, amountMsat, finalCltv),
    ];
    return { probabilityPpm: 500_000, routes: [{ probabilityPpm: 500_000, amountMsat, finalCltv, path }] };
  }
}
