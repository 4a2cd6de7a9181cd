/**
 * A search for a path that is hidden by an HTLC minimum (`searchHidden` in assembly/solve/path/labels.ts). S-A needs
 * 1,050 sat. The path through A and D delivers the amount without fees, which is too little; the detour through B pays
 * enough fees:
 *
 *   S ──── A ──────── D
 *   │       ╲       ╱ ║
 *   │        ── B ──  ║  many channels
 *   ╰───── Y ═════════╝
 *
 * Y keeps only some of the paths over its many channels, so the first attempt, without bounds, does not end the search.
 * S-Y is too slow, so the next attempt, with bounds, ignores Y. It must find the path of the first attempt again.
 */
import { expect, test } from 'vitest';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { msatFromSat } from '../../../src/model/msat.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';

/** More than the labels that a node keeps. */
const CHANNELS = 25;
const FEE_MSAT = 100_000n;

test('a hidden path is found again with bounds', () => {
  const detour = ['S-A min=1050sat fee=0+0', 'A-D fee=0+0', `A-B fee=${FEE_MSAT}+0`, 'B-D fee=0+0'];
  const many = Array.from({ length: CHANNELS }, (_, index) => `Y-D > fee=${index + 1}+0 < off`);
  const kernel = Kernel.inProcess(tinyGraph([...detour, ...many, 'S-Y min=2000sat delay=3000']).graph);
  const { status, takes } = kernel.reading(() => {
    kernel.applyStack([]);
    kernel.exports.setEffort(1e9);
    return kernel.solve({
      source: kernel.nodeIndex(nodeNamed('S'))!,
      destination: kernel.nodeIndex(nodeNamed('D'))!,
      ...{ amountMsat: msatFromSat(1_000), maxfeeMsat: msatFromSat(200), maxparts: 1, maxhops: 20 },
      maxPathDelay: 2016,
      goal: 'any',
    });
  });
  expect({ status, feeMsat: takes.feeMsat }).toEqual({ status: 'ok', feeMsat: FEE_MSAT });
});
