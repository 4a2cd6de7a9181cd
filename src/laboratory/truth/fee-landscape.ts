/** Before the run, replaces the fees of a graph with those of a scenario. Gossip announces the new fees. */
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { Draws } from '../../model/draws.ts';
import { lognormal } from '../distributions.ts';
import { PURPOSE } from '../purposes.ts';
import type { FeeScenario } from '../scenario/scenario.ts';

const MAX_PPM = 1_000_000;

/** Sets the fees of all directions in the graph. */
export function setFees(graph: ChannelGraph, fees: FeeScenario, draws: Draws): void {
  if (fees.kind === 'announced') return;
  for (let direction = 0; direction < 2 * graph.channelCount; direction++) {
    graph.feeBaseMsat[direction] = fees.baseMsat;
    graph.feeProportionalMillionths[direction] =
      fees.kind === 'flat' ? fees.ppm : drawnPpm(graph, direction, fees, draws);
  }
}

function drawnPpm(
  { shortChannelIds }: ChannelGraph,
  direction: number,
  { meanPpm, sigma }: { readonly meanPpm: number; readonly sigma: number },
  draws: Draws,
): number {
  const scid = shortChannelIds[direction >>> 1]!;
  const side = direction & 1;
  const [first, second] = [
    draws.uniformOf(PURPOSE.fee, scid, side),
    draws.uniformOf(PURPOSE.feeSecond, scid, side),
  ];
  return Math.min(MAX_PPM, Math.round(lognormal(first, second, meanPpm, sigma)));
}
