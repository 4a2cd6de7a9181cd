/** What all processes of a chaos run agree on: the graph, our node, and how requests and answers look. */
import { curve } from '../../../src/bolt/curve.ts';
import { generateSyntheticGraph } from '../../../src/gossip/synthetic.ts';
import type { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { msat } from '../../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes } from '../../../src/model/node-id.ts';
import type { PaymentRequest } from '../../../src/payments/payment.ts';

export const CHAIN = 'regtest';
export const OWN_KEY = new Uint8Array(32).fill(0x42);
export const OWN_ID: NodeId = nodeIdFromBytes(curve.publicKey(OWN_KEY));

/** The graph that every process makes for itself. */
export const worldGraph = (seed: number): ChannelGraph => generateSyntheticGraph({ nodeCount: 100, seed });

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

/** What a daemon is told to pay. The key is the same whichever daemon is asked. */
export interface Order {
  readonly n: number;
  readonly destination: NodeId;
  readonly amountMsat: string;
}

/** What a daemon answers: the outcome, or an error. */
export interface Answer {
  readonly n: number;
  readonly status?: string;
  readonly error?: string;
}

/** What a daemon is told to change in shared layers. */
export interface Change {
  readonly change: number;
}

/** A copy of the log of layers, as daemons and solvers tell of it when asked `audit`. */
export interface CopyAudit {
  /** The position in the log that it has reached, and its own changes that are not there yet. */
  readonly position: number;
  readonly queued: number;
  /** `digestOf` its layers. */
  readonly digest: string;
}

/** What a daemon tells when asked `audit`. */
export interface DaemonFigures extends CopyAudit {
  /** Reservations that it still holds. */
  readonly reservations: number;
  /** Answers of solvers or its own that did not know a change that it had made before. */
  readonly staleReads: number;
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
