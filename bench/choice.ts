/**
 * What randomisation and shadow routing do to plans between fixed ends, over many seeds. The report shows how many
 * routes are used, how much more they cost than the plan without either, which shadows are drawn, and that no plan
 * breaks a limit.
 *
 * These are plans only. Nothing is sent, so every seed sees the same graph, layers and balances. Limits are
 * keysend's defaults: 0.5 %, at least 5 sat, and 2016 blocks.
 */
import { seededRandom } from '../src/gossip/random.ts';
import { type ChannelGraph, POLICY_ENABLED } from '../src/model/channel-graph.ts';
import { msat } from '../src/model/msat.ts';
import type { NodeId } from '../src/model/node-id.ts';
import { InProcessPort, networkMapOf, Simulation } from '../src/network/simulated/index.ts';
import { routeKey } from '../src/payments/learn/learning.ts';
import type { PaymentPlan } from '../src/payments/payment-engine.ts';
import { FINAL_CLTV_BLOCKS } from '../src/payments/plan/limits.ts';
import { feeOf } from '../src/payments/plan/route-cost.ts';
import { mostShadowMsat } from '../src/payments/plan/shadow.ts';
import type { BenchContext } from './context.ts';
import { mainGraph } from './graphs.ts';
import { meanOf, quantile } from './measure.ts';
import { OWN_ID, PayingNode, requestTo } from './paying-node.ts';

const SEED = 2026;
const AMOUNTS_SAT = [1, 1_000, 100_000, 1_000_000];
const RECIPIENTS = 3;
/** Minimum number of channels into a recipient: with fewer, there is little choice. */
const MIN_WAYS = 6;
/** A shadow may use at most 1 / SHADOW_SHARE of the blocks between the final delay and the delay limit. */
const SHADOW_SHARE = 4;

/** Runs the benchmark area `choice`. */
export async function choiceBench({ quick, report }: BenchContext): Promise<void> {
  const { graph, name } = mainGraph();
  const ownChannels = { count: 8, capacityMsat: msat(10n ** 11n), localShare: 0.9 };
  const simulation = new Simulation(networkMapOf(graph), { ownNodeId: OWN_ID, seed: SEED, ownChannels });
  const network = new InProcessPort(simulation);
  const node = await PayingNode.open({ graph, network, choice: 'full', nowMs: () => simulation.nowMs });
  const seeds = quick ? 100 : 1_000;
  const [routes, shadows] = [[], []] as Record<string, number>[][];
  for (const amountSat of AMOUNTS_SAT) {
    const plain: Ends[] = [];
    for (const to of recipients(graph))
      plain.push({ to, fee: Number(feeOf((await planOf(node, to, amountSat)).routes)) });
    routes!.push(await randomised(node, amountSat, plain, seeds));
    shadows!.push(await shadowed(node, amountSat, plain, seeds));
  }
  await node.close();
  await network.close();
  const ends = `${seeds} seeds for each of ${RECIPIENTS} recipients, ${name}`;
  report.table('choice', `routes between fixed ends, ${ends}`, routes!);
  report.table('choice', `shadow offsets, ${ends}`, shadows!);
}

/** A recipient, and the fee of the plan without noise and shadow, msat. */
interface Ends {
  readonly to: NodeId;
  readonly fee: number;
}

async function planOf(
  node: PayingNode,
  to: NodeId,
  amountSat: number,
  seed?: number,
  shadow = false,
): Promise<PaymentPlan> {
  const request = requestTo(to, amountSat, BigInt(seed ?? 0));
  return node.payments.plan({ ...request, randomize: seed !== undefined, useShadow: shadow });
}

async function randomised(node: PayingNode, amountSat: number, plain: readonly Ends[], seeds: number) {
  const extra: number[] = [];
  const used: number[] = [];
  let beyond = 0;
  for (const { to, fee } of plain) {
    const keys = new Set<string>();
    for (let seed = 0; seed < seeds; seed++) {
      const plan = await planOf(node, to, amountSat, seed);
      keys.add(plan.routes.map(({ path }) => routeKey(path)).join());
      extra.push(Number(feeOf(plan.routes)) - fee);
      if (breaksLimit(plan)) beyond++;
    }
    used.push(keys.size);
  }
  return {
    sat: amountSat,
    'routes, fewest': Math.min(...used),
    'routes, most': Math.max(...used),
    'extra fee msat mean': meanOf(extra),
    'extra fee msat p50': quantile(extra, 0.5),
    'extra fee msat p95': quantile(extra, 0.95),
    'extra fee msat max': Math.max(...extra),
    'fee limit msat': Number(requestTo(OWN_ID, amountSat, 0n).maxfeeMsat),
    'beyond a limit': beyond,
  };
}

async function shadowed(node: PayingNode, amountSat: number, plain: readonly Ends[], seeds: number) {
  const [blocks, amounts]: [number[], number[]] = [[], []];
  let beyond = 0;
  for (const { to } of plain) {
    for (let seed = 0; seed < seeds; seed++) {
      const plan = await planOf(node, to, amountSat, seed, true);
      blocks.push(plan.shadow.delayBlocks);
      amounts.push(Number(plan.shadow.amountMsat));
      if (breaksLimit(plan)) beyond++;
    }
  }
  const { maxdelay, maxfeeMsat } = requestTo(OWN_ID, amountSat, 0n);
  return {
    sat: amountSat,
    'none %': (100 * blocks.filter((offset) => offset === 0).length) / blocks.length,
    'blocks mean': meanOf(blocks),
    'blocks p50': quantile(blocks, 0.5),
    'blocks p90': quantile(blocks, 0.9),
    'blocks max': Math.max(...blocks),
    'blocks allowed': Math.floor((maxdelay - FINAL_CLTV_BLOCKS) / SHADOW_SHARE),
    'msat mean': meanOf(amounts),
    'msat p90': quantile(amounts, 0.9),
    'msat max': Math.max(...amounts),
    'msat allowed': Number(mostShadowMsat({ amountMsat: msat(BigInt(amountSat) * 1_000n), maxfeeMsat })),
    'beyond a limit': beyond,
  };
}

/**
 * Whether a plan breaks a limit: fee and shadow together must stay within the fee limit, and the whole delay
 * within maxdelay.
 */
function breaksLimit({ request, routes, shadow }: PaymentPlan): boolean {
  const delay = Math.max(...routes.map(({ path }) => path[0]!.cltvOut));
  return feeOf(routes) + shadow.amountMsat > request.maxfeeMsat || delay > request.maxdelay;
}

/** Nodes drawn with equal probability. Each has several incoming channels of at least twice the largest amount. */
function recipients(graph: ChannelGraph): NodeId[] {
  const least = BigInt(AMOUNTS_SAT.at(-1)!) * 2_000n;
  const waysInto = new Uint32Array(graph.nodeCount);
  for (let channel = 0; channel < graph.channelCount; channel++) {
    if (graph.capacityMsat[channel]! < least) continue;
    for (const [direction, end] of [graph.node2[channel]!, graph.node1[channel]!].entries()) {
      if ((graph.policyFlags[2 * channel + direction]! & POLICY_ENABLED) !== 0) waysInto[end]!++;
    }
  }
  const fit = [...waysInto.keys()].filter((node) => waysInto[node]! >= MIN_WAYS);
  const random = seededRandom(SEED, 0);
  return Array.from({ length: RECIPIENTS }, () => graph.nodeId(fit[Math.floor(random() * fit.length)]!));
}
