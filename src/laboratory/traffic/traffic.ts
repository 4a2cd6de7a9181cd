/**
 * The payments of a simulation, in the order of their start. Random draws do not depend on the results of payments, so
 * traffic is the same for every router.
 */
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { Draws } from '../../model/draws.ts';
import { EventQueue } from '../../model/event-queue.ts';
import { nodeCapacities } from '../../model/graph/node-capacities.ts';
import type { Circle } from '../../payments/plan/circle.ts';
import { exponential, lognormal, pareto, WeightedChoice } from '../distributions.ts';
import { readText } from '../formats/csv-rows.ts';
import { PURPOSE } from '../purposes.ts';
import type { Activity, AmountScenario, NodeChoice, Range, TrafficScenario } from '../scenario/scenario.ts';
import { scenarioError } from '../scenario/scenario-error.ts';
import type { NodeNames } from './node-names.ts';
import { paymentsFromFile } from './payments-file.ts';

/** A payment to be made. */
export interface TrafficPayment {
  /** Id of the payment, in one of the ranges of payment-ids.ts. */
  readonly id: number;
  readonly startUs: number;
  readonly sender: number;
  readonly receiver: number;
  readonly amountMsat: bigint;
  /** Fee limit of this payment. Default: the fee limit of the scenario. */
  readonly maxfeeMsat?: bigint;
  /** Time for which the recipient holds the payment before failing it. Only for payments of jamming nodes. */
  readonly holdUs?: number;
  /** The sender's channels over which the payment leaves and returns. Only for payments to oneself. */
  readonly circle?: Circle;
}

/** The inputs of traffic. */
export interface TrafficSource {
  readonly graph: ChannelGraph;
  readonly names: NodeNames;
  readonly draws: Draws;
}

/** Maximum number of draws in search of a receiver other than the sender. */
const MAX_REDRAWS = 1000;
/** Number of recent payments among which a circular payment draws one to send back. */
const MEMORY = 1000;
const SECOND_US = 1e6;
const MONTH_S = 30 * 86_400;

/**
 * The payments of a scenario.
 * @throws FulguriteError `scenario` before the first payment if the scenario does not match the network, and at a
 *   random payment for which no receiver other than its sender is found
 */
export function paymentsOf(scenario: TrafficScenario, source: TrafficSource): Iterable<TrafficPayment> {
  switch (scenario.kind) {
    case 'random':
      return randomPayments(scenario, source);
    case 'capacity':
      return capacityPayments(scenario, source);
    case 'activities':
      return activityPayments(scenario.activities, scenario.totalUs, source);
    case 'file':
    case 'cloth':
      return paymentsFromFile(scenario, source);
  }
}

/** Converts a uniform number to the index of the drawn node. */
type Drawer = (uniform: number) => number;

function drawerOf(choice: NodeChoice, { graph, names }: TrafficSource, field: string): Drawer {
  if (choice.by === 'list') {
    const nodes = choice.nodes.map((name) => names.find(name, field));
    return (uniform) => nodes[Math.floor(uniform * nodes.length)]!;
  }
  const weights = choice.by === 'capacity' ? nodeCapacities(graph) : new Float64Array(graph.nodeCount);
  for (let node = 0; node < graph.nodeCount; node++) {
    const degree = graph.nodeDegree[node]!;
    if (choice.by === 'degree') weights[node] = degree;
    if (choice.by === 'uniform') weights[node] = degree > 0 ? 1 : 0;
  }
  const weighted = new WeightedChoice(weights);
  return (uniform) => weighted.draw(uniform);
}

function amountDrawer(amount: AmountScenario, draws: Draws): (payment: number) => bigint {
  const first = (payment: number): number => draws.uniform(PURPOSE.amount, payment);
  const whole = (value: number): bigint =>
    BigInt(Math.max(1, Math.floor(Math.min(value, Number.MAX_SAFE_INTEGER))));
  switch (amount.kind) {
    case 'fixed':
      return () => amount.msat;
    case 'lognormal':
      return (payment) => {
        const second = draws.uniform(PURPOSE.amountSecond, payment);
        return whole(lognormal(first(payment), second, Number(amount.meanMsat), amount.sigma));
      };
    case 'pareto':
      return (payment) => whole(pareto(first(payment), Number(amount.minimumMsat), amount.alpha));
    case 'file': {
      const amounts = amountsFromFile(amount.file);
      return (payment) => amounts[Math.floor(first(payment) * amounts.length)]!;
    }
  }
}

function amountsFromFile(file: string): bigint[] {
  const amounts: bigint[] = [];
  for (const [index, row] of readText(file).split(/\r?\n/).entries()) {
    if (row === '') continue;
    const amountMsat = /^\d{1,18}$/.test(row) ? BigInt(row) : 0n;
    if (amountMsat === 0n) {
      throw scenarioError({ file, line: index + 1, field: '', expected: 'an amount in msat', found: row });
    }
    amounts.push(amountMsat);
  }
  if (amounts.length === 0)
    throw scenarioError({ file, field: '', expected: 'amounts in msat', found: 'nothing' });
  return amounts;
}

type RandomTraffic = Extract<TrafficScenario, { kind: 'random' }>;

function randomPayments(scenario: RandomTraffic, source: TrafficSource): Iterable<TrafficPayment> {
  const { draws } = source;
  const senders = drawerOf(scenario.senders, source, 'traffic.senders.nodes');
  const receivers = drawerOf(scenario.receivers, source, 'traffic.receivers.nodes');
  const amountOf = amountDrawer(scenario.amount, draws);
  const gapUs = SECOND_US / scenario.ratePerS;
  return {
    *[Symbol.iterator]() {
      let startUs = 0;
      const recent: TrafficPayment[] = [];
      for (let id = 0; id < scenario.payments; id++) {
        startUs += Math.floor(exponential(draws.uniform(PURPOSE.arrival, id), gapUs));
        const [sender, receiver] = endsOf(id, scenario, draws, senders, receivers, recent);
        const order = { id, startUs, sender, receiver, amountMsat: amountOf(id) };
        recent[id % MEMORY] = order;
        yield order;
      }
    },
  };
}

function endsOf(
  id: number,
  { circularShare, drift }: RandomTraffic,
  draws: Draws,
  senders: Drawer,
  receivers: Drawer,
  recent: readonly TrafficPayment[],
): [number, number] {
  if (id > 0 && draws.happens(circularShare, PURPOSE.circular, id)) {
    const back = Math.floor(draws.uniform(PURPOSE.circular, id, 1) * Math.min(id, MEMORY));
    const earlier = recent[(id - 1 - back) % MEMORY]!;
    return [earlier.receiver, earlier.sender];
  }
  const sender = senders(draws.uniform(PURPOSE.sender, id));
  let receiver = sender;
  for (let attempt = 0; receiver === sender && attempt < MAX_REDRAWS; attempt++) {
    receiver = receivers(draws.uniform(PURPOSE.receiver, id, attempt));
  }
  if (receiver === sender) {
    const field = 'traffic.receivers';
    throw scenarioError({
      file: 'scenario',
      field,
      expected: 'receivers other than the sender',
      found: 'none',
    });
  }
  const flowsUp = sender < receiver;
  return flowsUp && draws.happens(drift, PURPOSE.circular, id, 2) ? [receiver, sender] : [sender, receiver];
}

type CapacityTraffic = Extract<TrafficScenario, { kind: 'capacity' }>;

/**
 * sim-ln's random activity: a node with capacity C (half of the sum of its channels) pays C · m / E times a month, to
 * nodes drawn by capacity, where m is the capacity multiplier and E the expected amount. Amounts are log-normal with
 * mean E, μ = 2 ln E − ln L and σ² = 2 (ln L − ln E), where L is half of the smaller of the capacities of both ends.
 * Nodes with C < 2 E neither pay nor are paid.
 */
function capacityPayments(scenario: CapacityTraffic, source: TrafficSource): Iterable<TrafficPayment> {
  const { graph, draws, names } = source;
  const expected = Number(scenario.expectedMsat);
  const excluded = new Set(scenario.exclude.map((name) => names.find(name, 'traffic.exclude')));
  const sums = new Float64Array(graph.nodeCount);
  for (let channel = 0; channel < graph.channelCount; channel++) {
    const [node1, node2] = [graph.node1[channel]!, graph.node2[channel]!];
    if (excluded.has(node1) || excluded.has(node2)) continue;
    sums[node1]! += Number(graph.capacityMsat[channel]!) / 2;
    sums[node2]! += Number(graph.capacityMsat[channel]!) / 2;
  }
  const half = sums.map((capacity, node) => (capacity >= 2 * expected && !excluded.has(node) ? capacity : 0));
  if (half.filter((capacity) => capacity > 0).length < 2) {
    const field = 'traffic.expected_msat';
    const wanted = 'at least two nodes whose channels have a total capacity of 4 times this amount';
    throw scenarioError({ file: 'scenario', field, expected: wanted, found: 'fewer' });
  }
  const destinations = new WeightedChoice(half);
  const waitUs = (node: number, count: number): number => {
    const meanS = MONTH_S / ((half[node]! * scenario.capacityMultiplier) / expected);
    return Math.floor(exponential(draws.uniform(PURPOSE.arrival, node, count), meanS)) * SECOND_US;
  };
  const receiverOf = (node: number, count: number): number => {
    for (let attempt = 0; attempt < MAX_REDRAWS; attempt++) {
      const receiver = destinations.draw(draws.uniform(PURPOSE.receiver, node, count, attempt));
      if (receiver !== node) return receiver;
    }
    return node === 0 ? 1 : 0;
  };
  const amountOf = (node: number, receiver: number, count: number): bigint => {
    const least = Math.min(half[node]!, half[receiver]!) / 2;
    const sigma = Math.sqrt(Math.max(0, 2 * (Math.log(least) - Math.log(expected))));
    const [first, second] = [
      draws.uniform(PURPOSE.amount, node, count),
      draws.uniform(PURPOSE.amountSecond, node, count),
    ];
    return BigInt(Math.max(1, Math.floor(lognormal(first, second, expected, sigma))));
  };
  return merged(
    [...half.keys()].filter((node) => half[node]! > 0),
    scenario.totalUs,
    waitUs,
    (node, count) => {
      const receiver = receiverOf(node, count);
      return { sender: node, receiver, amountMsat: amountOf(node, receiver, count) };
    },
  );
}

function activityPayments(
  activities: readonly Activity[],
  totalUs: number,
  { names, draws }: TrafficSource,
): Iterable<TrafficPayment> {
  const ends = activities.map(({ source, destination }, index) => ({
    sender: names.find(source, `activity[${index}].source`),
    receiver: names.find(destination, `activity[${index}].destination`),
  }));
  const inRange = ({ least, most }: Range, purpose: number, index: number, count: number): bigint =>
    least +
    (((most - least) * BigInt(Math.floor(draws.uniform(purpose, index, count) * 0x1_0000_0000))) >> 32n);
  const waitUs = (index: number, count: number): number => {
    const { startUs, intervalUs, count: limit } = activities[index]!;
    if (limit !== undefined && count >= limit) return Number.POSITIVE_INFINITY;
    return (count === 0 ? startUs : 0) + Number(inRange(intervalUs, PURPOSE.interval, index, count));
  };
  return merged([...activities.keys()], totalUs, waitUs, (index, count) => ({
    ...ends[index]!,
    amountMsat: inRange(activities[index]!.amountMsat, PURPOSE.amount, index, count),
  }));
}

/**
 * Merges many streams of payments in order of time. Of payments with equal times, the one of the lower-numbered stream
 * comes first.
 */
function merged(
  streams: readonly number[],
  totalUs: number,
  waitUs: (stream: number, count: number) => number,
  payment: (stream: number, count: number) => Pick<TrafficPayment, 'sender' | 'receiver' | 'amountMsat'>,
): Iterable<TrafficPayment> {
  return {
    *[Symbol.iterator]() {
      const queue = new EventQueue();
      const counts = new Map<number, number>();
      let next: { stream: number; count: number; atUs: number } | undefined;
      const schedule = (stream: number, fromUs: number): void => {
        const count = counts.get(stream) ?? 0;
        const atUs = fromUs + waitUs(stream, count);
        if (!(atUs <= totalUs)) return;
        counts.set(stream, count + 1);
        queue.schedule(atUs, stream, () => {
          next = { stream, count, atUs };
        });
      };
      for (const stream of streams) schedule(stream, 0);
      for (let id = 0; queue.length > 0; id++) {
        queue.take()!.run();
        const { stream, count, atUs } = next!;
        schedule(stream, atUs);
        yield { id, startUs: atUs, ...payment(stream, count) };
      }
    },
  };
}
