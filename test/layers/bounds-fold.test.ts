import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AMOUNT_CAP_MSAT,
  applyFold,
  type Bounds,
  foldRecord,
  IDENTITY_FOLD,
  type LiquidityKind,
} from '../../src/layers/bounds-fold.ts';
import { ChannelHistory, LiquidityRecord } from '../../src/layers/channel-history.ts';
import type { Direction } from '../../src/model/short-channel-id.ts';
import { parseShortChannelId } from '../../src/model/short-channel-id.ts';

interface Fact {
  kind: LiquidityKind;
  amountMsat: bigint;
  direction: Direction;
  timestamp: number;
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);
const min = (a: bigint, b: bigint) => (a < b ? a : b);

/** The definition, record by record. */
function replay(facts: readonly Fact[], direction: Direction, start: Bounds): Bounds {
  let { minMsat, maxMsat } = start;
  for (const fact of [...facts].sort((a, b) => a.timestamp - b.timestamp)) {
    const amount = min(fact.amountMsat, AMOUNT_CAP_MSAT);
    if (fact.kind === 'impression' && fact.direction === direction) {
      [minMsat, maxMsat] = [max(0n, minMsat - amount), max(0n, maxMsat - amount)];
    } else if (fact.kind === 'impression') {
      [minMsat, maxMsat] = [min(AMOUNT_CAP_MSAT, minMsat + amount), min(AMOUNT_CAP_MSAT, maxMsat + amount)];
    } else if (fact.direction === direction) {
      if (fact.kind === 'minimum') minMsat = max(minMsat, amount);
      else maxMsat = min(maxMsat, amount);
    }
  }
  return { minMsat, maxMsat };
}

/** Small amounts collide with each other, large ones with the cap. */
const amounts = fc.oneof(
  fc.bigInt(0n, 20n),
  fc.bigInt(AMOUNT_CAP_MSAT - 20n, AMOUNT_CAP_MSAT + 20n),
  fc.bigInt(0n, 2n ** 64n - 1n),
);
const facts = fc.record({
  kind: fc.constantFrom<LiquidityKind>('minimum', 'maximum', 'impression'),
  amountMsat: amounts,
  direction: fc.constantFrom<Direction>(0, 1),
  timestamp: fc.integer({ min: 0, max: 5 }),
});
const startAmount = fc.oneof(fc.bigInt(0n, 40n), fc.bigInt(0n, AMOUNT_CAP_MSAT));
const starts = fc.record({ minMsat: startAmount, maxMsat: startAmount });
const scid = parseShortChannelId('1x2x3')!;

const append = (history: ChannelHistory, fact: Fact) =>
  history.append(new LiquidityRecord(scid, fact.direction, fact.kind, fact.amountMsat, fact.timestamp));

describe('bounds fold', () => {
  test('a history folds to what its records do one by one, whatever the order of their times', () => {
    fc.assert(
      fc.property(fc.array(facts, { maxLength: 30 }), starts, (all, start) => {
        const history = new ChannelHistory();
        all.forEach((fact, index) => {
          append(history, fact);
          // Reading every few appends keeps a fold that later appends must extend or drop.
          if (index % 3 === 0) history.folds();
        });
        const folds = history.folds();
        expect(applyFold(folds[0], start)).toEqual(replay(all, 0, start));
        expect(applyFold(folds[1], start)).toEqual(replay(all, 1, start));
      }),
      { numRuns: 500 },
    );
  });

  test('ageing leaves the fold of the records that are not older than the cutoff', () => {
    fc.assert(
      fc.property(fc.array(facts, { maxLength: 30 }), fc.integer({ min: 0, max: 6 }), (all, cutoff) => {
        const history = new ChannelHistory();
        for (const fact of all) append(history, fact);
        history.folds();
        history.age(BigInt(cutoff));
        const kept = all.filter(({ timestamp }) => timestamp >= cutoff);
        const start = { minMsat: 0n, maxMsat: 1000n };
        expect(history.size).toBe(kept.length);
        expect(applyFold(history.folds()[0], start)).toEqual(replay(kept, 0, start));
      }),
      { numRuns: 300 },
    );
  });

  test('a long saturated past keeps folds within the six 63-bit numbers of a cell', () => {
    let fold = IDENTITY_FOLD;
    for (let i = 0; i < 10; i++) fold = foldRecord(fold, 'impression', 2n ** 64n - 1n, i < 5);
    for (const value of Object.values(fold)) {
      expect(value >= -AMOUNT_CAP_MSAT && value <= AMOUNT_CAP_MSAT).toBe(true);
    }
    // Five times everything left, five times everything came back: exactly as many units as the cap.
    expect(applyFold(fold, { minMsat: 3n, maxMsat: 7n })).toEqual({
      minMsat: AMOUNT_CAP_MSAT,
      maxMsat: AMOUNT_CAP_MSAT,
    });
  });

  // Capacity 100,000,000: 50,000,000 came back the other way, then 10,000,000 left this way.
  test('an opposite impression may lift the maximum above the capacity', () => {
    const history = new ChannelHistory();
    append(history, { kind: 'impression', amountMsat: 50_000_000n, direction: 1, timestamp: 1 });
    append(history, { kind: 'impression', amountMsat: 10_000_000n, direction: 0, timestamp: 2 });
    expect(applyFold(history.folds()[0], { minMsat: 0n, maxMsat: 100_000_000n })).toEqual({
      minMsat: 40_000_000n,
      maxMsat: 140_000_000n,
    });
  });
});
