/**
 * The width of the noise that payments search with, measured from outside:
 *
 *     us ──── A ══ B    two channels of 1,000,000 sat without delay, at 10,000 and 15,000 msat
 *
 * For 1,000 sat, each channel costs its fee plus 3 msat of risk (3,000 msat per nat; the amount is a
 * thousandth of the capacity). The documentation states noise of up to 35 % in either direction. This
 * determines the share of seeds for which the costlier channel is chosen.
 */
import { expect, test } from 'vitest';
import { msatFromSat } from '../../src/model/msat.ts';
import { formatShortChannelId } from '../../src/model/short-channel-id.ts';
import { nodeNamed, tinyGraph } from '../reference/tiny-graph.ts';
import { binomialRange, chanceOfTurning, countWithin } from '../statistics.ts';
import { keysendRequest, SimulatedNode } from './simulation/simulated-node.ts';

const SEEDS = 4_000;
const RISK = 3;

test('noise of 35 % in either direction reverses a choice at the computed rate, and never without randomisation', async () => {
  const { graph } = tinyGraph(['A-B 1x1x1 fee=10000+0 delay=0', 'A-B 2x2x2 fee=15000+0 delay=0']);
  const ownChannels = [
    { peerId: nodeNamed('A'), capacityMsat: msatFromSat(5_000_000), localMsat: msatFromSat(4_000_000) },
  ];
  const node = new SimulatedNode({ graph, simulation: { ownChannels } });
  const isDear = async (seed: bigint, randomize: boolean): Promise<boolean> => {
    const more = { seed, randomize, useShadow: false, amountMsat: msatFromSat(1_000) };
    const { routes } = await node.payments.plan(keysendRequest(nodeNamed('B'), more));
    const { shortChannelId } = routes[0]!.path.at(-1)!.shortChannelIdDir;
    return formatShortChannelId(shortChannelId) === '2x2x2';
  };
  let [noisy, plain] = [0, 0];
  for (let seed = 0n; seed < SEEDS; seed++) {
    if (await isDear(seed, true)) noisy++;
    if (await isDear(seed, false)) plain++;
  }
  await node.destroy();
  const range = binomialRange(SEEDS, chanceOfTurning(10_000 + RISK, 15_000 + RISK, 0.35));
  expect(countWithin(noisy, range), `seeds 0 to ${SEEDS - 1}`).toBe(noisy);
  expect(plain).toBe(0);
});
