/**
 * sim-ln's `rebalance`: once per interval, every channel with a side below the trigger is reset to an even split. HTLCs
 * in flight are not moved.
 */
import type { RebalanceScenario } from '../scenario/scenario.ts';
import type { Tick } from './ticker.ts';
import type { LabWorld } from './world.ts';

const MILLION = 1_000_000n;

/** @param excluded nodes whose channels are not changed */
export function rebalancing(
  world: LabWorld,
  { intervalUs, triggerBelow }: RebalanceScenario,
  excluded: ReadonlySet<number>,
): Tick {
  const { graph, channels } = world;
  const triggerPpm = BigInt(Math.round(triggerBelow * 1e6));
  return {
    everyUs: intervalUs,
    run: () => {
      for (let channel = 0; channel < graph.channelCount; channel++) {
        if (excluded.has(graph.node1[channel]!) || excluded.has(graph.node2[channel]!)) continue;
        const leastMsat = (graph.capacityMsat[channel]! * triggerPpm) / MILLION;
        const isLow = [0, 1].some((side) => channels.balanceMsat(2 * channel + side) < leastMsat);
        if (isLow) channels.rebalance(channel);
      }
    },
  };
}
