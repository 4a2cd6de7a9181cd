/**
 * What it costs to search over several nodes of ours instead of one: routes to the same destinations for the same
 * amounts, alternately from one node with 8 channels and from purses of 1, 3 and 10 such nodes. The kernel runs alone,
 * in this thread; layers are applied once.
 */

import { LayerFeed } from '../src/engine/host/layer-feed.ts';
import { Kernel } from '../src/engine/solver/kernel.ts';
import { createSharedKernel, GraphPublisher } from '../src/engine/solver/kernel-memory.ts';
import { LayerSlots } from '../src/engine/solver/layer-slots.ts';
import { solveRoute } from '../src/engine/solver/solve-route.ts';
import { seededRandom } from '../src/gossip/random.ts';
import { LayerBook } from '../src/layers/layer-book.ts';
import { resolveLayers } from '../src/layers/resolved-layers.ts';
import { msat } from '../src/model/msat.ts';
import type { NodeId } from '../src/model/node-id.ts';
import type { OwnChannel } from '../src/model/own-channel.ts';
import { networkMapOf, Simulation, withAddedNodes } from '../src/network/simulated/index.ts';
import type { BenchContext } from './context.ts';
import { mainGraph } from './graphs.ts';
import { meanOf, quantile } from './measure.ts';
import { OWN_ID } from './paying-node.ts';

const SIZES = [1, 3, 10] as const;
const TARGETS: Readonly<Record<number, number>> = { 1: 1.1, 3: 1.15, 10: 1.3 };
const AMOUNTS: readonly { readonly sat: number; readonly maxparts: number }[] = [
  { sat: 1_000, maxparts: 1 },
  { sat: 100_000, maxparts: 1 },
  { sat: 1_000_000, maxparts: 16 },
];
const WARMUP = 50;
const MAXHOPS = 20;

/** Asks for routes to a destination. @returns milliseconds */
type Ask = (destination: NodeId, sat: number, maxparts: number) => number;

/** Runs the benchmark area `purse`. */
export async function purseBench({ quick, report }: BenchContext): Promise<void> {
  const { graph, name } = mainGraph();
  const shared = createSharedKernel();
  new GraphPublisher(shared).publish(graph);
  const { map, added } = withAddedNodes(networkMapOf(graph), Math.max(...SIZES));
  const simulation = new Simulation(map, { ownNodeId: OWN_ID, ownNodes: added, seed: 1 });
  const { channels } = simulation.ownChannels();
  const askers = new Map<string, Ask>([
    ['one node', asker(new Kernel(shared, 0), channels, added.slice(0, 1), false)],
    ...SIZES.map(
      (size, at) =>
        [
          `purse of ${size}`,
          asker(new Kernel(shared, at + 1), channels, added.slice(0, size), true),
        ] as const,
    ),
  ]);
  const random = seededRandom(2026, 1);
  const rows = [];
  for (const { sat, maxparts } of AMOUNTS) {
    const times = new Map([...askers.keys()].map((who) => [who, [] as number[]]));
    for (let n = -WARMUP; n < (quick ? 200 : 2_000); n++) {
      const destination = graph.nodeId(Math.floor(random() * graph.nodeCount));
      for (const [who, ask] of askers) {
        const ms = ask(destination, sat, maxparts);
        if (n >= 0) times.get(who)!.push(ms);
      }
    }
    const base = times.get('one node')!;
    for (const [who, measured] of times) {
      const ratio = meanOf(measured) / meanOf(base);
      rows.push({
        sat,
        parts: maxparts,
        source: who,
        'mean ms': meanOf(measured),
        'p50 ms': quantile(measured, 0.5),
        'p99 ms': quantile(measured, 0.99),
        'times one node': ratio,
      });
      const size = Number(who.split(' ').at(-1));
      if (!(size in TARGETS)) continue;
      const figure = {
        name: `${who}, ${sat} sat`,
        value: ratio,
        unit: 'times one node',
        target: `<= ${TARGETS[size]}`,
      };
      report.figure('purse', figure);
    }
  }
  report.table('purse', `searches over several nodes, ${name}`, rows);
}

function asker(
  kernel: Kernel,
  channels: readonly OwnChannel[],
  nodes: readonly NodeId[],
  isPurse: boolean,
): Ask {
  const book = new LayerBook();
  const own = channels.filter(({ ownNodeId }) => nodes.includes(ownNodeId!));
  book.localChannels.refresh(OWN_ID, own);
  if (isPurse) {
    const members = nodes.map((nodeId, number) => ({
      ...{ nodeId, number, largestPartMsat: 2n ** 62n, pricePpm: 0 },
      spendableMsat: own.reduce((sum, one) => (one.ownNodeId === nodeId ? sum + one.spendableMsat : sum), 0n),
    }));
    const routable = own.map(({ ownNodeId, peerId, shortChannelId }) => ({
      ...{ ownNodeId: ownNodeId!, peerId, shortChannelId: shortChannelId! },
    }));
    book.purse.refresh(OWN_ID, members, routable);
  }
  const slots = new LayerSlots(kernel);
  const delta = new LayerFeed(book).since(-1);
  if (!kernel.reading(() => slots.apply(delta))) throw new Error('the layers are out of step');
  const layers = ['auto.localchans', ...(isPurse ? ['auto.purse'] : []), 'auto.sourcefree'];
  const stack = slots.resolve(resolveLayers(book, layers, true).layerIds, layers);
  const source = isPurse ? OWN_ID : nodes[0]!;
  let task = 0;
  return (destination, sat, maxparts) => {
    const amountMsat = msat(BigInt(sat) * 1000n);
    const started = performance.now();
    kernel.beginTask(++task);
    solveRoute(kernel, {
      ...{ source, destination, amountMsat, maxparts, ...stack },
      ...{ maxfeeMsat: msat(amountMsat / 100n + 5_000n), finalCltv: 18, maxdelay: 2016 },
      ...{ includeFees: false, maxhops: MAXHOPS + (isPurse ? 1 : 0) },
    });
    return performance.now() - started;
  };
}
