/** `reconcile`: compares the journal with our node's records and with the application's own list of payments. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toHex } from '../../../bolt/bytes.ts';
import { FulguriteError } from '../../../model/errors.ts';
import {
  type ApplicationList,
  reconcile as compare,
  type Difference,
  type DifferenceKind,
  type OpenPayment,
} from '../../../payments/books/reconciliation.ts';
import { field, optional, optionalField, withDefault } from '../../../rpc/command.ts';
import { atMost, shortText, string, u64 } from '../../../rpc/param-types.ts';
import { parameterError, refusedParameter } from '../../../rpc/params.ts';
import { defineCommand } from '../../context.ts';
import { parseApplicationList } from './application-list.ts';

/** Maximum size in bytes of a list passed as text. */
const MAX_TEXT_LIST_BYTES = 256 * 1024;
/** Maximum size in bytes of a list read from a file. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** The kinds of differences, with their names in results. */
const DIFFERENCE_WORDS = {
  missingAtNode: 'missing_at_node',
  missingInJournal: 'missing_in_journal',
  failedInJournal: 'failed_in_journal',
  amountDiffers: 'amount_differs',
  missingPayment: 'missing_payment',
  notPaid: 'not_paid',
  stillPending: 'still_pending',
  listedAmountDiffers: 'listed_amount_differs',
  missingInList: 'missing_in_list',
} as const satisfies Readonly<Record<DifferenceKind, string>>;

/** Not in Core Lightning. */
export const reconcile = defineCommand({
  name: 'reconcile',
  summary: "Compare our payments with the node's records and with the application's list. Changes nothing.",
  description:
    'Checks that each part that arrived according to our journal is settled at the node with the same amount, that no failed part ' +
    'is settled or pending at the node, and that the node has no part of ours that the journal lacks. `unexplained_msat` is the sum of ' +
    'all deviations; it should be 0. With a list of the application, in CSV with the columns key and amount_msat, each ' +
    'payment of the list must be complete with its amount, and each complete payment with an idempotency key or a quote must be in ' +
    'the list. A key is an idempotency key, the id of a quote, a payment hash or the id of a payment. `open` lists the payments without ' +
    'an outcome or with parts in flight; from block `certain_at_height` on, these parts can no longer arrive. ' +
    '`differences` and `open` list at most 1000 entries each.',
  category: 'payments',
  readOnly: true,
  params: {
    since: withDefault(u64, 0n, 'Only payments that began at this time or later. UNIX seconds.'),
    csv: optional(atMost(string, MAX_TEXT_LIST_BYTES), "The application's list as text."),
    file: optional(
      shortText,
      "The application's list: the name of a .csv file of at most 64 MiB in the data directory.",
    ),
  },
  result: {
    complete: field('object', 'Complete payments: count, amount_msat and amount_sent_msat.'),
    failed: field('object', 'Failed payments: count, amount_msat and amount_sent_msat.'),
    pending: field('object', 'Payments without an outcome: count, amount_msat and amount_sent_msat.'),
    node_htlcs: optionalField(
      'u64',
      'Number of parts listed by the node. Absent if the node cannot list parts; each finished part is then looked up.',
    ),
    not_judged: field('u64', 'Number of parts that are too old for the simulated network to remember.'),
    unexplained_msat: field('msat', 'Sum of the differences between journal and node, in msat.'),
    list_unexplained_msat: optionalField('msat', 'Sum of the differences between journal and list, in msat.'),
    difference_count: field('u64', 'Number of differences.'),
    differences: field(
      'array',
      'Objects with kind, payment_id, payment_hash, partid, key, journal_msat, node_msat and list_msat.',
    ),
    open: field(
      'array',
      'Payments without an outcome or with parts in flight: payment_id, payment_hash, idempotency_key, parts, ' +
        'in_flight_msat, reason and certain_at_height.',
    ),
  },
  async handler({ since, csv, file }, { payments, networkPort, dataDirectory }) {
    if (csv !== undefined && file !== undefined) {
      throw refusedParameter('file', 'Give either {csv} or {file}');
    }
    const list = csv === undefined ? await listInFile(dataDirectory, file) : parseApplicationList(csv, 'csv');
    const sinceMs = Math.min(Number(since) * 1000, Number.MAX_SAFE_INTEGER);
    const found = await compare({ journal: payments.journal, network: networkPort, list, sinceMs });
    return {
      complete: sumsJson(found.complete),
      failed: sumsJson(found.failed),
      pending: sumsJson(found.pending),
      node_htlcs: found.nodeHtlcs,
      not_judged: found.notJudged,
      unexplained_msat: found.unexplainedMsat,
      list_unexplained_msat: list === undefined ? undefined : found.listUnexplainedMsat,
      difference_count: found.differenceCount,
      differences: found.differences.map(differenceJson),
      open: found.open.map(openJson),
    };
  },
});

/**
 * Reads a list from a file in the data directory. Accepts only plain file names, so that callers cannot read other
 * files of this machine. @throws FulguriteError invalidParams
 */
async function listInFile(directory: string, name: string | undefined): Promise<ApplicationList | undefined> {
  if (name === undefined) return undefined;
  if (!/^[\w-][\w.-]{0,100}\.csv$/.test(name)) {
    throw parameterError('file', 'should be the name of a .csv file in the data directory, without a path');
  }
  const path = join(directory, name);
  try {
    const { size } = await stat(path);
    if (size > MAX_FILE_BYTES) {
      throw parameterError('file', `${path} has ${size} bytes; at most ${MAX_FILE_BYTES} are read`);
    }
    return parseApplicationList(await readFile(path, 'utf8'), name);
  } catch (error) {
    if (error instanceof FulguriteError) throw error;
    throw parameterError('file', (error as Error).message);
  }
}

const sumsJson = ({
  count,
  amountMsat,
  sentMsat,
}: {
  count: number;
  amountMsat: bigint;
  sentMsat: bigint;
}) => ({
  count,
  amount_msat: amountMsat,
  amount_sent_msat: sentMsat,
});

const differenceJson = (difference: Difference) => ({
  kind: DIFFERENCE_WORDS[difference.kind],
  payment_id: difference.paymentId,
  payment_hash: difference.paymentHash,
  partid: difference.partId,
  key: difference.key,
  journal_msat: difference.journalMsat,
  node_msat: difference.nodeMsat,
  list_msat: difference.listMsat,
});

function openJson({ payment, parts, inFlightMsat, certainAtHeight }: OpenPayment) {
  const { id, paymentHash, request, status } = payment;
  const late = status === 'pending' ? '' : `; the payment is ${status}`;
  return {
    payment_id: id,
    payment_hash: toHex(paymentHash),
    idempotency_key: request.idempotencyKey,
    parts,
    in_flight_msat: inFlightMsat,
    reason:
      parts === 0 ? 'no part is in flight; another attempt may follow' : `parts in flight: ${parts}${late}`,
    certain_at_height: certainAtHeight,
  };
}
