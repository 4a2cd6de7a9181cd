/**
 * Probes: HTLCs that show whether a route can carry an amount, without paying. Off by default.
 *
 * A probe is handled like a payment: it is planned, journaled, reserved, sent, and followed after a crash, and its
 * failure teaches the same as a payment's. Its payment hash is random, so no node can reveal a preimage, and the
 * recipient refuses it like the payment of an unknown invoice. A probe cannot spend money.
 *
 * Every 1 / `perHour` hours, ±50 % at random, the prober plans `CANDIDATES` probes, and sends the one that is expected
 * to teach the most (choice.ts). Half of the candidates repeat recent payments. The others go to random nodes, drawn in
 * proportion to their number of channels.
 *
 * Limits:
 *   money    all probes together lock at most `maxInFlightMsat`, and at most a quarter of what our channels can
 *            send, not counting channel reserves
 *   rate     `perHour`, and at most `PER_NODE` in an hour that lead through or to one node
 *   number   at most `MAX_LIVE` at once: stuck probes block further ones
 */

import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { Clock } from '../../model/clock.ts';
import { type Msat, msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { NetworkPort } from '../../network/port.ts';
import { arrived } from '../books/arrival.ts';
import type { Attempt, Payment, PaymentRequest } from '../payment.ts';
import type { PaymentEngine, PaymentPlan } from '../payment-engine.ts';
import { MAX_ROUTE_DELAY, xkeysendMaxfee } from '../plan/limits.ts';
import { draws } from '../plan/shadow.ts';
import { Pauses } from '../send/pauses.ts';
import type { PaymentLifecycleEvent } from '../services.ts';
import { ChannelUse, expectedLesson } from './choice.ts';

/** Default for the maximum amount that all probes together may lock, in msat: 100,000 sat. */
export const DEFAULT_PROBES_MSAT = 100_000_000n;
/** Maximum number of probes per hour that the operator may choose. */
export const MAX_PROBES_PER_HOUR = 3_600;

const HOUR_MS = 3_600_000;
const CANDIDATES = 8;
const MAX_LIVE = 8;
/** Maximum number of probes per hour through or to one node. */
const PER_NODE = 20;
/** Number of recent payments whose destination and amount a probe may repeat. */
const REMEMBERED = 64;
/** Probes lock at most the sendable amount of our channels divided by this number: a quarter. */
const SHARE_OF_CHANNELS = 4n;
/** Minimum amount of a probe. Smaller amounts reveal almost nothing about balances. */
const MIN_MSAT = 1_000_000n;

/** Limits on probing. */
export interface ProbeLimits {
  readonly perHour: number;
  readonly maxInFlightMsat: bigint;
}

/** What a prober needs from other parts of the program. */
export interface ProberOptions {
  readonly limits: ProbeLimits;
  readonly payments: Pick<PaymentEngine, 'plan' | 'pay' | 'hopChances' | 'liveProbes'>;
  readonly network: Pick<NetworkPort, 'ownChannels' | 'identity'>;
  readonly graph: () => ChannelGraph;
  readonly clock: Clock;
  readonly randomBytes: (length: number) => Uint8Array;
  /** Called for each finished attempt of a probe that tested its route (arrival.ts). */
  readonly onProbed: (attempt: Attempt, hasArrived: boolean) => void;
}

/** Probe statistics since the start. */
export interface ProbeFigures extends ProbeLimits {
  readonly sent: number;
  /** Number of probes that reached their recipient. */
  readonly arrived: number;
  readonly inFlightMsat: bigint;
}

interface ProbeTarget {
  readonly destination: NodeId;
  readonly amountMsat: bigint;
}

interface PlannedProbe {
  readonly request: PaymentRequest;
  readonly path: PaymentPlan['routes'][number]['path'];
  readonly lesson: number;
}

/** Chooses and sends probes at intervals. */
export class Prober {
  readonly #options: ProberOptions;
  readonly #pauses: Pauses;
  readonly #draw: () => number;
  readonly #use = new ChannelUse();
  #paid: ProbeTarget[] = [];
  /** Times, in milliseconds, at which probes in the last hour led through or to a node. */
  readonly #visits = new Map<NodeId, number[]>();
  /** For each unfinished probe of this process, the amount that its planned route locks, in msat. */
  readonly #promised = new Map<PaymentRequest, bigint>();
  #sent = 0;
  #arrived = 0;

  constructor(options: ProberOptions) {
    this.#options = options;
    this.#pauses = new Pauses(options.clock);
    const seed = options.randomBytes(8);
    this.#draw = draws(new DataView(seed.buffer, seed.byteOffset).getBigUint64(0));
  }

  get figures(): ProbeFigures {
    return {
      ...this.#options.limits,
      sent: this.#sent,
      arrived: this.#arrived,
      inFlightMsat: this.#inFlightMsat(),
    };
  }

  /** Records payments and their attempts, on which the choice of probes depends. */
  note(event: PaymentLifecycleEvent): void {
    const { request } = event.payment;
    if (event.kind === 'sent')
      this.#use.note(event.attempt.path.slice(1).map(({ shortChannelIdDir: of }) => of.shortChannelId));
    if (event.kind !== 'began' || event.isResumed || request.circle !== undefined) return;
    this.#paid.push(request);
    if (this.#paid.length > REMEMBERED) this.#paid.shift();
  }

  /** Sends probes until `close` is called. */
  async run(): Promise<void> {
    const everyMs = HOUR_MS / this.#options.limits.perHour;
    while (!this.#pauses.isEnded) {
      await this.#pauses.wait(Math.round(everyMs * (0.5 + this.#draw())));
      if (this.#pauses.isEnded) return;
      const chosen = await this.choose();
      // Not awaited: other limits bound the number of concurrent probes.
      if (chosen !== undefined) void this.#send(chosen);
    }
  }

  close(): void {
    this.#pauses.end();
  }

  /** Plans the most instructive probe that may be sent now. Undefined if there is none. */
  async choose(): Promise<PlannedProbe | undefined> {
    const roomMsat = this.#roomMsat();
    if (
      roomMsat < MIN_MSAT ||
      Math.max(this.#promised.size, this.#options.payments.liveProbes().length) >= MAX_LIVE
    )
      return undefined;
    let best: PlannedProbe | undefined;
    for (let count = 0; count < CANDIDATES && !this.#pauses.isEnded; count++) {
      const candidate = await this.#candidate(count < CANDIDATES / 2, roomMsat);
      if (candidate !== undefined && candidate.lesson > (best?.lesson ?? 0)) best = candidate;
    }
    return best;
  }

  async #candidate(repeats: boolean, roomMsat: bigint): Promise<PlannedProbe | undefined> {
    const { payments, network } = this.#options;
    const target = this.#target(repeats, roomMsat);
    if (target === undefined || target.destination === network.identity.nodeId) return undefined;
    const request = this.#request(target);
    // If there is no route, or our node is unreachable, there is nothing to probe.
    const plan = await payments.plan(request).catch(() => undefined);
    const path = plan?.routes[0]?.path;
    // A probe over our own channel alone would teach nothing, because its balance is known.
    if (path === undefined || path.length < 2 || path[0]!.amountOutMsat > roomMsat) return undefined;
    if (path.some(({ nodeIdOut }) => this.#visitsOf(nodeIdOut).length >= PER_NODE)) return undefined;
    const chances = payments.hopChances(path, []);
    if (chances === undefined) return undefined;
    const hops = path.map(({ shortChannelIdDir: of }, at) => ({
      channel: of.shortChannelId,
      chance: chances[at]!,
    }));
    return { request, path, lesson: expectedLesson(hops, this.#use) };
  }

  /**
   * The destination and amount of a probe. The destination is that of a recent payment, or a random node, drawn in
   * proportion to its number of channels.
   */
  #target(repeats: boolean, roomMsat: bigint): ProbeTarget | undefined {
    const graph = this.#options.graph();
    const paid = this.#paid[Math.floor(this.#draw() * this.#paid.length)];
    const mostMsat = roomMsat - roomMsat / 50n;
    const wantedMsat = paid?.amountMsat ?? this.#amountUpTo(mostMsat);
    const amountMsat = wantedMsat < mostMsat ? wantedMsat : mostMsat;
    if (amountMsat < MIN_MSAT) return undefined;
    if (repeats && paid !== undefined && graph.nodeIndex(paid.destination) >= 0)
      return { destination: paid.destination, amountMsat };
    if (graph.channelCount === 0) return undefined;
    const channel = Math.floor(this.#draw() * graph.channelCount);
    const node = (this.#draw() < 0.5 ? graph.node1 : graph.node2)[channel]!;
    return { destination: graph.nodeId(node) as NodeId, amountMsat };
  }

  /** A random amount, whose logarithm is uniformly distributed. */
  #amountUpTo(mostMsat: bigint): bigint {
    const steps = Math.log(Number(mostMsat) / Number(MIN_MSAT));
    return BigInt(Math.floor(Number(MIN_MSAT) * Math.exp(steps * this.#draw())));
  }

  #request({ destination, amountMsat }: ProbeTarget): PaymentRequest {
    const seed = this.#options.randomBytes(8);
    return {
      kind: 'probe',
      destination,
      amountMsat: amountMsat as Msat,
      label: undefined,
      maxfeeMsat: xkeysendMaxfee(msat(amountMsat)),
      maxdelay: MAX_ROUTE_DELAY,
      // A probe makes only one attempt.
      retryForS: 0,
      extraTlvs: [],
      routeHints: [],
      layers: [],
      seed: new DataView(seed.buffer, seed.byteOffset).getBigUint64(0),
      isSeedChosen: false,
      useShadow: false,
      randomize: true,
      idempotencyKey: undefined,
    };
  }

  #inFlightMsat(): bigint {
    let sum = 0n;
    for (const amountMsat of this.#promised.values()) sum += amountMsat;
    // Probes that an earlier process sent.
    const others = this.#options.payments.liveProbes().filter(({ request }) => !this.#promised.has(request));
    for (const { attempts } of others)
      for (const { status, amountSentMsat } of attempts) if (status === 'sent') sum += amountSentMsat;
    return sum;
  }

  /** Maximum amount that another probe may lock, in msat. */
  #roomMsat(): bigint {
    const { limits, network } = this.#options;
    const heldMsat = this.#inFlightMsat();
    let freeMsat = 0n;
    for (const { usable, spendableMsat } of network.ownChannels().channels)
      if (usable) freeMsat += spendableMsat;
    const shareMsat = (freeMsat + heldMsat) / SHARE_OF_CHANNELS;
    return (limits.maxInFlightMsat < shareMsat ? limits.maxInFlightMsat : shareMsat) - heldMsat;
  }

  async #send({ request, path }: PlannedProbe): Promise<void> {
    const { payments, clock } = this.#options;
    for (const { nodeIdOut } of path)
      this.#visits.set(nodeIdOut, [...this.#visitsOf(nodeIdOut), clock.monotonicMs()]);
    for (const [node] of this.#visits) if (this.#visitsOf(node).length === 0) this.#visits.delete(node);
    this.#promised.set(request, path[0]!.amountOutMsat);
    let probe: Payment;
    try {
      probe = await payments.pay(request);
    } catch {
      // Our node is unreachable or shutting down. The probe is not retried.
      return;
    } finally {
      this.#promised.delete(request);
    }
    for (const attempt of probe.attempts) {
      const hasArrived = arrived(attempt);
      // The attempt did not test its route.
      if (hasArrived === undefined) continue;
      this.#sent++;
      if (hasArrived) this.#arrived++;
      this.#options.onProbed(attempt, hasArrived);
    }
  }

  /** Times in the last hour at which a probe led through or to a node. */
  #visitsOf(node: NodeId): number[] {
    const since = this.#options.clock.monotonicMs() - HOUR_MS;
    return (this.#visits.get(node) ?? []).filter((atMs) => atMs > since);
  }
}
