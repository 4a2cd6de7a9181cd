/** Channel bounds that are stored in columns, compared with a map of objects. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AMOUNT_CAP_MSAT, type Bounds, IDENTITY_STEP } from '../../src/layers/bounds-fold.ts';
import { LearnedChannels } from '../../src/layers/learned-channels.ts';
import type { ShortChannelId } from '../../src/model/short-channel-id.ts';

const amount = fc.bigInt(0n, 2n * AMOUNT_CAP_MSAT);
const bounds = fc.option(fc.record({ minMsat: fc.bigInt(0n, AMOUNT_CAP_MSAT), maxMsat: amount }), {
  nil: undefined,
});
const bias = fc.integer({ min: -100, max: 100 });
const step = fc.record({
  channel: fc.bigInt(0n, 40n).map((id) => id as ShortChannelId),
  change: fc.option(
    fc.tuple(fc.tuple(bounds, bounds), fc.tuple(bias, bias), fc.integer({ min: 0, max: 9 })),
    {
      nil: undefined,
    },
  ),
});

const capped = (of: Bounds | undefined): Bounds | undefined =>
  of && { ...of, maxMsat: of.maxMsat > AMOUNT_CAP_MSAT ? AMOUNT_CAP_MSAT : of.maxMsat };
const fold = (of: Bounds | undefined) =>
  of === undefined ? [] : [{ ...IDENTITY_STEP, minLow: of.minMsat, maxHigh: of.maxMsat }];

describe('beliefs about many channels', () => {
  test('are the last values set; setting them reports whether they changed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const subject = new LearnedChannels();
        const reference = new Map<ShortChannelId, Belief>();
        const dueS = new Map<ShortChannelId, number>();
        for (const { channel, change } of steps) {
          const before = reference.get(channel);
          if (change === undefined) {
            reference.delete(channel);
            dueS.delete(channel);
            expect(subject.delete(channel)).toBe(before !== undefined);
            continue;
          }
          const after = { bounds: change[0].map(capped), bias: change[1] };
          reference.set(channel, after);
          dueS.set(channel, change[2]);
          const isStateMessage = subject.set(channel, ...change);
          expect(isStateMessage).toBe(before === undefined || !isSame(before, after));
        }
        expect(new Set(subject.ids())).toEqual(new Set(reference.keys()));
        const dueAt5 = [...dueS].filter(([, due]) => due <= 5).map(([channel]) => channel);
        expect(new Set(subject.due(5))).toEqual(new Set(dueAt5));
        for (let id = 0n; id <= 40n; id++) {
          const channel = id as ShortChannelId;
          const cell = subject.cell(channel);
          const expected = reference.get(channel);
          expect(cell?.bias).toEqual(expected?.bias);
          expect(cell?.bounds).toEqual(expected?.bounds.map(fold));
        }
      }),
      { numRuns: 60 },
    );
  });
});

interface Belief {
  readonly bounds: (Bounds | undefined)[];
  readonly bias: number[];
}

function isSame(one: Belief, other: Belief): boolean {
  const same = (at: 0 | 1): boolean =>
    one.bounds[at]?.minMsat === other.bounds[at]?.minMsat &&
    one.bounds[at]?.maxMsat === other.bounds[at]?.maxMsat &&
    one.bias[at] === other.bias[at];
  return same(0) && same(1);
}
