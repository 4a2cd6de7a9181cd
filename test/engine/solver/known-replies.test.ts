/** What earlier replies to one request show about other terms. */
import { expect, test } from 'vitest';
import type { Reply } from '../../../src/engine/solver/ask.ts';
import { KnownReplies } from '../../../src/engine/solver/known-replies.ts';
import type { Terms } from '../../../src/engine/solver/remedy.ts';
import { msat } from '../../../src/model/msat.ts';

const OWN: Terms = {
  amountMsat: msat(1_000_000n),
  maxfeeMsat: msat(10n),
  maxdelay: 200,
  finalCltv: 18,
  maxparts: 2,
};
/** Steps that a request reserves for the answer of lowest fees. */
const RESERVED = 1_000;
const known = (): KnownReplies => new KnownReplies((steps) => steps <= RESERVED);

const replyWith = (status: Reply['status'], feeMsat = 0n, dearSteps = 0): Reply => ({
  status,
  parts: [],
  takes: { feeMsat, pathDelay: 100, parts: 1 },
  ...{ deliverableMsat: 0n, isProven: false, isFeeLeast: false, isLimited: true, isDelayLimited: false },
  ...{ dearSteps, feeLimitMsat: OWN.maxfeeMsat },
});
const dearer = { ...OWN, maxfeeMsat: msat(15n) };

test('an answer above the fee limit is the answer with its fee as the limit', () => {
  const replies = known();
  replies.addReason(OWN, { reply: replyWith('tooDear', 15n, RESERVED), steps: 5_000 });
  expect(replies.answered).toEqual([dearer]);
  expect(replies.get(dearer)).toMatchObject({ reply: { status: 'ok' }, steps: RESERVED });
});

test('an answer that a request would not find for sure is not known', () => {
  const replies = known();
  replies.addReason(OWN, { reply: replyWith('tooDear', 15n, 3_000), steps: 5_000 });
  expect(replies.answered).toEqual([]);
  expect(replies.get(dearer)).toBeUndefined();
  // A test of the fee limit may take a third of the steps.
  expect(replies.isHopeless(dearer, 999)).toBe(true);
  expect(replies.isHopeless(dearer, 1_001)).toBe(false);
});

test.each([
  ['the same terms', {}, true],
  ['fewer parts', { maxparts: 1 }, true],
  ['a lower fee limit', { maxfeeMsat: msat(9n) }, true],
  ['fewer blocks', { maxdelay: 190 }, true],
  ['more blocks for the recipient alone', { maxdelay: 201, finalCltv: 19 }, true],
  ['more parts', { maxparts: 3 }, false],
  ['a higher fee limit', { maxfeeMsat: msat(11n) }, false],
  ['fewer blocks for the recipient', { finalCltv: 17 }, false],
  ['a smaller amount', { amountMsat: msat(999_999n) }, false],
])('if terms have no answer, are others hopeless: %s', (_, changes: Partial<Terms>, isHopeless) => {
  const replies = known();
  replies.addReason(OWN, { reply: replyWith('noCapacity'), steps: 1 });
  expect(replies.isHopeless({ ...OWN, ...changes }, 1_000_000)).toBe(isHopeless);
});

test('an undecided search shows nothing about a longer one', () => {
  const replies = known();
  replies.add(OWN, { reply: replyWith('undecided'), steps: 500 });
  expect(replies.isHopeless(OWN, 500)).toBe(true);
  expect(replies.isHopeless(OWN, 501)).toBe(false);
  replies.addSpent(OWN, 600);
  expect(replies.isHopeless(OWN, 600)).toBe(true);
});
