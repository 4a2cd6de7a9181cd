/**
 * A network of two hops that keeps a ledger in a file. Every HTLC is written there before anything happens
 * with it, and its id determines its outcome. Like a real network, it outlives the processes that use it.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { decodePayload } from '../../../src/bolt/onion/payload.ts';
import { peelOnion } from '../../../src/bolt/onion/sphinx.ts';
import type { RouteAnswer, RouteHop, RouteQuery } from '../../../src/engine/question/route.ts';
import { msat } from '../../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes } from '../../../src/model/node-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { InlineOnions } from '../../../src/network/onions/onion-builder.ts';
import type {
  HtlcKey,
  HtlcOutcome,
  HtlcState,
  OutcomeListener,
  OutgoingHtlc,
  SentHtlc,
  TakenHtlc,
} from '../../../src/network/port.ts';

const keyOf = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const idOf = (n: number): NodeId => nodeIdFromBytes(curve.publicKey(keyOf(n)));
export const [OURS, PEER, RECIPIENT] = [idOf(1), idOf(2), idOf(3)];

export interface Entry {
  readonly attemptId: string;
  readonly hash: string;
  readonly preimage: string;
  readonly amountMsat: string;
  readonly groupId: string;
  readonly partId: number;
  readonly settles: boolean;
}

export function readLedger(path: string): Entry[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Entry);
}

export class LedgerNetwork {
  readonly capabilities = {
    pays: true,
    repeatsSends: true,
    onionMessages: false,
    connects: false,
    disconnects: false,
  };
  readonly identity = { nodeId: OURS, features: new Uint8Array(), chainHash: new Uint8Array(32) };
  readonly #path: string;
  readonly #entries = new Map<string, Entry>();
  /** HTLCs in flight, whose outcomes are not yet reported. */
  readonly #pending = new Set<string>();
  readonly #listeners = new Set<OutcomeListener>();
  #isClosed = false;

  constructor(path: string) {
    this.#path = path;
    for (const entry of readLedger(path)) {
      this.#entries.set(entry.attemptId, entry);
      // Half of the HTLCs, chosen by hash, are in flight again.
      if (sha256(Buffer.from(entry.attemptId))[1]! < 128) this.#pending.add(entry.attemptId);
    }
  }

  /** Accepts the HTLC, and reports its outcome a moment later. */
  async send(htlc: OutgoingHtlc): Promise<TakenHtlc> {
    const { attemptId } = htlc;
    const entry = this.#entries.get(attemptId) ?? (await this.#accept(htlc));
    this.#tellSoon(entry);
    return { channelsRevision: 0 };
  }

  onOutcome(listener: OutcomeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>> {
    return new Map(keys.map(({ attemptId }) => [attemptId, this.#stateOf(attemptId)]));
  }

  /**
   * Ends all HTLCs that are in flight. After loading, these include some whose outcomes an earlier life
   * received.
   */
  endAll(): void {
    this.#pending.clear();
  }

  /** HTLCs that are in flight or settled. */
  async sentHtlcs(): Promise<readonly SentHtlc[]> {
    const kept = [...this.#entries.values()].filter((one) => one.settles || this.#pending.has(one.attemptId));
    return kept.map(({ attemptId, hash, amountMsat, groupId, partId }) => ({
      ...{ attemptId, partId, groupId: BigInt(groupId), amountMsat: msat(BigInt(amountMsat)) },
      paymentHash: fromHex(hash),
    }));
  }

  #stateOf(attemptId: string): HtlcState {
    const entry = this.#entries.get(attemptId);
    if (entry === undefined) return { status: 'unknown' };
    if (!this.#pending.has(attemptId)) return outcomeOf(entry);
    this.#tellSoon(entry);
    return { status: 'pending' };
  }

  #tellSoon(entry: Entry): void {
    setTimeout(() => {
      if (this.#isClosed) return;
      this.#pending.delete(entry.attemptId);
      for (const listener of this.#listeners) listener(entry.attemptId, outcomeOf(entry));
    }, 1);
  }

  /** Closes the network: afterwards it neither reports nor accepts anything. */
  close(): void {
    this.#isClosed = true;
  }

  async #accept(htlc: OutgoingHtlc): Promise<Entry> {
    const { attemptId, paymentHash } = htlc;
    const { amountMsat } = htlc.path[0]!;
    const onion = await new InlineOnions().build(htlc);
    const { next } = peelOnion(onion, keyOf(2), paymentHash);
    const { payload } = peelOnion(next!, keyOf(3), paymentHash);
    const { keysendPreimage } = decodePayload(payload);
    const entry: Entry = {
      attemptId,
      hash: toHex(paymentHash),
      preimage: toHex(keysendPreimage!),
      amountMsat: String(amountMsat),
      groupId: String(htlc.groupId),
      partId: htlc.partId,
      settles: sha256(Buffer.from(attemptId))[0]! < 160,
    };
    if (this.#isClosed) throw new Error('the network is closed');
    appendFileSync(this.#path, `${JSON.stringify(entry)}\n`);
    this.#entries.set(attemptId, entry);
    this.#pending.add(attemptId);
    return entry;
  }

  blockHeight = (): number => 100;
  nodeBehind = (): undefined => undefined;
  onBlock = (): (() => void) => () => undefined;
  ownChannels = () => ({ revision: 0, channels: [] });
  ownChannelRecords = async (): Promise<[]> => [];
  onOwnChannels = (): (() => void) => () => undefined;
}

const outcomeOf = ({ settles, preimage }: Entry): HtlcOutcome =>
  settles
    ? { status: 'settled', preimage: Uint8Array.from(Buffer.from(preimage, 'hex')) }
    : { status: 'failed', packet: new Uint8Array(292) };

/** Routes of two hops, each with a different channel to the recipient. */
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
