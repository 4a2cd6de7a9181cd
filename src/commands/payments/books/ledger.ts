/** `ledger`: shows payments out of our channels as double-entry bookkeeping, part by part. */
import { toHex } from '../../../bolt/bytes.ts';
import { ledgerSums, type Movement, readLedger } from '../../../payments/books/ledger.ts';
import { field, optional, optionalField, withDefault } from '../../../rpc/command.ts';
import { JsonList } from '../../../rpc/json-write.ts';
import { bool, integer, oneOf, u64 } from '../../../rpc/param-types.ts';
import { defineCommand } from '../../context.ts';
import { KIND_WORDS, LEDGER_FORMS, ledgerLines } from './ledger-forms.ts';
import { invoiceJson } from './payment-json.ts';

const DEFAULT_LIMIT = 10_000;
const MAX_LIMIT = 100_000;
const limitType = integer(0, MAX_LIMIT);

/** Not in Core Lightning. Its bookkeeper sees only the payments of its own node, and lacks our keys and labels. */
export const ledger = defineCommand({
  name: 'ledger',
  summary: 'Show every movement of money by payments, in double entry or as CSV.',
  description:
    'Shows one movement for each part that arrived, in order of arrival, and at the end what is in flight. ' +
    'Debits and credits of each movement are equal. The accounts are channels, payments, fees and in_flight. ' +
    'Payments that others make over the attached node, forwarded payments ' +
    'and received payments are not included. If `next_start` is present, there are more movements: repeat the call with it as `start`.',
  category: 'payments',
  readOnly: true,
  params: {
    since: withDefault(u64, 0n, 'Leave out movements that ended before this time. UNIX seconds.'),
    format: optional(
      oneOf(LEDGER_FORMS, 'should be csv, phoenixd or koinly'),
      'Return CSV `lines` instead of `movements`: in our own format, the format of phoenixd’s export, or ' +
        "the format of Core Lightning's bkpr-dumpincomecsv for Koinly.",
    ),
    start: withDefault(u64, 1n, 'Index of the first movement.'),
    limit: withDefault(
      limitType,
      DEFAULT_LIMIT,
      `Maximum number of finished movements, at most ${MAX_LIMIT}.`,
    ),
    refunds: withDefault(bool, false, 'Also show failed parts, whose money came back.'),
  },
  result: {
    movements: optionalField('array', 'The movements. Absent with `format`.'),
    lines: optionalField('array', 'Lines of CSV, header first. Only with `format`.'),
    paid_msat: field('msat', 'Sum of the amounts of the movements shown that arrived, without transfers.'),
    fees_msat: field('msat', 'Sum of the fees of the movements shown that arrived.'),
    in_flight_msat: field('msat', 'Sum of the movements shown that are in flight, including fees.'),
    balance_change_msat: field(
      'integer',
      'Change of our channel balances by the movements shown: zero or negative.',
    ),
    next_start: optionalField('u64', 'Index at which to continue.'),
  },
  async handler({ since, format, start, limit, refunds }, { payments, chain }) {
    const { movements, next } = await readLedger(payments.journal, {
      start: Math.max(1, asIndex(start)),
      limit,
      sinceMs: asIndex(since) * 1000,
      withRefunds: refunds,
    });
    const { paidMsat, feesMsat, inFlightMsat } = ledgerSums(movements);
    return {
      ...(format === undefined
        ? { movements: JsonList.of(movements, movementJson) }
        : { lines: new JsonList(ledgerLines(format, movements, chain)) }),
      paid_msat: paidMsat,
      fees_msat: feesMsat,
      in_flight_msat: inFlightMsat,
      balance_change_msat: -(paidMsat + feesMsat + inFlightMsat),
      next_start: next,
    };
  },
});

const asIndex = (value: bigint): number =>
  Number(value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : value);

function movementJson(movement: Movement) {
  const { kind, payment, attempt } = movement;
  const { request } = payment;
  return {
    index: attempt.updatedIndex,
    time: (attempt.completedAtMs ?? attempt.createdAtMs) / 1000,
    kind: KIND_WORDS[kind],
    payment_id: payment.id,
    payment_hash: toHex(payment.paymentHash),
    partid: attempt.partId,
    destination: request.destination,
    idempotency_key: request.idempotencyKey,
    label: request.label,
    ...invoiceJson(payment),
    amount_msat: attempt.amountMsat,
    fee_msat: attempt.amountSentMsat - attempt.amountMsat,
    entries: entriesOf(movement),
  };
}

/** Debits and credits of a movement, with equal sums. An asset that leaves an account is credited to the account. */
function entriesOf({ kind, attempt }: Movement) {
  const { amountMsat, amountSentMsat } = attempt;
  const feeMsat = amountSentMsat - amountMsat;
  const left = { account: 'channels', credit_msat: amountSentMsat };
  if (kind === 'inFlight') return [left, { account: 'in_flight', debit_msat: amountSentMsat }];
  if (kind === 'refund') return [left, { account: 'channels', debit_msat: amountSentMsat }];
  const paid = { account: kind === 'transfer' ? 'channels' : 'payments', debit_msat: amountMsat };
  return feeMsat === 0n ? [left, paid] : [left, paid, { account: 'fees', debit_msat: feeMsat }];
}
