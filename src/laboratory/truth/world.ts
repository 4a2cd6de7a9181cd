/**
 * The network at a moment of simulated time: channels, actual policies, online nodes, the block height, and the queue
 * of events. A single thread plays a world, in the order of its events.
 */
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { Draws } from '../../model/draws.ts';
import { EventQueue } from '../../model/event-queue.ts';
import { exponential, lognormal, poisson } from '../distributions.ts';
import { PURPOSE } from '../purposes.ts';
import type { LatencyScenario, NetworkScenario } from '../scenario/scenario.ts';
import { Availability } from './availability.ts';
import { TruePolicies } from './policies.ts';
import { type ChannelLimits, TrueChannels } from './true-channels.ts';

/** Spread of log-normal latencies: the standard deviation of their logarithm. */
const LATENCY_SIGMA = 0.6;
const START_HEIGHT = 1_000_000;
const MILLION = 1_000_000n;
const MS_US = 1000;

/** The true state of the network. All routers except `oracle` see only a part of it. */
export class LabWorld {
  readonly graph: ChannelGraph;
  readonly draws: Draws;
  readonly network: NetworkScenario;
  readonly channels: TrueChannels;
  readonly policies: TruePolicies;
  readonly availability: Availability;
  readonly queue = new EventQueue();
  nowUs = 0;
  /** Number of events played so far. */
  played = 0;
  /**
   * A promise set by an event that waits for a search in a different thread. The next event is played after it
   * resolves.
   */
  awaited: Promise<void> | undefined;
  readonly #slownessOf = new Map<number, number>();
  #htlcs = 0;

  constructor(
    graph: ChannelGraph,
    balances: BigInt64Array,
    network: NetworkScenario,
    seed: bigint,
    limits: ChannelLimits = limitsOf(graph, network),
  ) {
    this.graph = graph;
    this.draws = new Draws(seed);
    this.network = network;
    this.channels = new TrueChannels(graph, balances, limits);
    this.policies = new TruePolicies(graph, this.draws, network, () => this.nowUs);
    this.availability = new Availability(this.draws, network.offline, network.offlineUs);
  }

  /** Takes the next number for an HTLC of this world, from 0. */
  nextHtlc(): number {
    return this.#htlcs++;
  }

  get height(): number {
    return START_HEIGHT + (this.network.blockUs === 0 ? 0 : Math.floor(this.nowUs / this.network.blockUs));
  }

  /**
   * Runs `action` after some time. Events with equal times run in ascending `order`, then in the order in which they
   * were scheduled.
   */
  after(us: number, order: number, action: () => void): void {
    this.queue.schedule(this.nowUs + us, order, action);
  }

  isOnline(node: number): boolean {
    return this.availability.isOnline(node, this.nowUs);
  }

  /** The start node of a direction. */
  tail(direction: number): number {
    const { node1, node2 } = this.graph;
    return (direction & 1) === 0 ? node1[direction >>> 1]! : node2[direction >>> 1]!;
  }

  /** The end node of a direction. */
  head(direction: number): number {
    return this.tail(direction ^ 1);
  }

  /**
   * Time that a hop takes, in either direction.
   * @param subject identifies the HTLC
   * @param step number of the hop, counted over the way to the recipient and back
   * @param direction the crossed direction, whose start node determines the speed
   */
  latencyUs(subject: number, step: number, direction: number): number {
    const { latency } = this.network;
    const us = latency.kind === 'fixed' ? latency.meanUs : drawTime(this.draws, latency, subject, step);
    const areAlike = latency.nodeSigma === 0 && latency.slow === 0;
    return Math.floor(areAlike ? us : us * this.#slowness(this.tail(direction)));
  }

  /** Time until the next node sees an HTLC, including the delay if the HTLC is stuck. */
  forwardUs(htlc: number, hop: number, direction: number): number {
    const { stuck, stuckUs } = this.network;
    const isStuck = this.draws.happens(stuck, PURPOSE.stuck, htlc, hop);
    return this.latencyUs(htlc, hop, direction) + (isStuck ? stuckUs : 0);
  }

  /** Whether the node after a hop does not answer an HTLC. */
  isFaulty(htlc: number, hop: number): boolean {
    return this.draws.happens(this.network.faulty, PURPOSE.faulty, htlc, hop);
  }

  reportsHoldTimes(node: number): boolean {
    return this.draws.happens(this.network.latency.reporting, PURPOSE.reporting, node);
  }

  /** The factor by which a node's latencies are multiplied. */
  #slowness(node: number): number {
    const known = this.#slownessOf.get(node);
    if (known !== undefined) return known;
    const [first, second] = [
      this.draws.uniform(PURPOSE.nodeLatency, node),
      this.draws.uniform(PURPOSE.nodeLatencySecond, node),
    ];
    const { nodeSigma, slow, slowFactor } = this.network.latency;
    const isSlow = this.draws.happens(slow, PURPOSE.slowNode, node);
    const factor = lognormal(first, second, 1, nodeSigma) * (isSlow ? slowFactor : 1);
    this.#slownessOf.set(node, factor);
    return factor;
  }

  /** Plays the next event. Returns false if there is none. */
  step(): boolean {
    const event = this.queue.take();
    if (event === undefined) return false;
    this.nowUs = event.at;
    this.played++;
    event.run();
    return true;
  }
}

function drawTime(draws: Draws, { kind, meanUs }: LatencyScenario, subject: number, step: number): number {
  const first = draws.uniform(PURPOSE.latency, subject, step);
  if (kind === 'exponential') return exponential(first, meanUs);
  if (kind === 'poisson') return MS_US * poisson(first, meanUs / MS_US);
  return lognormal(first, draws.uniform(PURPOSE.latencySecond, subject, step), meanUs, LATENCY_SIGMA);
}

/**
 * The limits of all channels, from a scenario: the same number of slots for each, and in-flight limits and reserves as
 * fixed shares of the capacity.
 */
export function limitsOf(
  graph: ChannelGraph,
  { slots, reserve, maxInFlight }: NetworkScenario,
): ChannelLimits {
  const directions = 2 * graph.channelCount;
  const maxInFlightMsat = new BigUint64Array(directions);
  const reserveMsat = new BigUint64Array(directions);
  const reservePpm = BigInt(Math.round(reserve * 1e6));
  const inFlightPpm = BigInt(Math.round(maxInFlight * 1e6));
  for (let direction = 0; direction < directions; direction++) {
    const capacityMsat = graph.capacityMsat[direction >>> 1]!;
    maxInFlightMsat[direction] = (capacityMsat * inFlightPpm) / MILLION;
    reserveMsat[direction] = (capacityMsat * reservePpm) / MILLION;
  }
  return { slots: new Uint16Array(directions).fill(slots), maxInFlightMsat, reserveMsat };
}
