/** What counts as the result of a search for a remedy whose effort ran out: only an answer. */
import { expect, test } from 'vitest';
import type { Kernel } from '../../../src/engine/solver/kernel.ts';
import { RequestEffort, Spent } from '../../../src/engine/solver/request-effort.ts';

/** A kernel whose effort runs out in every search. */
const exports = { searchSteps: () => 1, setEffort: () => undefined, wasSpent: () => 1 };
const spent = { effort: 0, exports } as unknown as Kernel;

test('an answer counts although the effort ran out', () => {
  const effort = new RequestEffort(spent);
  expect(effort.try(() => ({ status: 'ok' }))).toEqual({ status: 'ok' });
});

test('no answer proves nothing if the effort ran out', () => {
  const effort = new RequestEffort(spent);
  expect(() => effort.try(() => ({ status: 'noCapacity' }))).toThrow(Spent);
});
