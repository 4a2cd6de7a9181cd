/**
 * A node behind a channel that a layer creates gets a cheaper label after the search has continued from its first
 * label. The cheaper label needs more msat than the created channel can carry, so only the first label leads to the
 * source.
 *
 *        created, up to 100,010 sat           110,000 sat, free
 *   S ══════════════════════════════════ Y ═══════════════════════ D
 *                                          ╲                      ╱
 *                                           ╲── Z ── 50 sat ─────╱
 *
 * The channel from Y to D is strained: P = 1 − 100/110, which costs more than the 50 sat over Z.
 */
import { describe, expect, test } from 'vitest';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { solveRoute } from '../../../src/engine/solver/solve-route.ts';
import { IDENTITY_FOLD } from '../../../src/layers/bounds-fold.ts';
import { msat, msatFromSat } from '../../../src/model/msat.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';

const AMOUNT = msatFromSat(100_000);
const NETWORK = tinyGraph([
  'Y-D cap=110000sat fee=0+0',
  'Y-Z cap=100000000sat fee=0+0',
  'Z-D cap=100000000sat fee=50000+0',
  'S-D cap=1000sat fee=0+0',
]);
const LAYER = 1;
const ROOM = msatFromSat(100_010);

describe.each(['release', 'debug'] as const)('the %s build', (build) => {
  test.each([2, 3, 20])(
    'uses the path that fits through the created channel, with at most %i hops',
    (maxhops) => {
      const kernel = Kernel.inProcess(NETWORK.graph, build);
      kernel.ensureLayerSlots(LAYER + 1);
      const update = {
        enabled: true,
        ...{ htlcMinimumMsat: 0n, htlcMaximumMsat: ROOM, feeBaseMsat: 0n, feeProportionalMillionths: 0 },
        cltvExpiryDelta: 0,
      };
      const created = {
        node1: nodeNamed('S'),
        node2: nodeNamed('Y'),
        capacityMsat: msatFromSat(100_000_000),
      };
      kernel.reading(() =>
        kernel.setChannelCell(LAYER, shortChannelId(9, 9, 9), {
          created,
          updates: [update, update],
          bias: [0, 0],
          bounds: [IDENTITY_FOLD, IDENTITY_FOLD],
          reservedMsat: [0n, 0n],
        }),
      );
      const outcome = solveRoute(kernel, {
        source: nodeNamed('S'),
        destination: nodeNamed('D'),
        amountMsat: AMOUNT,
        maxfeeMsat: msat(1_000_000n),
        finalCltv: 18,
        maxdelay: 2016,
        maxparts: 1,
        maxhops,
        layerIds: [LAYER],
        layerNames: ['created'],
        includeFees: false,
      });
      if (!('answer' in outcome) || outcome.answer === undefined) throw new Error('no answer');
      const { routes } = outcome.answer;
      expect(routes.map(({ path }) => path.length)).toEqual([2]);
      expect(routes[0]?.path[0]?.amountOutMsat).toBe(AMOUNT);
    },
  );
});
