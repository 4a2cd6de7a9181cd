/**
 * Movements as CSV rows, in three formats: our own, the format of phoenixd's export, and the format of Core Lightning's
 * bookkeeper for Koinly (`bkpr-dumpincomecsv koinly`). Cells are quoted as RFC 4180 requires.
 */
import { toHex } from '../../../bolt/bytes.ts';
import { lostMsat, type Movement, type MovementKind } from '../../../payments/books/ledger.ts';

/** The formats in which the ledger can be written as CSV. */
export const LEDGER_FORMS = ['csv', 'phoenixd', 'koinly'] as const;

/** The kinds of movements, by their names in results. */
export const KIND_WORDS = {
  payment: 'payment',
  transfer: 'transfer',
  refund: 'refund',
  inFlight: 'in_flight',
} as const satisfies Readonly<Record<MovementKind, string>>;

interface Form {
  readonly columns: readonly string[];
  /** The cells of a movement. Undefined when the format has no row for it. */
  readonly cells: (movement: Movement, chain: string) => readonly (string | bigint | number)[] | undefined;
}

const endedMs = ({ attempt }: Movement): number => attempt.completedAtMs ?? attempt.createdAtMs;
const feeOf = ({ attempt }: Movement): bigint => attempt.amountSentMsat - attempt.amountMsat;
const noteOf = ({ payment }: Movement): string =>
  payment.request.label ?? payment.request.invoice?.description ?? '';

/** The currency as the bookkeeper names it: the currency prefix of BOLT 11 invoices, or `btc` for the main chain. */
const CURRENCIES: Readonly<Record<string, string>> = { bitcoin: 'btc', regtest: 'bcrt', signet: 'tbs' };
const OTHER_CURRENCY = 'tb';
const MSAT_DIGITS = 11;

/** Formats an amount in bitcoin with eleven decimals; the last one is 1 msat. */
function bitcoins(msat: bigint): string {
  const digits = String(msat).padStart(MSAT_DIGITS + 1, '0');
  return `${digits.slice(0, -MSAT_DIGITS)}.${digits.slice(-MSAT_DIGITS)}`;
}

/** Formats 128 bits as a UUID, which phoenixd uses as the id of a payment. */
const uuidOf = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

const FORMS: Readonly<Record<(typeof LEDGER_FORMS)[number], Form>> = {
  csv: {
    columns: [
      'index',
      'time',
      'kind',
      'payment_id',
      'payment_hash',
      'partid',
      'destination',
      'idempotency_key',
      'label',
      'description',
      'amount_msat',
      'fee_msat',
      'balance_change_msat',
    ],
    cells(movement) {
      const { kind, payment, attempt } = movement;
      const { request } = payment;
      const change = -lostMsat(movement);
      return [
        attempt.updatedIndex ?? '',
        new Date(endedMs(movement)).toISOString(),
        KIND_WORDS[kind],
        payment.id,
        toHex(payment.paymentHash),
        attempt.partId,
        request.destination,
        safe(request.idempotencyKey ?? ''),
        safe(request.label ?? ''),
        safe(request.invoice?.description ?? ''),
        attempt.amountMsat,
        feeOf(movement),
        change,
      ];
    },
  },
  phoenixd: {
    columns: [
      'date',
      'id',
      'type',
      'amount_msat',
      'fee_credit_msat',
      'mining_fee_sat',
      'service_fee_msat',
      'payment_hash',
      'tx_id',
    ],
    cells(movement) {
      const { kind, payment, attempt } = movement;
      if (kind === 'refund' || kind === 'inFlight') return undefined;
      const id = `${payment.id.slice(0, -8)}${attempt.createdIndex.toString(16).padStart(8, '0').slice(-8)}`;
      const date = new Date(endedMs(movement)).toISOString();
      const hash = toHex(payment.paymentHash);
      return [date, uuidOf(id), 'lightning_sent', -lostMsat(movement), 0, 0, feeOf(movement), hash, ''];
    },
  },
  koinly: {
    columns: [
      'Date',
      'Sent Amount',
      'Sent Currency',
      'Received Amount',
      'Received Currency',
      'Fee Amount',
      'Fee Currency',
      'Label',
      'Description',
      'TxHash',
    ],
    cells(movement, chain) {
      const { kind, payment, attempt } = movement;
      if (kind === 'refund' || kind === 'inFlight') return undefined;
      const currency = CURRENCIES[chain] ?? OTHER_CURRENCY;
      const date = new Date(endedMs(movement)).toISOString();
      const fee = feeOf(movement);
      return [
        `${date.slice(0, 10)} ${date.slice(11, 16)} UTC`,
        bitcoins(kind === 'transfer' ? 0n : attempt.amountMsat),
        currency,
        '',
        '',
        fee === 0n ? '' : bitcoins(fee),
        fee === 0n ? '' : currency,
        'invoice',
        safe(noteOf(movement)),
        toHex(payment.paymentHash),
      ];
    },
  },
};

/** Makes the lines of a format while they are read, header first. */
export function* ledgerLines(
  form: (typeof LEDGER_FORMS)[number],
  movements: Iterable<Movement>,
  chain: string,
): Generator<string, void> {
  const { columns, cells } = FORMS[form];
  yield columns.join(',');
  for (const movement of movements) {
    const row = cells(movement, chain);
    if (row !== undefined) yield row.map((cell) => quoted(String(cell))).join(',');
  }
}

/**
 * Changes a text so that a spreadsheet does not execute it. Payees choose descriptions, and most spreadsheets execute a
 * cell that looks like a formula (OWASP, "CSV Injection").
 */
const safe = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
