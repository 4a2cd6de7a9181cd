/**
 * What the node forwarded for others (`listforwards`), read page by page, from the newest rows to the oldest. A node
 * may hold millions of rows, so reading ends at the first page whose rows are all too old, and after `MAX_PAGES` pages.
 */
import type { SettledForward } from '../../model/own-channel.ts';
import { type Members, NodeError } from './answer.ts';
import type { NodeLink } from './node-link.ts';

const PAGE = 1000n;
const MAX_PAGES = 200;
/** JSON-RPC error code for an unknown parameter. */
const INVALID_PARAMS = -32602;

/** The settled forwards that ended at `sinceS` (UNIX seconds) or later. @throws NodeError; FulguriteError nodeAway */
export async function clnForwards(link: NodeLink, sinceS: number): Promise<SettledForward[]> {
  const last = await lastIndex(link);
  if (last === undefined) return settledSince(await wholeList(link), sinceS);
  const found: SettledForward[] = [];
  for (let pages = 0, end = last; pages < MAX_PAGES && end > 0n; pages++) {
    const start = end > PAGE ? end - PAGE + 1n : 1n;
    const params = { index: 'updated', start, limit: end - start + 1n };
    const rows = (await link.call('listforwards', params)).objects('forwards');
    found.push(...settledSince(rows, sinceS));
    const isOld = rows.length > 0 && rows.every((row) => row.seconds('received_time') < sinceS);
    if (isOld) break;
    end = start - 1n;
  }
  return found;
}

/** The index of the latest change of a forward. Undefined for a node without such indexes (before v23.11). */
async function lastIndex(link: NodeLink): Promise<bigint | undefined> {
  try {
    const params = { subsystem: 'forwards', indexname: 'updated', nextvalue: 0n };
    return (await link.call('wait', params)).whole('updated') ?? 0n;
  } catch (error) {
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}

async function wholeList(link: NodeLink): Promise<Members[]> {
  try {
    return (await link.call('listforwards', { status: 'settled' })).objects('forwards');
  } catch (error) {
    if (error instanceof NodeError && error.code === INVALID_PARAMS) return [];
    throw error;
  }
}

function settledSince(rows: readonly Members[], sinceS: number): SettledForward[] {
  return rows.flatMap((row): SettledForward[] => {
    const endedS = row.seconds('resolved_time') || row.seconds('received_time');
    if (row.text('status') !== 'settled' || endedS < sinceS) return [];
    const [from, out] = [row.shortChannelId('in_channel'), row.shortChannelId('out_channel')];
    const [inMsat, outMsat] = [row.amount('in_msat'), row.amount('out_msat')];
    if (from === undefined || out === undefined || inMsat === undefined || outMsat === undefined) return [];
    return [{ in: from, out, inMsat, outMsat }];
  });
}
