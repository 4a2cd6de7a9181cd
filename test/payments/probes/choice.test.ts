/** The expected information from a probe, compared with the mutual information summed over all outcomes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChannelUse, expectedLesson, type ProbedHop } from '../../../src/payments/probes/choice.ts';

const chances = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 });

/** Equal use of all channels: one attempt crossed each channel. */
function evenUse(hops: readonly ProbedHop[]): ChannelUse {
  const use = new ChannelUse();
  use.note(hops.map(({ channel }) => channel));
  return use;
}

test('the expected information is the entropy of the position where a probe ends, if all channels are used equally', () => {
  fc.assert(
    fc.property(chances, (list) => {
      const hops = list.map((chance, index) => ({ channel: BigInt(index), chance }));
      let reached = 1;
      let entropy = 0;
      for (const chance of list) {
        const ends = reached * (1 - chance);
        if (ends > 0) entropy -= ends * Math.log(ends);
        reached *= chance;
      }
      if (reached > 0) entropy -= reached * Math.log(reached);
      expect(expectedLesson(hops, evenUse(hops))).toBeCloseTo(entropy, 9);
    }),
  );
});

test('a channel’s weight is the share of the last 500 attempts that crossed it', () => {
  const use = new ChannelUse();
  for (let count = 0; count < 600; count++) use.note(count < 350 ? [1n, 2n] : [2n]);
  expect(use.of(1n)).toBe(250 / 500);
  expect(use.of(2n)).toBe(1);
  expect(use.of(3n)).toBe(0);
  for (let count = 0; count < 500; count++) use.note([]);
  expect(use.of(2n)).toBe(0);
});

test('a channel that all payments cross is worth little more than one that few cross, or none', () => {
  const use = new ChannelUse();
  for (let count = 0; count < 500; count++) use.note(count % 100 === 0 ? [1n, 2n] : [1n]);
  const lessonOf = (channel: bigint): number => expectedLesson([{ channel, chance: 0.5 }], use);
  expect(lessonOf(1n)).toBeCloseTo(Math.LN2, 9);
  expect(lessonOf(2n) / lessonOf(1n)).toBeCloseTo(1 - Math.exp(-6), 9);
  expect(lessonOf(3n) / lessonOf(1n)).toBeCloseTo(1 - Math.exp(-1), 9);
});
