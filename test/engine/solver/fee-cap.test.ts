/**
 * Only the minimum fee decides whether a fee cap can be met: biases and noise do not count.
 *
 *          100 ppm, 1,000,000 sat
 *   A ═══════════════════════════ B
 *          120 ppm, 1,000,000 sat, biased by +100
 *
 * 1,500,000 sat: filling the cheap channel costs 100,000 msat, and the remaining half million sat costs
 * 60,000 msat.
 */
import { describe, expect, test } from 'vitest';
import { NoRouteError } from '../../../src/engine/question/no-route.ts';
import type { RouteAnswer } from '../../../src/engine/question/route.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { msat, msatFromSat } from '../../../src/model/msat.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { InProcessEngine, InProcessKernel } from '../../payments/in-process-engine.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';

const MIN_FEE = 160_000n;

const feeOf = ({ routes }: RouteAnswer) =>
  routes.reduce((sum, { path, amountMsat }) => sum + path[0]!.amountInMsat - amountMsat, 0n);

describe('under a fee cap, with a bias towards the expensive channel', () => {
  const { graph } = tinyGraph(['A-B 1x1x1 fee=0+100', 'A-B 2x2x2 fee=0+120']);
  const direction = nodeNamed('A') < nodeNamed('B') ? 0 : 1;
  const book = new LayerBook(() => 1);
  book.biasChannel(
    book.createLayer('liked', false),
    { shortChannelId: shortChannelId(2, 2, 2), direction },
    { bias: 100, relative: false, description: undefined },
  );
  const kernel = new InProcessKernel(graph);

  async function ask(maxfeeMsat: bigint): Promise<RouteAnswer> {
    const engine = new InProcessEngine(book, kernel);
    try {
      return await engine.getroutes({
        source: nodeNamed('A'),
        destination: nodeNamed('B'),
        amountMsat: msatFromSat(1_500_000),
        layers: ['liked'],
        maxfeeMsat: msat(maxfeeMsat),
        finalCltv: 18,
        maxdelay: 2016,
        maxparts: 10,
      });
    } finally {
      engine.close();
    }
  }

  test.each([MIN_FEE, 162_000n, 170_000n])('a fee cap of %i msat is met', async (maxfeeMsat) => {
    expect(feeOf(await ask(maxfeeMsat))).toBeLessThanOrEqual(maxfeeMsat);
  });

  test.each([0n, 10_000n, MIN_FEE - 1n])(
    '%i msat are too few, and the minimum is reported',
    async (maxfeeMsat) => {
      const error = await ask(maxfeeMsat).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(NoRouteError);
      const { maxfeeMsat: told } = (error as NoRouteError).noRoute.remedy!;
      expect(told).toBeGreaterThanOrEqual(MIN_FEE);
      expect(told).toBeLessThanOrEqual((MIN_FEE * 101n) / 100n);
    },
  );

  test('the kernel finds the minimum fee at once', async () => {
    await ask(MIN_FEE);
    // The kernel still applies the layer of the previous search.
    const { status, takes } = kernel.kernel.reading(() => {
      const [source, destination] = [nodeNamed('A'), nodeNamed('B')].map(
        (id) => kernel.kernel.nodeIndex(id)!,
      );
      const limits = { maxfeeMsat: 0n, maxPathDelay: 2016, maxparts: 10, maxhops: 20 };
      const ends = { source: source!, destination: destination! };
      return kernel.kernel.solve({ ...ends, amountMsat: msatFromSat(1_500_000), ...limits });
    });
    expect({ status, feeMsat: takes.feeMsat }).toEqual({ status: 'tooDear', feeMsat: MIN_FEE });
  });
});

describe('a fee cap of 1 msat, if each part pays two', () => {
  // B charges 1 msat and 10 ppm. 100,000 msat in one part cost 2 msat, and any two parts cost at least 1 msat
  // each.
  const kernel = new InProcessKernel(tinyGraph(['A-B 1x1x1 fee=0+0', 'B-C 2x2x2 fee=1+10']).graph);

  test.each([1, 2, 100])('is refused with proof, with %i parts', async (maxparts) => {
    const engine = new InProcessEngine(new LayerBook(() => 1), kernel);
    try {
      const query = { source: nodeNamed('A'), destination: nodeNamed('C'), layers: [], finalCltv: 5 };
      const limits = { maxfeeMsat: msat(1n), maxdelay: 2016, maxparts };
      const asked = engine.getroutes({ ...query, ...limits, amountMsat: msat(100_000n) });
      const error = await asked.catch((thrown) => thrown);
      expect(error).toBeInstanceOf(NoRouteError);
      expect((error as NoRouteError).noRoute).toMatchObject({ remedy: { maxfeeMsat: 2n } });
    } finally {
      engine.close();
    }
  });
});

describe('the lowest fee of several parts is bounded from below', () => {
  const AMOUNT = msatFromSat(1000);

  /** What the kernel says about 1,000,000 msat from A to D within a fee limit. */
  function asked(lines: readonly string[], maxfeeMsat: bigint) {
    const kernel = Kernel.inProcess(tinyGraph(lines).graph);
    const { status, takes, isFeeLeast } = kernel.reading(() => {
      kernel.applyStack([]);
      kernel.exports.setEffort(1e9);
      const [source, destination] = [nodeNamed('A'), nodeNamed('D')].map((id) => kernel.nodeIndex(id)!);
      const limits = { maxfeeMsat, maxPathDelay: 2016, maxparts: 10, maxhops: 20 };
      return kernel.solve({ source: source!, destination: destination!, amountMsat: AMOUNT, ...limits });
    });
    return { status, feeMsat: takes.feeMsat, isFeeLeast };
  }

  // The lowest rate and the lowest base fee are both 0, but no path has both.
  test('by the fees of the whole amount over each path', () => {
    const lines = ['A-B fee=0+0', 'B-D 1x1x1 fee=1000+0', 'B-D 2x2x2 fee=0+4000'];
    expect(asked(lines, 990n)).toEqual({ status: 'tooDear', feeMsat: 1000n, isFeeLeast: true });
  });

  // One part pays 1,000 msat at B-C and 500 msat at C-D. Of two parts, both may pay nothing at C-D, but then they pay at
  // least 1,900 msat at B-C.
  test('by those fees and the base fees of a second part', () => {
    const toC = ['A-B fee=0+0', 'B-C 1x1x1 fee=1000+0', 'B-C 2x2x2 fee=500+1000'];
    const toD = ['C-D 3x3x3 fee=500+0', 'C-D 4x4x4 fee=0+0 max=600sat'];
    expect(asked([...toC, ...toD], 1490n)).toEqual({ status: 'tooDear', feeMsat: 1500n, isFeeLeast: true });
  });

  // One part costs 1,500 msat. The second channel is cheaper, but takes 600,000 msat: 540 and 600 msat.
  test('but not above what two parts pay', () => {
    const lines = ['A-B fee=0+0', 'B-D 1x1x1 fee=0+1500', 'B-D 2x2x2 fee=0+900 cap=600sat'];
    expect(asked(lines, 1400n)).toMatchObject({ status: 'ok', feeMsat: 1140n });
  });

  // 10 % each: 210,000 msat, of which 10,000 msat are charged on fees.
  test('by rates that are charged on the fees of later hops', () => {
    const lines = ['A-B fee=0+0', 'B-C fee=0+100000', 'C-D fee=0+100000'];
    expect(asked(lines, 205_000n)).toEqual({ status: 'tooDear', feeMsat: 210_000n, isFeeLeast: true });
  });
});
