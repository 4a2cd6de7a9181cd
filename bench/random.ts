/**
 * Random `getroutes` with limits and layers, over the socket, one at a time: the processor time of the daemon for each
 * query, and how many queries the search cannot decide.
 *
 * The ends of a query are those of two random directions. Amounts are 1 sat to 0.3 BTC (uniform logarithm), or between
 * 0.4 and 40 % of what the smaller end's channels hold. Fee limits, delays, parts and layers are drawn independently,
 * from none to hardly possible. A layer contains constraints, channel updates, biases, created channels and disabled
 * nodes; some channels are reserved. Everything follows from the graph and a seed (`BENCH_SEED`).
 */
import { seededRandom } from '../src/gossip/random.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import { type Direction, formatShortChannelIdDir } from '../src/model/short-channel-id.ts';
import type { BenchContext } from './context.ts';
import { requestText, startDaemonProcess, UNDECIDED } from './daemon.ts';
import { mainGraph } from './graphs.ts';
import { milliseconds } from './kernel.ts';
import { meanOf, spreadOf } from './measure.ts';
import { usedBy } from './processor.ts';
import { PROCESSOR_US } from './report.ts';

const QUERIES = 5_000;
const WARMUP = 500;
/** Number of entries of each layer. */
const LAYER_ENTRIES = [20, 200, 1_000, 5_000];
const RESERVATIONS = 200;
const NODES_DISABLED = 0.02;
const CHANNELS_CREATED = 0.05;
const US_PER_MS = 1000;

/** Runs the benchmark area `random`. */
export async function randomBench({ report, quick }: BenchContext): Promise<void> {
  const { source, graph } = mainGraph();
  const questions = new RandomQuestions(graph, Number(process.env.BENCH_SEED ?? 1));
  const daemon = await startDaemonProcess(source, ['--workers', '1']);
  try {
    const { client, processId } = daemon;
    for (const request of questions.layers()) {
      const answer = await client.call(request);
      if (answer.includes('"error"')) throw new Error(`${request}: ${answer}`);
    }
    for (let query = 0; query < WARMUP; query++) await client.call(questions.next());
    const all: Query[] = [];
    for (let query = 0; query < (quick ? 300 : QUERIES); query++) {
      const request = questions.next();
      const { allUs, result } = await usedBy(processId, () => client.call(request));
      all.push({ outcome: outcomeOf(result), ms: allUs / US_PER_MS });
    }
    const rows = ['answered', 'refused', 'undecided', 'all'].map((outcome) => {
      const queries = all.filter((query) => outcome === 'all' || query.outcome === outcome);
      const times = queries.map(({ ms }) => ms);
      return {
        queries: outcome,
        number: times.length,
        'mean ms': meanOf(times),
        ...milliseconds(spreadOf(times)),
      };
    });
    report.table('random', 'processor time of random getroutes with limits and layers', rows);
    const p99 = spreadOf(all.map(({ ms }) => ms)).p99;
    const undecided = all.filter(({ outcome }) => outcome === 'undecided').length;
    const figure = { unit: PROCESSOR_US, target: '<= 12000' };
    report.figure('random', { name: 'random getroutes, p99', value: p99 * US_PER_MS, ...figure });
    report.figure('random', {
      name: 'random getroutes, undecided',
      value: (100 * undecided) / all.length,
      unit: '%',
      target: '<= 0.2',
    });
  } finally {
    await daemon.stop();
  }
}

type Outcome = 'answered' | 'refused' | 'undecided';

interface Query {
  readonly outcome: Outcome;
  /** Processor time of the daemon. */
  readonly ms: number;
}

function outcomeOf(answer: string): Outcome {
  if (answer.includes('"result"')) return 'answered';
  return answer.includes(UNDECIDED) ? 'undecided' : 'refused';
}

/** A sequence of random requests. */
class RandomQuestions {
  readonly #graph: ChannelGraph;
  readonly #random: () => number;
  /** By node: the total capacity of its channels, msat. */
  readonly #capacities: Float64Array;

  constructor(graph: ChannelGraph, seed: number) {
    this.#graph = graph;
    this.#random = seededRandom(seed, 0);
    this.#capacities = new Float64Array(graph.nodeCount);
    for (let channel = 0; channel < graph.channelCount; channel++)
      for (const ends of [graph.node1, graph.node2])
        this.#capacities[ends[channel]!]! += Number(graph.capacityMsat[channel]!);
  }

  /** Requests that create the layers and the reservations. */
  *layers(): Iterable<string> {
    for (const [index, entries] of LAYER_ENTRIES.entries()) {
      const layer = `layer ${index}`;
      yield requestText('askrene-create-layer', JSON.stringify({ layer }));
      for (let entry = 0; entry < entries; entry++) yield this.#entry(layer, entry);
    }
    for (let reservation = 0; reservation < RESERVATIONS; reservation++) {
      const { short_channel_id_dir, capacityMsat } = this.#direction();
      const amount_msat = Math.floor(capacityMsat * 0.5 * this.#random());
      const path = [{ short_channel_id_dir, amount_msat }];
      yield requestText('askrene-reserve', JSON.stringify({ path }));
    }
  }

  /** The next `getroutes`. */
  next(): string {
    const [source, destination] = this.#ends();
    const amount_msat = this.#amount(source, destination);
    const maxfees = [0.05 * amount_msat, 1e-3 * amount_msat, 2e-4 * amount_msat, 0, 1e9];
    const layers = LAYER_ENTRIES.map((_, index) => `layer ${index}`).filter(() => this.#random() < 0.3);
    return requestText(
      'getroutes',
      JSON.stringify({
        ...{ source, destination, amount_msat },
        layers: this.#random() < 0.5 ? [...layers, 'auto.sourcefree'] : layers,
        maxfee_msat: Math.floor(this.#of([0.01 * amount_msat + 5000, ...maxfees])),
        final_cltv: this.#of([0, 18, 40, 144]),
        maxdelay: this.#of([2016, 2016, 2016, 1000, 500, 300, 150]),
        maxparts: this.#of([1, 2, 3, 10, 100, 100]),
      }),
    );
  }

  #ends(): [string, string] {
    for (;;) {
      const [source, destination] = [this.#node(), this.#node()];
      if (source !== destination) return [source, destination];
    }
  }

  #amount(source: string, destination: string): number {
    if (this.#random() < 0.5) return Math.floor(10 ** (3 + 7.5 * this.#random()));
    const [from, to] = [source, destination].map(
      (id) => this.#capacities[this.#graph.nodeIndex(id as never)]!,
    );
    return Math.max(1, Math.floor(Math.min(from!, to!) * 10 ** (-2.4 + 2 * this.#random())));
  }

  /** A change of a layer. */
  #entry(layer: string, entry: number): string {
    const kind = this.#random();
    if (kind < NODES_DISABLED)
      return requestText('askrene-disable-node', JSON.stringify({ layer, node: this.#anyNode() }));
    if (kind < NODES_DISABLED + CHANNELS_CREATED) {
      const [source, destination] = this.#ends();
      const capacity_msat = Math.floor(10 ** (7 + 4 * this.#random()));
      const short_channel_id = `${1 + entry}x${layer.length + Number(layer.at(-1))}x1`;
      const channel = { layer, source, destination, short_channel_id, capacity_msat };
      return requestText('askrene-create-channel', JSON.stringify(channel));
    }
    const { short_channel_id_dir, capacityMsat } = this.#direction();
    const of = { layer, short_channel_id_dir };
    const update = { fee_proportional_millionths: Math.floor(3000 * this.#random()) };
    const bias = { bias: Math.floor(200 * this.#random()) - 100 };
    const inform = {
      amount_msat: Math.floor(capacityMsat * this.#random()),
      inform: this.#of(['constrained', 'constrained', 'unconstrained']),
    };
    const [command, values] = this.#of([
      ['askrene-inform-channel', inform],
      ['askrene-inform-channel', inform],
      ['askrene-update-channel', update],
      ['askrene-update-channel', { enabled: false }],
      ['askrene-bias-channel', bias],
    ] as const);
    return requestText(command, JSON.stringify({ ...of, ...values }));
  }

  #anyNode(): string {
    return this.#graph.nodeId(Math.floor(this.#graph.nodeCount * this.#random()));
  }

  /** An end of a random channel. */
  #node(): string {
    const { node1, node2, channelCount } = this.#graph;
    const channel = Math.floor(channelCount * this.#random());
    return this.#graph.nodeId((this.#random() < 0.5 ? node1 : node2)[channel]!);
  }

  #direction() {
    const { channelCount, shortChannelIds, capacityMsat } = this.#graph;
    const channel = Math.floor(channelCount * this.#random());
    const short_channel_id_dir = formatShortChannelIdDir({
      shortChannelId: shortChannelIds[channel]! as never,
      direction: (this.#random() < 0.5 ? 0 : 1) as Direction,
    });
    return { short_channel_id_dir, capacityMsat: Number(capacityMsat[channel]!) };
  }

  #of<T>(values: readonly T[]): T {
    return values[Math.floor(values.length * this.#random())]!;
  }
}
