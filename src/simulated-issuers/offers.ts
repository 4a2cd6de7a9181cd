/**
 * The offers that nodes of a simulated network issue: one of each kind, by nodes spread over the graph. They are
 * derived from the graph alone, so anyone with the graph can list them.
 */

import { sha256 } from '../bolt/crypto/hashes.ts';
import type { OfferFields } from '../bolt/invoice/bolt12-fields.ts';
import { offerId } from '../bolt/invoice/bolt12-merkle.ts';
import { decodeOffer, encodeOffer, type Offer } from '../bolt/invoice/bolt12-offer.ts';
import { POLICY_ENABLED } from '../model/channel-graph.ts';
import { type NodeId, nodeIdToBytes } from '../model/node-id.ts';
import type { MessageGraph } from '../offers/message-routes.ts';
import { offerPath } from '../offers/offer-path.ts';

/** A fault that an issuer simulates. */
export type SimulatedFault = 'silent' | 'refusing' | 'lying';

interface Kind {
  readonly fields: OfferFields;
  /** Number of blinded paths of the offer, each through a different neighbour of the issuer. */
  readonly paths?: number;
  readonly hidesIssuer?: boolean;
  readonly fault?: SimulatedFault;
}

/** 1 January 2020 and 1 January 2100, in UNIX seconds. */
const LONG_AGO = 1_577_836_800n;
const FAR_AHEAD = 4_102_444_800n;
const DAYS = 1;
const SECONDS = 0;

/** The kinds of offers that simulated nodes issue, with the fields of each kind. */
export const KINDS = {
  fixed: { fields: { offerAmount: 10_000n, offerDescription: 'coffee', offerIssuer: 'corner café' } },
  anyAmount: { fields: { offerDescription: 'donations' } },
  quantity: { fields: { offerAmount: 5000n, offerDescription: 'tea, up to 3 cups', offerQuantityMax: 3n } },
  anyQuantity: { fields: { offerAmount: 100n, offerDescription: 'stickers', offerQuantityMax: 0n } },
  currency: { fields: { offerAmount: 250n, offerCurrency: 'USD', offerDescription: 'a magazine' } },
  expiring: {
    fields: { offerAmount: 7000n, offerDescription: 'until 2100', offerAbsoluteExpiry: FAR_AHEAD },
  },
  expired: { fields: { offerAmount: 7000n, offerDescription: 'until 2020', offerAbsoluteExpiry: LONG_AGO } },
  recurring: {
    fields: {
      offerAmount: 1000n,
      offerDescription: 'weekly news',
      offerRecurrenceCompulsory: { timeUnit: DAYS, period: 7 },
    },
  },
  recurringWithBase: {
    fields: {
      offerAmount: 50_000n,
      offerDescription: 'a year of thirty-day months',
      offerRecurrenceOptional: { timeUnit: DAYS, period: 30 },
      offerRecurrenceBase: { isProportional: false, basetime: LONG_AGO },
      offerRecurrenceLimit: 1200,
      offerRecurrencePaywindow: { secondsBefore: 0xffff_ffff, secondsAfter: 0xffff_ffff },
    },
  },
  recurringSeconds: {
    fields: {
      offerAmount: 10n,
      offerDescription: 'by the minute, twice',
      offerRecurrenceCompulsory: { timeUnit: SECONDS, period: 60 },
      offerRecurrenceLimit: 1,
    },
  },
  blindedPaths: { fields: { offerAmount: 3000n, offerDescription: 'found by paths only' }, paths: 2 },
  noIssuerId: {
    fields: { offerAmount: 4000n, offerDescription: 'nobody knows who' },
    paths: 2,
    hidesIssuer: true,
  },
  silent: { fields: { offerAmount: 1000n, offerDescription: 'never answers' }, fault: 'silent' },
  refusing: { fields: { offerAmount: 1000n, offerDescription: 'always refuses' }, fault: 'refusing' },
  lying: { fields: { offerAmount: 1000n, offerDescription: 'signs with another key' }, fault: 'lying' },
} as const satisfies Record<string, Kind>;

/** The name of a kind of offer. */
export type OfferKind = keyof typeof KINDS;

/** A blinded path of an offer, with the secrets that only its creator has. */
export interface KeptPath {
  readonly front: NodeId;
  readonly sessionKey: Uint8Array;
  readonly pathId: Uint8Array;
}

/** An offer of a simulated node, with the data that its issuer needs to answer requests. */
export interface SimulatedOffer {
  readonly kind: OfferKind;
  readonly nodeId: NodeId;
  readonly offer: Offer;
  readonly offerId: Uint8Array;
  readonly paths: readonly KeptPath[];
  readonly fault: SimulatedFault | undefined;
}

/** Creates one offer of every kind. Empty if no channel is enabled in both directions. */
export function simulatedOffers(graph: MessageGraph): SimulatedOffer[] {
  const nodes = connectedNodes(graph);
  const kinds = Object.keys(KINDS) as OfferKind[];
  if (nodes.length === 0) return [];
  return kinds.map((kind, i) => {
    const node = nodes[Math.floor(((i + 0.5) * nodes.length) / kinds.length)] as number;
    return makeOffer(kind, graph, node);
  });
}

function makeOffer(kind: OfferKind, graph: MessageGraph, node: number): SimulatedOffer {
  const { fields, paths = 0, hidesIssuer = false, fault }: Kind = KINDS[kind];
  const nodeId = graph.nodeId(node);
  const fronts = paths === 0 ? [] : neighboursOf(graph, node).slice(0, paths);
  const kept = fronts.map((front, i) => ({
    front: graph.nodeId(front),
    sessionKey: derived(kind, nodeId, 'session key', i),
    pathId: derived(kind, nodeId, 'path id', i),
  }));
  const offer = decodeOffer(
    encodeOffer({
      ...fields,
      offerPaths:
        kept.length === 0
          ? undefined
          : kept.map(({ front, pathId, sessionKey }) => offerPath(front, nodeId, pathId, sessionKey)),
      offerIssuerId: hidesIssuer ? undefined : nodeIdToBytes(nodeId),
    }),
  );
  return { kind, nodeId, offer, offerId: offerId(offer.bytes), paths: kept, fault };
}

/**
 * A secret of a simulated node. A simulated network has no real secrets, so this one may be derived from public values.
 */
function derived(kind: OfferKind, nodeId: NodeId, what: string, index: number): Uint8Array {
  return sha256(new Uint8Array(Buffer.from(`${kind} ${what} ${index}`, 'ascii')), nodeIdToBytes(nodeId));
}

/** Nodes with a channel enabled in both directions, in ascending order. */
function connectedNodes(graph: MessageGraph): number[] {
  const isConnected = new Uint8Array(graph.nodeCount);
  for (let channel = 0; channel < graph.channelCount; channel++) {
    if (!carriesMessages(graph, channel)) continue;
    isConnected[graph.node1[channel]!] = 1;
    isConnected[graph.node2[channel]!] = 1;
  }
  const nodes: number[] = [];
  for (let node = 0; node < graph.nodeCount; node++) if (isConnected[node] === 1) nodes.push(node);
  return nodes;
}

/** The nodes that can pass a message to this node, in the order of their first channels with it. */
function neighboursOf(graph: MessageGraph, node: number): number[] {
  const neighbours = new Set<number>();
  for (let channel = 0; channel < graph.channelCount; channel++) {
    const [a, b] = [graph.node1[channel]!, graph.node2[channel]!];
    if ((a === node || b === node) && carriesMessages(graph, channel)) neighbours.add(a === node ? b : a);
  }
  return [...neighbours];
}

/** Whether both directions of the channel are enabled. */
const carriesMessages = ({ policyFlags }: MessageGraph, channel: number): boolean =>
  (policyFlags[2 * channel]! & policyFlags[2 * channel + 1]! & POLICY_ENABLED) !== 0;
