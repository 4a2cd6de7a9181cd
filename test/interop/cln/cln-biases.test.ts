/**
 * Biases on the mainnet snapshot, as Core Lightning's own `test_real_biases` sets them
 * (tests/test_askrene.py): 100,000 sat from node 2134 to each of the first 100 nodes, with a negative bias on
 * the last channel of the first route. The test counts the destinations for which less money crosses that
 * channel. Core Lightning's node charges for its first hop, so here the query begins at its peer.
 */
import { expect, it } from 'vitest';
import type { RouteAnswer, RouteQuery } from '../../../src/engine/question/route.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { readCompressedSnapshot, snapshotToGraph } from '../../../src/gossip/compressed-snapshot.ts';
import { IDENTITY_FOLD } from '../../../src/layers/bounds-fold.ts';
import type { ChannelCell } from '../../../src/layers/cell.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { msatFromSat } from '../../../src/model/msat.ts';
import type { ShortChannelIdDir } from '../../../src/model/short-channel-id.ts';
import { askKernel } from '../../engine/solver/kernel-solver.ts';
import { describeNeeding } from '../../needs.ts';
import { hasSample, SNAPSHOT_FILE } from './cln-sample.ts';

const SENDER = 2134;
const DESTINATIONS = 100;
/** By bias: the number of destinations, of 95 reachable ones, for which Core Lightning moves the payment. */
const THEIRS = new Map([
  [1, 26],
  [2, 33],
  [4, 48],
  [8, 57],
  [16, 77],
  [32, 90],
  [64, 95],
  [100, 95],
]);
const SLOT = 1;
const SLOTS = new Map([['biases', SLOT]]);
const CELL: ChannelCell = {
  updates: [undefined, undefined],
  bias: [0, 0],
  bounds: [IDENTITY_FOLD, IDENTITY_FOLD],
  reservedMsat: [0n, 0n],
};

function crossing({ routes }: RouteAnswer, { shortChannelId, direction }: ShortChannelIdDir): bigint {
  const hops = routes.flatMap(({ path }) => path);
  return hops.reduce((sum, { shortChannelIdDir: of, amountInMsat }) => {
    return of.shortChannelId === shortChannelId && of.direction === direction ? sum + amountInMsat : sum;
  }, 0n);
}

/**
 * By destination: the smallest bias that moves money, or undefined. Destinations without a route are left
 * out.
 */
function smallestBiases(): Map<number, number | undefined> {
  const graph = snapshotToGraph(readCompressedSnapshot(SNAPSHOT_FILE), { exactUnits: true });
  const kernel = Kernel.inProcess(graph);
  kernel.reading(() => kernel.ensureLayerSlots(SLOT + 1));
  const found = new Map<number, number | undefined>();
  for (let node = 0; node < DESTINATIONS; node++) {
    const query: RouteQuery = {
      source: graph.nodeId(SENDER),
      destination: graph.nodeId(node),
      amountMsat: msatFromSat(100_000),
      layers: ['biases'],
      maxfeeMsat: msatFromSat(500),
      finalCltv: 18,
      maxdelay: 2016,
      maxparts: 100,
    };
    const usual = askKernel(kernel, query, SLOTS);
    if (usual instanceof FulguriteError) continue;
    const of = usual.routes[0]!.path.at(-1)!.shortChannelIdDir;
    const moves = (bias: number): boolean => {
      const sided: [number, number] = of.direction === 0 ? [-bias, 0] : [0, -bias];
      kernel.reading(() => kernel.setChannelCell(SLOT, of.shortChannelId, { ...CELL, bias: sided }));
      return crossing(askKernel(kernel, query, SLOTS) as RouteAnswer, of) < crossing(usual, of);
    };
    found.set(node, [...THEIRS.keys()].find(moves));
    kernel.reading(() => kernel.setChannelCell(SLOT, of.shortChannelId, CELL));
  }
  return found;
}

describeNeeding('routes', hasSample, 'biases on the snapshot', () => {
  it('move at least as many payments as in Core Lightning, and −100 moves all', () => {
    const found = [...smallestBiases().values()];
    expect(found).toHaveLength(95);
    const moved = (most: number) => found.filter((bias) => bias !== undefined && bias <= most).length;
    for (const [bias, theirs] of THEIRS) expect(moved(bias), `bias −${bias}`).toBeGreaterThanOrEqual(theirs);
    expect(moved(100)).toBe(found.length);
    // At −1, nine out of ten payments already move. For these, every bias that moves a payment in Core Lightning
    // also has an effect here.
    expect(moved(1)).toBeGreaterThanOrEqual(0.9 * found.length);
  }, 300_000);
});
