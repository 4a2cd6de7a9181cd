/**
 * A day's mixture over the socket: route queries, payments, changes of a layer and listings at once, from several
 * connections. First the requests are sent as fast as the daemon answers: that rate is its capacity. Then they are sent
 * at 70 % of that rate, at times drawn from a Poisson process, whether or not earlier requests are answered. Latencies
 * count from those times, so a pause of the daemon shows in every request that it delays.
 *
 * The report shows p50, p95, p99 and the maximum for each command, how many requests were answered with an error, and,
 * for each sixth of the time, processor, memory and p99. Positive codes are valid outcomes: there is no route, or a
 * payment failed. Negative codes are errors of the request or the service, and there must be none.
 *
 * `BENCH_MINUTES` sets the duration in minutes (default 60, 0.5 with `--quick`), and `BENCH_RATE` the requests per second
 * instead of 70 % of the capacity.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '../src/gossip/random.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import { formatShortChannelId } from '../src/model/short-channel-id.ts';
import type { BenchContext } from './context.ts';
import { type BenchDaemon, getroutesRequest, requestText, startDaemonProcess } from './daemon.ts';
import { mainGraph } from './graphs.ts';
import { recipients } from './keysend.ts';
import { quantile, spreadOf } from './measure.ts';
import { readMemory, type ThreadMemory } from './memory-meter.ts';
import { pairsOf, queryFor } from './pairs.ts';
import { residentMb, usedBy } from './processor.ts';
import { SIMULATED_SEED } from './sustained.ts';

const METER = fileURLToPath(new URL('./memory-meter.js', import.meta.url));
const SEED = 2026;
const SHARE_OF_CAPACITY = 0.7;
const CONNECTIONS = 8;
/** Number of concurrent requests while the capacity is measured. */
const UNDER_WAY = 64;
/** Number of requests that measure the capacity. At least half as many come before them, until the layer is full. */
const MEASURED = 8_000;
const QUICK_MEASURED = 1_000;
/** Number of unanswered requests at which the mixture counts as unsustainable. */
const MAX_WAITING = 20_000;
/**
 * Maximum age in seconds of the layer's records. Older ones are removed now and then, as by a user whose knowledge
 * becomes outdated.
 */
const AGE_S = 60;
/** Number of faults shown in full. */
const MAX_FAULTS = 10;
const LAYER = 'mixed';
const SAMPLE_MS = 2_000;
/** Number of different questions of each kind, after which they repeat. */
const QUESTIONS = 20_000;
const AMOUNT_SAT = 10_000;
/**
 * Payments are small. What the node pays does not come back, and its channels must not drain within an hour: refusals
 * for lack of funds, each with its reason and remedy, are a different load from the one to be measured.
 */
const KEYSEND_SAT = 100;
/** Number of equal parts of the run. Processor time and memory are reported for each, so that growth shows. */
const SLICES = 6;

type Make = () => string;

/** The commands, and the number of each per thousand requests. */
function mixtureOf(graph: ChannelGraph): readonly (readonly [name: string, share: number, make: Make])[] {
  const random = seededRandom(SEED, 7);
  const pairs = pairsOf(graph, 'feas', AMOUNT_SAT, QUESTIONS);
  const payees = recipients(graph, KEYSEND_SAT, QUESTIONS);
  const next = <T>(items: readonly T[]): (() => T) => {
    let at = 0;
    return () => items[at++ % items.length]!;
  };
  const [pair, payee] = [next(pairs), next(payees)];
  let seed = 0;
  const inform = () => {
    const channel = Math.floor(random() * graph.channelCount);
    const dir = `${formatShortChannelId(graph.shortChannelIds[channel]!)}/${random() < 0.5 ? 0 : 1}`;
    const amountMsat = graph.capacityMsat[channel]! / 2n;
    const what = random() < 0.5 ? 'constrained' : 'unconstrained';
    return requestText(
      'askrene-inform-channel',
      `{"layer":"${LAYER}","short_channel_id_dir":"${dir}","amount_msat":${amountMsat},"inform":"${what}"}`,
    );
  };
  return [
    [
      'getroutes',
      600,
      () => getroutesRequest({ ...queryFor(pair(), AMOUNT_SAT, 16), layers: [LAYER, 'auto.sourcefree'] }),
    ],
    [
      'keysend',
      150,
      () =>
        requestText(
          'keysend',
          `{"destination":"${payee()}","amount_msat":${KEYSEND_SAT}000,"seed":"${seed++}"}`,
        ),
    ],
    ['askrene-inform-channel', 150, inform],
    [
      'askrene-age',
      5,
      () =>
        requestText('askrene-age', `{"layer":"${LAYER}","cutoff":${Math.floor(Date.now() / 1000) - AGE_S}}`),
    ],
    ['listpays, 100 of them', 45, () => requestText('listpays', '{"index":"created","start":1,"limit":100}')],
    ['getinfo', 50, () => requestText('getinfo', '{}')],
  ];
}

/** The outcomes of the requests of one command. */
interface Tally {
  readonly latenciesMs: number[];
  readonly codes: Map<number, number>;
}

/** Runs the benchmark area `mixed`. */
export async function mixedBench({ quick, report }: BenchContext): Promise<void> {
  const minutes = Number(process.env.BENCH_MINUTES ?? (quick ? 0.5 : 60));
  const { graph, name, source } = mainGraph();
  const meter = mkdtempSync(join(tmpdir(), 'fulgurite-meter-'));
  const daemon = await startDaemonProcess(source, SIMULATED_SEED, {
    environment: { MEMORY_METER_DIRECTORY: meter, NODE_OPTIONS: `--import=${METER}` },
  });
  try {
    await daemon.client.call(requestText('askrene-create-layer', `{"layer":"${LAYER}"}`));
    const mixture = mixtureOf(graph);
    const line = await Line.open(daemon.path, new Draw(mixture));
    const measured = quick ? QUICK_MEASURED : MEASURED;
    // Runs until the layer has its final size, since queries and changes of layers then cost more.
    const filledMs = performance.now() + (quick ? 0 : AGE_S * 1000);
    do await line.closed(measured / 2, UNDER_WAY);
    while (performance.now() < filledMs);
    const capacity = await line.closed(measured, UNDER_WAY);
    line.forget();
    const slices: Slice[] = [];
    const perSecond = Number(process.env.BENCH_RATE ?? capacity * SHARE_OF_CAPACITY);
    const forMs = minutes * 60_000;
    const used = await usedBy(daemon.processId, () =>
      Promise.all([line.open(perSecond, forMs), slicesOf(daemon, line, meter, forMs, slices)]),
    );
    const rows = [...line.tallies].map(([command, tally]) => rowOf(command, tally));
    const total = rows.reduce((sum, { requests }) => sum + requests, 0);
    report.table(
      'mixed',
      `${minutes} minutes at ${perSecond.toFixed(0)} requests/s, ${((perSecond / capacity) * 100).toFixed(0)} % of capacity, ${name}`,
      rows,
    );
    report.table(
      'mixed',
      'each sixth of the time: cores that the daemon used, its memory, and latencies',
      slices,
    );
    report.figure('mixed', { name: 'capacity', value: capacity, unit: '/s' });
    report.figure('mixed', { name: 'processor per request', value: used.allUs / 1000 / total, unit: 'ms' });
    const faults = rows.reduce((sum, row) => sum + row['negative codes'], 0);
    report.figure('mixed', { name: 'answers with a negative code', value: faults, unit: '', target: '<= 0' });
    for (const fault of [...line.faults].slice(0, MAX_FAULTS)) report.note('mixed', fault);
    line.close();
  } finally {
    await daemon.stop();
    rmSync(meter, { recursive: true });
  }
}

function rowOf(command: string, { latenciesMs, codes }: Tally) {
  const { count, p50, p95, p99, max } = spreadOf(latenciesMs);
  const all = [...codes].sort(([a], [b]) => a - b);
  const negative = all.filter(([code]) => code < 0).reduce((sum, [, times]) => sum + times, 0);
  return {
    command,
    requests: count,
    'p50 ms': p50,
    'p95 ms': p95,
    'p99 ms': p99,
    'max ms': max,
    'negative codes': negative,
    codes: all.map(([code, times]) => `${code}: ${times}`).join(', '),
  };
}

/** A row of the table that shows whether anything grows. */
type Slice = {
  readonly 'from minute': number;
  readonly cores: number;
  readonly 'most MB': number;
  /** Mean over the time, like the four figures after it, because each collection of garbage changes them. */
  readonly 'mean MB': number;
  /** V8's heaps of all threads; of them, what is used; and array buffers outside them. */
  readonly 'heaps MB': number;
  readonly 'used MB': number;
  readonly 'arrays MB': number;
  /** The rest: the kernel, code, stacks, SQLite. */
  readonly 'native MB': number;
  readonly 'getroutes p99 ms': number;
  readonly 'keysend p99 ms': number;
  readonly 'getinfo p99 ms': number;
};

async function slicesOf(
  { processId }: BenchDaemon,
  line: Line,
  meter: string,
  forMs: number,
  into: Slice[],
): Promise<void> {
  const began = performance.now();
  for (let slice = 0; slice < SLICES; slice++) {
    const endMs = began + (forMs * (slice + 1)) / SLICES;
    const startMs = performance.now();
    const seen = new Map(
      [...line.tallies].map(([command, { latenciesMs }]) => [command, latenciesMs.length]),
    );
    const samples: (ThreadMemory & { residentMb: number })[] = [];
    const { allUs } = await usedBy(processId, async () => {
      for (let leftMs = endMs - startMs; leftMs > 0; leftMs = endMs - performance.now()) {
        samples.push({ ...readMemory(meter), residentMb: residentMb(processId) });
        await sleep(Math.min(SAMPLE_MS, leftMs));
      }
    });
    const p99 = (command: string) =>
      quantile((line.tallies.get(command)?.latenciesMs ?? []).slice(seen.get(command) ?? 0), 0.99);
    const mean = (of: keyof (typeof samples)[number]) =>
      samples.reduce((sum, sample) => sum + sample[of], 0) / samples.length;
    into.push({
      'from minute': (startMs - began) / 60_000,
      cores: allUs / 1000 / (performance.now() - startMs),
      'most MB': Math.max(...samples.map((sample) => sample.residentMb)),
      'mean MB': mean('residentMb'),
      'heaps MB': mean('heapsMb'),
      'used MB': mean('usedMb'),
      'arrays MB': mean('arraysMb'),
      'native MB': mean('residentMb') - mean('heapsMb') - mean('arraysMb'),
      'getroutes p99 ms': p99('getroutes'),
      'keysend p99 ms': p99('keysend'),
      'getinfo p99 ms': p99('getinfo'),
    });
  }
}

/** Draws commands of the mixture from a seed. */
class Draw {
  readonly #random = seededRandom(SEED, 8);
  readonly #mixture: ReturnType<typeof mixtureOf>;
  readonly #sum: number;

  constructor(mixture: ReturnType<typeof mixtureOf>) {
    this.#mixture = mixture;
    this.#sum = mixture.reduce((sum, [, share]) => sum + share, 0);
  }

  request(): { readonly command: string; readonly text: string } {
    let left = this.#random() * this.#sum;
    for (const [command, share, make] of this.#mixture) {
      left -= share;
      if (left < 0) return { command, text: make() };
    }
    return this.request();
  }

  /** Milliseconds to the next arrival of a Poisson process. */
  gapMs(perSecond: number): number {
    return (-Math.log(1 - this.#random()) / perSecond) * 1000;
  }
}

/** Several connections, which send requests in turn. Answers are distinguished by their ids. */
class Line {
  readonly tallies = new Map<string, Tally>();
  /** The first characters of the answers with a negative code. */
  readonly faults = new Set<string>();
  readonly #draw: Draw;
  readonly #sockets: Socket[] = [];
  readonly #waiting = new Map<number, { readonly command: string; readonly sinceMs: number }>();
  #next = 0;
  #onAnswer: () => void = () => undefined;

  private constructor(draw: Draw) {
    this.#draw = draw;
  }

  static async open(path: string, draw: Draw): Promise<Line> {
    const line = new Line(draw);
    for (let count = 0; count < CONNECTIONS; count++) {
      const socket = connect(path);
      await once(socket, 'connect');
      let rest = '';
      socket.setEncoding('latin1').on('data', (text: string) => {
        const messages = (rest + text).split('\n\n');
        rest = messages.pop()!;
        for (const message of messages) line.#take(message);
      });
      line.#sockets.push(socket);
    }
    return line;
  }

  /** Keeps this many requests in progress until `count` are answered. @returns how many were answered a second. */
  async closed(count: number, underWay: number): Promise<number> {
    const began = performance.now();
    let [sent, answered] = [0, 0];
    await new Promise<void>((resolve) => {
      this.#onAnswer = () => {
        answered++;
        if (sent < count) this.#send(performance.now(), ++sent);
        if (answered === count) resolve();
      };
      while (sent < Math.min(underWay, count)) this.#send(performance.now(), ++sent);
    });
    this.#onAnswer = () => undefined;
    return (count / (performance.now() - began)) * 1000;
  }

  /** Sends requests at the times of a Poisson process, and waits for all answers. @throws Error when too many wait. */
  async open(perSecond: number, forMs: number): Promise<void> {
    const began = performance.now();
    let dueMs = 0;
    let sent = 0;
    while (dueMs < forMs) {
      const nowMs = performance.now() - began;
      while (dueMs <= nowMs && dueMs < forMs) {
        this.#send(began + dueMs, ++sent);
        dueMs += this.#draw.gapMs(perSecond);
      }
      if (this.#waiting.size > MAX_WAITING) throw new Error('the daemon does not keep up with the mixture');
      await sleep(1);
    }
    while (this.#waiting.size > 0) await sleep(1);
  }

  forget(): void {
    this.tallies.clear();
    this.faults.clear();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #send(sinceMs: number, at: number): void {
    const { command, text } = this.#draw.request();
    const id = this.#next++;
    this.#waiting.set(id, { command, sinceMs });
    this.#sockets[at % this.#sockets.length]!.write(text.replace(/"id":"[^"]*"/, `"id":${id}`));
  }

  #take(message: string): void {
    const id = /"id":(\d+)/.exec(message.slice(0, 60))?.[1];
    const asked = id === undefined ? undefined : this.#waiting.get(Number(id));
    // Ignore notifications, such as the progress of a payment.
    if (asked === undefined) return;
    this.#waiting.delete(Number(id));
    const tally: Tally = this.tallies.get(asked.command) ?? { latenciesMs: [], codes: new Map() };
    this.tallies.set(asked.command, tally);
    tally.latenciesMs.push(performance.now() - asked.sinceMs);
    const code = /"error":\{"code":(-?\d+)/.exec(message)?.[1];
    if (code !== undefined) {
      tally.codes.set(Number(code), (tally.codes.get(Number(code)) ?? 0) + 1);
      if (Number(code) < 0) this.faults.add(message.slice(0, 300));
    }
    this.#onAnswer();
  }
}
