import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AMOUNT_CAP_MSAT,
  addRecord,
  applyFold,
  type Bounds,
  type BoundsStep,
  type LiquidityKind,
} from '../../src/layers/bounds-fold.ts';
import { ChannelHistory } from '../../src/layers/channel-history.ts';
import { LiquidityRecords } from '../../src/layers/liquidity-records.ts';
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

/**
 * Bounds by definition: the records are applied one after the other, oldest first. After each record, both bounds
 * are within 0..capacity.
 */
function replay(facts: readonly Fact[], direction: Direction, start: Bounds, capacity: bigint): Bounds {
  const within = (amount: bigint) => max(0n, min(capacity, amount));
  let { minMsat, maxMsat } = start;
  for (const fact of [...facts].sort((a, b) => a.timestamp - b.timestamp)) {
    const amount = min(fact.amountMsat, AMOUNT_CAP_MSAT);
    if (fact.kind === 'impression') {
      const moved = fact.direction === direction ? -amount : amount;
      [minMsat, maxMsat] = [within(minMsat + moved), within(maxMsat + moved)];
    } else if (fact.direction === direction) {
      if (fact.kind === 'minimum') minMsat = within(max(minMsat, amount));
      else maxMsat = within(min(maxMsat, amount));
    }
  }
  return { minMsat, maxMsat };
}

/** Revised bounds by definition: like `replay`, but a maximum is dropped once a larger amount has passed. */
function replayRevising(all: readonly Fact[], direction: Direction, capacity: bigint): Bounds {
  let bounds = { minMsat: 0n, maxMsat: capacity };
  let unlimited = { minMsat: 0n, maxMsat: AMOUNT_CAP_MSAT };
  for (const fact of [...all].sort((a, b) => a.timestamp - b.timestamp)) {
    const passed = fact.direction === direction && fact.kind !== 'maximum';
    if (passed && min(fact.amountMsat, AMOUNT_CAP_MSAT) > unlimited.maxMsat) {
      bounds = { ...bounds, maxMsat: capacity };
      unlimited = { ...unlimited, maxMsat: AMOUNT_CAP_MSAT };
    }
    bounds = replay([fact], direction, bounds, capacity);
    unlimited = replay([fact], direction, unlimited, AMOUNT_CAP_MSAT);
  }
  return bounds;
}

/** Small amounts, which often coincide, and large ones, which reach the maximum. */
const amounts = fc.oneof(
  { weight: 3, arbitrary: fc.bigInt(0n, 20n) },
  fc.bigInt(AMOUNT_CAP_MSAT - 20n, AMOUNT_CAP_MSAT + 20n),
  fc.bigInt(0n, 2n ** 64n - 1n),
);
const facts = fc.record({
  kind: fc.constantFrom<LiquidityKind>('minimum', 'maximum', 'impression', 'impression'),
  amountMsat: amounts,
  direction: fc.constantFrom<Direction>(0, 1),
  timestamp: fc.integer({ min: 0, max: 5 }),
});
/** Histories of any length up to 30. Without `size`, most would be too short to keep their fold. */
const histories = fc.array(facts, { maxLength: 30, size: 'max' });
/** A capacity, and bounds within it that earlier layers may have set. */
const starts = fc
  .oneof(
    { weight: 4, arbitrary: fc.bigInt(0n, 40n) },
    fc.bigInt(0n, AMOUNT_CAP_MSAT),
    fc.constant(AMOUNT_CAP_MSAT),
  )
  .chain((capacity) =>
    fc.record({
      capacity: fc.constant(capacity),
      start: fc.record({ minMsat: fc.bigInt(0n, capacity), maxMsat: fc.bigInt(0n, capacity) }),
    }),
  );
const scid = parseShortChannelId('1x2x3')!;

/** The history of a channel, with the records of its layer. */
class OneChannel {
  #records = new LiquidityRecords();
  readonly #history = new ChannelHistory();

  get size(): number {
    return this.#history.size;
  }

  append(fact: Fact): void {
    this.#history.append(this.#records, this.#records.push({ ...fact, shortChannelId: scid }));
  }

  age(cutoff: bigint): void {
    this.#records = this.#records.since(cutoff).kept;
    this.#history.age(this.#records);
  }

  folds() {
    return this.#history.folds(this.#records);
  }

  revisedFolds() {
    return this.#history.revisedFolds(this.#records);
  }
}

const impression = (amountMsat: bigint, direction: Direction, timestamp: number): Fact => ({
  kind: 'impression',
  amountMsat,
  direction,
  timestamp,
});

describe('bounds fold', () => {
  test('a folded history equals its records applied one by one, for any capacity and any order of times', () => {
    fc.assert(
      fc.property(histories, fc.array(starts, { minLength: 3 }), (all, cases) => {
        const history = new OneChannel();
        all.forEach((fact, index) => {
          history.append(fact);
          // Every few records, the bounds are read. This caches a fold, which later records must extend or drop.
          if (index % 3 === 0) history.folds();
        });
        const folds = history.folds();
        for (const { start, capacity } of cases) {
          expect(applyFold(folds[0], start, capacity)).toEqual(replay(all, 0, start, capacity));
          expect(applyFold(folds[1], start, capacity)).toEqual(replay(all, 1, start, capacity));
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('revised bounds drop a maximum once a larger amount has passed', () => {
    let revised = 0;
    fc.assert(
      fc.property(histories, fc.array(starts, { minLength: 3 }), (all, cases) => {
        const history = new OneChannel();
        all.forEach((fact, index) => {
          history.append(fact);
          if (index % 3 === 0) history.revisedFolds();
        });
        const folds = history.revisedFolds();
        for (const { capacity } of cases) {
          const start = { minMsat: 0n, maxMsat: capacity };
          const bounds = applyFold(folds[0], start, capacity);
          expect(bounds).toEqual(replayRevising(all, 0, capacity));
          if (bounds.maxMsat !== replay(all, 0, start, capacity).maxMsat) revised++;
        }
      }),
      { numRuns: 500 },
    );
    expect(revised).toBeGreaterThan(100);
  });

  test('ageing leaves the fold of the records that are not older than the cutoff', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 0, max: 6 }), starts, (all, cutoff, { start, capacity }) => {
        const history = new OneChannel();
        for (const fact of all) history.append(fact);
        history.folds();
        history.age(BigInt(cutoff));
        const kept = all.filter(({ timestamp }) => timestamp >= cutoff);
        expect(history.size).toBe(kept.length);
        expect(applyFold(history.folds()[0], start, capacity)).toEqual(replay(kept, 0, start, capacity));
      }),
      { numRuns: 300 },
    );
  });

  test('a fold that was read does not change when records are added later', () => {
    const history = new OneChannel();
    for (let i = 0; i < 20; i++) history.append(impression(5n, 0, 1));
    const before = structuredClone(history.folds());
    const read = history.folds();
    history.append(impression(3n, 1, 2));
    history.append(impression(1n, 0, 3));
    expect(read).toEqual(before);
  });

  test('the numbers of a step stay within 63 bits after a long saturated history', () => {
    const steps: BoundsStep[] = [];
    for (let i = 0; i < 10; i++) addRecord(steps, 'impression', 2n ** 64n - 1n, i < 5);
    for (const value of steps.flatMap((step) => Object.values(step) as bigint[])) {
      expect(value >= -AMOUNT_CAP_MSAT && value <= AMOUNT_CAP_MSAT).toBe(true);
    }
    // The whole capacity left five times and came back five times. The bound is the capacity, not more.
    expect(applyFold(steps, { minMsat: 3n, maxMsat: 7n }, 100n)).toEqual({ minMsat: 100n, maxMsat: 100n });
  });

  // The capacity is 100 msat. First 50 msat came back, so the bounds were 50 to 100 (not 150). Then 10 msat left.
  test('an impression of the opposite direction raises no bound above the capacity', () => {
    const history = new OneChannel();
    history.append(impression(50n, 1, 1));
    history.append(impression(10n, 0, 2));
    const start = { minMsat: 0n, maxMsat: 100n };
    expect(applyFold(history.folds()[0], start, 100n)).toEqual({ minMsat: 40n, maxMsat: 90n });
    // With the same records, for a channel of twice the capacity: 50..150 of 200, then 40..140.
    expect(applyFold(history.folds()[0], { minMsat: 0n, maxMsat: 100n }, 200n)).toEqual({
      minMsat: 40n,
      maxMsat: 140n,
    });
  });

  test.each<[string, Fact[]]>([
    ['payments one way', Array.from({ length: 1000 }, (_, i) => impression(BigInt(i + 1), 1, i))],
    [
      'the same amount back and forth',
      Array.from({ length: 1000 }, (_, i) => impression(7n, (i % 2) as Direction, i)),
    ],
    [
      'constraints',
      Array.from({ length: 1000 }, (_, i) => ({
        ...impression(BigInt((i * 7919) % 1000), 0, i),
        kind: i % 2 === 0 ? 'minimum' : 'maximum',
      })),
    ],
  ])('a thousand records of one kind fold to at most two steps: %s', (_, all) => {
    const history = new OneChannel();
    for (const fact of all) history.append(fact);
    for (const fold of history.folds()) expect(fold.length).toBeLessThanOrEqual(2);
  });

  test('a hundred thousand records of random kinds and amounts fold to a few dozen steps', () => {
    const history = new OneChannel();
    let seed = 42;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const kinds = ['minimum', 'maximum', 'impression', 'impression'] as const;
    let longest = 0;
    for (let i = 0; i < 100_000; i++) {
      const fact = impression(BigInt(random(1_000_000_000)), random(2) as Direction, i);
      history.append({ ...fact, kind: kinds[random(4)]! });
      if (i % 100 === 0) longest = Math.max(longest, ...history.folds().map((fold) => fold.length));
    }
    expect(longest).toBeLessThanOrEqual(48);
  });
});
