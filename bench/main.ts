/**
 * The benchmarks: `npm run bench -- [AREA…] [--quick]`. If no area is named, all areas run except those of `LONG`. With
 * `--graph`, route queries on a graph of the caller's choice are measured instead (research.ts).
 *
 * Tables and figures go to standard output, to build/bench/results.json and, as plots, to SVG files there.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attacksBench } from './attacks.ts';
import { beliefsBench } from './beliefs.ts';
import { choiceBench } from './choice.ts';
import { clnBench } from './cln.ts';
import { clnNodeBench } from './cln-node.ts';
import { clnPluginBench } from './cln-plugin.ts';
import { clnXpayBench } from './cln-xpay.ts';
import type { Area, BenchContext } from './context.ts';
import { engineBench } from './engine.ts';
import { equalFeesBench } from './equal-fees.ts';
import { explorerBench } from './explorer.ts';
import { fetchinvoiceBench } from './fetchinvoice.ts';
import { fleetBench } from './fleet.ts';
import { mainGraph, SNAPSHOT_FILE } from './graphs.ts';
import { httpBench } from './http.ts';
import { kernelBench } from './kernel.ts';
import { keysendBench } from './keysend.ts';
import { lanesBench } from './lanes.ts';
import { layersBench } from './layers.ts';
import { learningBench } from './learning.ts';
import { listsBench } from './lists.ts';
import { lndRoutesBench } from './lnd-routes.ts';
import { loadBench } from './load.ts';
import { timedAsync } from './measure.ts';
import { mixedBench } from './mixed.ts';
import { peersBench } from './peers.ts';
import { Plots } from './plot.ts';
import { probesBench } from './probes.ts';
import { purseBench } from './purse.ts';
import { randomBench } from './random.ts';
import { describe, Report } from './report.ts';
import { isResearch, research } from './research.ts';
import { shapeBench } from './shape.ts';
import { simulateBench } from './simulate.ts';
import { slowNodesBench } from './slow-nodes.ts';
import { socketBench } from './socket.ts';
import { tableBench } from './table.ts';
import { targetsBench } from './targets.ts';
import { xpayBench } from './xpay.ts';

const AREAS: Readonly<Record<string, Area>> = {
  kernel: kernelBench,
  engine: engineBench,
  socket: socketBench,
  table: tableBench,
  http: httpBench,
  load: loadBench,
  lists: listsBench,
  lanes: lanesBench,
  shape: shapeBench,
  targets: targetsBench,
  cln: clnBench,
  'cln-node': clnNodeBench,
  'cln-plugin': clnPluginBench,
  'cln-xpay': clnXpayBench,
  'lnd-routes': lndRoutesBench,
  peers: peersBench,
  layers: layersBench,
  choice: choiceBench,
  keysend: keysendBench,
  purse: purseBench,
  xpay: xpayBench,
  random: randomBench,
  fetchinvoice: fetchinvoiceBench,
  fleet: fleetBench,
  mixed: mixedBench,
  explorer: explorerBench,
  attacks: attacksBench,
  simulate: simulateBench,
  learning: learningBench,
  probes: probesBench,
  beliefs: beliefsBench,
  'equal-fees': equalFeesBench,
  'slow-nodes': slowNodesBench,
};
/** Areas that run only when they are named: they take long, or attack a daemon. */
const LONG: ReadonlySet<string> = new Set([
  'mixed',
  'explorer',
  'attacks',
  'simulate',
  'learning',
  'probes',
  'beliefs',
  'equal-fees',
  'slow-nodes',
]);

const OUTPUT = dirname(fileURLToPath(import.meta.url));

async function main(argv: readonly string[]): Promise<void> {
  const quick = argv.includes('--quick');
  const named = argv.filter((argument) => argument !== '--quick');
  const unknown = named.filter((name) => !Object.hasOwn(AREAS, name));
  if (unknown.length > 0) {
    process.stderr.write(
      `no such area: ${unknown.join(' ')}; the areas are ${Object.keys(AREAS).join(' ')}\n`,
    );
    process.exitCode = 2;
    return;
  }
  const report = new Report();
  const context: BenchContext = { quick, report, plots: new Plots(), directory: OUTPUT };
  console.log(describe(report.started));
  if (SNAPSHOT_FILE === undefined) {
    report.note(
      'graph',
      'no mainnet snapshot beside the repository: a synthetic network of its size instead',
    );
  }
  const { name, graph } = mainGraph();
  console.log(`graph: ${name}, ${graph.nodeCount} nodes, ${graph.channelCount} channels`);
  const started = performance.now();
  for (const area of named.length > 0 ? named : Object.keys(AREAS).filter((area) => !LONG.has(area))) {
    const { ms } = await timedAsync(() => report.within(area, async () => AREAS[area]!(context)));
    console.log(`\n(${area}: ${(ms / 1000).toFixed(1)} s)`);
  }
  for (const file of context.plots.write(OUTPUT)) console.log(file);
  report.finish(OUTPUT);
  console.log(`${((performance.now() - started) / 1000).toFixed(1)} s`);
}

const argv = process.argv.slice(2);
if (isResearch(argv)) process.exitCode = await research(argv, OUTPUT);
else await main(argv);
