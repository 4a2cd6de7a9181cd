/** `listforwards`: shows the payments that our node forwarded for others. */
import { FulguriteError } from '../../model/errors.ts';
import type { ListedForward } from '../../model/own-channel.ts';
import { formatShortChannelId } from '../../model/short-channel-id.ts';
import { field, optional, type ParsedParams } from '../../rpc/command.ts';
import { oneOf, shortChannelId, u32, u64 } from '../../rpc/param-types.ts';
import { refusedParameter } from '../../rpc/params.ts';
import { defineCommand } from '../context.ts';
import { requireIndex } from '../payments/books/payment-lists.ts';

/** Maximum rows per answer. Clients page with `start`. */
const MAX_ROWS = 500_000;

const PARAMS = {
  status: optional(
    oneOf(
      ['offered', 'settled', 'local_failed', 'failed'],
      'should be offered, settled, local_failed or failed',
    ),
    'Only forwards in this state.',
  ),
  in_channel: optional(shortChannelId, 'Only forwards received over this channel.'),
  out_channel: optional(shortChannelId, 'Only forwards sent over this channel.'),
  index: optional(oneOf(['created', 'updated'], 'should be created or updated'), 'The order of the list.'),
  start: optional(u64, 'First index to show.'),
  limit: optional(u32, 'Maximum number of entries to show.'),
};

/** Matches Core Lightning's command, and shows the records of an attached LND node. */
export const listforwards = defineCommand({
  name: 'listforwards',
  summary: 'Show the payments that our node forwarded.',
  description:
    'With LND, shows its ForwardingHistory in order of settlement. LND keeps only settled forwards, and does not record when an ' +
    'HTLC arrived: received_time is the time of settlement. Both indexes are positions in the ForwardingHistory. On the ' +
    'simulated network the list is empty, because no payment passes through our node. With Core Lightning, the node executes ' +
    'the command itself.',
  category: 'network',
  readOnly: true,
  params: PARAMS,
  result: {
    forwards: field(
      'array',
      'Objects with created_index, in_channel, in_msat, status, received_time, out_channel, updated_index, fee_msat, ' +
        'out_msat and resolved_time.',
    ),
  },
  async handler(params, { listForwards, networkPort: { kind } }) {
    if (listForwards === undefined) {
      throw new FulguriteError('notSupported', `The network '${kind}' does not list forwards`, {
        network_kind: kind,
      });
    }
    checkList(params);
    const { status, in_channel, out_channel, start = 1n, limit = MAX_ROWS } = params;
    if (status !== undefined && status !== 'settled') return { forwards: [] };
    const isOne = in_channel !== undefined || out_channel !== undefined;
    const first = start < 1n ? 1 : Number(start > 0xffff_ffffn ? 0xffff_ffffn : start);
    const rows = await listForwards(first, isOne ? MAX_ROWS : Math.min(limit, MAX_ROWS));
    const wanted = rows.filter(
      (row) =>
        (in_channel === undefined || row.in === in_channel) &&
        (out_channel === undefined || row.out === out_channel),
    );
    return { forwards: wanted.slice(0, limit).map(rowOf) };
  },
});

/** @throws FulguriteError -32602 for parameters that exclude each other, with Core Lightning's message */
function checkList({ in_channel, out_channel, index, start, limit }: ParsedParams<typeof PARAMS>): void {
  const hasStart = start !== undefined && start !== 0n;
  requireIndex(index, hasStart ? start : undefined, limit);
  if (hasStart && (in_channel !== undefined || out_channel !== undefined)) {
    throw refusedParameter('start', 'Cannot use start with in_channel or out_channel');
  }
}

const rowOf = (forward: ListedForward) => ({
  created_index: forward.index,
  in_channel: formatShortChannelId(forward.in),
  in_msat: forward.inMsat,
  status: 'settled' as const,
  received_time: forward.endedAtMs / 1000,
  out_channel: formatShortChannelId(forward.out),
  updated_index: forward.index,
  fee_msat: forward.inMsat - forward.outMsat,
  out_msat: forward.outMsat,
  resolved_time: forward.endedAtMs / 1000,
});
