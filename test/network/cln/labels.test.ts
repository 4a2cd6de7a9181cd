/** Labels by which a Core Lightning node shows our HTLCs: the attempt is found in them, whatever the payer wrote. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attemptOf, labelOf } from '../../../src/network/cln/sent-htlcs.ts';

const attempt = fc.stringMatching(/^[0-9a-f]{32}$/);

test('an attempt is found in its label, with any label of the payer or none', () => {
  fc.assert(
    fc.property(attempt, fc.option(fc.string(), { nil: undefined }), (attemptId, label) => {
      expect(attemptOf(labelOf({ attemptId, label }))).toBe(attemptId);
    }),
  );
});

test('a label of another caller is no attempt, and one of an earlier release is', () => {
  expect(attemptOf('rent')).toBeUndefined();
  expect(attemptOf('')).toBeUndefined();
  // Attempts of the first releases had longer ids.
  expect(attemptOf('fulgurite-00ff-7')).toBe('00ff-7');
});
