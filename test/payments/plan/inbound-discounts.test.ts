/**
 * Inbound discounts on random routes: each forwarding node gets the fee that LND's check requires
 * (htlcswitch/link.go, `CheckHtlcForward`). This test has its own implementation of that rule.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Route, RouteHop } from '../../../src/engine/question/route.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { mergedGraph } from '../../../src/model/graph/merged-graph.ts';
import { msat } from '../../../src/model/msat.ts';
import { type NodeId, nodeIdToBytes } from '../../../src/model/node-id.ts';
import { forwardingFeeMsat } from '../../../src/model/policy.ts';
import { directionFrom, type ShortChannelId } from '../../../src/model/short-channel-id.ts';
import { withInbound } from '../../../src/network/lnd/graph/inbound-fees.ts';
import { discounted } from '../../../src/payments/plan/inbound-discounts.ts';
import type { PlanQuery } from '../../../src/payments/plan/plan-query.ts';
import { Planner } from '../../../src/payments/plan/planner.ts';
import { RouteSearch } from '../../../src/payments/plan/route-search.ts';

interface Terms {
  readonly base: number;
  readonly ppm: number;
  readonly least: number;
  /** Fee of the node at the far end for HTLCs that arrive over this channel. */
  readonly inBase: number;
  readonly inPpm: number;
}

const nodeOf = (index: number): NodeId => `02${(index * 7919 + 13).toString(16).padStart(64, 'a')}` as NodeId;
const scidOf = (index: number): ShortChannelId => BigInt(index + 1) as ShortChannelId;

/**
 * The terms of a channel as in the graph. They include a positive inbound fee of the channel before it.
 */
function inGraph(channels: readonly Terms[], index: number): ReturnType<typeof withInbound> {
  const { base, ppm } = channels[index]!;
  const { inBase, inPpm } = channels[index - 1] ?? { inBase: 0, inPpm: 0 };
  return withInbound(base, ppm, { baseMsat: Math.max(0, inBase), ppm: Math.max(0, inPpm) });
}

/** A line of channels with these terms. */
function lineOf(channels: readonly Terms[], hidden = -1): ChannelGraph {
  const graph = new ChannelGraph();
  channels.forEach(({ least, inBase, inPpm }, index) => {
    if (index === hidden) return;
    const [from, to] = [nodeOf(index), nodeOf(index + 1)];
    const ends = [from, to].sort().map((id) => graph.internNode(nodeIdToBytes(id)));
    const channel = graph.addChannel(scidOf(index), ends[0]!, ends[1]!, 10n ** 15n);
    const policy = {
      enabled: true,
      htlcMinimumMsat: msat(BigInt(least)),
      htlcMaximumMsat: msat(10n ** 15n),
      ...inGraph(channels, index),
      ...{ cltvExpiryDelta: 10, timestamp: 7 },
    };
    for (const direction of [0, 1] as const) graph.setPolicy(channel, direction, policy);
    const isDiscount = inBase < 0 || inPpm < 0;
    if (isDiscount) {
      graph.setInboundDiscount(channel, directionFrom(to, from), { baseMsat: inBase, ppm: inPpm });
    }
  });
  return graph;
}

const outFee = ({ base, ppm }: Terms, amount: bigint): bigint =>
  BigInt(base) + (amount * BigInt(ppm)) / 1_000_000n;

/** The route as a search finds it, with no fee for the source. */
function routeOver(channels: readonly Terms[], delivered: bigint): Route {
  const path: RouteHop[] = [];
  let amount = delivered;
  for (let index = channels.length - 1; index >= 0; index--) {
    const [from, to] = [nodeOf(index), nodeOf(index + 1)];
    const entering = index === 0 ? amount : amount + forwardingFeeMsat(inGraph(channels, index), amount);
    path.unshift({
      shortChannelIdDir: { shortChannelId: scidOf(index), direction: directionFrom(from, to) },
      ...{ nodeIdIn: from, nodeIdOut: to, cltvIn: 0, cltvOut: 0 },
      ...{ amountInMsat: msat(entering), amountOutMsat: msat(amount) },
    });
    amount = entering;
  }
  return { path, amountMsat: msat(delivered), probabilityPpm: 1, finalCltv: 18 };
}

/** LND's `expectedFee`. BigInt division truncates, as Go's does. */
function lndFee(into: Terms, outOf: Terms, forwarded: bigint): bigint {
  const out = outFee(outOf, forwarded);
  const rate = BigInt(Math.min(Math.max(into.inPpm, -10_000_000), 10_000_000));
  return out + BigInt(into.inBase) + (rate * (forwarded + out)) / 1_000_000n;
}

const terms = fc.record({
  base: fc.nat(5_000),
  ppm: fc.nat(20_000),
  least: fc.oneof(fc.constant(0), fc.nat(2_000_000)),
  inBase: fc.oneof(fc.constant(0), fc.integer({ min: -6_000, max: 500 })),
  inPpm: fc.oneof(fc.constant(0), fc.integer({ min: -25_000, max: 500 }), fc.constant(-2_000_000)),
});
const lines = fc.array(terms, { minLength: 1, maxLength: 6 });
const amounts = fc.bigInt(1n, 5_000_000_000n);

describe('inbound discounts', () => {
  test('leave each node its required fee, and no more', () => {
    fc.assert(
      fc.property(lines, amounts, (channels, delivered) => {
        const { path: found } = routeOver(channels, delivered);
        const { path } = discounted(routeOver(channels, delivered), lineOf(channels));
        expect(path.at(-1)!.amountOutMsat).toBe(delivered);
        expect(path[0]!.amountInMsat).toBe(path[0]!.amountOutMsat);
        path.forEach((hop, index) => {
          expect(hop.amountOutMsat).toBeLessThanOrEqual(found[index]!.amountOutMsat);
          if (index === 0) return;
          const before = path[index - 1]!;
          expect(before.amountOutMsat).toBe(hop.amountInMsat);
          const wanted = lndFee(channels[index - 1]!, channels[index]!, hop.amountOutMsat);
          const paid = hop.amountInMsat - hop.amountOutMsat;
          expect(paid).toBeGreaterThanOrEqual(wanted > 0n ? wanted : 0n);
          const least = BigInt(channels[index - 1]!.least);
          const wasLess = found[index - 1]!.amountOutMsat < least;
          if (!wasLess) expect(before.amountOutMsat).toBeGreaterThanOrEqual(least);
          // A discount larger than the whole fee leaves no fee, except with a positive inbound base fee, of which a
          // part may remain.
          const { inBase, inPpm } = channels[index - 1]!;
          const isExact = inBase <= 0 && inPpm <= 0 && inPpm >= -1_000_000 && before.amountOutMsat > least;
          const most = outFee(channels[index]!, hop.amountOutMsat);
          if (isExact) expect(paid).toBe(wanted < 0n ? 0n : wanted > most ? most : wanted);
        });
      }),
      { numRuns: 100 },
    );
  });

  test('are not applied at a channel that the graph lacks', () => {
    const plain = { base: 1_000, ppm: 0, least: 0, inBase: 0, inPpm: 0 };
    const channels = [plain, { ...plain, inBase: -400 }, plain];
    const route = routeOver(channels, 1_000_000n);
    expect(discounted(route, lineOf(channels)).path[0]!.amountOutMsat).toBe(1_001_600n);
    expect(discounted(route, lineOf(channels, 2))).toBe(route);
    expect(discounted(route, lineOf([plain, plain, plain]))).toBe(route);
  });

  test('survive merging graphs, vanish with the channel, and follow the latest policy', () => {
    const plain = { base: 1_000, ppm: 0, least: 0, inBase: 0, inPpm: 0 };
    const known = lineOf([{ ...plain, inBase: -400 }]);
    const other = lineOf([plain]);
    const direction = directionFrom(nodeOf(1), nodeOf(0));
    for (const graphs of [
      [known, other],
      [other, known],
    ]) {
      const merged = mergedGraph(graphs);
      expect(merged.inboundDiscount(1n, direction)).toEqual({ baseMsat: -400, ppm: 0 });
      merged.removeChannel(0);
      expect(merged.hasInboundDiscounts).toBe(false);
    }
    other.setPolicy(0, direction, { ...other.policy(direction)!, timestamp: 8 });
    for (const graphs of [
      [known, other],
      [other, known],
    ]) {
      expect(mergedGraph(graphs).hasInboundDiscounts).toBe(false);
    }
  });

  test('are not applied at a node that has asked for more', async () => {
    const plain = { base: 1_000, ppm: 0, least: 0, inBase: 0, inPpm: 0 };
    const channels = [{ ...plain, inBase: -400 }, plain];
    const graph = lineOf(channels);
    const getroutes = () => Promise.resolve({ probabilityPpm: 1, routes: [routeOver(channels, 5_000n)] });
    const planner = new Planner({ engine: { getroutes } as never, graph: () => graph, ourId: nodeOf(0) });
    const request = {
      kind: 'xpay',
      destination: nodeOf(2),
      layers: [],
      seed: 1n,
      maxdelay: 99,
      extraTlvs: [],
    };
    const query = {
      ...{
        request,
        amountMsat: 5_000n,
        maxfeeMsat: 10_000n,
        maxparts: 1,
        round: 0,
        privateLayers: [],
        asker: {},
      },
      shadow: { delayBlocks: 0, amountMsat: 0n },
    };
    const sent = async (discounts: boolean): Promise<bigint> => {
      const search = await planner.search({ ...query, discounts } as never, false);
      return 'routes' in search ? search.routes[0]!.path[0]!.amountOutMsat : 0n;
    };
    expect(await sent(true)).toBe(5_600n);
    expect(await sent(false)).toBe(6_000n);
  });

  test('are no longer used after an attempt paid a node too little', async () => {
    const asked: (boolean | undefined)[] = [];
    const after = async (failcodename: string) => {
      const services = {
        planner: {
          search: ({ discounts }: PlanQuery) => {
            asked.push(discounts);
            return Promise.resolve({ routes: [], probabilityPpm: 1_000_000 });
          },
        },
        ...{ learning: { shared: () => undefined }, network: { capabilities: {} } },
      };
      const attempts = [{ status: 'failed', failure: { failcodename } }];
      const payment = { attempts, request: { kind: 'xpay', maxfeeMsat: 0n }, totalMsat: 1n };
      const layer = { names: [] };
      const pauses = { isEnded: false };
      const inputs = [services, payment, layer, pauses, {}] as unknown;
      await new RouteSearch(...(inputs as ConstructorParameters<typeof RouteSearch>)).next(msat(1n));
    };
    for (const name of ['fee_insufficient', 'amount_below_minimum', 'temporary_channel_failure']) {
      await after(name);
    }
    expect(asked).toEqual([false, false, true]);
  });
});
