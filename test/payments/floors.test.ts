/**
 * Attempts that a payment does not make: over very unlikely routes, and with hardly less than the amount that
 * has just failed.
 */
import { describe, expect, test } from 'vitest';
import { NoRouteError } from '../../src/engine/question/no-route.ts';
import { boundsIn } from '../../src/layers/beliefs.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { msat, msatFromSat } from '../../src/model/msat.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import { Learning, PrivateLayer } from '../../src/payments/learn/learning.ts';
import type { Payment } from '../../src/payments/payment.ts';
import { useRouteHints } from '../../src/payments/plan/hints.ts';
import { Planner } from '../../src/payments/plan/planner.ts';
import { RouteSearch } from '../../src/payments/plan/route-search.ts';
import type { Services } from '../../src/payments/services.ts';
import { L2, L2_L3, L3, L4, leaving, lineGraph } from './line-graph.ts';

const graph = lineGraph();

describe('odds of 900 ppm', () => {
  const searched = (attempts: number, probabilityPpm: number) => {
    const plan = { routes: [], probabilityPpm };
    const services = {
      planner: { search: () => Promise.resolve(plan), learnedLayers: [] },
      learning: { shared: () => undefined },
      network: { capabilities: {} },
    } as unknown as Services;
    const failed = Array.from({ length: attempts }, () => ({ status: 'failed' }));
    const request = { kind: 'xpay', maxfeeMsat: 0n };
    const payment = { attempts: failed, request, totalMsat: 1_000n } as unknown as Payment;
    const layer = { names: [] } as unknown as PrivateLayer;
    const search = new RouteSearch(services, payment, layer, { isEnded: false } as never, {} as never);
    return search.next(msat(1_000n));
  };

  test('are sufficient for the first attempt', async () => {
    expect(await searched(0, 900)).toMatchObject({ routes: [] });
  });

  test('are too low after a failure, and the error reports this', async () => {
    expect(await searched(1, 900)).toEqual({
      noPlan: { kind: 'unlikely', probabilityPpm: 900, leastPpm: 1_000 },
    });
    expect(await searched(1, 1_000)).toMatchObject({ routes: [] });
  });
});

test('parts below a thousandth of the amount are avoided if fewer parts suffice', async () => {
  const asked: number[] = [];
  const partsAt = (feeMsat: bigint, ...amounts: bigint[]) => ({
    probabilityPpm: 500_000,
    routes: amounts.map((amountMsat) => ({
      amountMsat,
      path: [
        { nodeIdIn: L2, nodeIdOut: L3, amountOutMsat: amountMsat + feeMsat },
        { nodeIdIn: L3, nodeIdOut: L4, amountOutMsat: amountMsat },
      ],
    })),
  });
  const parts = (...amounts: bigint[]) => partsAt(10n, ...amounts);
  const planned = async (inFewer: object) => {
    const getroutes = ({ maxparts }: { maxparts: number }) => {
      asked.push(maxparts);
      return maxparts < 16 ? inFewer : parts(600_000n, 399_001n, 999n);
    };
    const planner = new Planner({ engine: { getroutes } as never, graph: () => graph, ourId: L2 });
    const request = { kind: 'keysend', destination: L4, layers: [], seed: 1n, maxdelay: 2016, extraTlvs: [] };
    const query = {
      request,
      amountMsat: 1_000_000n,
      maxfeeMsat: 5_000n,
      shadow: { delayBlocks: 0 },
      maxparts: 16,
    };
    const search = await planner.search({ ...query, round: 0, privateLayers: [], asker: {} } as never, false);
    return 'routes' in search ? search.routes.map(({ amountMsat }) => amountMsat) : [];
  };
  expect(await planned(parts(600_000n, 400_000n))).toEqual([600_000n, 400_000n]);
  expect(asked).toEqual([16, 2]);
  // Small parts are kept if avoiding them costs more than 1 % of fees and risk: ln 2 at a price of 3,000 msat
  // (objective.ts).
  expect(await planned(partsAt(60n, 600_000n, 400_000n))).toEqual([600_000n, 399_001n, 999n]);
  const none = Promise.reject(new NoRouteError({ binding: { kind: 'unconnected' } }));
  expect(await planned(none)).toEqual([600_000n, 399_001n, 999n]);
});

test('after a direction failed an amount, this payment tries at most three quarters of it, and others learn only the failure', () => {
  const book = new LayerBook();
  const learning = new Learning(book, () => graph);
  const layer = new PrivateLayer(book, 'payment');
  const of = leaving(L2, L3, L2_L3);
  learning.learn([{ kind: 'blocked', of, amountMsat: msatFromSat(400_000) }], layer, learning.now);
  expect(boundsIn(layer.layer, of, graph).bounds.maxMsat).toBe(msatFromSat(300_000));
  expect(boundsIn(learning.shared(), of, graph).bounds.maxMsat).toBe(399_999_999n);
});

test('a private channel of an invoice carries the amount with a probability of 99 %', () => {
  const book = new LayerBook();
  const layer = book.createLayer('hints', false);
  const hop = {
    nodeId: L3,
    shortChannelId: shortChannelId(900, 1, 0),
    feeBaseMsat: 1n,
    feeProportionalMillionths: 10,
    cltvExpiryDelta: 6,
  };
  const payment = { request: { routeHints: [[hop]], destination: L4 }, totalMsat: msatFromSat(1_000) };
  useRouteHints(
    book,
    graph,
    () => layer,
    payment as unknown as Payment,
    1,
    (nodeId) => nodeId === L2,
  );
  expect(layer.createdChannel(hop.shortChannelId)!.capacityMsat).toBe(msatFromSat(100_000));
});
