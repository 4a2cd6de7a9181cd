/**
 * Everything that the processes of a chaos run share: the graph, our node, and the forms of requests and
 * answers.
 */
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

/** The graph, which every process generates for itself. */
export const worldGraph = (seed: number): ChannelGraph => generateSyntheticGraph({ nodeCount: 100, seed });

/**
 * One piece of news: a direction asks for 1 msat more, or a channel between two new nodes is announced, or
 * such a channel is closed. The simulated network still accepts the old fees, and no route needs the new
 * nodes.
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

/** A generator of random numbers in [0, 1) (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An order to a daemon. The idempotency key is the same for every daemon. */
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

/** A piece of news that every ready daemon receives from its peers, by number. */
export interface Gossip {
  readonly gossip: number;
}

/** A copy of the log of changes, as daemons and solvers report it on `audit`. */
export interface CopyAudit {
  /**
   * The position in the log that this copy has reached, and the process's own changes that are not in the log
   * yet.
   */
  readonly position: number;
  readonly queued: number;
  /** The result of `digestOf` for the copy's layers, and the hash of its graph. */
  readonly digest: string;
  readonly graph: string;
  /**
   * The result of `answersOf` for the engine of the process, which depends on the layers and the graph in its
   * kernel.
   */
  readonly answers: string;
}

/** A daemon's report on `audit`. */
export interface DaemonFigures extends CopyAudit {
  /** Number of reservations that the daemon still holds. */
  readonly reservations: number;
  /** Number of answers, by solvers or by the daemon itself, that ignored an earlier change by this daemon. */
  readonly staleReads: number;
  /** Number of messages of a different fleet that reached the daemon on the bus. */
  readonly foreign: number;
  /** Number of committed layer changes. */
  readonly changed: number;
  readonly takenOver: number;
  readonly lost: number;
  readonly searchesSent: number;
  readonly searchesAnswered: number;
  /** Number of route queries without an answer: neither routes nor a reason why there are none. */
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
