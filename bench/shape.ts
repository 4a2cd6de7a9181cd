/**
 * How well the synthetic network follows the snapshot of the main network: the quantiles at 10 %, 50 %, 90 %
 * and 99 %, and the mean of each attribute, side by side.
 */
import { DEFAULT_SYNTHETIC_NODES, generateSyntheticGraph } from '../src/gossip/synthetic.ts';
import { type ChannelGraph, POLICY_ENABLED } from '../src/model/channel-graph.ts';
import type { BenchContext } from './context.ts';
import { mainGraph, SNAPSHOT_FILE } from './graphs.ts';
import { meanOf, quantile } from './measure.ts';

/** The values of each attribute by name. */
type Samples = Record<string, number[]>;

function samples(graph: ChannelGraph): Samples {
  const result: Samples = {
    'channels per node': [],
    'degree of neighbour': [],
    'capacity (sat)': [],
    'capacity, ends <= 2 channels (sat)': [],
    'capacity, ends >= 30 channels (sat)': [],
    'base fee (msat)': [],
    'fee ppm': [],
    'delay (blocks)': [],
    'htlc minimum (msat)': [],
    'htlc maximum / capacity': [],
    'disabled directions (share)': [],
    'channels both disabled (share)': [],
    'parallel channels (share)': [],
  };
  for (const degree of graph.nodeDegree.subarray(0, graph.nodeCount)) {
    if (degree > 0) result['channels per node']!.push(degree);
  }
  const joined = new Set<number>();
  for (let channel = 0; channel < graph.channelCount; channel++) addChannel(graph, channel, result, joined);
  return result;
}

function addChannel(graph: ChannelGraph, channel: number, result: Samples, joined: Set<number>): void {
  const [a, b] = [graph.node1[channel]!, graph.node2[channel]!];
  const capacitySat = Number(graph.capacityMsat[channel]!) / 1000;
  const least = Math.min(graph.nodeDegree[a]!, graph.nodeDegree[b]!);
  result['degree of neighbour']!.push(Math.max(graph.nodeDegree[a]!, graph.nodeDegree[b]!));
  result['capacity (sat)']!.push(capacitySat);
  if (least <= 2) result['capacity, ends <= 2 channels (sat)']!.push(capacitySat);
  if (least >= 30) result['capacity, ends >= 30 channels (sat)']!.push(capacitySat);
  const pair = Math.min(a, b) * graph.nodeCount + Math.max(a, b);
  result['parallel channels (share)']!.push(joined.has(pair) ? 1 : 0);
  joined.add(pair);
  let enabledDirections = 0;
  for (const directionIndex of [channel * 2, channel * 2 + 1]) {
    const enabled = (graph.policyFlags[directionIndex]! & POLICY_ENABLED) !== 0;
    result['disabled directions (share)']!.push(enabled ? 0 : 1);
    if (!enabled) continue;
    enabledDirections++;
    result['base fee (msat)']!.push(graph.feeBaseMsat[directionIndex]!);
    result['fee ppm']!.push(graph.feeProportionalMillionths[directionIndex]!);
    result['delay (blocks)']!.push(graph.cltvExpiryDelta[directionIndex]!);
    result['htlc minimum (msat)']!.push(Number(graph.htlcMinimumMsat[directionIndex]!));
    result['htlc maximum / capacity']!.push(
      Number(graph.htlcMaximumMsat[directionIndex]!) / 1000 / capacitySat,
    );
  }
  result['channels both disabled (share)']!.push(enabledDirections === 0 ? 1 : 0);
}

const QUANTILES = { p10: 0.1, p50: 0.5, p90: 0.9, p99: 0.99 } as const;

function summary(values: readonly number[]): Record<string, number> {
  const quantiles = Object.entries(QUANTILES).map(([name, share]) => [name, quantile(values, share)]);
  return { ...Object.fromEntries(quantiles), mean: meanOf(values) };
}

/** Runs the benchmark area `shape`. */
export function shapeBench({ report }: BenchContext): void {
  if (SNAPSHOT_FILE === undefined) {
    report.note('shape', 'skipped: no snapshot beside the repository to compare with');
    return;
  }
  const real = samples(mainGraph().graph);
  const synthetic = generateSyntheticGraph({ nodeCount: DEFAULT_SYNTHETIC_NODES, seed: 1 });
  const made = samples(synthetic);
  const rows = Object.keys(real).flatMap((attribute) => [
    { attribute, of: 'snapshot', ...summary(real[attribute]!) },
    { attribute: '', of: 'synthetic', ...summary(made[attribute]!) },
  ]);
  const size = `${synthetic.nodeCount} nodes, ${synthetic.channelCount} channels`;
  report.table('shape', `the default synthetic network (${size}) beside the snapshot`, rows);
}
