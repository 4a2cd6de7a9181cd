/**
 * The quick route takes 20 blocks and is dear, the cheap one takes 400. Neither biases nor learned burdens make a route
 * slower, so a limit of 100 blocks leaves the quick route, whatever layers say.
 *
 *        200 blocks, 1 ppm              10 blocks, 500 ppm
 *   S ───────── slow ───────── D    S ───────── quick ───────── D ── ten further nodes
 *
 * The further nodes make the search from the source the smaller one, so the check of the delay settles its costs.
 */
import { describe, expect, test } from 'vitest';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { solveRoute } from '../../../src/engine/solver/solve-route.ts';
import { IDENTITY_FOLD } from '../../../src/layers/bounds-fold.ts';
import { ODDS_CELLS, oddsTable } from '../../../src/layers/learned-odds.ts';
import { msat, msatFromSat } from '../../../src/model/msat.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';

const terms = (blocks: number, ppm: number) => `cap=10000000sat max=9000000sat fee=0+${ppm} delay=${blocks}`;
const NETWORK = tinyGraph([
  `S-B ${terms(200, 1)}`,
  `B-D ${terms(200, 1)}`,
  `S-Q ${terms(10, 500)}`,
  `Q-D ${terms(10, 500)}`,
  ...[...'EFGHIJKLMN'].map((node) => `D-${node} ${terms(10, 1)}`),
]);
const OF_SOURCE = [0, 2];
const LAYER = 1;

function asked(
  build: 'release' | 'debug',
  maxparts: number,
  { bias = 0, burden }: { bias?: number; burden?: number },
) {
  const kernel = Kernel.inProcess(NETWORK.graph, build);
  kernel.ensureLayerSlots(LAYER + 1);
  const uniform = Float64Array.from({ length: ODDS_CELLS + 1 }, (_, cell) => 1 - cell / ODDS_CELLS);
  kernel.reading(() => {
    for (const channel of OF_SOURCE)
      kernel.setChannelCell(LAYER, NETWORK.graph.shortChannelIds[channel]! as ShortChannelId, {
        updates: [undefined, undefined],
        bias: [bias, bias],
        bounds: [IDENTITY_FOLD, IDENTITY_FOLD],
        reservedMsat: [0n, 0n],
      });
  });
  const outcome = solveRoute(kernel, {
    source: nodeNamed('S'),
    destination: nodeNamed('D'),
    amountMsat: msatFromSat(1_000_000),
    maxfeeMsat: msat(100_000_000n),
    finalCltv: 18,
    maxdelay: 100,
    maxparts,
    maxhops: 20,
    layerIds: [LAYER],
    layerNames: ['biased'],
    includeFees: false,
    ...(burden !== undefined && { odds: oddsTable(burden, () => uniform) }),
  });
  if (!('answer' in outcome) || outcome.answer === undefined) return undefined;
  return outcome.answer.routes.map(({ path }) => path[0]!.cltvIn);
}

describe.each(['release', 'debug'] as const)('in the %s build, the quick route is found', (build) => {
  test.each([0, -1, -20, -50, 20])('with a bias of %i, in one part and in several', (bias) => {
    for (const maxparts of [1, 10]) expect(asked(build, maxparts, { bias })).toEqual([38]);
  });

  test.each([0.0001, 0.01, 1])('with a learned burden of %d nats, in one part and in several', (burden) => {
    for (const maxparts of [1, 10]) expect(asked(build, maxparts, { burden })).toEqual([38]);
  });
});
