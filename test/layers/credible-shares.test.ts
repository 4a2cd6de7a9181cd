/**
 * The shares of the capacity that a table of odds makes credible: how much of it passes, and how much does not.
 * Their search by bisection is compared with a scan of every cell.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { credibleShares, ODDS_CELLS } from '../../src/layers/learned-odds.ts';

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** A falling curve from 1 to 0, with steps and flat parts. */
const curves = fc
  .array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })), {
    minLength: ODDS_CELLS,
    maxLength: ODDS_CELLS,
  })
  .map((drops) => {
    const total = Math.max(1e-12, sum(drops));
    const falls = drops.map((_, index) => sum(drops.slice(0, index + 1)) / total);
    return [1, ...falls.map((fall) => Math.max(0, 1 - fall))];
  });

test('the shares equal those found by a scan of every cell, with at most 24 reads', () => {
  const share = fc.integer({ min: 0, max: ODDS_CELLS });
  fc.assert(
    fc.property(curves, share, share, fc.integer({ min: -200, max: 200 }), (curve, one, other, shift) => {
      const moved = shift / ODDS_CELLS;
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      // Bounds of the balance before the shift, within the capacity.
      const known = { least: low / ODDS_CELLS - moved, most: high / ODDS_CELLS - moved };
      let reads = 0;
      const found = credibleShares(
        (cell) => {
          reads++;
          return curve[cell]!;
        },
        known,
        moved,
      );
      expect(reads).toBeLessThanOrEqual(24);
      const mass = curve[low]! - curve[high]!;
      if (!(mass > 1e-9)) {
        expect(found).toEqual(known);
        return;
      }
      const passes = (cell: number): number => (curve[cell]! - curve[high]!) / mass;
      let [least, most] = [low, high];
      while (least + 1 < high && passes(least + 1) >= 0.95) least++;
      while (most - 1 > low && passes(most - 1) < 1 - 0.95) most--;
      expect(found.least).toBeCloseTo(Math.max(known.least, least / ODDS_CELLS - moved), 9);
      expect(found.most).toBeCloseTo(Math.min(known.most, most / ODDS_CELLS - moved), 9);
    }),
    { numRuns: 60 },
  );
});

test('a channel that is either full or empty and has passed a tenth still has the rest', () => {
  const curve = (cell: number): number =>
    cell === 0 ? 1 : cell < ODDS_CELLS - 5 ? 0.5 : (ODDS_CELLS - cell) / 10;
  // The channel had at least a tenth, so it was full.
  const { least, most } = credibleShares(curve, { least: 0, most: 0.9 }, 0.1);
  expect(least).toBeGreaterThan(0.88);
  expect(most).toBe(0.9);
});
