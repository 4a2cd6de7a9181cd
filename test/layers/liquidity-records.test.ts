/** The columns of a layer's records, beside a list of the same records. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LiquidityRecord, LiquidityRecords } from '../../src/layers/liquidity-records.ts';
import type { ShortChannelId } from '../../src/model/short-channel-id.ts';
import { collectGarbage } from '../forgotten.ts';

/** Bytes of a record in all columns. */
const BYTES = 29;
/** Records of a full block. */
const BLOCK = 4096;

const records = fc.record({
  shortChannelId: fc.bigInt(0n, 2n ** 64n - 1n).map((id) => id as ShortChannelId),
  direction: fc.constantFrom(0 as const, 1 as const),
  kind: fc.constantFrom('minimum' as const, 'maximum' as const, 'impression' as const),
  amountMsat: fc.bigInt(0n, 2n ** 64n - 1n),
  timestamp: fc.integer({ min: 0, max: 20 }),
});
const steps = fc.oneof({ weight: 8, arbitrary: records }, fc.constant('pop' as const), fc.bigInt(0n, 21n));

test('columns hold what a list holds, whatever is added, taken back and aged', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 60 }), (all) => {
      let columns = new LiquidityRecords();
      let list: LiquidityRecord[] = [];
      let isPushed = false;
      for (const step of all) {
        if (typeof step === 'object') {
          expect(columns.at(columns.push(step))).toEqual(step);
          list.push(step);
        } else if (step === 'pop') {
          // Only the record that was just added is taken back.
          if (!isPushed) continue;
          columns.pop();
          list.pop();
        } else {
          const before = columns;
          const { kept, removed } = columns.since(step);
          expect([...before]).toEqual(list);
          expect(removed).toEqual(
            list.filter(({ timestamp }) => timestamp < step).map(({ shortChannelId }) => shortChannelId),
          );
          list = list.filter(({ timestamp }) => timestamp >= step);
          columns = kept;
        }
        isPushed = typeof step === 'object';
        expect([...columns]).toEqual(list);
        expect(columns.length).toBe(list.length);
        expect(columns.oldest).toBe(Math.min(...list.map(({ timestamp }) => timestamp)));
      }
    }),
    { numRuns: 500 },
  );
});

const RECORD: LiquidityRecord = {
  ...{ shortChannelId: 1n as ShortChannelId, direction: 0, kind: 'minimum', amountMsat: 1n, timestamp: 0 },
};

test('records fill blocks, which are freed once all of their records are old', () => {
  const count = 3 * BLOCK + 10;
  const columns = new LiquidityRecords();
  for (let n = 0; n < count; n++) {
    const sequence = columns.push({ ...RECORD, amountMsat: BigInt(n), timestamp: n });
    columns.link(sequence, n === 0 ? undefined : sequence - 1);
  }
  columns.pop();
  const { kept, removed } = columns.since(BigInt(BLOCK + 5));
  expect(removed).toHaveLength(BLOCK + 5);
  expect(kept.first).toBe(BLOCK);
  expect(kept).toHaveLength(2 * BLOCK + 4);
  expect(kept.at(BLOCK + 4)).toBeUndefined();
  expect([...kept].map(({ timestamp }) => timestamp)).toEqual(
    Array.from({ length: 2 * BLOCK + 4 }, (_, n) => BLOCK + 5 + n),
  );
  expect(kept.olderThan(3 * BLOCK)).toBe(3 * BLOCK - 1);
  expect(kept.push(RECORD)).toBe(count - 1);
  expect(columns).toHaveLength(count - 1);
  expect(columns.at(0)?.timestamp).toBe(0);
  const none = columns.since(BigInt(count)).kept;
  expect([none.length, none.first, none.push(RECORD)]).toEqual([0, count - 1, count - 1]);
});

test('columns of many records have room for at most one more block', async () => {
  const columns = new LiquidityRecords();
  /** Array buffers are freed by other threads after a collection. */
  const bytes = async (): Promise<number> => {
    for (let n = 0; n < 5; n++) {
      collectGarbage();
      await sleep(20);
    }
    return process.memoryUsage().arrayBuffers;
  };
  const before = await bytes();
  const count = 70_000;
  for (let pushed = 0; pushed < count; pushed++) columns.push(RECORD);
  expect((await bytes()) - before).toBeLessThan(BYTES * (count + BLOCK));
  expect(columns.length).toBe(count);
});
