/**
 * How much a search for one path does from the destination, counted in settled nodes. Next to the destination is a
 * ladder of cheap channels, through which no path leads to the source:
 *
 *   S ──── H ──── X ── 10 sat ── D ── n ── n ── n …
 *         ╱│╲                     ╲  ╱ ╲  ╱ ╲  ╱
 *       many more                   n ── n ── n …
 *
 * And that the source's side crosses directions that a layer enables, in the middle of a path.
 */
import { expect, test } from 'vitest';
import { pricesFor } from '../../../src/engine/question/objective.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { IDENTITY_FOLD } from '../../../src/layers/bounds-fold.ts';
import { msatFromSat } from '../../../src/model/msat.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';

const AMOUNT = msatFromSat(1_000);
/** No limit on hops and delay. */
const ANY = 1_000_000;
/** Number of nodes of the ladder, and of the hub's other neighbours. */
const LADDER = 600;
const NEIGHBOURS = 300;
const FIRST_OF_LADDER = 100;
const FIRST_NEIGHBOUR = 1_000;

const rungs = Array.from({ length: LADDER }, (_, index) => FIRST_OF_LADDER + index).flatMap((node) => {
  const before = (back: number) => (node - back < FIRST_OF_LADDER ? 'D' : String(node - back));
  return [1, 2].map((back) => `${before(back)}-${node} cap=100000000sat fee=1+0`);
});
const spokes = Array.from({ length: NEIGHBOURS }, (_, index) => `H-${FIRST_NEIGHBOUR + index}`);

/** Searches from S to D, with this capacity of the channel between S and H. */
function searched(capacity: string) {
  const lines = [`S-H cap=${capacity}`, 'H-X', 'X-D fee=10000+0', ...spokes, ...rungs];
  const kernel = Kernel.inProcess(tinyGraph(lines).graph);
  const { riskPriceMsatPerNat, delayRate } = pricesFor(AMOUNT);
  return kernel.reading(() => {
    kernel.applyStack([]);
    const [source, destination] = [kernel.nodeIndex(nodeNamed('S'))!, kernel.nodeIndex(nodeNamed('D'))!];
    const before = kernel.exports.nodesSettled();
    const { exports } = kernel;
    const isFound = exports.search(source, destination, AMOUNT, ANY, ANY, riskPriceMsatPerNat, delayRate);
    return { isFound: Boolean(isFound), settled: exports.nodesSettled() - before };
  });
}

test('a hub next to the source is searched once the other side has done as much work', () => {
  const { isFound, settled } = searched('1000000sat');
  expect(isFound).toBe(true);
  expect(settled).toBeLessThan(LADDER / 2);
});

test('no node is searched that needs more than the channels of the source can carry', () => {
  const { isFound, settled } = searched('1000sat');
  expect(isFound).toBe(false);
  expect(settled).toBe(1);
});

test.each(['release', 'debug'] as const)(
  'a direction that a layer enables is used, by the %s build',
  (build) => {
    const { graph } = tinyGraph(['S-A', 'A-B 5x5x5 off', 'B-D', 'S-C', 'C-D fee=50000+0']);
    const kernel = Kernel.inProcess(graph, build);
    const LAYER = 1;
    kernel.ensureLayerSlots(LAYER + 1);
    return kernel.reading(() => {
      kernel.setChannelCell(LAYER, shortChannelId(5, 5, 5), {
        updates: [{ enabled: true }, { enabled: true }],
        ...{ bias: [0, 0], bounds: [IDENTITY_FOLD, IDENTITY_FOLD], reservedMsat: [0n, 0n] },
      });
      kernel.applyStack([LAYER]);
      const solution = kernel.solve({
        source: kernel.nodeIndex(nodeNamed('S'))!,
        destination: kernel.nodeIndex(nodeNamed('D'))!,
        amountMsat: AMOUNT,
        ...{ maxfeeMsat: 1_000_000n, maxPathDelay: 2016, maxparts: 1, maxhops: 20 },
        ...{ riskPrice: 100, delayRate: 0, partPrice: 0 },
      });
      expect(solution.parts.map(({ arcs }) => arcs.length)).toEqual([3]);
    });
  },
);
