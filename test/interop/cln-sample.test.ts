/**
 * Core Lightning's recorded answers. First our understanding of them: the referee finds nothing wrong with any, so
 * that fees, delays, limits and probabilities mean here what they mean there.
 */
import { describe, expect, it } from 'vitest';
import { FulguriteError } from '../../src/model/errors.ts';
import { directionsOf } from '../reference/graph-directions.ts';
import { referee, withAutomaticLayers } from '../reference/referee.ts';
import { hasSample, sampleCases, snapshotGraph } from './cln-sample.ts';

describe.skipIf(!hasSample)('the recorded answers', () => {
  const lookup = hasSample ? directionsOf(snapshotGraph()) : () => undefined;
  const samples = hasSample ? sampleCases(lookup) : [];

  it('mean what ours mean', () => {
    const wrong = samples.flatMap(({ name, query, theirs }) => {
      if (theirs instanceof FulguriteError) return [];
      const violations = referee(withAutomaticLayers(lookup, query), query, theirs);
      return violations.map((violation) => `${name}: ${violation}`);
    });
    expect(wrong).toEqual([]);
    expect(samples.length).toBe(633);
  });
});
