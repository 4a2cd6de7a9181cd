/**
 * The router `ldk`: LDK's own router and probabilistic scorer from the npm package, with LDK's default parameters and
 * one scorer for each sender.
 *
 * The spendable amounts of a sender's own channels are passed to LDK as `ChannelDetails`. The scorer learns as in LDK's
 * payment code: a settled part is reported as `payment_path_successful`, and a failed part as `payment_path_failed` at
 * the channel after the node that failed. That channel is then in `previously_failed_channels` for the rest of the
 * payment. LDK's gossip updates after permanent failures are left out, because all senders share one graph.
 *
 * The predicted odds are products of `historical_estimated_payment_success_probability`, the basis of LDK's default
 * penalties. A part that shares a channel with other parts is treated as if it were the only one.
 */
import type * as Ldk from 'lightningdevkit';
import { Draws } from '../../model/draws.ts';
import { NODE_ID_BYTES } from '../../model/node-id.ts';
import { PURPOSE } from '../purposes.ts';
import { scenarioError } from '../scenario/scenario-error.ts';
import type { TrueChannels } from '../truth/true-channels.ts';
import { feedLdkGraph, type LdkBindings, openLdk } from './ldk-graph.ts';
import {
  type AttemptVerdict,
  type EndedAttempt,
  NO_ROUTE,
  type PaymentRouter,
  type Plan,
  type PlannedRoute,
  type PlanQuestion,
} from './router.ts';

/** Start of LDK's clock in UNIX seconds. LDK uses only differences between times. */
const EPOCH_S = 1_700_000_000;
const SEED_BYTES = 32;

/** Options of the router. */
export interface LdkRouterOptions {
  readonly name: string;
  /** Seed of LDK's random choices in a search. */
  readonly seed: bigint;
}

/** The router `ldk` for many senders. */
export class LdkRouter implements PaymentRouter {
  readonly name: string;
  readonly #ldk: LdkBindings;
  readonly #channels: TrueChannels;
  readonly #draws: Draws;
  readonly #logger: Ldk.Logger;
  readonly #network: Ldk.NetworkGraph;
  readonly #scoring: Ldk.ProbabilisticScoringFeeParameters;
  readonly #scorers = new Map<number, Ldk.ProbabilisticScorer>();
  /** The routes that LDK found, in LDK's own form. */
  readonly #paths = new WeakMap<PlannedRoute, Ldk.Path>();
  /** The channels that failed in each payment in progress. */
  readonly #failed = new Map<number, bigint[]>();

  constructor(ldk: LdkBindings, channels: TrueChannels, { name, seed }: LdkRouterOptions) {
    this.name = name;
    this.#ldk = ldk;
    this.#channels = channels;
    this.#draws = new Draws(seed);
    this.#logger = ldk.Logger.new_impl({ log: () => undefined });
    this.#network = ldk.NetworkGraph.constructor_new(ldk.Network.LDKNetwork_Bitcoin, this.#logger);
    this.#scoring = ldk.ProbabilisticScoringFeeParameters.constructor_default();
    feedLdkGraph(ldk, this.#network, channels.graph);
  }

  /**
   * Loads the package, and feeds the graph to LDK.
   * @throws FulguriteError `scenario` when the package is not installed
   */
  static async open(channels: TrueChannels, options: LdkRouterOptions): Promise<LdkRouter> {
    const ldk = await openLdk().catch((error: unknown) => {
      throw scenarioError({
        file: 'scenario',
        field: 'routers',
        expected: 'the package of the router ldk (npm install lightningdevkit@0.1.0)',
        found: String(error).slice(0, 100),
      });
    });
    return new LdkRouter(ldk, channels, options);
  }

  begin(): void {}

  plan(question: PlanQuestion): Plan {
    const ldk = this.#ldk;
    const { sender } = question;
    const scorer = this.#scorerOf(sender);
    const result = ldk.UtilMethods.constructor_find_route(
      this.#nodeBytes(sender),
      this.#parameters(question),
      this.#network,
      this.#ownChannels(sender),
      this.#logger,
      scorer.as_ScoreLookUp(),
      this.#scoring,
      this.#randomBytes(question),
    );
    if (!(result instanceof ldk.Result_RouteLightningErrorZ_OK)) return NO_ROUTE;
    const routes = result.res.get_paths().map((path) => this.#route(path, scorer));
    const probabilityPpm = routes.reduce((product, route) => product * (route.probabilityPpm! / 1e6), 1e6);
    return { routes, probabilityPpm: Math.floor(probabilityPpm) };
  }

  sent(): void {}

  ended({ payment, sender, route, end, nowUs }: EndedAttempt): AttemptVerdict {
    const path = this.#paths.get(route);
    if (path === undefined) return 'retry';
    const scores = this.#scorerOf(sender).as_ScoreUpdate();
    const nowS = BigInt(EPOCH_S + Math.floor(nowUs / 1e6));
    if (end.kind === 'settled') {
      scores.payment_path_successful(path, nowS);
      return 'retry';
    }
    const { index, failure } = end;
    if (index === route.directions.length) return failure.name === 'mpp_timeout' ? 'retry' : 'hopeless';
    const shortChannelId = this.#channels.graph.shortChannelIds[route.directions[index]! >>> 1]!;
    if (index > 0) scores.payment_path_failed(path, shortChannelId, nowS);
    const failed = this.#failed.get(payment) ?? [];
    failed.push(shortChannelId);
    this.#failed.set(payment, failed);
    return 'retry';
  }

  finish(payment: number): void {
    this.#failed.delete(payment);
  }

  async close(): Promise<void> {
    this.#scorers.clear();
  }

  #parameters({ payment, receiver, finalCltv, maxparts, ...limits }: PlanQuestion): Ldk.RouteParameters {
    const ldk = this.#ldk;
    const parameters = ldk.PaymentParameters.constructor_for_keysend(
      this.#nodeBytes(receiver),
      finalCltv,
      maxparts > 1,
    );
    parameters.set_max_path_count(maxparts);
    parameters.set_max_total_cltv_expiry_delta(limits.maxDelayBlocks);
    parameters.set_previously_failed_channels(this.#failed.get(payment) ?? []);
    const maxfee = ldk.Option_u64Z.constructor_some(limits.maxfeeMsat);
    return ldk.RouteParameters.constructor_new(parameters, limits.amountMsat, maxfee);
  }

  /** A sender's own channels, with the amounts that they can send now. */
  #ownChannels(sender: number): Ldk.ChannelDetails[] {
    const { graph } = this.#channels;
    return [...graph.channelsOf(sender)].map((channel) => {
      const isFirst = graph.node1[channel] === sender;
      const peer = isFirst ? graph.node2[channel]! : graph.node1[channel]!;
      const spendableMsat = this.#channels.spendableMsat(2 * channel + (isFirst ? 0 : 1));
      return this.#channelDetails(channel, peer, spendableMsat);
    });
  }

  #channelDetails(channel: number, peer: number, spendableMsat: bigint): Ldk.ChannelDetails {
    const ldk = this.#ldk;
    const { graph } = this.#channels;
    const none = ldk.Option_u64Z.constructor_none();
    const noDelay = ldk.Option_u16Z.constructor_none();
    const noCount = ldk.Option_u32Z.constructor_none();
    return ldk.ChannelDetails.constructor_new(
      ldk.ChannelId.constructor_new_zero(),
      ldk.ChannelCounterparty.constructor_new(
        this.#nodeBytes(peer),
        ldk.InitFeatures.constructor_empty(),
        0n,
        null,
        none,
        none,
      ),
      null,
      null,
      ldk.Option_u64Z.constructor_some(graph.shortChannelIds[channel]!),
      none,
      none,
      graph.capacityMsat[channel]! / 1000n,
      none,
      0n,
      noCount,
      spendableMsat,
      spendableMsat,
      1n,
      0n,
      noCount,
      noCount,
      noDelay,
      true,
      true,
      ldk.Option_ChannelShutdownStateZ.constructor_none(),
      true,
      true,
      none,
      none,
      null,
      [],
      [],
    );
  }

  /**
   * Converts a path from LDK. A hop of LDK contains the node that it reaches, and that node's fee and delay in blocks
   * (for the recipient: the delivered amount and the final delay).
   */
  #route(path: Ldk.Path, scorer: Ldk.ProbabilisticScorer): PlannedRoute {
    const { graph } = this.#channels;
    const hops = path.get_hops();
    const [directions, amountsMsat, expiries]: [number[], bigint[], number[]] = [[], [], []];
    let [amountMsat, blocks, probability] = [0n, 0, 1];
    for (let index = hops.length - 1; index >= 0; index--) {
      const hop = hops[index]!;
      amountMsat += hop.get_fee_msat();
      blocks += hop.get_cltv_expiry_delta();
      const channel = graph.channelIndex(hop.get_short_channel_id());
      const head = hop.get_pubkey();
      const isFirst = graph.node2[channel] === graph.nodeIndexOfBytes(head);
      directions.unshift(2 * channel + (isFirst ? 0 : 1));
      amountsMsat.unshift(amountMsat);
      expiries.unshift(blocks);
      if (index > 0) probability *= this.#odds(scorer, hop.get_short_channel_id(), head, amountMsat);
    }
    const route = { directions, amountsMsat, expiries, probabilityPpm: Math.floor(probability * 1e6) };
    this.#paths.set(route, path);
    return route;
  }

  #odds(
    scorer: Ldk.ProbabilisticScorer,
    shortChannelId: bigint,
    head: Uint8Array,
    amountMsat: bigint,
  ): number {
    const ldk = this.#ldk;
    const target = ldk.NodeId.constructor_from_pubkey(head);
    const odds = scorer.historical_estimated_payment_success_probability(
      shortChannelId,
      target,
      amountMsat,
      this.#scoring,
      true,
    );
    return odds instanceof ldk.Option_f64Z_Some ? odds.some : 1;
  }

  #scorerOf(sender: number): Ldk.ProbabilisticScorer {
    const known = this.#scorers.get(sender);
    if (known !== undefined) return known;
    const ldk = this.#ldk;
    const decay = ldk.ProbabilisticScoringDecayParameters.constructor_default();
    const fresh = ldk.ProbabilisticScorer.constructor_new(decay, this.#network, this.#logger);
    this.#scorers.set(sender, fresh);
    return fresh;
  }

  #nodeBytes(node: number): Uint8Array {
    return this.#channels.graph.nodeIds.slice(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES);
  }

  #randomBytes({ payment, round }: PlanQuestion): Uint8Array {
    const bytes = new Uint8Array(SEED_BYTES);
    for (let at = 0; at < SEED_BYTES; at++) {
      bytes[at] = Math.floor(this.#draws.uniform(PURPOSE.ldk, payment, round * SEED_BYTES + at) * 256);
    }
    return bytes;
  }
}
