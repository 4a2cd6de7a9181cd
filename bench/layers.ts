/**
 * Layers at scale: changes over the socket, a hundred thousand layers, and route queries under a layer of a hundred
 * thousand constraints. The layer stays unchanged, or changes between queries. The same queries also run without the
 * layer.
 *
 * Each constraint leaves its direction all but one msat of the capacity. So every direction is overridden, yet the
 * search is as hard as without the layer. The ratio of the times then shows only the cost of the layer.
 */
import { RouteEngine } from '../src/engine/host/engine.ts';
import { LayerFeed } from '../src/engine/host/layer-feed.ts';
import type { RouteQuery } from '../src/engine/question/route.ts';
import { Kernel } from '../src/engine/solver/kernel.ts';
import { LayerSlots } from '../src/engine/solver/layer-slots.ts';
import { seededRandom } from '../src/gossip/random.ts';
import type { Layer } from '../src/layers/layer.ts';
import { LayerBook } from '../src/layers/layer-book.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import { msat } from '../src/model/msat.ts';
import { type Direction, formatShortChannelIdDir, shortChannelId } from '../src/model/short-channel-id.ts';
import type { BenchContext } from './context.ts';
import { type BenchClient, requestText, startDaemonProcess } from './daemon.ts';
import { mainGraph } from './graphs.ts';
import { heldBytes, quantile, timed, timedAsync } from './measure.ts';
import { pairsOf, queryFor } from './pairs.ts';

const CONSTRAINTS = 100_000;
const LAYERS = 100_000;
const AMOUNTS_SAT = [1_000, 100_000];
/** Number of records in a payment's own layer. */
const PRIVATE_RECORDS = 10;
const BLOCK_BYTES = 64;

/** Runs the benchmark area `layers`. */
export async function layersBench(context: BenchContext): Promise<void> {
  await socketFigures(context);
  await memoryFigures(context);
  for (const amountSat of AMOUNTS_SAT) await queryFigures(context, amountSat);
}

type Figure = (name: string, value: number, unit: string, target?: string) => void;

const figureOf = ({ report }: BenchContext): Figure => {
  return (name, value, unit, target) =>
    report.figure('layers', { name, value, unit, ...(target !== undefined && { target }) });
};

// ---------------------------------------------------------------- over the socket

async function socketFigures(context: BenchContext): Promise<void> {
  const figure = figureOf(context);
  const count = context.quick ? 20_000 : 100_000;
  const { client, stop } = await startDaemonProcess('none');
  try {
    await client.call(requestText('askrene-create-layer', '["memory"]'));
    await client.call(requestText('askrene-create-layer', '["disk",true]'));
    await client.pipeline(informs('memory', 10_000));
    figure(
      'mutations, pipelined',
      perSecond(count, await pipelinedMs(client, informs('memory', count))),
      '1/s',
      '>= 20000',
    );
    figure(
      'mutations of a persistent layer, pipelined',
      perSecond(count, await pipelinedMs(client, informs('disk', count))),
      '1/s',
    );
    await client.call(requestText('askrene-create-layer', '["small"]'));
    await client.pipeline(informs('small', 10));
    const few = await listingMs(client);
    const creations = Array.from({ length: LAYERS }, (_, i) =>
      requestText('askrene-create-layer', `["layer-${i}"]`),
    );
    figure(
      `creating ${LAYERS} layers, pipelined`,
      (await pipelinedMs(client, creations)) / 1000,
      's',
      '<= 29',
    );
    figure('listlayers of a layer of 10 among 3, p50', few, 'ms');
    figure(
      `listlayers of that layer among ${LAYERS}, p50`,
      await listingMs(client),
      'ms',
      `<= ${(few * 1.5).toFixed(3)}`,
    );
  } finally {
    await stop();
  }
}

const perSecond = (count: number, ms: number): number => (count / ms) * 1000;

async function pipelinedMs(client: BenchClient, requests: readonly string[]): Promise<number> {
  return (await timedAsync(() => client.pipeline(requests))).ms;
}

async function listingMs(client: BenchClient): Promise<number> {
  const request = requestText('askrene-listlayers', '["small"]');
  const times: number[] = [];
  for (let i = 0; i < 500; i++) times.push((await timedAsync(() => client.call(request))).ms);
  return quantile(times, 0.5);
}

/** Requests that add constraints of different directions. */
function informs(layer: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const scidd = formatShortChannelIdDir({
      shortChannelId: shortChannelId(800_000, i >> 1, 1),
      direction: (i & 1) as Direction,
    });
    return requestText('askrene-inform-channel', `["${layer}","${scidd}",${1000 + i},"constrained"]`);
  });
}

// ---------------------------------------------------------------- memory

/** A layer with this many constraints, at most one for each direction. */
function constrained(book: LayerBook, graph: ChannelGraph, name = 'constraints'): Layer {
  const layer = book.createLayer(name, false);
  for (
    let directionIndex = 0;
    directionIndex < Math.min(CONSTRAINTS, graph.channelCount * 2);
    directionIndex++
  )
    constrain(book, layer, graph, directionIndex);
  return layer;
}

function constrain(book: LayerBook, layer: Layer, graph: ChannelGraph, directionIndex: number): void {
  const channel = (directionIndex >> 1) % graph.channelCount;
  const of = {
    shortChannelId: graph.shortChannelIds[channel]! as never,
    direction: (directionIndex & 1) as Direction,
  };
  book.informChannel(layer, of, msat(graph.capacityMsat[channel]!), 'constrained');
}

async function memoryFigures(context: BenchContext): Promise<void> {
  const { graph } = mainGraph();
  const figure = figureOf(context);
  const book = new LayerBook();
  const before = await heldBytes();
  constrained(book, graph);
  figure('memory per constraint, main thread', ((await heldBytes()) - before) / CONSTRAINTS, 'bytes');
  const kernel = Kernel.inProcess(graph);
  const slots = new LayerSlots(kernel);
  const feed = new LayerFeed(book);
  const { result: delta, ms: packingMs } = timed(() => feed.since(-1));
  const { ms: fillingMs } = timed(() => kernel.reading(() => slots.apply(delta)));
  const filled = kernel.exports.blocksUsed();
  const unapplied = kernel.view.buffer.byteLength;
  const { layerIds: stack } = slots.resolve([...book.layerIds()], []);
  const { ms: applyingMs } = timed(() => kernel.reading(() => kernel.applyStack(stack)));
  const appliedBytes = kernel.view.buffer.byteLength - unapplied + filled * BLOCK_BYTES;
  figure('memory per constraint, each worker', (filled * BLOCK_BYTES) / CONSTRAINTS, 'bytes');
  figure('memory per constraint, each worker, while applied', appliedBytes / CONSTRAINTS, 'bytes');
  context.report.table('layers', `a new layer of ${CONSTRAINTS} constraints reaches a worker, ms`, [
    { 'packed by the main thread': packingMs, 'read by a worker': fillingMs, 'applied first': applyingMs },
  ]);
  feed.close();
}

// ---------------------------------------------------------------- queries

/**
 * One kind of query, with its own engine of one worker, so that it cannot profit from layers that another kind left
 * applied.
 */
interface Way {
  readonly name: string;
  readonly engine: RouteEngine;
  readonly book: LayerBook;
  readonly target?: string;
  /** Makes a change, and returns the layers for the next query. */
  readonly prepare: (round: number) => readonly string[];
  readonly after?: () => void;
}

function waysOf(graph: ChannelGraph): Way[] {
  const make = (
    name: string,
    rest: (book: LayerBook) => Omit<Way, 'name' | 'engine' | 'book'>,
    workers = 1,
  ): Way => {
    const book = new LayerBook();
    const engine = new RouteEngine({ book, workers });
    engine.publish(graph);
    return { name, engine, book, ...rest(book) };
  };
  const under = (names: readonly string[]) => names;
  return [
    make('no layer', () => ({ prepare: () => under([]) })),
    make('no layer, repeated', () => ({ prepare: () => under([]) })),
    make('an unchanged layer', (book) => {
      constrained(book, graph);
      return { target: '<= 1.1', prepare: () => under(['constraints']) };
    }),
    make('a layer that grew by a record', (book) => {
      const layer = constrained(book, graph);
      return {
        target: '<= 1.1',
        prepare: (round) => {
          constrain(book, layer, graph, round);
          return under(['constraints']);
        },
      };
    }),
    make('an unchanged layer and a private one', (book) => {
      constrained(book, graph);
      return {
        target: '<= 1.1',
        prepare: (round) => {
          const own = book.createLayer('private', false);
          for (let i = 0; i < PRIVATE_RECORDS; i++) constrain(book, own, graph, round * PRIVATE_RECORDS + i);
          return under(['constraints', 'private']);
        },
        after: () => book.removeLayer(book.layer('private')!),
      };
    }),
    make('the layer in every second query', (book) => alternating(book, graph)),
    make('the layer in every second query, two workers', (book) => alternating(book, graph), 2),
  ];
}

function alternating(book: LayerBook, graph: ChannelGraph): Pick<Way, 'prepare'> {
  constrained(book, graph);
  return { prepare: (round) => (round % 2 === 0 ? ['constraints'] : []) };
}

async function queryFigures(context: BenchContext, amountSat: number): Promise<void> {
  const { graph } = mainGraph();
  const count = context.quick ? 100 : 400;
  const queries = pairsOf(graph, 'big', amountSat, count).map((pair) => queryFor(pair, amountSat));
  const ways = waysOf(graph);
  const times = ways.map((): number[] => []);
  const random = seededRandom(1, 0);
  try {
    // The first round warms up the code, and sends the layer to the worker.
    for (const [round, query] of [...queries.slice(0, 50), ...queries].entries()) {
      for (const index of shuffled(ways.length, random)) {
        const ms = await queryMs(ways[index]!, query, round);
        if (round >= 50) times[index]!.push(ms);
      }
    }
  } finally {
    await Promise.all(ways.map(({ engine }) => engine.close()));
  }
  report(context, amountSat, ways, times);
}

/** 0 … length−1 in random order, so that queries of one kind do not always follow those of the same other kind. */
function shuffled(length: number, random: () => number): number[] {
  const order = Array.from({ length }, (_, index) => index);
  for (let last = length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}

async function queryMs(way: Way, query: RouteQuery, round: number): Promise<number> {
  const layers = [...query.layers, ...way.prepare(round)];
  const { ms } = await timedAsync(() => way.engine.getroutes({ ...query, layers }).catch(() => undefined));
  way.after?.();
  return ms;
}

/**
 * The median ratio of the times that the same query takes in the two ways. Other load on the machine slows both alike.
 */
function report(
  context: BenchContext,
  amountSat: number,
  ways: readonly Way[],
  times: readonly number[][],
): void {
  const rows = ways.map(({ name }, index) => ({
    under: name,
    'p50 ms': quantile(times[index]!, 0.5),
    'p99 ms': quantile(times[index]!, 0.99),
    'ratio to no layer, p50': quotient(times, index),
  }));
  context.report.table('layers', `getroutes of ${amountSat} sat under ${CONSTRAINTS} constraints`, rows);
  for (const [index, { name, target }] of ways.entries()) {
    if (target !== undefined) {
      figureOf(context)(
        `${amountSat} sat under ${name}, ratio to no layer`,
        quotient(times, index),
        'times',
        target,
      );
    }
  }
}

const quotient = (times: readonly number[][], index: number): number =>
  quantile(
    times[index]!.map((ms, query) => ms / times[0]![query]!),
    0.5,
  );
