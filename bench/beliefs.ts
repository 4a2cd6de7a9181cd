/**
 * Startup cost of 200,000 beliefs about channels and 20,000 about nodes: processor time to read them, and memory; and
 * whether all of them survive a kill -9. The writer is a separate process, which is killed once its store has reported
 * that everything is on disk. `BENCH_BELIEFS` sets the number of beliefs about channels.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openOdds } from '../src/cli/daemon/open-odds.ts';
import type { Layer } from '../src/layers/layer.ts';
import { LayerBook } from '../src/layers/layer-book.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import { realClock } from '../src/model/clock.ts';
import type { ShortChannelId } from '../src/model/short-channel-id.ts';
import { LearnedBeliefs } from '../src/payments/learn/learned-beliefs.ts';
import { SHARED_LAYER } from '../src/payments/learn/learning.ts';
import { MAX_NODES_REMEMBERED } from '../src/payments/learn/node-outcomes.ts';
import type { OddsModel } from '../src/payments/learn/odds-model.ts';
import { Store } from '../src/store/store.ts';
import type { BenchContext } from './context.ts';
import { mainGraph } from './graphs.ts';
import { heldBytes } from './measure.ts';

const BELIEFS = Number(process.env.BENCH_BELIEFS ?? 200_000);
const quiet = { unusual: (message: string): void => console.log(message) };

/** Runs the benchmark area `beliefs`. */
export async function beliefsBench({ report }: BenchContext): Promise<void> {
  const { graph } = mainGraph();
  const directory = mkdtempSync(join(tmpdir(), 'beliefs-'));
  try {
    await writeAndKill(directory);
    const before = await heldBytes();
    const reading = startMs();
    const store = new Store(join(directory, 'store.sqlite3'));
    const book = new LayerBook();
    await store.layers.attach(book);
    const layersMs = reading();
    const odds = openOdds(directory, realClock, quiet);
    const oddsMs = reading();
    const held = (await heldBytes()) - before;
    const records = book.layer(SHARED_LAYER)?.records.length ?? 0;
    const nodes = odds.model.state().nodes.length;
    const first = startMs();
    const beliefs = new LearnedBeliefs({ model: odds.model, book, graph: () => graph });
    beliefs.refresh();
    const firstMs = first();
    const after = (await heldBytes()) - before;
    report.table('beliefs', 'a start after a kill -9, processor time', [
      {
        ...{ beliefs: records, 'of written': BELIEFS, nodes, 'of them': MAX_NODES_REMEMBERED },
        ...{ 'layers ms': Math.round(layersMs), 'odds ms': Math.round(oddsMs - layersMs) },
        ...{ 'first search ms': Math.round(firstMs), MB: megabytes(held), 'MB in use': megabytes(after) },
      },
    ]);
    beliefs.close();
    odds.close();
    store.close();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

/**
 * Starts a clock.
 * @returns a function that returns the processor time used by this process since then, in milliseconds
 */
function startMs(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}

/** Starts a process that writes the beliefs, and kills it once it reports that everything is on disk. */
async function writeAndKill(directory: string): Promise<void> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [directory]);
  await once(child, 'message');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** The work of the separate process: writes all beliefs, and reports when they are on disk. */
async function writeAll(directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const { graph } = mainGraph();
  const store = new Store(join(directory, 'store.sqlite3'));
  const book = new LayerBook();
  await store.layers.attach(book);
  const layer = book.createLayer(SHARED_LAYER, true);
  addBeliefs(book, layer, graph);
  await store.layers.durable(layer);
  const odds = openOdds(directory, realClock, quiet);
  addNodes(odds.model, graph);
  odds.close();
  process.send!('written');
  setInterval(() => undefined, 1000);
}

/**
 * Adds bounds of all channels in turn, in both directions: each carried a third of its capacity, but not two thirds.
 */
function addBeliefs(book: LayerBook, layer: Layer, graph: ChannelGraph): void {
  for (let n = 0; n < BELIEFS; n++) {
    const channel = n % graph.channelCount;
    const turn = Math.floor(n / graph.channelCount);
    const kind = turn % 2 === 0 ? 'maximum' : 'minimum';
    const third = graph.capacityMsat[channel]! / 3n;
    book.adopt(layer, {
      ...{ type: 'inform', kind, amountMsat: kind === 'minimum' ? third : 2n * third },
      shortChannelId: graph.shortChannelIds[channel] as unknown as ShortChannelId,
      direction: turn % 4 < 2 ? 0 : 1,
      timestamp: book.now() - (n % 3600),
    });
  }
}

function addNodes(model: OddsModel, graph: ChannelGraph): void {
  const timestamp = Math.floor(realClock.nowMs() / 1000) - 1;
  const node = (n: number) => graph.nodeId(n % graph.nodeCount);
  const extra = (n: number) => `02${n.toString(16).padStart(64, '0')}` as ReturnType<typeof node>;
  model.learnHistory(
    Array.from({ length: MAX_NODES_REMEMBERED }, (_, n) => ({
      node: n < graph.nodeCount ? node(n) : extra(n),
      ...{ hasAnswered: n % 10 !== 0, timestamp },
    })),
  );
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) await writeAll(argv[2]!);
