/** Forwards as the nodes list them, in the formats of Core Lightning's and LND's manuals. */
import { describe, expect, test } from 'vitest';
import { Members, NodeError } from '../../src/network/cln/answer.ts';
import { clnForwards } from '../../src/network/cln/forwards.ts';
import type { NodeLink } from '../../src/network/cln/node-link.ts';
import { lndForwardList, lndForwards } from '../../src/network/lnd/forwards.ts';
import type { LndLink } from '../../src/network/lnd/node-link.ts';
import { parseJson } from '../../src/rpc/json-token.ts';

const members = (value: unknown): Members => new Members(parseJson(JSON.stringify(value)), 'the answer');

/** Row `n` of `listforwards`, received and resolved in second `n`. Real nodes report fractions of seconds. */
const row = (n: number, more: object = {}): object => ({
  ...{ in_channel: '103x2x1', out_channel: '110x1x0', in_msat: 1000 + n, out_msat: 1000, fee_msat: n },
  ...{ status: 'settled', received_time: n + 0.25, resolved_time: n + 0.5, updated_index: n, ...more },
});

describe('Core Lightning', () => {
  const linkTo = (rows: readonly object[], asked: object[], hasIndexes = true): NodeLink =>
    ({
      call: async (method: string, params: { start?: bigint; limit?: bigint }) => {
        if (method === 'wait') {
          if (!hasIndexes) throw new NodeError(-32601, 'Unknown command', undefined);
          return members({ subsystem: 'forwards', updated: rows.length });
        }
        asked.push(params);
        const start = Number(params.start ?? 1n) - 1;
        return members({ forwards: rows.slice(start, start + Number(params.limit ?? 1_000_000n)) });
      },
    }) as unknown as NodeLink;

  test('returns settled forwards from a given time, from the newest page back to the first older forward', async () => {
    const rows = Array.from({ length: 4500 }, (_, at) =>
      row(at + 1, at % 5 === 0 ? { status: 'failed' } : {}),
    );
    const asked: object[] = [];
    const found = await clnForwards(linkTo(rows, asked), 3001);
    // Forwards 3001 to 4500, except every fifth, which failed.
    expect(found).toHaveLength(1200);
    expect(found.every(({ inMsat, outMsat }) => inMsat - outMsat >= 3001n)).toBe(true);
    expect(asked.map((params) => (params as { start: bigint }).start)).toEqual([3501n, 2501n, 1501n]);
  });

  test('includes a forward that ended in the given second, and a page as large as the limit', async () => {
    expect(await clnForwards(linkTo([row(4), row(5), row(6)], []), 5)).toHaveLength(2);
    const asked: object[] = [];
    const thousand = Array.from({ length: 1000 }, (_, at) => row(at + 1));
    expect(await clnForwards(linkTo(thousand, asked), 0)).toHaveLength(1000);
    expect(asked).toEqual([{ index: 'updated', start: 1n, limit: 1000n }]);
  });

  test('omits forwards without an outgoing channel', async () => {
    const rows = [row(1), row(2, { out_channel: undefined }), row(3, { out_msat: undefined })];
    expect(await clnForwards(linkTo(rows, []), 0)).toHaveLength(1);
    expect(await clnForwards(linkTo([], []), 0)).toEqual([]);
  });

  test('lists all forwards at once if the node has no indexes', async () => {
    const asked: object[] = [];
    expect(await clnForwards(linkTo([row(1), row(9)], asked, false), 5)).toHaveLength(1);
    expect(asked).toEqual([{ status: 'settled' }]);
  });
});

describe('LND', () => {
  test('reads pages until one is not full', async () => {
    const event = { chan_id_in: '113249697726465', chan_id_out: '120946279120896' };
    const amounts = { amt_in_msat: '1001', amt_out_msat: '1000' };
    const offsets: number[] = [];
    const link = {
      call: async (_: string, { index_offset: offset }: { index_offset: number }) => {
        offsets.push(offset);
        const count = offset === 0 ? 10_000 : 3;
        const events = Array.from({ length: count }, () => ({ ...event, ...amounts }));
        return { forwarding_events: events, last_offset_index: offset + count };
      },
    } as unknown as LndLink;
    const found = await lndForwards(link, 1.5);
    expect(found).toHaveLength(10_003);
    expect(found[0]).toEqual({
      ...{ in: 113249697726465n, out: 120946279120896n, inMsat: 1001n, outMsat: 1000n },
    });
    expect(offsets).toEqual([0, 10_000]);
  });

  test('are listed from a given index, with the time of their settlement', async () => {
    const event = { chan_id_in: '1', chan_id_out: '2', amt_in_msat: '3', amt_out_msat: '3' };
    const requests: object[] = [];
    const link = {
      call: async (_: string, request: object) => {
        requests.push(request);
        const forwarding_events = [{ ...event, timestamp_ns: '1700000000123456789' }];
        return { forwarding_events, last_offset_index: 7 };
      },
    } as unknown as LndLink;
    const found = await lndForwardList(link, 7, 1);
    expect(requests).toEqual([{ start_time: '1', index_offset: 6, num_max_events: 1 }]);
    expect(found).toMatchObject([{ index: 7, endedAtMs: 1_700_000_000_123 }]);
  });
});
