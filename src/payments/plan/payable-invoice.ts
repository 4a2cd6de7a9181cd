/**
 * Extracts from a decoded and checked invoice what a payment needs. This includes finding the introduction node of each
 * blinded path in our view of the network.
 *
 * If a blinded path starts at our own node, we use only the rest of it, because our own hop costs nothing. The cost of
 * the rest is computed from the terms of the whole path and those of our hop (index 0), rounded up (BOLT 4, "Payload
 * Format"):
 *
 *     base = ceil((base − base₀) · 10⁶ / (10⁶ + ppm₀))       ppm = ceil((ppm − ppm₀) · 10⁶ / (10⁶ + ppm₀))
 */

import { sha256 } from '../../bolt/crypto/hashes.ts';
import {
  type Bolt11Invoice,
  bolt11Expiry,
  DEFAULT_MIN_FINAL_CLTV_EXPIRY_DELTA,
} from '../../bolt/invoice/bolt11-invoice.ts';
import {
  formatInvoice,
  type Invoice,
  invoiceExpiry,
  type PaymentPath,
} from '../../bolt/invoice/bolt12-invoice.ts';
import { decodeInvoiceRequest } from '../../bolt/invoice/bolt12-invoice-request.ts';
import { invoiceRequestId } from '../../bolt/invoice/bolt12-merkle.ts';
import { type StaticInvoice, staticInvoiceExpiry } from '../../bolt/invoice/bolt12-static-invoice.ts';
import { encodeBolt12String } from '../../bolt/invoice/bolt12-string.ts';
import type { BlindedPath } from '../../bolt/onion/blinded-path.ts';
import type { EncryptedData, PaymentRelay } from '../../bolt/onion/encrypted-data.ts';
import { FEATURE, hasFeature } from '../../bolt/peer/features.ts';
import { WireError } from '../../bolt/wire-error.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { type Msat, msat } from '../../model/msat.ts';
import { type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../../model/node-id.ts';
import type { ShortChannelId, ShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { NetworkPort } from '../../network/port.ts';
import type { HintHop } from '../payment.ts';
import type { BlindedTail, HeldTerms, InvoiceTerms } from './invoice-terms.ts';
import { MAX_BLINDED_TAILS } from './recipient.ts';

const NO_FEATURES = new Uint8Array(0);
const MILLION = 1_000_000n;
/**
 * Maximum number of hops of our own node at the beginning of a path. A recipient may repeat such hops to hide where the
 * path leads. The maximum bounds the work.
 */
const MAX_OWN_HOPS = 10;

/** The parts of a BOLT 11 invoice that a payment needs. */
export interface PayableBolt11 {
  readonly payee: NodeId;
  readonly terms: InvoiceTerms;
  readonly routeHints: readonly (readonly HintHop[])[];
}

/** @param totalMsat the invoice's amount, or the payer's choice if the invoice has none */
export function payableBolt11(invoice: Bolt11Invoice, text: string, totalMsat: Msat): PayableBolt11 {
  const { fields, payee } = invoice;
  return {
    payee: nodeIdFromBytes(payee),
    terms: {
      format: 'bolt11',
      text: text.toLowerCase(),
      paymentHash: fields.paymentHash,
      totalMsat,
      expiresAt: bolt11Expiry(invoice),
      minFinalCltvExpiryDelta: fields.minFinalCltvExpiryDelta ?? DEFAULT_MIN_FINAL_CLTV_EXPIRY_DELTA,
      takesParts: hasFeature(fields.features ?? NO_FEATURES, FEATURE.basic_mpp),
      paymentSecret: fields.paymentSecret,
      paymentMetadata: fields.paymentMetadata,
      blindedTails: [],
      description: fields.description,
      payerNote: undefined,
      invoiceRequestId: undefined,
    },
    routeHints: (fields.routeHints ?? []).map((hint) =>
      hint.map(({ nodeId, feeBaseMsat, ...rest }) => ({
        ...rest,
        nodeId: nodeIdFromBytes(nodeId),
        feeBaseMsat: msat(feeBaseMsat),
      })),
    ),
  };
}

/** The parts of a BOLT 12 invoice that a payment needs. @param blindedTails at least one of its paths */
export function payableBolt12(invoice: Invoice, blindedTails: readonly BlindedTail[]): InvoiceTerms {
  const { fields, bytes } = invoice;
  return {
    format: 'bolt12',
    text: formatInvoice(invoice),
    paymentHash: fields.invoicePaymentHash!,
    totalMsat: fields.invoiceAmountMsat as Msat,
    expiresAt: invoiceExpiry(fields)!,
    minFinalCltvExpiryDelta: 0,
    takesParts: hasFeature(fields.invoiceFeatures ?? NO_FEATURES, FEATURE.basic_mpp),
    paymentSecret: undefined,
    paymentMetadata: undefined,
    blindedTails,
    description: fields.offerDescription,
    payerNote: fields.invreqPayerNote,
    invoiceRequestId: invoiceRequestId(bytes),
  };
}

/**
 * The parts of a static invoice that a payment needs.
 * @param blindedTails at least one of its paths
 * @param totalMsat the amount that the payer requested
 */
export function payableStatic(
  { fields, bytes }: StaticInvoice,
  blindedTails: readonly BlindedTail[],
  totalMsat: Msat,
  held: HeldTerms,
): InvoiceTerms {
  return {
    format: 'bolt12',
    text: encodeBolt12String('lni', bytes),
    paymentHash: sha256(held.preimage),
    totalMsat,
    expiresAt: staticInvoiceExpiry(fields),
    minFinalCltvExpiryDelta: 0,
    takesParts: hasFeature(fields.invoiceFeatures ?? NO_FEATURES, FEATURE.basic_mpp),
    paymentSecret: undefined,
    paymentMetadata: undefined,
    blindedTails,
    description: fields.offerDescription,
    payerNote: decodeInvoiceRequest(held.invoiceRequest).fields.invreqPayerNote,
    invoiceRequestId: invoiceRequestId(held.invoiceRequest),
    held,
  };
}

/** What must be known about the network and about us to determine where blinded paths start. */
export interface PathStarts {
  readonly ownId: NodeId;
  /** Whether a node is one of our other nodes, whose keys this process does not have. */
  readonly isOtherOfOurs?: (node: NodeId) => boolean;
  /** The node that a channel direction leaves. Undefined for unknown channels. */
  readonly nodeOf: (of: ShortChannelIdDir) => NodeId | undefined;
  /** The peer of one of our channels. */
  readonly peerOf: (channel: ShortChannelId) => NodeId | undefined;
  /** Decrypts our own hop of a path. Absent if this process does not have our key. @throws WireError */
  readonly openOwnHop?:
    | ((path: BlindedPath) => { readonly data: EncryptedData; readonly nextPathKey: Uint8Array })
    | undefined;
}

/** The input of `pathStarts`. */
export interface StartFacts extends Omit<PathStarts, 'nodeOf' | 'peerOf'> {
  readonly graph: ChannelGraph;
  readonly network: Pick<NetworkPort, 'ownChannels'>;
}

/** Why our node cannot use a blinded path. */
export type TailProblem =
  /** The path starts at an unknown channel. */
  | { readonly kind: 'unknownChannel' }
  | { readonly kind: 'endsHere' }
  /** The path starts with too many hops of our node. */
  | { readonly kind: 'tooManyOwnHops'; readonly most: number }
  /** The path starts at one of our nodes, whose key this process does not have. */
  | { readonly kind: 'keyElsewhere' }
  /** The path leaves our node over a channel that our node does not have. */
  | { readonly kind: 'notOurChannel' }
  /** The data for our node cannot be read. */
  | { readonly kind: 'unreadable'; readonly cause: string };

/** The usable paths, and why the other examined paths are not usable. */
export interface FoundTails {
  readonly tails: readonly BlindedTail[];
  readonly problems: readonly TailProblem[];
}

interface Untried {
  readonly problem: TailProblem;
}

/** The functions that find where blinded paths start, based on a graph and the channels of our node. */
export function pathStarts({ graph, network, ...ours }: StartFacts): PathStarts {
  return {
    ...ours,
    nodeOf({ shortChannelId, direction }) {
      const channel = graph.channelIndex(shortChannelId);
      if (channel < 0) return undefined;
      return graph.nodeId((direction === 0 ? graph.node1 : graph.node2)[channel]!);
    },
    peerOf: (wanted) =>
      network.ownChannels().channels.find(({ shortChannelId }) => shortChannelId === wanted)?.peerId,
  };
}

/**
 * Finds the usable blinded paths among the first `MAX_BLINDED_TAILS` of an invoice, without hops of our own node, and
 * the problems of the others.
 */
export function findTails(paths: readonly PaymentPath[], starts: PathStarts): FoundTails {
  const tails: BlindedTail[] = [];
  const problems: TailProblem[] = [];
  const elsewhere: TailProblem[] = [];
  for (const { path, payInfo } of paths.slice(0, MAX_BLINDED_TAILS)) {
    const toll = { ...payInfo, feeBaseMsat: msat(payInfo.feeBaseMsat) };
    const found = walkOwnHops({ path, ...toll }, starts);
    if ('problem' in found) problems.push(found.problem);
    else if (starts.isOtherOfOurs?.(found.introduction) === true) elsewhere.push({ kind: 'keyElsewhere' });
    else tails.push(found);
  }
  return { tails, problems: [...problems, ...elsewhere] };
}

type Walked = Pick<BlindedTail, keyof Omit<BlindedTail, 'introduction' | 'firstPathKey' | 'hops'>> & {
  readonly path: BlindedPath;
};

function walkOwnHops(start: Walked, starts: PathStarts): BlindedTail | Untried {
  let walked = start;
  for (let own = 0; own <= MAX_OWN_HOPS; own++) {
    const { path, ...toll } = walked;
    const introduction = introductionOf(path, starts);
    if (introduction === undefined) return { problem: { kind: 'unknownChannel' } };
    if (introduction !== starts.ownId) {
      const { firstPathKey, hops } = path;
      const { feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta, htlcMinimumMsat, htlcMaximumMsat } =
        toll;
      const terms = { feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta };
      return { introduction, firstPathKey, hops, ...terms, htlcMinimumMsat, htlcMaximumMsat };
    }
    if (path.hops.length === 1) return { problem: { kind: 'endsHere' } };
    const next = pastOwnHop(walked, starts);
    if ('problem' in next) return next;
    walked = next;
  }
  return { problem: { kind: 'tooManyOwnHops', most: MAX_OWN_HOPS } };
}

const introductionOf = ({ firstNode }: BlindedPath, { nodeOf }: PathStarts): NodeId | undefined =>
  firstNode instanceof Uint8Array ? nodeIdFromBytes(firstNode) : nodeOf(firstNode);

/** The rest of the path after our own hop, or the problem if that rest cannot be used. */
function pastOwnHop({ path, ...toll }: Walked, { openOwnHop, peerOf }: PathStarts): Walked | Untried {
  if (openOwnHop === undefined) return { problem: { kind: 'keyElsewhere' } };
  try {
    const { data, nextPathKey } = openOwnHop(path);
    const { paymentRelay, nextNodeId, shortChannelId } = data;
    const peer = shortChannelId === undefined ? undefined : peerOf(shortChannelId);
    const next = nextNodeId ?? (peer && nodeIdToBytes(peer));
    if (next === undefined) return { problem: { kind: 'notOurChannel' } };
    const rest = { firstNode: next, firstPathKey: nextPathKey, hops: path.hops.slice(1) };
    return { ...toll, ...(paymentRelay && tollBehind(toll, paymentRelay)), path: rest };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return { problem: { kind: 'unreadable', cause: error.message } };
  }
}

/** The terms of a path without its first node. */
function tollBehind(
  toll: Pick<BlindedTail, 'feeBaseMsat' | 'feeProportionalMillionths' | 'cltvExpiryDelta'>,
  first: PaymentRelay,
): Pick<BlindedTail, 'feeBaseMsat' | 'feeProportionalMillionths' | 'cltvExpiryDelta'> {
  const ours = MILLION + BigInt(first.feeProportionalMillionths);
  const behind = (whole: bigint): bigint => (whole <= 0n ? 0n : (whole * MILLION + ours - 1n) / ours);
  const ppm = behind(BigInt(toll.feeProportionalMillionths - first.feeProportionalMillionths));
  return {
    feeBaseMsat: msat(behind(toll.feeBaseMsat - BigInt(first.feeBaseMsat))),
    feeProportionalMillionths: Number(ppm),
    cltvExpiryDelta: Math.max(0, toll.cltvExpiryDelta - first.cltvExpiryDelta),
  };
}
