/**
 * Remedies for amounts whose neighbours take long to decide on the main network: amounts just below a proven maximum, and
 * amounts below an HTLC minimum.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { readCompressedSnapshot, snapshotToGraph } from '../../../src/gossip/compressed-snapshot.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { msat } from '../../../src/model/msat.ts';
import { parseNodeId } from '../../../src/model/node-id.ts';
import { describeNeeding } from '../../needs.ts';
import { askKernel } from './kernel-solver.ts';

const SNAPSHOT = fileURLToPath(
  new URL('../../../../shared/data/snapshot/gossip-store-2026-02-03.compressed', import.meta.url),
);

/** Pairs of the main network between which 1,000,000 sat do not fit, and more than 90 % of the maximum does. */
const PAIRS = [
  [
    '02ca9ebcf20f16bc31adee85466be48f7cbf26d3eee32dc63d974ca27b5f325294',
    '03241f47f7615a009f939ca278aedfc0d4c449ae205336865d8233b2b048765791',
  ],
  [
    '02138c8a7ee4081949244a106c121b036d588ed2f53e529734f06321239cf311e1',
    '026cf27619f80b786bc6ad9021810a94ad087dc56e72d4187fdcf5e50b05f618a1',
  ],
  [
    '02ca9ebcf20f16bc31adee85466be48f7cbf26d3eee32dc63d974ca27b5f325294',
    '03f5ef4a493d587dc1461ad4968028badaddfa9d09faff0ce8a557a4fb46c96e83',
  ],
] as const;

describeNeeding('snapshot', existsSync(SNAPSHOT), 'an amount', () => {
  it('above a proven maximum has the largest amount to within 1 % as its remedy', () => {
    const kernel = Kernel.inProcess(snapshotToGraph(readCompressedSnapshot(SNAPSHOT)));
    for (const [source, destination] of PAIRS) {
      const query = {
        source: parseNodeId(source)!,
        destination: parseNodeId(destination)!,
        ...{ amountMsat: msat(1_000_000_000n), maxfeeMsat: msat(10_000_000n), layers: ['auto.sourcefree'] },
        ...{ finalCltv: 18, maxdelay: 2016, maxparts: 100 },
      };
      const refusal = askKernel(kernel, query) as FulguriteError;
      expect(refusal.data, source).toMatchObject({ remedy: { amount_msat: expect.anything() } });
      const { remedy } = refusal.data as { remedy: { amount_msat: bigint; minimal?: boolean } };
      expect(remedy.minimal, source).toBeUndefined();
      const amount = remedy.amount_msat;
      expect(askKernel(kernel, { ...query, amountMsat: msat(amount) })).not.toBeInstanceOf(FulguriteError);
      const more = msat(amount + amount / 100n);
      expect(askKernel(kernel, { ...query, amountMsat: more })).toBeInstanceOf(FulguriteError);
    }
  });

  it('below an HTLC minimum that the source cannot avoid has this minimum as its remedy', () => {
    const kernel = Kernel.inProcess(snapshotToGraph(readCompressedSnapshot(SNAPSHOT)));
    const refusal = askKernel(kernel, {
      source: parseNodeId('03fd90ec397d6999337b680fe496fbdca279d46e9efb7fcf996ed1e7cff994981c')!,
      destination: parseNodeId('03cc5a4341557c150ab8824144cf5ef7084991e197d43eb4973819a05a0b81284d')!,
      ...{ amountMsat: msat(1_000_000n), maxfeeMsat: msat(10_000n), layers: ['auto.sourcefree'] },
      ...{ finalCltv: 18, maxdelay: 2016, maxparts: 100 },
    }) as FulguriteError;
    expect(refusal.data).toMatchObject({ remedy: { amount_msat: 10_000_000n } });
  });
});
