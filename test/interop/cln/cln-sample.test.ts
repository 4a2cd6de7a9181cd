/**
 * Core Lightning's recorded answers. First the referee must accept all of them, which shows that fees,
 * delays, limits and probabilities mean the same in both programs. Then the kernel gets the same requests. It
 * answers every request that Core Lightning answered, is never worse in both fee and probability, and is
 * better in total.
 */
import { expect, it } from 'vitest';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { askKernel } from '../../engine/solver/kernel-solver.ts';
import { describeNeeding } from '../../needs.ts';
import { compareFractions } from '../../reference/fraction.ts';
import { directionsOf } from '../../reference/graph-directions.ts';
import { referee, withAutomaticLayers } from '../../reference/referee.ts';
import {
  bothAnswered,
  type Compared,
  compareSample,
  type Figures,
  hasSample,
  sampleCases,
  snapshotGraph,
  summaries,
  summaryTable,
} from './cln-sample.ts';

describeNeeding('routes', hasSample, 'Core Lightning’s recorded answers', () => {
  const graph = hasSample ? snapshotGraph() : undefined;
  const lookup = graph === undefined ? () => undefined : directionsOf(graph);
  const samples = hasSample ? sampleCases(lookup) : [];
  const wrong: string[] = [];

  const compared: Compared[] = [];
  if (graph !== undefined) {
    const kernel = Kernel.inProcess(graph);
    const ask = (query: (typeof samples)[0]['query']) => askKernel(kernel, query);
    const judged = compareSample(lookup, samples, ask, ({ name, query }, answer) => {
      if (answer instanceof FulguriteError) return;
      const violations = referee(withAutomaticLayers(lookup, query), query, answer);
      wrong.push(...violations.map((violation) => `${name}: ${violation}`));
    });
    compared.push(...judged);
  }
  const both = compared.filter(bothAnswered);
  const describeFigures = ({ feeMsat, riskNats }: Figures) =>
    `${feeMsat} msat at ${riskNats.toFixed(5)} nats`;

  it('mean the same as ours', () => {
    const violations = samples.flatMap(({ name, query, theirs }) => {
      if (theirs instanceof FulguriteError) return [];
      const found = referee(withAutomaticLayers(lookup, query), query, theirs);
      return found.map((violation) => `${name}: ${violation}`);
    });
    expect(violations).toEqual([]);
    expect(samples.length).toBe(633);
  });

  it('correspond to answers of ours without a violation', () => {
    expect(wrong).toEqual([]);
  });

  it('exist only where ours do', () => {
    const missing = compared.filter(
      ({ ours, theirs }) => ours instanceof FulguriteError && !(theirs instanceof FulguriteError),
    );
    expect(missing.map(({ sample, ours }) => `${sample.name}: ${(ours as FulguriteError).message}`)).toEqual(
      [],
    );
  });

  it('are never better than ours in both fee and probability', () => {
    const beaten = both.filter(
      ({ ours, theirs }) =>
        theirs.feeMsat < ours.feeMsat && compareFractions(theirs.probability, ours.probability) > 0,
    );
    const texts = beaten.map(
      ({ sample, ours, theirs }) =>
        `${sample.name}: ${describeFigures(ours)}, theirs ${describeFigures(theirs)}`,
    );
    expect(texts).toEqual([]);
  });

  it('cost more in total, and have no lower risk', () => {
    process.stdout.write(`ours / Core Lightning's\n${summaryTable(summaries(compared))}\n`);
    const sum = (of: (row: (typeof both)[0]) => number) => both.reduce((total, row) => total + of(row), 0);
    expect(sum((row) => Number(row.ours.feeMsat))).toBeLessThanOrEqual(
      sum((row) => Number(row.theirs.feeMsat)),
    );
    expect(sum((row) => row.ours.riskNats)).toBeLessThanOrEqual(sum((row) => row.theirs.riskNats));
  });
});
