/**
 * Shadow routing (BOLT 7, "Recommendations for Routing"): a payment asks for a little more delay, and carries
 * a little more money, than its recipient needs, as if it went on beyond it; so a node next to the recipient
 * cannot tell from round numbers that it is next to the recipient.
 *
 * The offset is that of a walk which starts at the recipient and takes up to three steps, each with
 * probability ½, over a channel chosen evenly among those that could carry the amount.
 *
 * Delay first: it is what gives the last hop away, and it costs nobody anything. The walk goes as far as a quarter
 * of the delay that the caller allows takes it: at the default 493 blocks in all.
 * Money last, because the recipient keeps it: the fees of the walk, but never more than a quarter of the fee that the
 * caller allows, nor than 1/1000 of the amount. That is 1 msat of 1 sat, 1 sat of 1,000 sat, 100 sat of
 * 100,000 sat. The fee limit alone bounds nothing for small amounts: of the 5 sat that any payment may cost, 1.25
 * would go on top of 1 sat. A fee that does not fit gives way to an amount drawn evenly from what does: always the
 * most that fits would be as plain as a round number.
 *
 * On the main network's graph, to recipients with several channels: 74 blocks on average, and nothing at all in half
 * of the payments; 217 msat on top of 1,000 sat, 17 sat on top of 100,000 (`npm run bench -- choice`). The recipient
 * sees both in its payload.
 */
import { sha256 } from '../bolt/hashes.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { type Msat, msat } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import { forwardingFeeMsat } from '../model/policy.ts';
import { FINAL_CLTV_BLOCKS } from './budget.ts';
import type { ShadowOffset } from './payment.ts';

export const NO_SHADOW: ShadowOffset = { delayBlocks: 0, amountMsat: msat(0n) };

const MAX_STEPS = 3;
/** The part of each limit that a shadow may take: 1/4. */
const SHARE = 4;
/** The part of the amount that a shadow may add: 1/1000. */
const AMOUNT_SHARE = 1_000n;
/** Channels looked at per step; a hub's others are as good. */
const MAX_CANDIDATES = 64;

export interface ShadowLimits {
  readonly amountMsat: Msat;
  readonly maxfeeMsat: Msat;
  readonly maxdelay: number;
}

/** Numbers in [0, 1) that only the seed decides: SHA-256 of the seed and a counter, 32 bits each. */
export function draws(seed: bigint): () => number {
  const input = new DataView(new ArrayBuffer(16));
  input.setBigUint64(0, seed);
  let count = 0n;
  return () => {
    input.setBigUint64(8, count++);
    const hash = sha256(new Uint8Array(input.buffer));
    return new DataView(hash.buffer, hash.byteOffset).getUint32(0) / 0x1_0000_0000;
  };
}

/** The most money that a shadow may add to a payment. */
export function mostShadowMsat({ amountMsat, maxfeeMsat }: Omit<ShadowLimits, 'maxdelay'>): bigint {
  const ofFee = maxfeeMsat / BigInt(SHARE);
  const ofAmount = amountMsat / AMOUNT_SHARE;
  return ofFee < ofAmount ? ofFee : ofAmount;
}

/** What a payment wears when a shadow leaves it no route: the delay without the money, then nothing; then undefined. */
export function lighterThan({ delayBlocks, amountMsat }: ShadowOffset): ShadowOffset | undefined {
  if (amountMsat > 0n) return { delayBlocks, amountMsat: msat(0n) };
  return delayBlocks > 0 ? NO_SHADOW : undefined;
}

/** @param random numbers in [0, 1). */
export function shadowOffset(
  graph: ChannelGraph,
  destination: NodeId,
  limits: ShadowLimits,
  random: () => number,
): ShadowOffset {
  let node = graph.nodeIndex(destination);
  let delayLeft = Math.floor(Math.max(0, limits.maxdelay - FINAL_CLTV_BLOCKS) / SHARE);
  let moneyLeft = mostShadowMsat(limits);
  let delayBlocks = 0;
  let amountMsat = 0n;
  for (let step = 0; step < MAX_STEPS && node >= 0 && random() < 0.5; step++) {
    const taken = stepFrom(graph, node, limits.amountMsat, delayLeft, random);
    if (taken === undefined) break;
    const money = taken.feeMsat <= moneyLeft ? taken.feeMsat : evenly(moneyLeft, random);
    delayBlocks += taken.delay;
    amountMsat += money;
    delayLeft -= taken.delay;
    moneyLeft -= money;
    node = taken.node;
  }
  return { delayBlocks, amountMsat: msat(amountMsat) };
}

/** An even draw from 0 … most, to 32 bits. */
function evenly(most: bigint, random: () => number): bigint {
  return ((most + 1n) * BigInt(Math.floor(random() * 0x1_0000_0000))) >> 32n;
}

interface ShadowHop {
  readonly node: number;
  readonly delay: number;
  readonly feeMsat: bigint;
}

/** One even draw among the channels that leave a node and fit the delay that is left; undefined when none does. */
function stepFrom(
  graph: ChannelGraph,
  node: number,
  amountMsat: bigint,
  delayLeft: number,
  random: () => number,
): ShadowHop | undefined {
  const channels = graph.channelsOf(node);
  const from = Math.floor(random() * channels.length);
  for (let i = 0; i < Math.min(channels.length, MAX_CANDIDATES); i++) {
    const channel = channels[(from + i) % channels.length]!;
    const leavesNode1 = graph.node1[channel] === node;
    const policy = graph.policy(2 * channel + (leavesNode1 ? 0 : 1));
    if (policy === undefined || !policy.enabled || graph.capacityMsat[channel]! < amountMsat) continue;
    if (policy.cltvExpiryDelta > delayLeft) continue;
    const feeMsat = forwardingFeeMsat(policy, amountMsat);
    const next = leavesNode1 ? graph.node2[channel]! : graph.node1[channel]!;
    return { node: next, delay: policy.cltvExpiryDelta, feeMsat };
  }
  return undefined;
}
