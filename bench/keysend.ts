/**
 * Keysends over the main network's graph, with hidden balances that are drawn uniformly. The report shows how many
 * arrive, at what price, after how many attempts, and how good the predicted probabilities are. It also shows how many
 * payments a second are sustained when every attempt is journaled and every onion is peeled: by the payment engine in
 * this process, and by a daemon over its socket, which is what a user gets.
 *
 * Payments of one cell of the table follow each other in virtual time on one network, and move its balances. Every cell
 * starts from the same balances. Recipients are drawn with equal probability among nodes with an incoming channel of at
 * least twice the amount. The fee limit is keysend's default: 0.5 %, at least 5 sat. Two baselines run on the same
 * payments. One learns nothing from one payment to the next. The other learns nothing either, and takes the cheapest
 * route.
 *
 * Not every payment can arrive. Many recipients accept no keysends, or have no incoming channel that holds the amount.
 * `possible %` is the share that could arrive with one HTLC, if the payer saw all balances at that moment (oracle.ts).
 * Where recipients announce that they take several parts, more may arrive (recipients of the snapshot announce
 * nothing). `of possible %` is the share of those that arrived. Payments of 1,000,000 sat soon empty the channels
 * around a poor node, for all routers alike.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../src/gossip/random.ts';
import { type ChannelGraph, POLICY_ENABLED } from '../src/model/channel-graph.ts';
import { msat } from '../src/model/msat.ts';
import type { NodeId } from '../src/model/node-id.ts';
import { InlineOnions, type OnionBuilder } from '../src/network/onions/onion-builder.ts';
import { OnionPool } from '../src/network/onions/onion-pool.ts';
import type { NetworkPort } from '../src/network/port.ts';
import {
  InProcessPort,
  type NetworkMap,
  networkMapOf,
  type OwnChannelsByRank,
  openSimulatedNetwork,
  Simulation,
} from '../src/network/simulated/index.ts';
import type { Attempt, Payment, PaymentRequest } from '../src/payments/payment.ts';
import type { BenchContext } from './context.ts';
import { requestText } from './daemon.ts';
import { mainGraph } from './graphs.ts';
import { meanOf, quantile } from './measure.ts';
import { Oracle, type Verdict } from './oracle.ts';
import { type Choice, OWN_ID, PayingNode, requestTo } from './paying-node.ts';
import { sustainedOverSocket } from './sustained.ts';

const SEED = 2026;
const AMOUNTS_SAT = [1_000, 10_000, 100_000, 1_000_000];
/**
 * Capacity of our channels. It is so large that a thousand payments of a million sat neither empty them nor reach one
 * of their limits.
 */
export const OWN_CAPACITY = msat(10n ** 12n);
const PLACES: Readonly<Record<string, OwnChannelsByRank>> = {
  'well-connected': { count: 8, capacityMsat: OWN_CAPACITY, localShare: 0.98 },
  poor: { count: 2, skip: 1_000, capacityMsat: OWN_CAPACITY, localShare: 0.98 },
};
const CHOICES: readonly Choice[] = ['full', 'forgetful', 'cheapest'];
const CHOICE_NAMES: Readonly<Record<Choice, string>> = {
  full: 'as it is',
  forgetful: 'learning off',
  cheapest: 'cheapest route, learning off',
};
const BINS = 10;

/** An attempt that left our own channel: what was predicted, and whether it arrived. */
interface Trial {
  readonly predicted: number;
  readonly arrived: boolean;
}

/** Runs the benchmark area `keysend`. */
export async function keysendBench(context: BenchContext): Promise<void> {
  const { graph, name } = mainGraph();
  const map = networkMapOf(graph);
  const count = context.quick ? 100 : 1_000;
  const trials: Trial[] = [];
  const verdicts = [];
  for (const [place, own] of Object.entries(PLACES)) {
    const rows = [];
    for (const amountSat of AMOUNTS_SAT) {
      for (const choice of context.quick ? CHOICES.slice(0, 1) : CHOICES) {
        const paid = await payAll(graph, map, { own, amountSat, choice, count });
        if (choice === 'full') {
          trials.push(...paid.payments.flatMap(({ attempts }) => attempts.map(trialOf)));
          verdicts.push({ place, sat: amountSat, ...tally(paid.verdicts) });
        }
        rows.push(rowOf(amountSat, choice, paid));
      }
    }
    const title = `${count} keysends each from a ${place} node, balances uniform, seed ${SEED}, ${name}`;
    context.report.table('keysend', title, rows);
  }
  context.report.table(
    'keysend',
    'payments that could arrive with one HTLC, and why others could not, given the balances',
    verdicts,
  );
  reportCalibration(context, trials);
  await reportThroughput(context, graph, map);
  await reportOverSocket(context);
}

interface Paid {
  readonly payments: readonly Payment[];
  /** For each payment, whether it could arrive (oracle.ts). */
  readonly verdicts: readonly Verdict[];
  readonly virtualMs: readonly number[];
  readonly realMs: readonly number[];
}

interface Cell {
  readonly own: OwnChannelsByRank;
  readonly amountSat: number;
  readonly choice: Choice;
  readonly count: number;
}

async function payAll(graph: ChannelGraph, map: NetworkMap, cell: Cell): Promise<Paid> {
  const { own, amountSat, choice, count } = cell;
  const simulation = new Simulation(map, { ownNodeId: OWN_ID, seed: SEED, ownChannels: own });
  const network = new InProcessPort(simulation);
  const node = await PayingNode.open({ graph, network, choice, nowMs: () => simulation.nowMs });
  const oracle = new Oracle(graph, map, simulation);
  const payments: Payment[] = [];
  const verdicts: Verdict[] = [];
  const [virtualMs, realMs]: [number[], number[]] = [[], []];
  for (const [index, destination] of recipients(graph, amountSat, count).entries()) {
    const request = requestTo(destination, amountSat, BigInt(index));
    verdicts.push(oracle.judge(request));
    const [fromVirtual, fromReal] = [simulation.nowMs, performance.now()];
    node.forget();
    const payment = await inVirtualTime(simulation, node.payments.pay(request));
    virtualMs.push(simulation.nowMs - fromVirtual);
    realMs.push(performance.now() - fromReal);
    payments.push(payment);
    requireConsistent(payment, verdicts.at(-1)!);
    oracle.refresh(payment.attempts.flatMap(channelsOf));
  }
  await node.close();
  return { payments, verdicts, virtualMs, realMs };
}

/** @throws Error when an HTLC arrived although the oracle found no route. */
function requireConsistent({ status, attempts }: Payment, verdict: Verdict): void {
  const settled = attempts.filter((attempt) => attempt.status === 'settled').length;
  if (status !== 'complete' || settled !== 1 || verdict === 'possible' || verdict === 'too long') return;
  throw new Error(`the oracle saw ${verdict}, yet a payment arrived`);
}

function tally(verdicts: readonly Verdict[]): Record<Verdict, number> {
  const counts = { possible: 0, 'no keysend': 0, 'no liquidity': 0, 'too dear': 0, 'too long': 0 };
  for (const verdict of verdicts) counts[verdict]++;
  return counts;
}

const channelsOf = ({ path }: Attempt) =>
  path.map(({ shortChannelIdDir }) => shortChannelIdDir.shortChannelId);

/**
 * Advances virtual time while the network has something to do. Otherwise the payment itself is working, and time
 * stands still.
 */
async function inVirtualTime<T>(simulation: Simulation, promise: Promise<T>): Promise<T> {
  let isDone = false;
  const done = promise.finally(() => {
    isDone = true;
  });
  // All parts of a complete payment finish before the next payment begins.
  while (!isDone || !simulation.isIdle) {
    while (!simulation.isIdle) simulation.step();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return done;
}

/** Nodes drawn with equal probability, each of which has an incoming channel of at least twice the amount. */
export function recipients(graph: ChannelGraph, amountSat: number, count: number): NodeId[] {
  const least = BigInt(amountSat) * 2_000n;
  const fit = new Set<number>();
  for (let channel = 0; channel < graph.channelCount; channel++) {
    if (graph.capacityMsat[channel]! < least) continue;
    if ((graph.policyFlags[2 * channel]! & POLICY_ENABLED) !== 0) fit.add(graph.node2[channel]!);
    if ((graph.policyFlags[2 * channel + 1]! & POLICY_ENABLED) !== 0) fit.add(graph.node1[channel]!);
  }
  const nodes = [...fit].sort((a, b) => a - b);
  const random = seededRandom(SEED, amountSat);
  return Array.from({ length: count }, () => graph.nodeId(nodes[Math.floor(random() * nodes.length)]!));
}

function rowOf(amountSat: number, choice: Choice, { payments, verdicts, virtualMs, realMs }: Paid) {
  const complete = payments.filter(({ status }) => status === 'complete');
  const possible = payments.filter((_, index) => verdicts[index] === 'possible');
  const attempts = complete.map((payment) => payment.attempts.length);
  const feePpm = complete.map(({ attempts: all, request: { amountMsat } }) => {
    const settled = all.filter(({ status }) => status === 'settled');
    const sentMsat = settled.reduce((sum, attempt) => sum + attempt.amountSentMsat, 0n);
    return Number(((sentMsat - amountMsat) * 1_000_000n) / amountMsat);
  });
  return {
    sat: amountSat,
    choice: CHOICE_NAMES[choice],
    'success %': (100 * complete.length) / payments.length,
    'possible %': (100 * possible.length) / payments.length,
    'of possible %': (100 * possible.filter(({ status }) => status === 'complete').length) / possible.length,
    'attempts/success': meanOf(attempts),
    'attempts p95': quantile(attempts, 0.95),
    'fee ppm p50': quantile(feePpm, 0.5),
    'fee ppm mean': meanOf(feePpm),
    'virtual ms p50': quantile(virtualMs, 0.5),
    'virtual ms p95': quantile(virtualMs, 0.95),
    'real ms mean': meanOf(realMs),
    'real ms p99': quantile(realMs, 0.99),
  };
}

/**
 * An attempt as a trial of its route. If the recipient itself refuses, the route has carried the amount, so the trial
 * counts as arrived.
 */
const trialOf = ({ probabilityPpm, status, failure }: Attempt): Trial => ({
  predicted: probabilityPpm / 1e6,
  arrived: status === 'settled' || failure?.isFinal === true,
});

function reportCalibration({ report, directory }: BenchContext, trials: readonly Trial[]): void {
  const brier = meanOf(trials.map(({ predicted, arrived }) => (predicted - Number(arrived)) ** 2));
  const share = meanOf(trials.map(({ arrived }) => Number(arrived)));
  const bins = Array.from({ length: BINS }, (_, bin) => {
    const inside = trials.filter(({ predicted }) => Math.min(BINS - 1, Math.floor(predicted * BINS)) === bin);
    return {
      predicted: meanOf(inside.map(({ predicted }) => predicted)),
      arrived: meanOf(inside.map(({ arrived }) => Number(arrived))),
      attempts: inside.length,
    };
  }).filter(({ attempts }) => attempts > 0);
  report.table('keysend', 'attempts by predicted probability', bins);
  report.figure('keysend', { name: 'Brier score', value: brier, unit: '' });
  report.figure('keysend', {
    name: 'Brier score of always predicting the mean',
    value: share * (1 - share),
    unit: '',
  });
  const file = join(directory, 'keysend-calibration.svg');
  writeFileSync(file, reliabilityPlot(bins));
  report.note('keysend', file);
}

function reliabilityPlot(bins: readonly { predicted: number; arrived: number; attempts: number }[]): string {
  const [left, top, size] = [60, 30, 400];
  const x = (share: number): string => (left + share * size).toFixed(1);
  const y = (share: number): string => (top + (1 - share) * size).toFixed(1);
  const most = Math.max(...bins.map(({ attempts }) => attempts));
  const words = (at: string, height: number, text: string, anchor = 'middle'): string =>
    `<text x="${at}" y="${height}" text-anchor="${anchor}">${text}</text>`;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(
    (tick) =>
      words(x(tick), top + size + 18, `${tick}`) +
      words(`${left - 8}`, Number(y(tick)) + 4, `${tick}`, 'end'),
  );
  const marks = bins.map(({ predicted, arrived, attempts }) => {
    const radius = (3 + 9 * Math.sqrt(attempts / most)).toFixed(1);
    return `<circle cx="${x(predicted)}" cy="${y(arrived)}" r="${radius}" fill="#0b6e4f" fill-opacity="0.7"/>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 500 490" font-family="sans-serif" font-size="12">`,
    `<rect width="500" height="490" fill="#fff"/>`,
    `<rect x="${left}" y="${top}" width="${size}" height="${size}" fill="none" stroke="#999"/>`,
    `<path d="M${x(0)} ${y(0)}L${x(1)} ${y(1)}" stroke="#bbb"/>`,
    words(x(0.5), 20, 'Attempts that arrived, by predicted probability; area: how many'),
    words(x(0.5), top + size + 38, 'predicted'),
    ...ticks,
    ...marks,
    '</svg>\n',
  ].join('\n');
}

/** Number of concurrent payments: enough to keep the journal and the network busy. */
export const CONCURRENCY = 96;

async function reportThroughput(context: BenchContext, graph: ChannelGraph, map: NetworkMap): Promise<void> {
  const count = context.quick ? 500 : 5_000;
  const ways: readonly (readonly [name: string, make: () => OnionBuilder])[] = [
    ['onions in a thread of their own', () => new OnionPool()],
    ['onions in the main thread', () => new InlineOnions()],
  ];
  const rows = [];
  for (const [name, makeOnions] of ways) {
    const figures = await sustain(graph, map, count, makeOnions());
    rows.push({ way: name, ...figures });
  }
  context.report.table(
    'keysend',
    `${count} keysends of 1,000 sat, ${CONCURRENCY} at a time, real time`,
    rows,
  );
  const best = Math.max(...rows.map((row) => row['payments/s']));
  context.report.figure('keysend', { name: 'payments sustained in one process', value: best, unit: '/s' });
}

/**
 * Number of concurrent payments over the socket. At 600 a second, each taking half a second over the simulated network,
 * 300 are in progress.
 */
const SOCKET_UNDER_WAY = 512;

/**
 * Measures the rate that a user gets: keysends to a daemon over its socket, with every attempt journaled and every
 * onion peeled.
 */
async function reportOverSocket({ quick, report }: BenchContext): Promise<void> {
  const { graph, name, source } = mainGraph();
  const count = quick ? 1_000 : 6_000;
  const requests = recipients(graph, 1_000, count).map((destination, index) =>
    requestText('keysend', `{"destination":"${destination}","amount_msat":1000000,"seed":"${index}"}`),
  );
  const row = await sustainedOverSocket(source, requests, SOCKET_UNDER_WAY);
  const title = `${count} keysends of 1,000 sat over the socket, ${SOCKET_UNDER_WAY} at a time, ${name}`;
  report.table('keysend', title, [row]);
  report.figure('keysend', {
    name: 'keysends sustained over the socket',
    value: row['requests /s'],
    unit: '/s',
    target: '>= 600',
  });
  report.figure('keysend', {
    name: "processor time of a keysend, without the network's",
    value: row['processor ms/request'],
    unit: 'ms',
    target: '<= 1.2',
  });
}

function sustain(graph: ChannelGraph, map: NetworkMap, count: number, onions: OnionBuilder) {
  const destinations = recipients(graph, 1_000, count);
  return sustained(graph, map, onions, () =>
    destinations.map((destination, index) => requestTo(destination, 1_000, BigInt(index))),
  );
}

/** Share of the requests that are sent before the measurement, until code is compiled and every thread has work. */
const WARM_UP = 0.2;
/** Milliseconds after which the simulated recipient gives up parts whose sum is incomplete, so that runs stay short. */
const PARTS_WAIT_MS = 2_000;

/** The number of payments and attempts that a node has finished so far, and the resources that it has used. */
function reading(done: { complete: number; ended: number; attempts: number }) {
  const { user, system } = process.cpuUsage();
  return {
    ...done,
    atMs: performance.now(),
    processorMs: (user + system) / 1000,
    busyMs: performance.eventLoopUtilization().active,
  };
}

/**
 * How many of these requests a second a node pays in real time, with many at once. `requests` makes them for the
 * network. The measurement ends when the last request begins, so every thread has work all the time. Processor time is
 * that of all threads, including those of the network.
 */
export async function sustained(
  graph: ChannelGraph,
  map: NetworkMap,
  onions: OnionBuilder,
  requestsFor: (network: NetworkPort) => readonly PaymentRequest[],
  callers = CONCURRENCY,
) {
  const ownChannels = { count: 32, capacityMsat: OWN_CAPACITY, localShare: 0.9 };
  const latencyMs = { least: 1, most: 10 };
  const times = { latencyMs, jitterMs: 1, multiPartTimeoutMs: PARTS_WAIT_MS };
  const simulation = { ownNodeId: OWN_ID, seed: SEED, ownChannels, ...times };
  const network = await openSimulatedNetwork({ map, simulation, onions });
  const node = await PayingNode.open({ graph, network, choice: 'full' });
  const requests = requestsFor(network);
  const done = { complete: 0, ended: 0, attempts: 0 };
  let next = 0;
  let from = reading(done);
  let to = from;
  const caller = async (): Promise<void> => {
    while (next < requests.length) {
      if (next === Math.floor(WARM_UP * requests.length)) from = reading(done);
      const request = requests[next++]!;
      if (next === requests.length) to = reading(done);
      const payment = await node.payments.pay(request);
      if (payment.status === 'complete') done.complete++;
      done.ended++;
      done.attempts += payment.attempts.length;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  await node.close();
  await network.close();
  const seconds = (to.atMs - from.atMs) / 1000;
  const [ended, attempts] = [to.ended - from.ended, to.attempts - from.attempts];
  const processorMs = to.processorMs - from.processorMs;
  return {
    'payments/s': ended / seconds,
    'attempts/s': attempts / seconds,
    'success %': (100 * done.complete) / requests.length,
    'processor ms/payment': processorMs / ended,
    'processor ms/attempt': processorMs / attempts,
    'main thread busy %': (to.busyMs - from.busyMs) / seconds / 10,
  };
}
