/**
 * The fee cap where several parts are needed: what keeps it counts the fee alone, without biases and noise.
 *
 *          100 ppm, 1,000,000 sat
 *   A ═══════════════════════════ B
 *          300 ppm, 1,000,000 sat, biased by +100
 */
import { describe, expect, test } from 'vitest';
import type { RouteAnswer } from '../../src/engine/route.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { msat, msatFromSat } from '../../src/model/msat.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import { InProcessEngine, InProcessKernel } from '../payments/in-process-engine.ts';
import { nodeNamed, tinyGraph } from '../reference/tiny-graph.ts';

const feeOf = ({ routes }: RouteAnswer) =>
  routes.reduce((sum, { path, amountMsat }) => sum + path[0]!.amountInMsat - amountMsat, 0n);

describe('under a fee cap, with a bias for the dear channel', () => {
  const { graph } = tinyGraph(['A-B 1x1x1 fee=0+100', 'A-B 2x2x2 fee=0+300']);
  const direction = nodeNamed('A') < nodeNamed('B') ? 0 : 1;
  const book = new LayerBook(() => 1);
  book.biasChannel(
    book.createLayer('liked', false),
    { shortChannelId: shortChannelId(2, 2, 2), direction },
    { bias: 100, relative: false, description: undefined },
  );

  // 1,500,000 sat: the cheap channel filled takes 100,000 msat, the other half million sat takes 150,000 msat.
  test.each([250_000n, 260_000n, 300_000n])('%i msat of fee are kept', async (maxfeeMsat) => {
    const engine = new InProcessEngine(book, new InProcessKernel(graph));
    const answer = await engine.getroutes({
      source: nodeNamed('A'),
      destination: nodeNamed('B'),
      amountMsat: msatFromSat(1_500_000),
      layers: ['liked'],
      maxfeeMsat: msat(maxfeeMsat),
      finalCltv: 18,
      maxdelay: 2016,
      maxparts: 10,
    });
    engine.close();
    expect(feeOf(answer)).toBeLessThanOrEqual(maxfeeMsat);
  });
});
