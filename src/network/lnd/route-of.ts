/**
 * Our HTLC in LND's form: a route instead of an onion (`lnrpc.Route`). Each hop is a node, with the channel that leads
 * to it and the contents of its payload. So a hop's amount and expiry are those of the HTLC that it forwards. The last
 * hop's amount and expiry are those of the HTLC that the recipient receives.
 *
 * Hops of a blinded path come after the introduction node. They have blinded ids, no channel, and the data that the
 * recipient encrypted for them. Only the last of them has an amount and an expiry.
 */
import { toHex } from '../../bolt/bytes.ts';
import { FIRST_CUSTOM_TYPE, KEYSEND_PREIMAGE_TYPE } from '../../bolt/onion/payload.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { BlindedEnd, HtlcHop, OutgoingHtlc } from '../port.ts';

type Hop = Readonly<Record<string, unknown>>;

/**
 * The request to `SendToRouteV2` for an HTLC. @throws FulguriteError notSupported for a payload that LND cannot send
 */
export function sendToRouteRequest(htlc: OutgoingHtlc): object {
  const { path, paymentHash } = htlc;
  const first = path[0]!;
  return {
    payment_hash: paymentHash,
    // A failing part must not end the whole set. LND accepts `skip_temp_err` only with an mpp_record.
    skip_temp_err: isOfOpenSet(htlc),
    route: {
      total_time_lock: first.cltvExpiry,
      total_amt_msat: String(first.amountMsat),
      hops: hopsOf(htlc),
    },
  };
}

/** Whether LND keeps the payment open if this part fails (`skip_temp_err`). */
export const isOfOpenSet = ({ isPartOfSeveral, finalPayload }: OutgoingHtlc): boolean =>
  isPartOfSeveral === true && finalPayload.paymentData !== undefined;

function hopsOf({ path, blindedEnd, finalPayload }: OutgoingHtlc): Hop[] {
  const known = path.map((hop, index) => knownHop(hop, path[index + 1]));
  if (blindedEnd === undefined) {
    const last = known.pop()!;
    return [...known, { ...last, ...finalMembers(finalPayload) }];
  }
  const introduction = known.pop()!;
  return [...known, ...blindedHops(introduction, blindedEnd, finalPayload)];
}

function knownHop({ nodeId, shortChannelId, ...own }: HtlcHop, next: HtlcHop | undefined): Hop {
  const { amountMsat, cltvExpiry } = next ?? own;
  return {
    chan_id: String(shortChannelId),
    pub_key: nodeId,
    amt_to_forward_msat: String(amountMsat),
    fee_msat: String(own.amountMsat - amountMsat),
    expiry: cltvExpiry,
  };
}

function finalMembers({
  paymentData,
  keysendPreimage,
  customRecords = [],
  ...others
}: OutgoingHtlc['finalPayload']): Hop {
  const { paymentMetadata } = others;
  const tooLow = customRecords.find(({ type }) => type < FIRST_CUSTOM_TYPE);
  if (tooLow !== undefined || paymentMetadata !== undefined) {
    throw new FulguriteError('notSupported', 'LND cannot encode these payload fields');
  }
  const records = Object.fromEntries(customRecords.map(({ type, value }) => [String(type), value]));
  if (keysendPreimage !== undefined) records[String(KEYSEND_PREIMAGE_TYPE)] = keysendPreimage;
  return {
    ...(paymentData && {
      mpp_record: {
        payment_addr: paymentData.paymentSecret,
        total_amt_msat: String(paymentData.totalMsat),
      },
    }),
    ...(Object.keys(records).length > 0 && { custom_records: records }),
  };
}

/** The introduction node has its own id. Blinded hops have no amounts, except the last hop. */
function blindedHops(
  introduction: Hop,
  { hops, firstPathKey, amountMsat, cltvExpiry }: BlindedEnd,
  { totalAmountMsat, ...others }: OutgoingHtlc['finalPayload'],
): Hop[] {
  return hops.map(({ blindedNodeId, encryptedRecipientData }, index) => ({
    ...(index === 0
      ? { chan_id: introduction.chan_id, pub_key: introduction.pub_key, blinding_point: firstPathKey }
      : { chan_id: '0', pub_key: toHex(blindedNodeId) }),
    encrypted_data: encryptedRecipientData,
    ...(index === hops.length - 1 && {
      amt_to_forward_msat: String(amountMsat),
      expiry: cltvExpiry,
      total_amt_msat: String(totalAmountMsat),
      ...finalMembers(others),
    }),
  }));
}
