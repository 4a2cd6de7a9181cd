/**
 * LDK's probabilistic scorer (npm `lightningdevkit`) as two judges, with LDK's default parameters: its historical
 * estimate, the basis of its default penalties, and its live estimate. Both use one scorer, which learns as in LDK's
 * payment code (src/laboratory/routers/ldk.ts). The sender's own channel counts as certain.
 */
import type * as Ldk from 'lightningdevkit';
import type { LdkBindings } from '../../src/laboratory/routers/ldk-graph.ts';
import type { EndedAttempt, PlannedRoute } from '../../src/laboratory/routers/router.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { NODE_ID_BYTES } from '../../src/model/node-id.ts';
import type { JudgedAttempt, OddsJudge } from './judge.ts';

/** Start of LDK's clock in UNIX seconds. */
const EPOCH_S = 1_700_000_000;

/** LDK's view of a graph, which scorers share. */
export interface LdkView {
  readonly ldk: LdkBindings;
  readonly network: Ldk.NetworkGraph;
  readonly logger: Ldk.Logger;
  readonly graph: ChannelGraph;
}

/** The judges `LDK historical` and `LDK live`, for one sender. */
export function ldkJudges(view: LdkView): OddsJudge[] {
  const { ldk, network, logger } = view;
  const decay = ldk.ProbabilisticScoringDecayParameters.constructor_default();
  const scoring = ldk.ProbabilisticScoringFeeParameters.constructor_default();
  const scorer = ldk.ProbabilisticScorer.constructor_new(decay, network, logger);
  const over = (route: PlannedRoute, of: (...hop: LdkHop) => Ldk.Option_f64Z): number =>
    hopsOf(view, route)
      .slice(1)
      .reduce((chance, hop) => {
        const odds = of(...hop);
        return chance * (odds instanceof ldk.Option_f64Z_Some ? odds.some : 1);
      }, 1);
  return [
    {
      name: 'LDK historical',
      chance: ({ route, nowUs }: JudgedAttempt) => {
        scorer.as_ScoreUpdate().time_passed(atS(nowUs));
        return over(route, (scid, target, amountMsat) =>
          scorer.historical_estimated_payment_success_probability(scid, target, amountMsat, scoring, true),
        );
      },
      ended: (report) => learn(view, scorer.as_ScoreUpdate(), report),
    },
    {
      name: 'LDK live',
      chance: ({ route }: JudgedAttempt) =>
        over(route, (scid, target, amountMsat) =>
          scorer.live_estimated_payment_success_probability(scid, target, amountMsat, scoring),
        ),
      ended: () => undefined,
    },
  ];
}

type LdkHop = readonly [shortChannelId: bigint, target: Ldk.NodeId, amountMsat: bigint];

const atS = (nowUs: number): bigint => BigInt(EPOCH_S + Math.floor(nowUs / 1e6));

function hopsOf({ ldk, graph }: LdkView, { directions, amountsMsat }: PlannedRoute): LdkHop[] {
  return directions.map((direction, index) => [
    graph.shortChannelIds[direction >>> 1]!,
    ldk.NodeId.constructor_from_pubkey(headBytes(graph, direction)),
    amountsMsat[index]!,
  ]);
}

function headBytes({ node1, node2, nodeIds }: ChannelGraph, direction: number): Uint8Array {
  const node = (direction & 1) === 0 ? node2[direction >>> 1]! : node1[direction >>> 1]!;
  return nodeIds.slice(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES);
}

/**
 * Reports the end of an attempt to LDK's scorer: an arrival, or the channel that failed. Failures of the sender's own
 * channels are not reported.
 */
function learn(view: LdkView, scores: Ldk.ScoreUpdate, { route, end, nowUs }: EndedAttempt): void {
  const path = pathOf(view, route);
  if (end.kind === 'settled') {
    scores.payment_path_successful(path, atS(nowUs));
    return;
  }
  if (end.index === route.directions.length) {
    scores.probe_successful(path, atS(nowUs));
    return;
  }
  if (end.index === 0) return;
  const failed = view.graph.shortChannelIds[route.directions[end.index]! >>> 1]!;
  scores.payment_path_failed(path, failed, atS(nowUs));
}

/** A hop in LDK contains the node that it reaches, that node's fee, and that node's delay in blocks. */
function pathOf({ ldk, graph }: LdkView, { directions, amountsMsat, expiries }: PlannedRoute): Ldk.Path {
  const hops = directions.map((direction, index) =>
    ldk.RouteHop.constructor_new(
      headBytes(graph, direction),
      ldk.NodeFeatures.constructor_empty(),
      graph.shortChannelIds[direction >>> 1]!,
      ldk.ChannelFeatures.constructor_empty(),
      amountsMsat[index]! - (amountsMsat[index + 1] ?? 0n),
      expiries[index]! - (expiries[index + 1] ?? 0),
      true,
    ),
  );
  return ldk.Path.constructor_new(hops, null);
}
