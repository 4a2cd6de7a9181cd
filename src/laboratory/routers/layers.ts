/**
 * The router `layers`: any program that serves `getroutes` and the `askrene-*` methods on a UNIX socket, such as a Core
 * Lightning node, our daemon, or a script. The program alone decides how routes are found.
 *
 * In the program, each sender has its own layer. After each attempt, the results of the attempt are added to the layer
 * (`askrene-inform-channel`). When a payment begins, the layer is aged (`askrene-age`), at most once per simulated
 * minute. Facts for a single search are in a separate layer that is removed after the search: the spendable amounts of
 * the sender's own channels, and the directions that this payment found unusable.
 *
 * If the program has a different graph, such as a node of a test network, the channels of the scenario can be created
 * in a separate layer before the first search.
 *
 * Calls are made one by one, in the order of simulated time. A call that takes longer than 30 s or fails, other than
 * for lack of a route, fails the payment with the reason `routerFailed`. If more than a twentieth of at least 100
 * searches fail this way, the run ends.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { FulguriteError } from '../../model/errors.ts';
import { parseMsat } from '../../model/msat.ts';
import type { Direction, ShortChannelId } from '../../model/short-channel-id.ts';
import {
  formatShortChannelId,
  formatShortChannelIdDir,
  parseShortChannelIdDir,
} from '../../model/short-channel-id.ts';
import type { JsonToken } from '../../rpc/json-token.ts';
import { callOverSocket, membersOf } from '../../rpc/socket-client.ts';
import type { RouterScenario } from '../scenario/scenario.ts';
import { scenarioError } from '../scenario/scenario-error.ts';
import type { TrueChannels } from '../truth/true-channels.ts';
import {
  type AttemptVerdict,
  type EndedAttempt,
  NO_ROUTE,
  type PaymentRouter,
  type Plan,
  type PlannedRoute,
  type PlanQuestion,
} from './router.ts';

const CALL_TIMEOUT_MS = 30_000;
const FORGET_AFTER_S = 3600;
const AGE_EVERY_US = 60_000_000;
/** Codes of `getroutes` for "no route" (askrene). */
const NO_ROUTE_CODES = new Set([205, 206, 210, 215, 220]);
const MIN_SEARCHES = 100;
const MAX_FAILED = 1 / 20;

type ProgramCall = readonly [method: string, params: Record<string, unknown>];

/** The state of a sender in the program. */
interface SenderThere {
  readonly layer: string;
  agedUs: number;
}

/** An error returned by the program. */
class ProgramRefused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Checks that the program accepts connections, so that a wrong path does not fail payment after payment. */
export async function checkProgram({ name, socket }: RouterScenario): Promise<void> {
  if (socket === undefined) return;
  const connection = connect(socket);
  try {
    await once(connection, 'connect');
  } catch (error) {
    throw scenarioError({
      file: 'scenario',
      field: `router ${name}`,
      expected: 'the socket of a running program',
      found: (error as Error).message,
    });
  } finally {
    connection.destroy();
  }
}

/** A router that asks a program over a socket. */
export class LayersRouter implements PaymentRouter {
  readonly name: string;
  readonly #socket: string;
  readonly #channels: TrueChannels;
  readonly #senders = new Map<number, SenderThere>();
  /** The layer with the channels of the scenario. Undefined if the program has them. */
  readonly #networkLayer: string | undefined;
  #hasNetwork = false;
  /** For each payment in progress, the directions that it found unusable. */
  readonly #avoided = new Map<number, Set<number>>();
  /** Calls whose results are not needed immediately, in order. All of them are made before the next search. */
  #waiting: ProgramCall[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #searches = 0;
  #failed = 0;

  /** @param createsChannels whether to create the channels of the scenario in the program */
  constructor(channels: TrueChannels, name: string, socket: string, createsChannels = false) {
    this.#channels = channels;
    this.name = name;
    this.#socket = socket;
    this.#networkLayer = createsChannels ? `simulate-${process.pid}-${name}-network` : undefined;
  }

  begin(payment: number, sender: number, nowUs: number): void {
    this.#avoided.set(payment, new Set());
    const there = this.#senderOf(sender);
    if (nowUs < there.agedUs + AGE_EVERY_US) return;
    there.agedUs = nowUs;
    // The program records facts with its own clock, which is not the simulated one.
    const cutoff = Math.floor(Date.now() / 1000) - FORGET_AFTER_S;
    this.#waiting.push(['askrene-age', { layer: there.layer, cutoff }]);
  }

  plan(question: PlanQuestion): Promise<Plan> {
    const plan = this.#last.then(() => this.#search(question));
    this.#last = plan.catch(() => undefined);
    return plan;
  }

  sent(): void {}

  ended({ payment, sender, route, end }: EndedAttempt): AttemptVerdict {
    const { layer } = this.#senderOf(sender);
    const inform = (hop: number, kind: 'constrained' | 'unconstrained' | 'succeeded'): void => {
      const amount_msat = route.amountsMsat[hop]!;
      const short_channel_id_dir = this.#nameOf(route.directions[hop]!);
      this.#waiting.push([
        'askrene-inform-channel',
        { layer, short_channel_id_dir, amount_msat, inform: kind },
      ]);
    };
    if (end.kind === 'settled') {
      for (let hop = 1; hop < route.directions.length; hop++) inform(hop, 'succeeded');
      return 'retry';
    }
    for (let hop = 1; hop < end.index; hop++) inform(hop, 'unconstrained');
    const direction = route.directions[end.index];
    if (direction === undefined) return end.failure.name === 'mpp_timeout' ? 'retry' : 'hopeless';
    if (end.failure.name === 'temporary_channel_failure' && end.index > 0) inform(end.index, 'constrained');
    else this.#avoided.get(payment)?.add(direction);
    return 'retry';
  }

  finish(payment: number): void {
    this.#avoided.delete(payment);
  }

  /** Removes the layers of this run. */
  async close(): Promise<void> {
    await this.#last;
    const network = this.#hasNetwork ? [{ layer: this.#networkLayer! }] : [];
    for (const { layer } of [...network, ...this.#senders.values()]) {
      await this.#call('askrene-remove-layer', { layer }).catch(() => undefined);
    }
  }

  #senderOf(sender: number): SenderThere {
    const known = this.#senders.get(sender);
    if (known !== undefined) return known;
    const fresh = { layer: `simulate-${process.pid}-${this.name}-${sender}`, agedUs: 0 };
    this.#senders.set(sender, fresh);
    this.#waiting.push(['askrene-create-layer', { layer: fresh.layer }]);
    return fresh;
  }

  async #search(question: PlanQuestion): Promise<Plan> {
    this.#searches++;
    const once = `simulate-${process.pid}-${this.name}-once`;
    try {
      await this.#giveNetwork();
      const { layer } = this.#senderOf(question.sender);
      for (const [method, params] of this.#waiting.splice(0)) await this.#call(method, params);
      await this.#call('askrene-create-layer', { layer: once });
      for (const [method, params] of this.#factsFor(question, once)) await this.#call(method, params);
      const network = this.#networkLayer === undefined ? [] : [this.#networkLayer];
      return await this.#ask(question, [...network, layer, once, 'auto.sourcefree']);
    } catch (error) {
      if (error instanceof ProgramRefused && NO_ROUTE_CODES.has(error.code)) return NO_ROUTE;
      return this.#failure(error);
    } finally {
      await this.#call('askrene-remove-layer', { layer: once }).catch(() => undefined);
    }
  }

  /** Creates the channels of the scenario in the program, once. */
  async #giveNetwork(): Promise<void> {
    if (this.#networkLayer === undefined || this.#hasNetwork) return;
    this.#hasNetwork = true;
    const layer = this.#networkLayer;
    const { graph } = this.#channels;
    await this.#call('askrene-create-layer', { layer });
    for (let channel = 0; channel < graph.channelCount; channel++) {
      await this.#call('askrene-create-channel', {
        layer,
        source: graph.nodeId(graph.node1[channel]!),
        destination: graph.nodeId(graph.node2[channel]!),
        short_channel_id: formatShortChannelId(graph.shortChannelIds[channel]! as ShortChannelId),
        capacity_msat: graph.capacityMsat[channel]!,
      });
      for (const direction of [2 * channel, 2 * channel + 1]) {
        const policy = graph.policy(direction);
        if (policy === undefined) continue;
        await this.#call('askrene-update-channel', {
          layer,
          short_channel_id_dir: this.#nameOf(direction),
          enabled: policy.enabled,
          htlc_minimum_msat: policy.htlcMinimumMsat,
          htlc_maximum_msat: policy.htlcMaximumMsat,
          fee_base_msat: policy.feeBaseMsat,
          fee_proportional_millionths: policy.feeProportionalMillionths,
          cltv_expiry_delta: policy.cltvExpiryDelta,
        });
      }
    }
  }

  #failure(error: unknown): Plan {
    this.#failed++;
    if (this.#searches >= MIN_SEARCHES && this.#failed > MAX_FAILED * this.#searches) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new FulguriteError(
        'scenario',
        `router ${this.name}: ${this.#failed} of ${this.#searches} searches failed; the last one: ${reason}`,
        { router: this.name, failed: this.#failed, searches: this.#searches, reason },
      );
    }
    return { ...NO_ROUTE, reason: 'routerFailed' };
  }

  /** The facts of this search: own balances, and directions that this payment found unusable. */
  *#factsFor({ sender, payment }: PlanQuestion, layer: string): Generator<ProgramCall> {
    const { graph } = this.#channels;
    for (const channel of graph.channelsOf(sender)) {
      const direction = 2 * channel + (graph.node1[channel] === sender ? 0 : 1);
      const amount_msat = this.#channels.spendableMsat(direction);
      const fact = { layer, short_channel_id_dir: this.#nameOf(direction) };
      if (amount_msat > 0n)
        yield ['askrene-inform-channel', { ...fact, amount_msat, inform: 'unconstrained' }];
      // For askrene, `constrained` means that not even the given amount can pass.
      yield ['askrene-inform-channel', { ...fact, amount_msat: amount_msat + 1n, inform: 'constrained' }];
    }
    for (const direction of this.#avoided.get(payment) ?? []) {
      yield [
        'askrene-update-channel',
        { layer, short_channel_id_dir: this.#nameOf(direction), enabled: false },
      ];
    }
  }

  async #ask(question: PlanQuestion, layers: readonly string[]): Promise<Plan> {
    const { graph } = this.#channels;
    const answer = membersOf(
      await this.#call('getroutes', {
        source: graph.nodeId(question.sender),
        destination: graph.nodeId(question.receiver),
        amount_msat: question.amountMsat,
        layers,
        maxfee_msat: question.maxfeeMsat,
        final_cltv: question.finalCltv,
        maxparts: question.maxparts,
      }),
    );
    const routes = (answer.routes?.elements() ?? []).map((route) => this.#route(membersOf(route), question));
    if (routes.length === 0) return NO_ROUTE;
    return { routes, probabilityPpm: numberOf(answer.probability_ppm) };
  }

  /**
   * Converts a route of a result. In askrene, the `amount_msat` and `delay` of a hop are those that arrive at its
   * source node. So the amount that a hop delivers is a member of the next hop; the last hop delivers the amount of the
   * route.
   */
  #route(
    route: Readonly<Record<string, JsonToken | undefined>>,
    { sender, receiver, finalCltv }: PlanQuestion,
  ): PlannedRoute {
    const path = (route.path?.elements() ?? []).map(membersOf);
    const given = path.map((hop) => ({ amountMsat: amountOf(hop.amount_msat), delay: numberOf(hop.delay) }));
    const last = { amountMsat: amountOf(route.amount_msat), delay: finalCltv };
    const crossing = [...given.slice(1), last];
    const directions = path.map((hop) => this.#directionOf(hop.short_channel_id_dir?.text ?? ''));
    this.#requirePath(directions, sender, receiver);
    return {
      directions,
      amountsMsat: crossing.map(({ amountMsat }) => amountMsat),
      expiries: crossing.map(({ delay }) => delay ?? finalCltv),
      probabilityPpm: numberOf(route.probability_ppm),
    };
  }

  /** @throws TypeError unless the directions lead from one node to the other */
  #requirePath(directions: readonly number[], from: number, to: number): void {
    const { graph } = this.#channels;
    let at = from;
    for (const direction of directions) {
      const ends = [graph.node1[direction >>> 1]!, graph.node2[direction >>> 1]!];
      const [tail, head] = (direction & 1) === 0 ? ends : ends.reverse();
      if (tail !== at)
        throw new TypeError(`${this.#nameOf(direction)} does not start at ${graph.nodeId(at)}`);
      at = head!;
    }
    if (at !== to) throw new TypeError(`a route ends at ${graph.nodeId(at)}, not at ${graph.nodeId(to)}`);
  }

  #directionOf(name: string): number {
    const parsed = parseShortChannelIdDir(name);
    const channel = parsed === undefined ? -1 : this.#channels.graph.channelIndex(parsed.shortChannelId);
    if (parsed === undefined || channel < 0)
      throw new TypeError(`no channel ${JSON.stringify(name.slice(0, 40))} in the scenario`);
    return 2 * channel + parsed.direction;
  }

  #nameOf(direction: number): string {
    const shortChannelId = this.#channels.graph.shortChannelIds[direction >>> 1]! as ShortChannelId;
    return formatShortChannelIdDir({ shortChannelId, direction: (direction & 1) as Direction });
  }

  /** @throws ProgramRefused for an error returned by the program */
  async #call(method: string, params: Record<string, unknown>): Promise<JsonToken> {
    const { result, error } = await callOverSocket({
      path: this.#socket,
      method,
      params: JSON.stringify(params, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
      abort: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
    if (result !== undefined) return result;
    const { code, message } = error === undefined ? {} : membersOf(error);
    throw new ProgramRefused(numberOf(code) ?? 0, message?.text ?? 'an error without message');
  }
}

const numberOf = (token: JsonToken | undefined): number | undefined => {
  const number = Number(token?.text);
  return Number.isFinite(number) ? number : undefined;
};

function amountOf(token: JsonToken | undefined): bigint {
  const amount = parseMsat(token?.text ?? '');
  if (amount === undefined) throw new TypeError(`no amount: ${token?.raw.slice(0, 40) ?? 'nothing'}`);
  return amount;
}
