/**
 * Requests near the capacity of an end of the mainnet snapshot. Their answers strain the network, and improvements that
 * move one share at a time ended in answers that cost far more than a point of their own front. Each row has
 * the odds of that former answer in ppm.
 */
import { expect, it } from 'vitest';
import { Kernel } from '../../src/engine/kernel.ts';
import type { RouteAnswer, RouteQuery } from '../../src/engine/route.ts';
import { msat } from '../../src/model/msat.ts';
import { askKernel } from '../engine/kernel-solver.ts';
import { describeNeeding } from '../needs.ts';
import { hasSample, snapshotGraph } from './cln-sample.ts';

const REQUESTS: [source: string, destination: string, amountMsat: bigint, oddsBefore: number][] = [
  [
    '02ec99a74a8c8d10853e1a3b0806556abda6798a68a0cedca4c766b5f6cf314f22',
    '023a75de3310185d5e36362fd393655cb8bb5ed70c18809d36fa40220abc88a3d5',
    540_034_881n,
    0,
  ],
  [
    '034baf307a790ea4f71a5665bef3e3eca1b18b52e878d8579eff0010fd5b6075f3',
    '023ab4dd7e41d0263c4a118f17e798ba7e1df5c46a34418116c3daa6f1f460d0ed',
    218_399_541n,
    32,
  ],
];

describeNeeding('routes', hasSample, 'near the capacity of an end', () => {
  it.each(REQUESTS)('%s to %s, %i msat', (source, destination, amount, oddsBefore) => {
    const kernel = Kernel.inProcess(snapshotGraph());
    const amountMsat = msat(amount);
    const maxfeeMsat = msat(amount / 20n);
    const query = {
      source,
      destination,
      amountMsat,
      layers: [],
      maxfeeMsat,
      finalCltv: 18,
      maxdelay: 2016,
      maxparts: 100,
    };
    const answer = askKernel(kernel, query as unknown as RouteQuery) as RouteAnswer;
    expect(answer.probabilityPpm).toBeGreaterThan(10 * oddsBefore + 100);
  });
});
