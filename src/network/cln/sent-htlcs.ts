/**
 * Our HTLCs that are pending or settled in the node's database. The node may pay for others too, so ours are identified
 * by their labels: `fulgurite-ATTEMPT`, then a space and the payer's label if there is one. Complete rows are read page
 * by page, because the list starts with the node's first payment. Deleted rows are missing.
 */
import type { OutgoingHtlc, SentHtlc } from '../port.ts';
import type { Members } from './answer.ts';
import type { NodeConnection } from './node-link.ts';

/** The prefix of the label of each of our HTLCs. The id of the attempt follows. */
const LABEL = 'fulgurite-';
const ATTEMPT_CHARACTERS = 32;

/** The label of our HTLC at the node. */
export const labelOf = ({ attemptId, label }: Pick<OutgoingHtlc, 'attemptId' | 'label'>): string =>
  label === undefined ? `${LABEL}${attemptId}` : `${LABEL}${attemptId} ${label}`;

/** The attempt's id from the label of one of our HTLCs. Undefined for other labels. */
export function attemptOf(label: string): string | undefined {
  if (!label.startsWith(LABEL)) return undefined;
  const rest = label.slice(LABEL.length);
  return rest[ATTEMPT_CHARACTERS] === ' ' ? rest.slice(0, ATTEMPT_CHARACTERS) : rest;
}

const PAGE = 10_000;
const SHOWN = [
  'payment_hash',
  'partid',
  'groupid',
  'amount_sent_msat',
  'created_at',
  'created_index',
  'label',
];
const FILTER = { payments: [Object.fromEntries(SHOWN.map((name) => [name, true]))] };

/**
 * Reads our pending and settled HTLCs over one connection.
 * @param sinceMs UNIX milliseconds; settled HTLCs that were sent earlier are left out.
 * @throws NodeError; FulguriteError nodeAway
 */
export async function sentHtlcs(connection: NodeConnection, sinceMs: number): Promise<SentHtlc[]> {
  const ask = async (params: Readonly<Record<string, unknown>>): Promise<Members[]> =>
    (await connection.call('listsendpays', params, { filter: FILTER })).objects('payments');
  // An HTLC that settles between the two queries is in both answers.
  const found = (await ask({ status: 'pending' })).flatMap(ours);
  for (let start = 1n; ; ) {
    const page = await ask({ status: 'complete', index: 'created', start, limit: PAGE });
    found.push(...page.filter((row) => row.requireNumber('created_at') * 1000 >= sinceMs).flatMap(ours));
    const last = page.at(-1)?.requireWhole('created_index');
    if (last === undefined || page.length < PAGE) break;
    start = last + 1n;
  }
  return [...new Map(found.map((htlc) => [htlc.attemptId, htlc])).values()];
}

function ours(row: Members): SentHtlc[] {
  const attemptId = attemptOf(row.text('label') ?? '');
  if (attemptId === undefined) return [];
  return [
    {
      attemptId,
      paymentHash: row.bytes('payment_hash'),
      groupId: row.requireWhole('groupid'),
      partId: row.number('partid') ?? 0,
      amountMsat: row.requireAmount('amount_sent_msat'),
    },
  ];
}
