/** The answer returned with a front: no point of the front may be better in both fee and probability. */
import { describe, expect, test } from 'vitest';
import { bestBeside, type FrontAnswer } from '../../../src/engine/question/front.ts';
import type { Route, RouteAnswer } from '../../../src/engine/question/route.ts';

const answer = (feeMsat: bigint, probabilityPpm: number): RouteAnswer => {
  const hop = { amountInMsat: 1_000n + feeMsat, amountOutMsat: 1_000n };
  return { probabilityPpm, routes: [{ amountMsat: 1_000n, path: [hop] } as unknown as Route] };
};
const front = (...points: [bigint, number][]): FrontAnswer[] =>
  points.map(([feeMsat, probabilityPpm]) => ({ feeMsat, answer: answer(feeMsat, probabilityPpm) }));

describe('with a front', () => {
  const usual = answer(909n, 2_900);

  test('an answer that no point dominates is kept', () => {
    expect(bestBeside(front([531n, 2_000], [2_000n, 40_000]), usual)).toBe(usual);
  });

  test('the likeliest of the points that dominate the answer replaces it', () => {
    const found = bestBeside(front([531n, 29_400], [700n, 31_000], [2_000n, 40_000]), usual);
    expect(found.probabilityPpm).toBe(31_000);
  });

  test('a cheaper point with the same odds replaces the answer', () => {
    expect(bestBeside(front([531n, 0]), answer(909n, 0)).routes[0]!.path[0]!.amountInMsat).toBe(1_531n);
  });
});
