/**
 * Transfers between our own nodes on small networks, compared with the optimum of a mixed-integer program
 * (reference/mixed-integer.ts) over all paths that the payment may take: out over the channels of the paying
 * node, whose balances are known exactly, through the public channels, and in over the channels of the
 * receiving node.
 *
 *     a ── 2 channels ──┐                          ┌── 2 channels ── c
 *                       ├── 7 nodes, 11 channels ──┤
 *     b ── 2 channels ──┘                          └──
 *
 * FULGURITE_TEST_RUNS multiplies the number of networks, and FULGURITE_TEST_SEED selects others.
 */
import { expect, test } from 'vitest';
import { parseBolt11 } from '../../src/bolt/invoice/bolt11-invoice.ts';
import { pricesFor } from '../../src/engine/question/objective.ts';
import type { RouteQuery } from '../../src/engine/question/route.ts';
import { seededRandom } from '../../src/gossip/random.ts';
import { msat } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import type { OwnChannel } from '../../src/model/own-channel.ts';
import type { PolicyTerms } from '../../src/model/policy.ts';
import { directionFrom, formatShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import { PaymentFailed, type PaymentRequest } from '../../src/payments/payment.ts';
import { payableBolt11 } from '../../src/payments/plan/payable-invoice.ts';
import type { PlainDirection } from '../reference/direction.ts';
import { objectiveMsat, pricedAnswer } from '../reference/exhaustive.ts';
import { optimumMsat } from '../reference/mixed-integer.ts';
import { type TinyGraph, tinyGraph } from '../reference/tiny-graph.ts';
import { likeDrawn } from '../statistics.ts';
import { keysendRequest, SimulatedNode } from './simulation/simulated-node.ts';

const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);
const NETWORKS = 12 * Number(process.env.FULGURITE_TEST_RUNS ?? 1);
const PER_NETWORK = 6;
const CLOSE = 0.01;
/**
 * Number of transfers with seed 1 that exceed the optimum by more than `CLOSE`: near the limits of balances and
 * channels, the search is not exact.
 */
const DEARER = 0;
/** The maximum excess of the total cost of all transfers, as a share of the optimum. */
const DEARER_IN_TOTAL = 0.005;
/**
 * Fees are rounded down, by less than 1 msat for each hop of each part. The mixed-integer program does not
 * model this.
 */
const SLACK_MSAT = 40;
const CAPACITY_MSAT = 4_000_000_000n;
/** Id of this test's random stream. */
const STREAM = 340;

type Random = () => number;

function randomGraph(random: Random): TinyGraph {
  const pick = (most: number): number => Math.floor(random() * most);
  const names = 'ABCDEFG';
  const lines = new Set<string>();
  // A ring, which connects all nodes, plus chords.
  for (let n = 0; n < names.length; n++) lines.add(`${names[n]}-${names[(n + 1) % names.length]}`);
  while (lines.size < 11) {
    const [from, to] = [pick(names.length), pick(names.length)];
    if (from < to) lines.add(`${names[from]}-${names[to]}`);
  }
  const terms = (): string => `fee=${pick(2) * 1000}+${pick(1500)} delay=${6 + pick(80)}`;
  return tinyGraph(
    [...lines].map((line) => `${line} cap=${1_000_000 + pick(9_000_000)}sat > ${terms()} < ${terms()}`),
  );
}

/** A direction of one of our nodes' channels, whose balance is known exactly. */
function ownDirection(from: NodeId, to: NodeId, channel: OwnChannel, isOut: boolean): PlainDirection {
  const policy: PolicyTerms = (isOut ? channel.localPolicy : channel.remotePolicy)!;
  const passesMsat = isOut ? channel.spendableMsat : channel.receivableMsat;
  return {
    name: formatShortChannelIdDir({
      shortChannelId: channel.shortChannelId!,
      direction: directionFrom(from, to),
    }),
    ...{ source: from, destination: to, enabled: true },
    htlcMinimumMsat: policy.htlcMinimumMsat,
    htlcMaximumMsat: policy.htlcMaximumMsat,
    feeBaseMsat: isOut ? 0n : BigInt(policy.feeBaseMsat),
    feeProportionalMillionths: isOut ? 0n : BigInt(policy.feeProportionalMillionths),
    cltvExpiryDelta: isOut ? 0 : policy.cltvExpiryDelta,
    minimumMsat: passesMsat,
    maximumMsat: passesMsat,
  };
}

/** The transfer that the command would make, without randomisation. */
function transferOf(node: SimulatedNode, from: NodeId, to: NodeId, amountMsat: bigint): PaymentRequest {
  const plain = keysendRequest(to, {
    ...{ kind: 'xpay', amountMsat: msat(amountMsat), maxfeeMsat: msat(amountMsat / 20n + 100_000n) },
    ...{ useShadow: false, randomize: false, isTransfer: true, ourNodes: [from] },
  });
  const text = node.simulation.issueInvoice(to, {
    ...{ currency: 'bc', amountMsat: plain.amountMsat, description: '', expirySeconds: 3600 },
    ...{ minFinalCltvExpiryDelta: 18, hints: 8, hasMetadata: false, nonce: new Uint8Array(9) },
  });
  const { terms, routeHints } = payableBolt11(parseBolt11(text), text, plain.amountMsat);
  return { ...plain, invoice: terms, routeHints };
}

/** The cost of our transfer at the prices for its amount, and the program's bound. */
interface Compared {
  readonly oursMsat: number;
  readonly boundMsat: number;
  readonly parts: number;
}

/** One small network with three nodes of ours, and random transfers between them. */
class Transfers {
  readonly #node: SimulatedNode;
  readonly #directions: readonly PlainDirection[];
  readonly #amounts: readonly bigint[];

  constructor(random: Random, network: number) {
    const { graph, directions } = randomGraph(random);
    this.#directions = directions;
    this.#amounts = Array.from({ length: PER_NETWORK }, () => BigInt(Math.floor(1e8 * (1 + 25 * random()))));
    this.#node = new SimulatedNode({
      ...{ graph, ownNodes: 3 },
      simulation: {
        seed: network,
        ownChannels: { count: 2, capacityMsat: msat(CAPACITY_MSAT), localShare: 0.5 },
      },
    });
  }

  destroy(): Promise<void> {
    return this.#node.destroy();
  }

  /** Undefined if no transfer is found, or if the network has too many paths for the program. */
  async compare(n: number, where: string): Promise<Compared | undefined> {
    const node = this.#node;
    const [from, to] = [node.ownNodeIds[n % 3]!, node.ownNodeIds[(n + 1 + Math.floor(n / 3)) % 3]!];
    const request = transferOf(node, from, to, this.#amounts[n]!);
    const own = node.port.ownChannels().channels.flatMap((channel) => {
      if (channel.ownNodeId === from) return [ownDirection(from, channel.peerId, channel, true)];
      return channel.ownNodeId === to ? [ownDirection(channel.peerId, to, channel, false)] : [];
    });
    const all = [...this.#directions, ...own];
    const query: RouteQuery = {
      ...{ source: from, destination: to, amountMsat: request.amountMsat, maxfeeMsat: request.maxfeeMsat },
      ...{ layers: [], finalCltv: 18, maxdelay: request.maxdelay, maxparts: 16 },
    };
    const prices = pricesFor(query.amountMsat);
    const best = optimumMsat(all, query, prices);
    const plan = await node.payments.plan(request).catch((error: unknown) => {
      if (error instanceof PaymentFailed) return undefined;
      throw error;
    });
    if (plan === undefined) expect(best, where).toBeUndefined();
    if (plan === undefined || best === undefined) return undefined;
    const lookup = (name: string): PlainDirection | undefined => all.find((one) => one.name === name);
    const answer = { routes: plan.routes, probabilityPpm: plan.probabilityPpm };
    const oursMsat = objectiveMsat(pricedAnswer(lookup, query, answer), prices);
    expect(oursMsat, where).toBeGreaterThan(best.boundMsat * (1 - CLOSE) - SLACK_MSAT);
    return { oursMsat, boundMsat: best.boundMsat, parts: plan.routes.length };
  }
}

const isClose = ({ oursMsat, boundMsat }: Compared): boolean =>
  oursMsat <= boundMsat * (1 + CLOSE) + SLACK_MSAT;

test('transfers cost at most 1 % more than the optimum', { timeout: 1_200_000 }, async () => {
  const random = seededRandom(SEED, STREAM);
  const dearer: string[] = [];
  let [compared, inSeveral, oursMsat, bestMsat] = [0, 0, 0, 0];
  for (let network = 0; network < NETWORKS; network++) {
    const transfers = new Transfers(random, network);
    for (let n = 0; n < PER_NETWORK; n++) {
      const where = `network ${network} of seed ${SEED}, transfer ${n}`;
      const found = await transfers.compare(n, where);
      if (found === undefined) continue;
      compared++;
      if (found.parts > 1) inSeveral++;
      oursMsat += found.oursMsat;
      bestMsat += found.boundMsat;
      if (!isClose(found)) dearer.push(`${where}: ${found.oursMsat} for ${found.boundMsat}`);
    }
    await transfers.destroy();
  }
  const all = NETWORKS * PER_NETWORK;
  const likely = likeDrawn({ seed: 1, trials: 12 * PER_NETWORK, count: DEARER }, SEED, all);
  expect(dearer.length, dearer.join('\n')).toBeLessThanOrEqual(likely.most);
  expect(oursMsat / bestMsat).toBeLessThan(1 + DEARER_IN_TOTAL);
  expect(compared).toBeGreaterThan(NETWORKS * 3);
  expect(inSeveral).toBeGreaterThan(0);
});

/**
 * In each transfer, two parts must change at once: half of a part moves to a different end of a full lane; or
 * both ends are exchanged, and one of the parts is split; or half of a part moves beside a full part that is
 * cheaper. The last transfer needs a part of a thousandth of the amount, since fewer parts would cost 3.6 % more.
 */
test.each([
  { seed: 8, network: 4, n: 4 },
  { seed: 14, network: 1, n: 2 },
  { seed: 16, network: 3, n: 0 },
  { seed: 26, network: 5, n: 1 },
  { seed: 35, network: 2, n: 4 },
])(
  'transfer $n of network $network of seed $seed needs two changes at once',
  async ({ seed, network, n }) => {
    const random = seededRandom(seed, STREAM);
    for (let before = 0; before < network; before++) {
      randomGraph(random);
      for (let drawn = 0; drawn < PER_NETWORK; drawn++) random();
    }
    const transfers = new Transfers(random, network);
    const found = (await transfers.compare(n, 'it'))!;
    await transfers.destroy();
    expect(isClose(found), `${found.oursMsat} for ${found.boundMsat}`).toBe(true);
  },
);
