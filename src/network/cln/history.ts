/**
 * What the node's own payments and forwards show, as far as it still has records:
 *
 *     askrene's layer `xpay`                      bounds of channels, as the node's `xpay` learned them
 *     listsendpays, complete                      the recipient answered
 *     listsendpays, failed, then waitsendpay      where and why it failed, if the node could read the failure. It
 *                                                 cannot read failures of `xpay` payments; what `xpay` learned is in
 *                                                 its layer
 *     listforwards, settled or failed             the peer of the outgoing channel answered
 *     listforwards, unknown_next_peer             the peer of the outgoing channel was away
 *
 * Rows contain no routes, so a successful payment reveals nothing about channels. Rows of our own HTLCs are skipped,
 * because we learned from them when they ended. Lists are read backwards from their newest rows, for a bounded number
 * of pages.
 */
import { FAILURES } from '../../bolt/onion/failure.ts';
import { msat } from '../../model/msat.ts';
import type { NodeHistory, SeenAnswer, SeenLimit } from '../../model/node-history.ts';
import { type NodeId, parseNodeId } from '../../model/node-id.ts';
import type { Direction, ShortChannelId } from '../../model/short-channel-id.ts';
import { type Members, NodeError } from './answer.ts';
import type { NodeLink } from './node-link.ts';
import { attemptOf } from './sent-htlcs.ts';
import { PAY } from './wait-outcome.ts';

/** Rows per page, and maximum number of pages read per list. */
const PAGE = 1000n;
const MAX_PAGES = 20;
/** Maximum number of failed parts looked up one by one. */
const MAX_FAILED = 500;
/** Maximum number of forwards evaluated per peer. The newest forwards are enough to judge a busy peer. */
const MAX_FORWARDS_OF_PEER = 10;
const XPAY_LAYER = ['askrene', 'layers', 'xpay'];

/**
 * Reads the history. @param sinceS UNIX seconds; older records are left out
 * @throws NodeError; FulguriteError nodeAway
 */
export async function clnHistory(link: NodeLink, sinceS: number): Promise<NodeHistory> {
  const payments = await newestRows(
    link,
    { list: 'listsendpays', rows: 'payments', subsystem: 'sendpays' },
    sinceS,
  );
  const others = payments.filter((row) => attemptOf(row.text('label') ?? '') === undefined);
  const failures = await failuresOf(
    link,
    others.filter((row) => row.text('status') === 'failed'),
  );
  const forwards = await newestRows(
    link,
    { list: 'listforwards', rows: 'forwards', subsystem: 'forwards' },
    sinceS,
  );
  const peers = await peersByChannel(link);
  return {
    limits: failures.flatMap(limitOf),
    answers: [
      ...others.flatMap(arrivalOf),
      ...failures.flatMap(answersOf),
      ...forwardAnswers(forwards, peers),
    ],
    xpayRecords: await xpayRecords(link),
  };
}

interface List {
  readonly list: string;
  readonly rows: string;
  readonly subsystem: string;
}

/**
 * The rows of a list that were created at `sinceS` or later, newest page first. Empty for a node without indexes
 * (before v23.11).
 */
async function newestRows(
  link: NodeLink,
  { list, rows, subsystem }: List,
  sinceS: number,
): Promise<Members[]> {
  const found: Members[] = [];
  const question = { subsystem, indexname: 'created', nextvalue: 0n };
  let end = (await answered(link, 'wait', question))?.whole('created') ?? 0n;
  for (let pages = 0; pages < MAX_PAGES && end > 0n; pages++) {
    const start = end > PAGE ? end - PAGE + 1n : 1n;
    const answer = await answered(link, list, { index: 'created', start, limit: end - start + 1n });
    const page = answer?.objects(rows) ?? [];
    const recent = page.filter((row) => madeAtS(row) >= sinceS);
    found.push(...recent);
    if (page.length > 0 && recent.length === 0) break;
    end = start - 1n;
  }
  return found;
}

/** When the row was created, in UNIX seconds. The times of forwards have fractions. */
const madeAtS = (row: Members): number => row.seconds('created_at') || row.seconds('received_time');
const endedAtS = (row: Members): number =>
  row.seconds('completed_at') || row.seconds('resolved_time') || madeAtS(row);

/**
 * For each failed part, the node's object that describes where it failed. Parts without such an object are left out.
 */
async function failuresOf(link: NodeLink, rows: readonly Members[]): Promise<Members[]> {
  const found: Members[] = [];
  for (const row of rows.filter((one) => one.text('erroronion') === undefined).slice(0, MAX_FAILED)) {
    const part = { payment_hash: row.requireText('payment_hash'), partid: row.whole('partid') ?? 0n };
    try {
      await link.call('waitsendpay', { ...part, groupid: row.requireWhole('groupid') });
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const says = error.code === PAY.destinationFailed || error.code === PAY.tryOtherRoute;
      if (says && error.data !== undefined) found.push(error.data);
    }
  }
  return found;
}

const answer = (node: NodeId, hasAnswered: boolean, timestamp: number): SeenAnswer => ({
  node,
  hasAnswered,
  timestamp,
});

function arrivalOf(row: Members): SeenAnswer[] {
  const node = parseNodeId(row.text('destination') ?? '');
  return row.text('status') === 'complete' && node !== undefined ? [answer(node, true, endedAtS(row))] : [];
}

/**
 * The channel at fault could not carry the amount that it received to forward. The row contains only the amount at the
 * start of the route, which is greater by the fees up to the channel. So the limit is slightly too high, but never too
 * low.
 */
function limitOf(failure: Members): SeenLimit[] {
  const sentMsat = failure.amount('amount_sent_msat') ?? 0n;
  const of = directionOf(failure);
  const isOfChannel = failure.number('failcode') === FAILURES.temporary_channel_failure.code;
  if (!isOfChannel || of === undefined || sentMsat === 0n || isOurs(failure)) return [];
  return [{ ...of, maximumMsat: msat(sentMsat - 1n), timestamp: endedAtS(failure) }];
}

/** Whether the payment failed at our own node. */
const isOurs = (failure: Members): boolean => (failure.number('erring_index') ?? 0) === 0;

function directionOf(failure: Members): { shortChannelId: ShortChannelId; direction: Direction } | undefined {
  const shortChannelId = failure.shortChannelId('erring_channel');
  const direction = failure.number('erring_direction');
  if (shortChannelId === undefined || (direction !== 0 && direction !== 1)) return undefined;
  return { shortChannelId, direction };
}

/** A node that reported a failure did respond. But a node that reported that it is itself failing counts as away. */
function answersOf(failure: Members): SeenAnswer[] {
  const node = parseNodeId(failure.text('erring_node') ?? '');
  if (node === undefined || isOurs(failure)) return [];
  const failcode = failure.number('failcode');
  const isAway =
    failcode === FAILURES.temporary_node_failure.code || failcode === FAILURES.permanent_node_failure.code;
  return [answer(node, !isAway, endedAtS(failure))];
}

function forwardAnswers(
  forwards: readonly Members[],
  peers: ReadonlyMap<ShortChannelId, NodeId>,
): SeenAnswer[] {
  const counts = new Map<NodeId, number>();
  const newestFirst = [...forwards].sort((a, b) => endedAtS(b) - endedAtS(a));
  return newestFirst.flatMap((row): SeenAnswer[] => {
    const out = row.shortChannelId('out_channel');
    const peer = out === undefined ? undefined : peers.get(out);
    const hasAnswered = forwardAnswered(row);
    if (peer === undefined || hasAnswered === undefined) return [];
    const count = (counts.get(peer) ?? 0) + 1;
    counts.set(peer, count);
    return count > MAX_FORWARDS_OF_PEER ? [] : [answer(peer, hasAnswered, endedAtS(row))];
  });
}

/** Whether the next peer responded. Undefined if the row does not show that. */
function forwardAnswered(row: Members): boolean | undefined {
  const status = row.text('status');
  if (status === 'settled' || status === 'failed') return true;
  const isAway = status === 'local_failed' && row.number('failcode') === FAILURES.unknown_next_peer.code;
  return isAway ? false : undefined;
}

async function peersByChannel(link: NodeLink): Promise<ReadonlyMap<ShortChannelId, NodeId>> {
  const filter = { channels: [{ peer_id: true, short_channel_id: true }] };
  const rows = (await link.call('listpeerchannels', {}, { filter })).objects('channels');
  return new Map(
    rows.flatMap((row) => {
      const [name, peer] = [row.shortChannelId('short_channel_id'), parseNodeId(row.text('peer_id') ?? '')];
      return name === undefined || peer === undefined ? [] : [[name, peer] as const];
    }),
  );
}

async function xpayRecords(link: NodeLink): Promise<Uint8Array> {
  const entries = (await answered(link, 'listdatastore', { key: XPAY_LAYER }))?.objects('datastore') ?? [];
  return entries[0]?.bytes('hex') ?? new Uint8Array(0);
}

/**
 * Makes a call. Undefined if the node returns an error, such as for an unknown command. @throws FulguriteError nodeAway
 */
async function answered(
  link: NodeLink,
  method: string,
  params: Record<string, unknown>,
): Promise<Members | undefined> {
  try {
    return await link.call(method, params);
  } catch (error) {
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}
