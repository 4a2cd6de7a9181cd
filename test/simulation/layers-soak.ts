/**
 * A long run of layers. Many clients change, query and remove layers over the socket of one node with two
 * workers. A model of each client's layers gets the same changes.
 *
 * Each client has its own layer, which it removes and recreates; every fifth layer is persistent. It also has
 * its own channels in one layer that all clients share. So the order of the clients' requests does not
 * matter, and the model is exact. Time stands still, and `askrene-age` forgets everything or nothing.
 */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { NodeContext } from '../../src/commands/context.ts';
import { COMMANDS } from '../../src/commands/index.ts';
import { RouteEngine } from '../../src/engine/host/engine.ts';
import { LayerFeed } from '../../src/engine/host/layer-feed.ts';
import { Kernel } from '../../src/engine/solver/kernel.ts';
import { LayerSlots } from '../../src/engine/solver/layer-slots.ts';
import { solveRoute } from '../../src/engine/solver/solve-route.ts';
import type { Layer } from '../../src/layers/layer.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { msat } from '../../src/model/msat.ts';
import {
  type Direction,
  formatShortChannelId,
  formatShortChannelIdDir,
  type ShortChannelIdDir,
  shortChannelId,
} from '../../src/model/short-channel-id.ts';
import { Store } from '../../src/store/store.ts';
import { nodeId, tinyGraph } from '../reference/tiny-graph.ts';
import { RawClient, serve, temporaryDirectory } from '../rpc/support.ts';
import { randomFrom } from '../store/layer-actions.ts';

const NOW = 1_800_000_000;
const CLIENTS = 50;
const WORKERS = 2;
/** Maximum number of concurrent requests of a client. */
const PIPELINE = 16;
const NODES = 40;
/** Nodes that exist only in layers. */
const STRANGERS = 200;
const SHARED = 'shared';
/** After this many rounds of the first client, a policy changes and the graph is published again. */
const PUBLISH_EVERY = 50;
/** Number of memory readings. */
const SAMPLES = 20;
/** The error codes of a query that found nothing. They count as answers. */
const NO_ROUTE = new Set([205, 206, 215, 220]);

export interface SoakResult {
  readonly seconds: number;
  readonly mutations: number;
  readonly queries: number;
  readonly routesFound: number;
  readonly listings: number;
  /** The first few unexpected answers. */
  readonly errors: readonly string[];
  readonly workersReplaced: number;
  /**
   * Bytes in use, at regular intervals: in JavaScript (objects and buffers), and in the shared memory of the
   * kernels.
   */
  readonly heapBytes: readonly number[];
  readonly kernelBytes: readonly number[];
  /** The layers at the end, according to the node, the model and the disk. */
  readonly layers: { readonly node: string; readonly model: string };
  readonly persistent: { readonly disk: string; readonly model: string };
  /**
   * The workers' answers to a few queries at the end, and the answers of a kernel that has only the model's
   * layers.
   */
  readonly answers: { readonly node: readonly string[]; readonly model: readonly string[] };
}

const { graph } = tinyGraph(
  Array.from({ length: NODES }, (_, i) =>
    [1, 3, 7].map((step) => `${i}-${(i + step) % NODES} ${i}x${step}x1 fee=${i * step}+${i}`),
  ).flat(),
);
const IDS = Array.from({ length: NODES + STRANGERS }, (_, n) => nodeId(n));

/** A request, its effect on the model, and its kind. */
interface Act {
  readonly method: string;
  readonly params: object;
  readonly kind: 'mutation' | 'query' | 'listing';
  readonly model?: () => void;
}

class Client {
  readonly #model: LayerBook;
  readonly #number: number;
  readonly #random: (below: number) => number;
  readonly #name: string;
  readonly #persistent: boolean;
  #layer: Layer | undefined;
  readonly #shared: Layer;

  constructor(model: LayerBook, number: number, shared: Layer, seed: number) {
    this.#model = model;
    this.#number = number;
    this.#random = randomFrom(seed * 1000 + number);
    this.#name = `own ${number}`;
    this.#persistent = number % 5 === 0;
    this.#shared = shared;
  }

  /** Chooses the next action at random. */
  act(): Act {
    const random = this.#random;
    const layer = this.#layer;
    if (layer === undefined) return this.#create();
    const die = random(100);
    if (die < 2 || layer.records.length > 300) return this.#remove(layer);
    if (die < 12) return this.#query();
    if (die < 15) return { method: 'askrene-listlayers', params: [this.#name], kind: 'listing' };
    const kinds = [
      () => this.#inform(layer),
      () => this.#inform(layer),
      () => this.#inform(layer),
      () => this.#update(layer),
      () => this.#bias(layer),
      () => this.#channel(layer),
      () => this.#disable(layer),
      () => this.#age(layer),
      () => this.#reserve(layer),
      () => this.#share(),
    ];
    return kinds[random(kinds.length)]!();
  }

  #create(): Act {
    return this.#mutation('askrene-create-layer', [this.#name, this.#persistent], () => {
      this.#layer = this.#model.createLayer(this.#name, this.#persistent);
    });
  }

  #remove(layer: Layer): Act {
    return this.#mutation('askrene-remove-layer', [this.#name], () => {
      this.#model.removeLayer(layer);
      this.#layer = undefined;
    });
  }

  /**
   * A request that also changes the model. The model changes when the request is made, because the requests of a
   * client are served in order.
   */
  #mutation(method: string, params: object, model: () => void): Act {
    return { method, params, kind: 'mutation', model };
  }

  #direction(): ShortChannelIdDir {
    const steps = [1, 3, 7];
    const scid = shortChannelId(this.#random(NODES), steps[this.#random(3)]!, 1);
    return { shortChannelId: scid, direction: this.#random(2) as Direction };
  }

  #inform(layer: Layer): Act {
    const of = this.#direction();
    const amount = this.#random(1_000_000_000);
    const inform = (['constrained', 'unconstrained', 'succeeded'] as const)[this.#random(3)]!;
    const params = [this.#name, formatShortChannelIdDir(of), amount, inform];
    return this.#mutation('askrene-inform-channel', params, () =>
      this.#model.informChannel(layer, of, msat(BigInt(amount)), inform),
    );
  }

  #update(layer: Layer): Act {
    const of = this.#direction();
    const name = formatShortChannelIdDir(of);
    if (this.#random(4) === 0) {
      return this.#mutation('askrene-remove-channel-update', [this.#name, name], () =>
        this.#model.removeChannelUpdate(layer, of),
      );
    }
    const update = { enabled: this.#random(4) !== 0, feeBaseMsat: BigInt(this.#random(5000)) };
    const params = {
      layer: this.#name,
      short_channel_id_dir: name,
      enabled: update.enabled,
      fee_base_msat: Number(update.feeBaseMsat),
    };
    return this.#mutation('askrene-update-channel', params, () =>
      this.#model.updateChannel(layer, of, update),
    );
  }

  #bias(layer: Layer): Act {
    const change = { bias: this.#random(201) - 100, relative: this.#random(2) === 0, description: 'soak' };
    const tail = [change.bias, change.description, change.relative];
    if (this.#random(2) === 0) {
      const node = IDS[this.#random(IDS.length)]!;
      const side = this.#random(2) === 0 ? 'in' : 'out';
      return this.#mutation('askrene-bias-node', [this.#name, node, side, ...tail], () =>
        this.#model.biasNode(layer, node, side, change),
      );
    }
    const of = this.#direction();
    return this.#mutation('askrene-bias-channel', [this.#name, formatShortChannelIdDir(of), ...tail], () =>
      this.#model.biasChannel(layer, of, change),
    );
  }

  /** Creates a channel to a node that may exist only in this layer. The channel is usable after its first update. */
  #channel(layer: Layer): Act {
    const [a, b] = [IDS[this.#random(NODES)]!, IDS[NODES + this.#random(STRANGERS)]!];
    const scid = shortChannelId(900_000, this.#random(500), this.#number);
    const of = { shortChannelId: scid, direction: this.#random(2) as Direction };
    const name = formatShortChannelIdDir(of);
    if (layer.createdChannel(scid) !== undefined) {
      const update = { enabled: true, htlcMaximumMsat: 10n ** 9n };
      const params = {
        layer: this.#name,
        short_channel_id_dir: name,
        enabled: true,
        htlc_maximum_msat: 1_000_000_000,
      };
      return this.#mutation('askrene-update-channel', params, () =>
        this.#model.updateChannel(layer, of, update),
      );
    }
    return this.#mutation(
      'askrene-create-channel',
      [this.#name, a, b, formatShortChannelId(scid), '1000000sat'],
      () => this.#model.createChannel(layer, a, b, scid, msat(10n ** 9n)),
    );
  }

  #disable(layer: Layer): Act {
    const node = IDS[this.#random(IDS.length)]!;
    return this.#mutation('askrene-disable-node', [this.#name, node], () =>
      this.#model.disableNode(layer, node),
    );
  }

  #age(layer: Layer): Act {
    const cutoff = this.#random(3) === 0 ? NOW + 1 : NOW;
    return this.#mutation('askrene-age', [this.#name, cutoff], () => this.#model.age(layer, BigInt(cutoff)));
  }

  /** Reserves a path, or releases the oldest reservation of this client's layer. */
  #reserve(layer: Layer): Act {
    const [held] = this.#model.reservations(layer);
    if (held !== undefined && this.#random(2) === 0) {
      const params = [
        [
          {
            short_channel_id_dir: formatShortChannelIdDir(held.shortChannelIdDir),
            amount_msat: Number(held.amountMsat),
            layer: this.#name,
          },
        ],
      ];
      return this.#mutation('askrene-unreserve', params, () => this.#model.unreserve([held]));
    }
    const path = Array.from({ length: 3 }, () => ({
      shortChannelIdDir: this.#direction(),
      amountMsat: msat(BigInt(this.#random(1_000_000))),
      layer,
    }));
    const params = [
      path.map(({ shortChannelIdDir, amountMsat }) => ({
        short_channel_id_dir: formatShortChannelIdDir(shortChannelIdDir),
        amount_msat: Number(amountMsat),
        layer: this.#name,
      })),
    ];
    return this.#mutation('askrene-reserve', params, () => this.#model.reserve(path, 'soak'));
  }

  /** Changes a direction of the shared layer. Each client has its own directions. */
  #share(): Act {
    const of = {
      shortChannelId: shortChannelId(this.#number % NODES, 1, 1),
      direction: (this.#number < NODES ? 0 : 1) as Direction,
    };
    const update = { feeBaseMsat: BigInt(this.#random(3000)) };
    const params = {
      layer: SHARED,
      short_channel_id_dir: formatShortChannelIdDir(of),
      fee_base_msat: Number(update.feeBaseMsat),
    };
    return this.#mutation('askrene-update-channel', params, () =>
      this.#model.updateChannel(this.#shared, of, update),
    );
  }

  #query(): Act {
    const source = this.#random(NODES);
    const destination = (source + 1 + this.#random(NODES - 1)) % NODES;
    const lists = [[SHARED, this.#name], [this.#name, 'auto.sourcefree', SHARED], [this.#name], [SHARED]];
    const params = {
      source: IDS[source]!,
      destination: IDS[destination]!,
      amount_msat: 1 + this.#random(2_000_000_000),
      layers: lists[this.#random(lists.length)]!,
      maxfee_msat: 100_000_000,
      final_cltv: 18,
    };
    return { method: 'getroutes', params, kind: 'query' };
  }
}

/** Runs the clients for `seconds`. `onSample` is called with the progress. */
export async function soakLayers(
  seconds: number,
  seed: number,
  onSample: (line: string) => void = () => undefined,
): Promise<SoakResult> {
  const directory = temporaryDirectory();
  const path = join(directory.path, 'node.sqlite');
  const node = new LayerBook(() => NOW);
  const model = new LayerBook(() => NOW);
  const store = new Store(path);
  await store.layers.attach(node);
  const engine = new RouteEngine({ book: node, workers: WORKERS });
  engine.publish(graph);
  const context = { graph, engine, layers: node, layersDurable: () => store.committer.durable() };
  const server = await serve(COMMANDS, context as unknown as NodeContext);
  const counts = { mutation: 0, query: 0, listing: 0, found: 0 };
  const errors: string[] = [];
  const heapBytes: number[] = [];
  const kernelBytes: number[] = [];
  try {
    const shared = model.createLayer(SHARED, false);
    node.createLayer(SHARED, false);
    const started = Date.now();
    const isOver = () => Date.now() - started >= seconds * 1000;
    const clients = Array.from({ length: CLIENTS }, (_, number) => new Client(model, number, shared, seed));
    const sampling = sample(seconds, async () => {
      heapBytes.push(await heldBytes());
      kernelBytes.push(engine.stats.memoryBytes);
      onSample(
        `${heapBytes.length}/${SAMPLES}: heap ${(heapBytes.at(-1)! / 1e6).toFixed(1)} MB, kernels ${(kernelBytes.at(-1)! / 1e6).toFixed(1)} MB, ${JSON.stringify(counts)}, ${errors.length} errors`,
      );
    });
    await Promise.all(
      clients.map((client, number) => run(server.path, client, number, isOver, counts, errors, engine)),
    );
    await sampling;
    const client = new RawClient(server.path);
    const layers = {
      node: listing((await askAll(client, 'askrene-listlayers', {})) as { result: { layers: object[] } }),
      model: '',
    };
    const answers = await finalAnswers(client, model);
    client.close();
    layers.model = await modelListing(model);
    const workersReplaced = engine.stats.replaced;
    await server.stop();
    await engine.close();
    store.close();
    return {
      seconds: (Date.now() - started) / 1000,
      mutations: counts.mutation,
      queries: counts.query,
      routesFound: counts.found,
      listings: counts.listing,
      errors,
      workersReplaced,
      heapBytes,
      kernelBytes,
      layers,
      persistent: await persistentLayers(path, model),
      answers,
    };
  } finally {
    directory.remove();
  }
}

type Counts = { mutation: number; query: number; listing: number; found: number };

async function run(
  path: string,
  client: Client,
  number: number,
  isOver: () => boolean,
  counts: Counts,
  errors: string[],
  engine: RouteEngine,
): Promise<void> {
  const connection = new RawClient(path);
  for (let round = 1; !isOver(); round++) {
    const acts: Act[] = [];
    let text = '';
    for (let i = 0; i < PIPELINE; i++) {
      const act = client.act();
      act.model?.();
      acts.push(act);
      text += JSON.stringify({ jsonrpc: '2.0', id: i, method: act.method, params: act.params });
    }
    connection.send(text);
    for (const answer of await answersOf(connection, acts.length))
      note(acts[answer.id]!, answer, counts, errors);
    if (number === 0 && round % PUBLISH_EVERY === 0) republish(engine, round);
  }
  connection.close();
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Collects answers, which arrive in any order. */
async function answersOf(connection: RawClient, count: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < count) answers.push(JSON.parse((await connection.next())!));
  return answers;
}

function note(act: Act, { error }: Answer, counts: Counts, errors: string[]): void {
  counts[act.kind]++;
  if (act.kind === 'query' && error === undefined) counts.found++;
  if (error === undefined || (act.kind === 'query' && NO_ROUTE.has(error.code))) return;
  if (errors.length < 20)
    errors.push(`${act.method} ${JSON.stringify(act.params)}: ${error.code} ${error.message}`);
}

/** Changes the fee of a channel in the public graph, for all clients. */
function republish(engine: RouteEngine, round: number): void {
  const policy = graph.policy(0)!;
  graph.setPolicy(0, 0, { ...policy, feeBaseMsat: round % 5000 });
  engine.publish(graph);
}

async function sample(seconds: number, read: () => Promise<void>): Promise<void> {
  for (let i = 0; i < SAMPLES; i++) {
    await new Promise((resolve) => setTimeout(resolve, (seconds * 1000) / SAMPLES));
    await read();
  }
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes in use. Buffers are freed some time after their objects, so the collection runs twice. */
async function heldBytes(): Promise<number> {
  for (let i = 0; i < 2; i++) {
    collect();
    await setImmediate();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function askAll(client: RawClient, method: string, params: object): Promise<object> {
  return JSON.parse((await client.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))!);
}

/** The layers, sorted by name, since different clients made them in any order. */
function listing({ result }: { result: { layers: object[] } }): string {
  const layers = result.layers as { layer: string; channel_updates: { short_channel_id_dir: string }[] }[];
  // The entries of the shared layer come from all clients.
  const shared = layers.find(({ layer }) => layer === SHARED);
  shared?.channel_updates.sort((a, b) => (a.short_channel_id_dir < b.short_channel_id_dir ? -1 : 1));
  return JSON.stringify(layers.sort((a, b) => (a.layer < b.layer ? -1 : 1)));
}

/** The layers of the model, as a separate node would list them. */
async function modelListing(model: LayerBook): Promise<string> {
  const server = await serve(COMMANDS, { layers: model } as NodeContext);
  const client = new RawClient(server.path);
  try {
    return listing((await askAll(client, 'askrene-listlayers', {})) as { result: { layers: object[] } });
  } finally {
    client.close();
    await server.stop();
  }
}

async function persistentLayers(path: string, model: LayerBook): Promise<{ disk: string; model: string }> {
  const store = new Store(path);
  const book = new LayerBook(() => NOW);
  await store.layers.attach(book);
  try {
    const text = JSON.parse(await modelListing(model)) as { layer: string; persistent: boolean }[];
    return {
      disk: await modelListing(book),
      model: JSON.stringify(text.filter(({ persistent }) => persistent)),
    };
  } finally {
    store.close();
  }
}

/** Sends queries for which each layer matters, to the workers and to a kernel without history. */
async function finalAnswers(
  client: RawClient,
  model: LayerBook,
): Promise<{ node: string[]; model: string[] }> {
  const kernel = Kernel.inProcess(graph);
  const slots = new LayerSlots(kernel);
  const feed = new LayerFeed(model);
  kernel.reading(() => slots.apply(feed.since(-1)));
  const answers = { node: [] as string[], model: [] as string[] };
  for (const layer of model.layers()) {
    for (const [from, to] of [
      [0, 20],
      [11, 5],
    ] as const) {
      const params = {
        source: IDS[from]!,
        destination: IDS[to]!,
        amount_msat: 1_000_000,
        layers: [layer.name],
        maxfee_msat: 10 ** 9,
        final_cltv: 18,
      };
      const { result } = (await askAll(client, 'getroutes', params)) as {
        result?: { probability_ppm: number; routes: { path: { amount_in_msat: number }[] }[] };
      };
      answers.node.push(
        result === undefined
          ? 'none'
          : `${result.probability_ppm} ${result.routes.map(({ path }) => path[0]!.amount_in_msat)}`,
      );
      const outcome = solveRoute(kernel, {
        ...slots.resolve([layer.id], [layer.name]),
        source: IDS[from]!,
        destination: IDS[to]!,
        amountMsat: msat(1_000_000n),
        maxfeeMsat: msat(10n ** 9n),
        finalCltv: 18,
        maxdelay: 2016,
        maxparts: 100,
        maxhops: 20,
        includeFees: false,
      });
      answers.model.push(
        'answer' in outcome
          ? `${outcome.answer.probabilityPpm} ${outcome.answer.routes.map(({ path }) => path[0]!.amountInMsat)}`
          : 'none',
      );
    }
  }
  return answers;
}
