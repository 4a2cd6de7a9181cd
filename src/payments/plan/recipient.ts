/**
 * The properties of a recipient on which routes and onions depend. There are four kinds of recipients:
 *
 *   keysend    a node without an invoice, which finds the preimage in its payload
 *   BOLT 11    a node with an invoice: payment secret, metadata, a delay that it chose
 *   blinded    an unknown node behind the blinded paths of its BOLT 12 invoice. For a static invoice, the payload also
 *              contains the preimage and the invoice request
 *   probe      a node that refuses the probe, because it has no such invoice
 *
 * In a search, a blinded path is a single channel from the introduction node to a made-up node, `BLINDED_RECIPIENT`,
 * with the fees and limits of the whole path. Several paths become several channels to this node, so the search
 * compares them and splits the payment over them, as with any other channels. They are in the payment's private layer.
 */
import { invoiceRequestRecord } from '../../bolt/onion/async-payments.ts';
import { type HopPayload, MAX_FORWARD_FRAME_BYTES, payloadSize } from '../../bolt/onion/payload.ts';
import { PAYMENT_AREA_BYTES } from '../../bolt/onion/sphinx.ts';
import type { RouteHop } from '../../engine/question/route.ts';
import type { Layer } from '../../layers/layer.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import { type Msat, msat, U64_MAX } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import { directionFrom, type ShortChannelId } from '../../model/short-channel-id.ts';
import type { FinalPayload, NetworkPort } from '../../network/port.ts';
import type { Payment, PaymentRequest } from '../payment.ts';
import { type PaymentRefusal, PaymentRefused } from '../refusal.ts';
import type { BlindedTail, HeldTerms, InvoiceTerms } from './invoice-terms.ts';
import { FINAL_CLTV_BLOCKS, MAX_PAYABLE_MSAT } from './limits.ts';

/**
 * The node at which the blinded paths of every invoice end. It is not a valid key, so no real node can have this id. It
 * sorts before every other id.
 */
export const BLINDED_RECIPIENT = `02${'00'.repeat(32)}` as NodeId;

/** Maximum number of paths used per invoice. An invoice with many more would not fit in an onion message. */
export const MAX_BLINDED_TAILS = 64;
const TAIL_BITS = 6n;
/**
 * Number of bits of a made-up channel id below its block number. The block number is 0, because no chain has channels
 * in block 0.
 */
const MADE_UP_BITS = 40n;

/** Maximum hops of a route. More hops fit in the packet only with the smallest payloads. */
const MAX_HOPS = 20;

/** What a shadow may add to the payment; see shadow.ts. */
export type ShadowKind = 'none' | 'delay' | 'delayAndMoney';

/** What the planner and the onion builder need to know about the recipient. */
export interface Recipient {
  /** The node at which routes end. */
  readonly routeEnd: NodeId;
  /** Minimum blocks that the last HTLC of a route must have left before it expires. */
  readonly finalCltv: number;
  readonly shadow: ShadowKind;
  /** Maximum bytes of the recipient's payload in the onion. For a blinded path, the total of its hops' payloads. */
  widestBytes(severalParts: boolean): number;
  /** The data in the onion for the recipient, besides amount and expiry. */
  finalPayload(payment: Payment, isPartOfSeveral: boolean): FinalPayload;
}

/** The recipient of a payment. */
export function recipientOf(request: PaymentRequest): Recipient {
  const { invoice } = request;
  if (request.kind === 'probe') return probeRecipient(request);
  if (invoice === undefined) return keysendRecipient(request);
  return invoice.blindedTails.length > 0 ? blindedRecipient(invoice) : invoiceRecipient(request, invoice);
}

/** Whether this is a keysend. Most recipients refuse a keysend in several parts. */
export const isKeysend = ({ kind }: Pick<PaymentRequest, 'kind'>): boolean =>
  kind === 'keysend' || kind === 'xkeysend';

/** Whether the payment may be split. A keysend may be split if it has a secret to identify its parts. */
export function takesParts({ request, paymentSecret }: Payment): boolean {
  if (request.kind === 'probe') return false;
  return request.invoice?.takesParts ?? paymentSecret !== undefined;
}

/** Maximum parts if the recipient accepts several: `most`, or fewer if our node cannot send as many. */
export function partsAllowed(
  { request }: Pick<Payment, 'request'>,
  { capabilities }: Pick<NetworkPort, 'capabilities'>,
  most: number,
): number {
  const isBlinded = (request.invoice?.blindedTails.length ?? 0) > 0;
  const { blindedParts = most } = (isBlinded ? capabilities.limits : undefined) ?? {};
  return Math.min(most, blindedParts);
}

/** @throws PaymentRefused when our node on the network cannot send the recipient's payload */
export function requireSendable(
  request: PaymentRequest,
  network: Pick<NetworkPort, 'kind' | 'capabilities'>,
): void {
  const refusal = whyUnsendable(request, network);
  if (refusal !== undefined) throw new PaymentRefused(refusal);
}

/** Why our node on the network cannot send the recipient's payload. Undefined if it can. */
export function whyUnsendable(
  { invoice, extraTlvs }: PaymentRequest,
  { kind, capabilities: { limits } }: Pick<NetworkPort, 'kind' | 'capabilities'>,
): PaymentRefusal | undefined {
  if (limits === undefined) return undefined;
  const { leastCustomType: least } = limits;
  const tooLow = extraTlvs.find(({ type }) => type < least);
  if (tooLow !== undefined) return { kind: 'recordTypeTooLow', network: kind, type: tooLow.type, least };
  if (invoice?.paymentMetadata === undefined || limits.paymentMetadata) return undefined;
  return { kind: 'metadataNotSent', network: kind };
}

/**
 * The maximum number of hops whose payloads fit in an onion together with the recipient's.
 * @throws PaymentRefused when not even the recipient's payload fits
 */
export function hopsThatFit(request: PaymentRequest, severalParts: boolean): number {
  const widest = recipientOf(request).widestBytes(severalParts);
  const left = PAYMENT_AREA_BYTES - widest;
  if (left < 0) {
    const isInvoices = request.invoice !== undefined;
    throw new PaymentRefused({
      kind: 'payloadTooLarge',
      isInvoices,
      bytes: widest,
      room: PAYMENT_AREA_BYTES,
    });
  }
  // The payload of the hop to the recipient is already counted. With a blinded path, the payload of the hop to the
  // introduction node is counted too.
  const beside = request.invoice !== undefined && request.invoice.blindedTails.length > 0 ? 2 : 1;
  return Math.min(MAX_HOPS, beside + Math.floor(left / MAX_FORWARD_FRAME_BYTES));
}

const WIDEST_TERMS = { amtToForwardMsat: msat(U64_MAX), outgoingCltvValue: 0xffff_ffff };
const WIDEST_SECRET = { paymentSecret: new Uint8Array(32), totalMsat: msat(U64_MAX) };
/** Has all members that the payload of a keysend may have, so that its copies share a hidden class of V8. */
const WIDEST_KEYSEND: HopPayload = {
  ...WIDEST_TERMS,
  paymentData: WIDEST_SECRET,
  keysendPreimage: new Uint8Array(32),
  customRecords: [],
};

function keysendRecipient({ destination, extraTlvs }: PaymentRequest): Recipient {
  const records = extraTlvs.length > 0 && { customRecords: extraTlvs };
  return {
    routeEnd: destination,
    finalCltv: FINAL_CLTV_BLOCKS,
    shadow: 'delayAndMoney',
    widestBytes: (severalParts) =>
      payloadSize({
        ...WIDEST_KEYSEND,
        paymentData: severalParts ? WIDEST_SECRET : undefined,
        customRecords: extraTlvs,
      }),
    finalPayload: ({ preimage, paymentSecret, totalMsat }, isPartOfSeveral) => ({
      ...(isPartOfSeveral && paymentSecret && { paymentData: { paymentSecret, totalMsat } }),
      keysendPreimage: preimage,
      ...records,
    }),
  };
}

/** Recipient of a probe, which looks like the payment of an invoice that the recipient does not know. */
const probeRecipient = ({ destination }: PaymentRequest): Recipient => ({
  routeEnd: destination,
  finalCltv: FINAL_CLTV_BLOCKS,
  shadow: 'none',
  widestBytes: () => payloadSize({ ...WIDEST_TERMS, paymentData: WIDEST_SECRET }),
  finalPayload: ({ paymentSecret, totalMsat }) => ({
    ...(paymentSecret && { paymentData: { paymentSecret, totalMsat } }),
  }),
});

/**
 * Recipient with a BOLT 11 invoice. The payload of every part contains the payment secret, and with it the total
 * amount.
 */
function invoiceRecipient({ destination }: PaymentRequest, invoice: InvoiceTerms): Recipient {
  const { paymentSecret, paymentMetadata, totalMsat, minFinalCltvExpiryDelta } = invoice;
  const metadata = paymentMetadata && { paymentMetadata };
  return {
    routeEnd: destination,
    finalCltv: minFinalCltvExpiryDelta,
    // The shadow adds only delay, because an invoice requests a fixed amount.
    shadow: 'delay',
    widestBytes: () => payloadSize({ ...WIDEST_TERMS, paymentData: WIDEST_SECRET, ...metadata }),
    finalPayload: () => ({
      ...(paymentSecret && { paymentData: { paymentSecret, totalMsat } }),
      ...metadata,
    }),
  };
}

/**
 * Recipient with a BOLT 12 invoice. There is no shadow, because the path already hides the recipient, and may permit no
 * more blocks than it states.
 */
function blindedRecipient({ blindedTails, totalMsat, held }: InvoiceTerms): Recipient {
  const ofHeld = heldPayload(held);
  return {
    routeEnd: BLINDED_RECIPIENT,
    finalCltv: 0,
    shadow: 'none',
    widestBytes: () => Math.max(...blindedTails.map((tail) => tailBytes(tail, ofHeld))),
    finalPayload: () => ({ totalAmountMsat: totalMsat, ...ofHeld }),
  };
}

/** The payload for the recipient of a static invoice, besides amount and expiry. */
const heldPayload = (held: HeldTerms | undefined): HopPayload =>
  held === undefined
    ? {}
    : { keysendPreimage: held.preimage, customRecords: [invoiceRequestRecord(held.invoiceRequest)] };

/**
 * Total size of a blinded path's payloads in the onion, in bytes, including the introduction node's.
 * @param more what the recipient's payload contains besides amounts and expiry
 */
export function tailBytes(
  { hops, firstPathKey }: Pick<BlindedTail, 'hops' | 'firstPathKey'>,
  more: HopPayload = {},
): number {
  const final = { ...WIDEST_TERMS, totalAmountMsat: msat(U64_MAX), ...more };
  return hops.reduce((bytes, { encryptedRecipientData }, at) => {
    const first = at === 0 && { currentPathKey: firstPathKey };
    const last = at === hops.length - 1 && final;
    return bytes + payloadSize({ encryptedRecipientData, ...first, ...last });
  }, 0);
}

/** The blinded path at the end of a route. Undefined if the route ends at a known node. */
export function tailOf({ request }: Payment, path: readonly RouteHop[]): BlindedTail | undefined {
  const { blindedTails = [] } = request.invoice ?? {};
  if (blindedTails.length === 0) return undefined;
  const { shortChannelId } = path.at(-1)!.shortChannelIdDir;
  return blindedTails[Number(BigInt.asUintN(Number(TAIL_BITS), shortChannelId))];
}

/**
 * Adds the invoice's blinded paths to the payment's layer as channels. Like Core Lightning, we assume a capacity of
 * about a hundred times the amount. Earlier paths get slightly more capacity, since the recipient prefers them.
 */
export function useBlindedTails(book: LayerBook, layer: () => Layer, { request }: Payment): void {
  const { invoice, amountMsat, maxfeeMsat } = request;
  if (invoice === undefined) return;
  const { blindedTails, paymentHash } = invoice;
  for (const [index, tail] of blindedTails.entries()) {
    const shortChannelId = madeUpChannel(paymentHash, index);
    const times = BigInt(100 + blindedTails.length - index);
    const capacityMsat = mostPayable(times * (amountMsat + maxfeeMsat));
    book.createChannel(layer(), tail.introduction, BLINDED_RECIPIENT, shortChannelId, capacityMsat);
    const direction = directionFrom(tail.introduction, BLINDED_RECIPIENT);
    const { feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta, htlcMinimumMsat, htlcMaximumMsat } =
      tail;
    book.updateChannel(
      layer(),
      { shortChannelId, direction },
      {
        ...{ feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta, htlcMinimumMsat, enabled: true },
        htlcMaximumMsat: htlcMaximumMsat < capacityMsat ? htlcMaximumMsat : capacityMsat,
      },
    );
  }
}

const mostPayable = (amountMsat: bigint): Msat =>
  amountMsat < MAX_PAYABLE_MSAT ? msat(amountMsat) : MAX_PAYABLE_MSAT;

/**
 * The channel id of a blinded path, in block 0. It contains bits of the payment hash, so that concurrent payments have
 * different ids for their reservations, and plans can be reproduced.
 */
function madeUpChannel(paymentHash: Uint8Array, index: number): ShortChannelId {
  const bits = new DataView(paymentHash.buffer, paymentHash.byteOffset).getBigUint64(0);
  return ((BigInt.asUintN(Number(MADE_UP_BITS - TAIL_BITS), bits) << TAIL_BITS) |
    BigInt(index)) as ShortChannelId;
}
