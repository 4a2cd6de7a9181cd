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

/** Figures of a daemon at the end. */
export interface DaemonFigures {
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
