/** The sequence of searches that a payment makes, and their amounts. A scripted double answers them. */
import { describe, expect, test } from 'vitest';
import { paymentError } from '../../../src/commands/payments/failure-words.ts';
import type { RouteOptions } from '../../../src/engine/host/engine-options.ts';
import { NoRouteError } from '../../../src/engine/question/no-route.ts';
import type { RouteAnswer, RouteQuery } from '../../../src/engine/question/route.ts';
import { addMsat, type Msat, msat } from '../../../src/model/msat.ts';
import type { PaymentFailed } from '../../../src/payments/payment.ts';
import { L2, L2_L3, L3, leaving, lineNode } from '../line-graph.ts';
import { keysendRequest, OWN_ID, type SimulatedNode } from '../simulation/simulated-node.ts';

const AMOUNT = msat(1_000_000);
/** The fee of the line's channel: 1 msat + 10 ppm. */
const FEE = 11n;

/** The route us ── L2 ── L3 for any amount. */
function routeFor({ amountMsat, finalCltv }: RouteQuery): RouteAnswer {
  const first = addMsat(amountMsat, msat(FEE));
  const own = { shortChannelId: (1000n << 40n) | (1n << 16n), direction: OWN_ID < L2 ? 0 : 1 } as never;
  const path = [
    {
      shortChannelIdDir: own,
      nodeIdIn: OWN_ID,
      nodeIdOut: L2,
      amountInMsat: first,
      amountOutMsat: first,
      cltvIn: finalCltv + 6,
      cltvOut: finalCltv + 6,
    },
    {
      shortChannelIdDir: leaving(L2, L3, L2_L3),
      nodeIdIn: L2,
      nodeIdOut: L3,
      amountInMsat: first,
      amountOutMsat: amountMsat,
      cltvIn: finalCltv + 6,
      cltvOut: finalCltv,
    },
  ];
  return { probabilityPpm: 1_000_000, routes: [{ probabilityPpm: 1_000_000, amountMsat, finalCltv, path }] };
}

type Answer = (query: RouteQuery, index: number) => RouteAnswer;

/** A node whose searches are answered by `answer`, with a list of all queries. */
function scripted(answer: Answer): { node: SimulatedNode; asked: RouteQuery[] } {
  const asked: RouteQuery[] = [];
  const getroutes = async (query: RouteQuery, _options?: RouteOptions): Promise<RouteAnswer> => {
    asked.push(query);
    return answer(query, asked.length - 1);
  };
  return { node: lineNode({ routes: () => ({ getroutes }) }), asked };
}

const tooDear = (): never => {
  throw new NoRouteError({ binding: { kind: 'feeLimit', maxfeeMsat: 0n } });
};

/** The first seed whose shadow has both a delay and an amount. */
async function seedWithShadow(): Promise<bigint> {
  const { node } = scripted(routeFor);
  try {
    for (let seed = 0n; ; seed++) {
      const { shadow } = await node.payments.plan(keysendRequest(L3, { amountMsat: AMOUNT, seed }));
      if (shadow.delayBlocks > 0 && shadow.amountMsat > 0n) return seed;
    }
  } finally {
    await node.destroy();
  }
}

const amounts = (asked: readonly RouteQuery[]): [Msat, number, Msat][] =>
  asked.map(({ amountMsat, finalCltv, maxfeeMsat }) => [amountMsat, finalCltv, maxfeeMsat]);

describe('a shadow that leaves no route', () => {
  test('loses its amount first and its delay last, which leaves more for fees', async () => {
    const seed = await seedWithShadow();
    const { node, asked } = scripted((query, index) => (index < 2 ? tooDear() : routeFor(query)));
    const { shadow } = await node.payments.plan(keysendRequest(L3, { amountMsat: AMOUNT, seed }));
    expect(shadow).toEqual({ delayBlocks: 0, amountMsat: 0n });
    const [[, finalCltv, maxfee], delayOnly, none] = amounts(asked) as [
      [Msat, number, Msat],
      unknown,
      unknown,
    ];
    const money = 50_000n - maxfee;
    expect(asked[0]!.amountMsat).toBe(AMOUNT + money);
    expect(money).toBeGreaterThan(0n);
    expect(finalCltv).toBeGreaterThan(42);
    expect([delayOnly, none]).toEqual([
      [AMOUNT, finalCltv, 50_000n],
      [AMOUNT, 42, 50_000n],
    ]);
    await node.destroy();
  });

  test('is refused with the cost of the best route, which is searched once and not after every search', async () => {
    const seed = await seedWithShadow();
    const { node, asked } = scripted((query) => (query.maxfeeMsat > 60_000n ? routeFor(query) : tooDear()));
    const plan = node.payments.plan(keysendRequest(L3, { amountMsat: AMOUNT, seed }));
    const told = plan.catch(({ payment }: PaymentFailed) => Promise.reject(paymentError(payment)));
    await expect(told).rejects.toMatchObject({
      code: 206,
      data: { fee: FEE, delay: 48, amount_msat: AMOUNT },
    });
    // Three searches, plus one without the fee limit, which proves that no route is cheaper.
    expect(asked).toHaveLength(4);
    await node.destroy();
  });
});

test('is dropped after an attempt with it: later searches are for the amount alone', async () => {
  const seed = await seedWithShadow();
  // The first attempt has the shadow and fails. With the shadow there is no second path. Without it, the
  // search finds the same path again.
  const isWorn = ({ finalCltv, amountMsat }: RouteQuery): boolean => finalCltv > 42 || amountMsat > AMOUNT;
  const { node, asked } = scripted((query, index) =>
    index > 0 && isWorn(query) ? tooDear() : routeFor(query),
  );
  node.simulation.setTrait(L3, 'offline', true);
  const payment = await node.pay(keysendRequest(L3, { amountMsat: AMOUNT, seed, retryForS: 1 }));
  const plain = asked.filter((query) => !isWorn(query));
  expect(plain.length).toBeGreaterThan(2);
  expect(asked.slice(asked.indexOf(plain[0]!)).every((query) => !isWorn(query))).toBe(true);
  expect(payment.attempts.slice(1).every(({ amountMsat }) => amountMsat === AMOUNT)).toBe(true);
  expect([payment.status, payment.totalMsat]).toEqual(['failed', AMOUNT]);
  await node.destroy();
});
