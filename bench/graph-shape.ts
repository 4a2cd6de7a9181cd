/**
 * Report: how well the synthetic network follows the main network's snapshot. Prints, side by side, the
 * 10 %, 50 %, 90 % and 99 % quantiles and the mean of each attribute.
 *
 *     graph-shape SNAPSHOT.compressed [NODES] [SEED]
 */
import { readCompressedSnapshot, snapshotToGraph } from '../src/gossip/compressed-snapshot.ts';
import { DEFAULT_SYNTHETIC_NODES, generateSyntheticGraph } from '../src/gossip/synthetic.ts';
import { type ChannelGraph, POLICY_ENABLED } from '../src/model/channel-graph.ts';

/** Attribute by name: its values. */
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
  for (const slot of [channel * 2, channel * 2 + 1]) {
    const enabled = (graph.policyFlags[slot]! & POLICY_ENABLED) !== 0;
    result['disabled directions (share)']!.push(enabled ? 0 : 1);
    if (!enabled) continue;
    enabledDirections++;
    result['base fee (msat)']!.push(graph.feeBaseMsat[slot]!);
    result['fee ppm']!.push(graph.feeProportionalMillionths[slot]!);
    result['delay (blocks)']!.push(graph.cltvExpiryDelta[slot]!);
    result['htlc minimum (msat)']!.push(Number(graph.htlcMinimumMsat[slot]!));
    result['htlc maximum / capacity']!.push(Number(graph.htlcMaximumMsat[slot]!) / 1000 / capacitySat);
  }
  result['channels both disabled (share)']!.push(enabledDirections === 0 ? 1 : 0);
}

function summary(values: number[]): string[] {
  const sorted = Float64Array.from(values).sort();
  const at = [0.1, 0.5, 0.9, 0.99].map((p) => sorted[Math.floor(p * sorted.length)] ?? Number.NaN);
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return [...at, mean].map((value) =>
    Number.isInteger(value) || value >= 100 ? String(Math.round(value)) : value.toPrecision(3),
  );
}

const [path, nodes = String(DEFAULT_SYNTHETIC_NODES), seed = '1'] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: graph-shape SNAPSHOT.compressed [NODES] [SEED]');
const real = snapshotToGraph(readCompressedSnapshot(path));
const started = performance.now();
const synthetic = generateSyntheticGraph({ nodeCount: Number(nodes), seed: BigInt(seed) });
const elapsedMs = performance.now() - started;

const cells = (columns: string[]) => columns.map((text) => text.padStart(11)).join('');
console.log(`snapshot: ${real.nodeCount} nodes, ${real.channelCount} channels`);
console.log(
  `synthetic: ${synthetic.nodeCount} nodes, ${synthetic.channelCount} channels, ${elapsedMs.toFixed(0)} ms\n`,
);
console.log(`${' '.repeat(48)}${cells(['p10', 'p50', 'p90', 'p99', 'mean'])}`);
const [ofReal, ofSynthetic] = [samples(real), samples(synthetic)];
for (const name of Object.keys(ofReal)) {
  console.log(`${name.padEnd(38)}snapshot  ${cells(summary(ofReal[name]!))}`);
  console.log(`${' '.repeat(38)}synthetic ${cells(summary(ofSynthetic[name]!))}`);
}
