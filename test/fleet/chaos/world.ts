/** What all processes of a chaos run share: the graph, our node, and the forms of requests and answers. */
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { generateSyntheticGraph } from '../../../src/gossip/synthetic.ts';
import type { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { msat } from '../../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes } from '../../../src/model/node-id.ts';
import type { Direction } from '../../../src/model/short-channel-id.ts';
import type { PaymentRequest } from '../../../src/payments/payment.ts';

export const CHAIN = 'regtest';
export const OWN_KEY = new Uint8Array(32).fill(0x42);
export const OWN_ID: NodeId = nodeIdFromBytes(curve.publicKey(OWN_KEY));

/** The graph that every process makes for itself. */
export const worldGraph = (seed: number): ChannelGraph => generateSyntheticGraph({ nodeCount: 100, seed });

/**
 * One piece of news: a direction asks for 1 msat more, or a channel between two new nodes is announced, or one of those
 * is closed. The simulated network takes the old fees too, and no route needs the new nodes.
 */
export function gossip(graph: ChannelGraph, news: number, channelCount: number): void {
  const scidOf = (n: number): bigint => (BigInt(800_000 + n) << 40n) | 1n;
  if (news % 4 === 1) {
    const end = (n: number): number =>
      graph.internNode(Uint8Array.of(2, ...new Array(29).fill(9), news >> 8, news & 255, n));
    if (graph.channelIndex(scidOf(news)) < 0) graph.addChannel(scidOf(news), end(1), end(2), 1_000_000n);
    return;
  }
  const old = graph.channelIndex(scidOf(news - 6));
  if (news % 4 === 3 && old >= 0) graph.removeChannel(old);
  const channel = news % channelCount;
  const direction = (news % 2) as Direction;
  const policy = graph.policy(2 * channel + direction);
  if (policy === undefined) return;
  const { feeBaseMsat, timestamp } = policy;
  graph.setPolicy(channel, direction, { ...policy, feeBaseMsat: feeBaseMsat + 1, timestamp: timestamp + 1 });
}

/** A generator of numbers from 0 to below 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An order to a daemon. The key is the same whichever daemon gets it. */
export interface Order {
  readonly n: number;
  readonly destination: NodeId;
  readonly amountMsat: string;
}

/** A daemon's answer: the outcome, or an error. */
export interface Answer {
  readonly n: number;
  readonly status?: string;
  readonly error?: string;
}

/** A change of shared layers for a daemon to make. */
export interface Change {
  readonly change: number;
}

/** News that every ready daemon hears from its peers, by number. */
export interface Gossip {
  readonly gossip: number;
}

/** A copy of the log of changes, as daemons and solvers report it on `audit`. */
export interface CopyAudit {
  /** The position in the log that it has reached, and its own changes that are not there yet. */
  readonly position: number;
  readonly queued: number;
  /** `digestOf` its layers, and the hash of its graph. */
  readonly digest: string;
  readonly graph: string;
  /** `answersOf` its engine: what its kernel has of both. */
  readonly answers: string;
}

/** A daemon's report on `audit`. */
export interface DaemonFigures extends CopyAudit {
  /** Reservations that it still holds. */
  readonly reservations: number;
  /** Answers of solvers or its own that did not know a change that it had made before. */
  readonly staleReads: number;
  /** Messages of another fleet that reached it on the bus. */
  readonly foreign: number;
  /** Changes of layers that were committed. */
  readonly changed: number;
  readonly takenOver: number;
  readonly lost: number;
  readonly searchesSent: number;
  readonly searchesAnswered: number;
  /** Route queries without an answer: neither routes nor the reason why there are none. */
  readonly routesFailed: number;
}

export const keyOf = (n: number): string => `order-${n}`;

export function requestOf({ n, destination, amountMsat }: Order): PaymentRequest {
  return {
    kind: 'keysend',
    destination,
    amountMsat: msat(BigInt(amountMsat)),
    label: undefined,
    maxfeeMsat: msat(1_000_000n),
    maxdelay: 2016,
    retryForS: 5,
    extraTlvs: [],
    routeHints: [],
    layers: [],
    seed: BigInt(n),
    isSeedChosen: true,
    useShadow: false,
    randomize: true,
    idempotencyKey: keyOf(n),
  };
}
