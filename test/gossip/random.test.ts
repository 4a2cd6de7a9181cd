import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/gossip/random.ts';

const draw = (seed: bigint | number, stream: number, count = 4) => {
  const random = seededRandom(seed, stream);
  return Array.from({ length: count }, random);
};

describe('seeded random numbers', () => {
  it('repeat for the same seed and stream, and for no other', () => {
    const all = [0, 1, 1n << 32n, (1n << 64n) - 1n].flatMap((seed) =>
      [1, 2].map((stream) => draw(seed, stream)),
    );
    expect(new Set(all.map(String)).size).toBe(8);
    expect(draw(5, 1)).toEqual(draw(5n, 1));
  });

  it('fill [0, 1) evenly', () => {
    const values = draw(7, 3, 20_000);
    const bins = new Array<number>(10).fill(0);
    for (const value of values) bins[Math.floor(value * 10)]!++;
    // The standard deviation of a bin is 42; the margin is five of them.
    for (const bin of bins) expect(Math.abs(bin - 2000)).toBeLessThan(212);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
  });
});
