/**
 * Routers that search with our kernel: `fulgurite`, with the daemon's prices, lessons and learning, and `cheapest`,
 * which only minimises fees, sends a single part, and forgets everything when a payment ends.
 *
 * Both learn from failures with the daemon's code (src/payments/learn/lesson.ts, learning.ts).
 */
import { DEFAULT_OBJECTIVE, type ObjectiveKnobs } from '../../engine/question/objective.ts';
import type { RouteHop } from '../../engine/question/route.ts';
import type { PairBelief } from '../../model/pair-belief.ts';
import { type Judgement, judgeFailure, judgeRefusal } from '../../payments/learn/lesson.ts';
import { type AttemptEnd, blameOf, type KnownHop, type OddsModel } from '../../payments/learn/odds-model.ts';
import { expectedLesson } from '../../payments/probes/choice.ts';
import type { KernelPool } from '../kernel/kernel-pool.ts';
import { Sender, type SenderView } from '../kernel/sender.ts';
import { ownChannelsOf } from '../own-channels.ts';
import { FIRST_PROBE_ID } from '../payment-ids.ts';
import { hopsOf, NodeIds } from '../route-hops.ts';
import type { TrueChannels } from '../truth/true-channels.ts';
import type {
  AttemptVerdict,
  EndedAttempt,
  PaymentRouter,
  Plan,
  PlannedRoute,
  PlanQuestion,
} from './router.ts';

/** Prices of the router `cheapest`: only fees count. */
export const FEES_ALONE: ObjectiveKnobs = {
  riskPpmPerNat: 0,
  riskBaseMsatPerNat: 0,
  delayBillionthsPerBlock: 0,
  partPpm: 0,
  partBaseMsat: 0,
};

/** An odd 64-bit constant (from the golden ratio), so that attempts get unrelated seeds. */
const SEED_STEP = 0x9e37_79b9_7f4a_7c15n;

/**
 * A sender that has not paid for this long is dropped with everything that it learned, to limit memory:
 * `FORGET_AFTER_S` of learning.ts, and a minute of grace.
 */
const IDLE_US = 3_660 * 1_000_000;

/** How a router searches and learns. */
export interface KernelRouterOptions {
  readonly name: string;
  readonly knobs?: Partial<ObjectiveKnobs>;
  /** Whether lessons are kept after their payment has ended. */
  readonly learn: boolean;
  readonly noise: boolean;
  /** Whether searches use learned odds. Default: true. */
  readonly searchesLearned?: boolean;
  /** Price of a second by which a node is slower than the average, in nats. Default: the daemon's. */
  readonly natsPerSecond?: number | undefined;
  /** Initial beliefs of each sender about pairs of nodes. */
  readonly beliefs?: readonly PairBelief[];
  /**
   * Whether the senders also send probes. If so, the channels that payments use are recorded, to choose the probes.
   * Default: no.
   */
  readonly probes?: boolean;
  /** Maximum number of parts, even if the scenario allows more. */
  readonly maxparts?: number;
  readonly seed: bigint;
}

/** A search requested ahead of time, and the state of the beliefs that it used. */
interface Anticipated {
  readonly fingerprint: string;
  readonly plan: Promise<Plan>;
}

/** A sender, and when it was last used. */
interface KnownSender {
  readonly beliefs: Sender;
  /** Number of payments in progress. */
  payments: number;
  usedUs: number;
}
/** A route, and what its sender knew about its hops. */
interface KnownRoute {
  readonly route: PlannedRoute;
  readonly path: readonly RouteHop[];
  readonly known: readonly KnownHop[];
}

interface SentRoute {
  readonly path: readonly RouteHop[];
  /** The value of `Learning.now` when the route was sent. */
  readonly at: number;
  readonly sentUs: number;
  /** What the sender knew about the hops when the route was sent. */
  readonly known: readonly KnownHop[];
}

interface Underway {
  readonly sent: Map<PlannedRoute, SentRoute>;
  /** Whether several routes were in flight at once, so that the recipient may have waited for parts. */
  hasSeveral: boolean;
}

/** A router that asks kernels on behalf of many senders, each with its own beliefs. */
export class KernelRouter implements PaymentRouter {
  readonly name: string;
  readonly #options: KernelRouterOptions;
  readonly #knobs: ObjectiveKnobs;
  readonly #pool: KernelPool;
  readonly #channels: TrueChannels;
  readonly #ids: NodeIds;
  /** The senders, in the order of their last use. */
  readonly #senders = new Map<number, KnownSender>();
  readonly #underway = new Map<number, Underway>();
  /** The announced payments, with their searches. Undefined while the search has not been requested yet. */
  readonly #anticipated = new Map<number, Anticipated | undefined>();
  #nowUs = 0;
  /** The first route of the last plan that `restated` returned. It is sent before anything else can be learned. */
  #firstRestated: KnownRoute | undefined;

  constructor(pool: KernelPool, channels: TrueChannels, options: KernelRouterOptions) {
    this.name = options.name;
    this.#options = options;
    this.#knobs = { ...DEFAULT_OBJECTIVE, ...options.knobs };
    this.#pool = pool;
    this.#channels = channels;
    this.#ids = new NodeIds(channels.graph);
  }

  begin(payment: number, sender: number, nowUs: number): void {
    this.#nowUs = nowUs;
    this.#forgetIdle();
    const known = this.#used(sender);
    known.payments++;
    known.beliefs.age();
    this.#underway.set(payment, { sent: new Map(), hasSeveral: false });
  }

  plan(question: PlanQuestion): Plan | Promise<Plan> {
    this.#pool.receive();
    const ahead = this.#anticipated.get(question.payment);
    this.replayed(question);
    const sender = this.#senderOf(question.sender);
    if (ahead !== undefined && ahead.fingerprint === keyOf(sender, question)) return ahead.plan;
    return this.#ask(sender, question);
  }

  replayed({ payment, sender: node, nowUs }: PlanQuestion): void {
    this.#nowUs = nowUs;
    const sender = this.#senderOf(node);
    if (sender.hasLearned || !this.#anticipated.has(payment)) sender.refresh();
    this.#anticipated.delete(payment);
  }

  /** The plan, with odds learned from the sender's own attempts. */
  restated(node: number, plan: Plan): Plan {
    if (!this.#options.learn) return plan;
    const sender = this.#senderOf(node);
    let together = 1;
    const known = plan.routes.map((route): KnownRoute => {
      const path = this.#hops(route);
      const hops = sender.known(path);
      const chance = sender.odds.chance(hops);
      together *= chance;
      return { route: { ...route, probabilityPpm: Math.floor(1e6 * chance) }, path, known: hops };
    });
    this.#firstRestated = known[0];
    const routes = known.map(({ route }) => route);
    return routes.length === 0 ? plan : { ...plan, routes, probabilityPpm: Math.floor(1e6 * together) };
  }

  expectedLesson(node: number, route: PlannedRoute): number {
    const sender = this.#senderOf(node);
    const path = this.#hops(route);
    const hops = sender.known(path).map((hop, index) => ({
      channel: path[index]!.shortChannelIdDir.shortChannelId,
      chance: sender.odds.hopChance(hop),
    }));
    return expectedLesson(hops, sender.use);
  }

  reachOf(sender: number): number {
    return this.#pool.reachOf(sender);
  }

  announce({ payment, sender }: PlanQuestion): void {
    this.#anticipated.set(payment, undefined);
    this.#senderOf(sender).refresh();
  }

  anticipate(question: PlanQuestion): void {
    const sender = this.#senderOf(question.sender);
    if (!sender.lane.isThreaded) return;
    const fingerprint = keyOf(sender, question);
    const plan = Promise.resolve(this.#ask(sender, question));
    this.#anticipated.set(question.payment, { fingerprint, plan });
  }

  /** What the sender knew about the hops of a route in flight when the route was sent. */
  knownWhenSent(payment: number, route: PlannedRoute): readonly KnownHop[] {
    return this.#underway.get(payment)!.sent.get(route)!.known;
  }

  /** The odds learned from this sender's attempts. */
  oddsOf(sender: number): OddsModel {
    return this.#senderOf(sender).odds;
  }

  sent(payment: number, sender: number, route: PlannedRoute, nowUs: number): void {
    this.#nowUs = nowUs;
    const beliefs = this.#senderOf(sender);
    const first = this.#firstRestated?.route === route ? this.#firstRestated : undefined;
    this.#firstRestated = undefined;
    const path = first?.path ?? this.#hops(route);
    const known = first?.known ?? beliefs.known(path);
    const underway = this.#underway.get(payment)!;
    if (underway.sent.size > 0) underway.hasSeveral = true;
    underway.sent.set(route, { path, at: beliefs.learning.now, sentUs: nowUs, known });
    beliefs.reserve(path, payment);
    if (this.#options.probes === true && payment < FIRST_PROBE_ID)
      beliefs.use.note(path.slice(1).map(({ shortChannelIdDir }) => shortChannelIdDir.shortChannelId));
  }

  ended({ payment, sender: node, route, end, severalParts, height, nowUs }: EndedAttempt): AttemptVerdict {
    this.#nowUs = nowUs;
    const sender = this.#senderOf(node);
    const underway = this.#underway.get(payment)!;
    const { path, at: sentAt, known, sentUs } = underway.sent.get(route)!;
    underway.sent.delete(route);
    sender.unreserve(path);
    const ofOdds = attemptEnd(path.length, end, () => sender.known(path));
    const time = {
      roundTripS: (nowUs - sentUs) / 1e6,
      holdTimesS: end.holdTimesS ?? [],
      waited: underway.hasSeveral && ofOdds?.kind === 'arrived',
    };
    if (ofOdds !== undefined) sender.observe(known, ofOdds, time);
    if (end.kind === 'settled') {
      sender.settled(path, payment);
      return 'retry';
    }
    const judgement = judged(path, end.index, end.failure, height, severalParts);
    sender.learn(judgement.lessons, payment, sentAt);
    sender.learning.returned(path.slice(0, end.index));
    return judgement.isHopeless ? 'hopeless' : 'retry';
  }

  finish(payment: number, sender: number): void {
    this.#underway.delete(payment);
    this.#anticipated.delete(payment);
    const known = this.#used(sender);
    known.payments--;
    known.beliefs.forget(payment);
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#anticipated.values()].map((ahead) => ahead?.plan));
  }

  #ask(sender: Sender, question: PlanQuestion): Plan | Promise<Plan> {
    const { payment, circle } = question;
    if (circle === undefined) return this.#askUnder(sender.view(payment), sender, question);
    const { graph } = this.#channels;
    const ourId = this.#ids.of(question.sender);
    const channels = ownChannelsOf(this.#channels, this.#ids, question.sender);
    const comesBackBy = circle.in.map(({ shortChannelId: id }) => {
      const channel = graph.channelIndex(id);
      return 2 * channel + (graph.node1[channel] === question.sender ? 1 : 0);
    });
    return sender.withCircle(payment, { circle, ourId, channels }, (view) =>
      this.#askUnder(view, sender, question, comesBackBy),
    );
  }

  #askUnder(
    { changes, stack, oddsSlot }: SenderView,
    sender: Sender,
    question: PlanQuestion,
    comesBackBy?: readonly number[],
  ): Plan | Promise<Plan> {
    const { payment, round, maxparts } = question;
    const seed = this.#options.seed ^ BigInt.asUintN(64, BigInt(payment) * SEED_STEP);
    return sender.lane.ask({
      changes,
      stack,
      source: question.sender,
      destination: question.receiver,
      amountMsat: question.amountMsat,
      maxfeeMsat: question.maxfeeMsat,
      finalCltv: question.finalCltv,
      maxdelay: question.maxDelayBlocks,
      maxparts: Math.min(maxparts, this.#options.maxparts ?? maxparts),
      noise: this.#options.noise ? BigInt.asUintN(64, seed + BigInt(round) * SEED_STEP) : undefined,
      knobs: this.#knobs,
      oddsSlot,
      comesBackBy,
    });
  }

  #senderOf(node: number): Sender {
    return this.#known(node).beliefs;
  }

  #known(node: number): KnownSender {
    const known = this.#senders.get(node);
    if (known !== undefined) return known;
    const lane = this.#pool.laneOf(node);
    const { learn: keeps, searchesLearned = true, natsPerSecond, beliefs: believed = [] } = this.#options;
    const nowUs = (): number => this.#nowUs;
    const options = { keeps, searchesLearned, natsPerSecond, nowUs, believed };
    const beliefs = new Sender(node, lane, this.#channels, options);
    const fresh = { beliefs, payments: 0, usedUs: this.#nowUs };
    this.#senders.set(node, fresh);
    return fresh;
  }

  /** Returns a sender and marks it as used. */
  #used(node: number): KnownSender {
    const known = this.#known(node);
    known.usedUs = this.#nowUs;
    this.#senders.delete(node);
    this.#senders.set(node, known);
    return known;
  }

  #forgetIdle(): void {
    for (const [node, { beliefs, payments, usedUs }] of this.#senders) {
      if (usedUs + IDLE_US > this.#nowUs) return;
      if (payments > 0) continue;
      beliefs.retire();
      this.#senders.delete(node);
    }
  }

  #hops(route: PlannedRoute): RouteHop[] {
    return hopsOf(this.#channels.graph, this.#ids, route);
  }
}

/** A key of everything that affects the search of a payment and may have changed since the search was requested. */
const keyOf = (
  sender: Sender,
  { amountMsat, maxfeeMsat, maxparts, finalCltv, round }: PlanQuestion,
): string => `${sender.fingerprint()}:${amountMsat}:${maxfeeMsat}:${maxparts}:${finalCltv}:${round}`;

/** The outcome of an attempt as the odds model learns it. */
function attemptEnd(
  hops: number,
  end: EndedAttempt['end'],
  known: () => readonly KnownHop[],
): AttemptEnd | undefined {
  if (end.kind === 'settled' || end.index >= hops) return { kind: 'arrived' };
  const { index } = end;
  return { kind: 'failed', index, blames: blameOf(end.failure.name), knownAtEnd: known()[index] };
}

function judged(
  path: readonly RouteHop[],
  index: number,
  failure: Parameters<typeof judgeFailure>[2],
  height: number,
  severalParts: boolean,
): Judgement {
  if (index === 0) return judgeRefusal(path, true);
  return judgeFailure(path, index, failure, { height, severalParts, isBlinded: false });
}
