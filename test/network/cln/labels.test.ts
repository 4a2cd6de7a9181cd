/**
 * The labels with which a Core Lightning node shows our HTLCs. The id of the attempt can be read from each of them,
 * regardless of the payer's own label.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attemptOf, labelOf } from '../../../src/network/cln/sent-htlcs.ts';

const attempt = fc.stringMatching(/^[0-9a-f]{32}$/);

test('an attempt can be read from its label, with any label of the payer or none', () => {
  fc.assert(
    fc.property(attempt, fc.option(fc.string(), { nil: undefined }), (attemptId, label) => {
      expect(attemptOf(labelOf({ attemptId, label }))).toBe(attemptId);
    }),
  );
});

test('a label of a different caller contains no attempt; a label of an earlier release does', () => {
  expect(attemptOf('rent')).toBeUndefined();
  expect(attemptOf('')).toBeUndefined();
  // Attempts of the first releases had longer ids.
  expect(attemptOf('fulgurite-00ff-7')).toBe('00ff-7');
});
