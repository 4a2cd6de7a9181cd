/**
 * Amounts that include their fees: the cost never exceeds the total, and the recipient gets nearly as much as
 * possible.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NodeContext } from '../../src/commands/context.ts';
import { withWholeAmount } from '../../src/commands/payments/whole-amount.ts';
import { type Msat, msat } from '../../src/model/msat.ts';
import { PaymentFailed, type PaymentRequest } from '../../src/payments/payment.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { DaemonHere } from './daemon-here.ts';

const OPTIONS = ['--graph', 'synthetic:300', '--seed', '7', '--no-http'];

describe('amounts that include their fees', () => {
  const directory = temporaryDirectory();
  let daemon: DaemonHere;
  let ids: string[];

  beforeAll(async () => {
    daemon = await DaemonHere.start(join(directory.path, 'home'), OPTIONS);
    ids = (await daemon.result('listnodes')).nodes.map(({ nodeid }: { nodeid: string }) => nodeid);
  });
  afterAll(async () => {
    await daemon?.stop();
    directory.remove();
  });

  const spendable = async (): Promise<number> =>
    (await daemon.result('listpeerchannels')).channels.reduce(
      (sum: number, { spendable_msat }: { spendable_msat: number }) => sum + spendable_msat,
      0,
    );

  test('a total is what we pay, and the recipient gets what remains', async () => {
    let paid = 0;
    for (const [n, destination] of ids.slice(60, 67).entries()) {
      const total = 1_000_000 + 77_777 * n;
      const { result } = await daemon.call('xkeysend', {
        ...{ destination, amount_msat: total, include_fee: true, retry_for: 5 },
      });
      if (result === undefined) continue;
      paid++;
      expect(result.amount_sent_msat).toBeLessThanOrEqual(total);
      // The difference consists only of fee, shadow and the precision of the search.
      expect(result.amount_sent_msat).toBeGreaterThan(total * 0.985);
    }
    expect(paid).toBeGreaterThan(2);
  }, 120_000);

  test('an invoice without an amount accepts a total too; one with an amount, and an offer, do not', async () => {
    const [id] = ids.slice(5);
    const { bolt11 } = await daemon.result('simulatedinvoice', { id });
    const paid = await daemon.result('xpay', {
      invstring: bolt11,
      amount_msat: 5_000_000,
      include_fee: true,
    });
    expect(paid.amount_sent_msat).toBeLessThanOrEqual(5_000_000);
    const fixed = await daemon.result('simulatedinvoice', { id, amount_msat: 1000 });
    const refused = await daemon.error('xpay', { invstring: fixed.bolt11, include_fee: true });
    expect(refused.data.parameter).toBe('include_fee');
    const { offers } = await daemon.result('listsimulatedoffers');
    const open = offers.find(({ kind }: { kind: string }) => kind === 'open') ?? offers[0];
    const offer = await daemon.error('xpay', {
      invstring: open.bolt12,
      amount_msat: 5_000_000,
      include_fee: true,
    });
    expect(offer.code).toBe(-32602);
  });

  test('a refusal only has a remedy with which the same request succeeds', async () => {
    let helped = 0;
    for (const [n, invstring] of ids.slice(20, 32).entries()) {
      const isTotal = n % 3 > 0;
      const limits = isTotal ? { amount_msat: 100 * n + 2 } : { amount_msat: 'all', maxdelay: 20 };
      const params = { invstring, include_fee: isTotal, ...limits };
      const { error } = await daemon.call('quote', params);
      if (error?.data.remedy === undefined) continue;
      helped++;
      const { minimal: _, ...changes } = error.data.remedy;
      const again = await daemon.call('quote', { ...params, ...changes });
      expect([params, changes, again.error]).toEqual([params, changes, undefined]);
    }
    expect(helped).toBeGreaterThan(4);
  }, 120_000);

  test('all sends everything that can be sent', async () => {
    const [last, ...others] = (await daemon.result('listpeerchannels')).channels;
    // Other channels have hardly any balance left, so all of it is in the channel to the recipient.
    for (const { peer_id, spendable_msat } of others) {
      await daemon.call('xkeysend', {
        destination: peer_id,
        amount_msat: Math.floor(spendable_msat * 0.999),
      });
    }
    const before = await spendable();
    // A quote of the amount "all". Together, its amount and its fee limit must not exceed what we can send.
    const all = await daemon.result('quote', { invstring: last.peer_id, amount_msat: 'all' });
    expect(all.amount_msat + all.maxfee_msat).toBeLessThanOrEqual(before);
    expect(all.amount_msat).toBeGreaterThanOrEqual(last.spendable_msat * 0.98);
    const sent = await daemon.result('xkeysend', { destination: last.peer_id, amount_msat: 'all' });
    expect(sent.amount_sent_msat).toBeLessThanOrEqual(before);
    expect(sent.amount_sent_msat).toBeGreaterThanOrEqual(last.spendable_msat * 0.98);
    const wrong = await daemon.error('xkeysend', { destination: last.peer_id, amount_msat: 'most' });
    expect(wrong.data.parameter).toBe('amount_msat');
  }, 120_000);
});

describe('everything on a small network', () => {
  const directory = temporaryDirectory();
  let daemon: DaemonHere;

  beforeAll(async () => {
    const options = ['--graph', 'synthetic:40', '--seed', '7', '--no-http'];
    daemon = await DaemonHere.start(join(directory.path, 'home'), options);
  });
  afterAll(async () => {
    await daemon?.stop();
    directory.remove();
  });

  test('means what is likely to arrive, and is refused if nothing is', async () => {
    const { nodes } = await daemon.result('listnodes');
    const destination = nodes.at(-1).nodeid;
    const quoteOf = (least_probability_ppm?: number) =>
      daemon.result('quote', { invstring: destination, amount_msat: 'all', least_probability_ppm });
    const [usual, boldest] = [await quoteOf(), await quoteOf(0)];
    // The odds are estimated from 300 draws, so 12 percentage points are four standard deviations.
    expect(usual.probability_ppm).toBeGreaterThan(380_000);
    expect(usual.amount_msat).toBeLessThan(boldest.amount_msat);
    expect(usual.probability_ppm).toBeGreaterThan(boldest.probability_ppm);
    const all = { destination, amount_msat: 'all', least_probability_ppm: 999_999 };
    const refused = await daemon.error('xkeysend', all);
    expect(refused).toMatchObject({ code: 205, data: { parameter: 'least_probability_ppm' } });
    expect(refused.data.remedy.least_probability_ppm).toBeGreaterThan(500_000);
    for (const [method, given] of [
      ['quote', { invstring: destination, amount_msat: 5000, least_probability_ppm: 1 }],
      ['xkeysend', { ...all, amount_msat: 5000 }],
    ] as const) {
      expect((await daemon.error(method, given)).data.parameter).toBe('least_probability_ppm');
    }
  });
});

/**
 * A simulated planner: the largest amounts that it plans within learned bounds (`trusted`), at all (`most`) and in
 * one part (`whole`), the odds of each amount, and the minimum odds that the request allows.
 */
interface Plans {
  readonly trusted: bigint;
  readonly most: bigint;
  readonly whole?: bigint;
  readonly oddsPpm?: (amountMsat: bigint) => number;
  readonly leastPpm?: number;
}

describe('of amounts that have a route', () => {
  /** The amount that is chosen for `all` with this planner, when 1,000,000 msat can be sent. */
  async function wholeOf(
    { trusted, most, whole = most, oddsPpm = () => 1e6, leastPpm }: Plans,
    kind: 'xkeysend' | 'xpay' = 'xpay',
  ): Promise<bigint> {
    const plan = async ({ amountMsat }: PaymentRequest): Promise<object> => {
      const noRoute = { binding: { kind: 'feeLimit', maxfeeMsat: 0n } };
      const failure = { obstacle: 'noRoute', noPlan: { kind: 'noRoute', noRoute } };
      if (amountMsat > most) throw new PaymentFailed({ attempts: [], failure, request: {} } as never);
      const routes = amountMsat > whole ? [{}, {}] : [{}];
      const lessons = amountMsat > trusted && { disregardedLayers: ['auto.learned'] };
      const request = { kind, amountMsat };
      return { request, routes, probabilityPpm: oddsPpm(amountMsat), ...lessons };
    };
    const params = {
      ...{ amount_msat: 'all' as Msat | 'all', include_fee: false, maxfee: msat(0) },
      ...{ seed: 1n, idempotency_key: undefined, least_probability_ppm: leastPpm },
    };
    const channels = [{ usable: true, spendableMsat: 1_000_000n }];
    const networkPort = { ownChannels: () => ({ channels }) };
    const found = await withWholeAmount(
      params,
      ({ amount_msat }) => ({ amountMsat: amount_msat }) as unknown as PaymentRequest,
      { networkPort, payments: { plan } } as unknown as NodeContext,
      {},
    );
    return found.amount_msat as bigint;
  }

  test('the largest that fits the lessons is chosen, and a larger one only if none fits', async () => {
    expect(await wholeOf({ trusted: 1_000_000n, most: 1_000_000n })).toBe(1_000_000n);
    const trusted = await wholeOf({ trusted: 300_000n, most: 800_000n });
    expect(trusted).toBeLessThanOrEqual(300_000n);
    expect(trusted).toBeGreaterThan(299_900n);
    expect(await wholeOf({ trusted: 0n, most: 1_000_000n })).toBe(1_000_000n);
  });

  test('a keysend of all uses one part, and several only if one is impossible', async () => {
    const plans = { trusted: 1_000_000n, most: 1_000_000n, whole: 400_000n };
    expect(await wholeOf(plans)).toBe(1_000_000n);
    const whole = await wholeOf(plans, 'xkeysend');
    expect(whole).toBeLessThanOrEqual(400_000n);
    expect(whole).toBeGreaterThan(399_900n);
    expect(await wholeOf({ ...plans, whole: 0n }, 'xkeysend')).toBe(1_000_000n);
  });

  test('the largest that is likely enough is chosen, as brute force confirms', async () => {
    const anywhere = { trusted: 1_000_000n, most: 1_000_000n };
    // Each step lowers the odds of all amounts from `from` on.
    const steps = fc.array(
      fc.record({ from: fc.bigInt(0n, 1_000_000n), loss: fc.integer({ min: 0, max: 400_000 }) }),
      { maxLength: 6 },
    );
    const least = fc.option(fc.integer({ min: 0, max: 999_999 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(steps, least, async (falls, leastPpm) => {
        const oddsPpm = (amountMsat: bigint): number =>
          falls.reduce(
            (odds, { from, loss }) => (amountMsat >= from ? Math.max(0, odds - loss) : odds),
            900_000,
          );
        const wanted = leastPpm ?? 500_000;
        const isEnough = (amountMsat: bigint): boolean => oddsPpm(amountMsat) >= wanted;
        // The largest amount before each step, and the largest of all.
        const edges = [1_000_000n, ...falls.map(({ from }) => from - 1n)];
        const best = edges
          .filter((edge) => edge > 0n && isEnough(edge))
          .reduce((x, y) => (x > y ? x : y), 0n);
        const found = await wholeOf({ ...anywhere, oddsPpm, leastPpm }).catch((error) => error);
        if (typeof found === 'bigint') {
          expect(isEnough(found)).toBe(true);
          expect(found).toBeLessThanOrEqual(best);
          expect(found).toBeGreaterThanOrEqual(best - 11n);
        } else {
          // Bisection tries no amounts below about a hundred-thousandth of the total.
          expect(best).toBeLessThanOrEqual(11n);
          expect(found).toMatchObject({
            name: 'routeNotFound',
            data: { parameter: 'least_probability_ppm' },
          });
          expect(found.data.remedy.least_probability_ppm).toBe(oddsPpm(found.data.amount_msat));
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('if no amount has a route', () => {
  /** The refusal of all our money, given how the plan of an amount ends. */
  async function refusalOf(plan: (request: PaymentRequest) => object, maxdelay: number): Promise<unknown> {
    const params = {
      ...{ amount_msat: 'all' as Msat | 'all', include_fee: false, maxfee: msat(0), maxdelay },
      ...{ seed: 1n, idempotency_key: undefined, least_probability_ppm: undefined },
    };
    const networkPort = { ownChannels: () => ({ channels: [{ usable: true, spendableMsat: 100_000n }] }) };
    return withWholeAmount(
      params,
      ({ amount_msat, maxdelay }) => ({ amountMsat: amount_msat, maxdelay }) as unknown as PaymentRequest,
      { networkPort, payments: { plan: async (request: PaymentRequest) => plan(request) } } as never,
      {},
    ).catch((error: unknown) => error);
  }

  function refuse(request: PaymentRequest, noRoute: object): never {
    const failure = { obstacle: 'noRoute', noPlan: { kind: 'noRoute', noRoute } };
    const { amountMsat, maxdelay } = request;
    throw new PaymentFailed({ attempts: [], failure, request: { amountMsat, maxdelay } } as never);
  }

  test('a remedy is tested even if the refusal does not name the amount', async () => {
    const refusal = await refusalOf((request) => {
      const { maxdelay } = request;
      if (maxdelay < 5)
        refuse(request, { binding: { kind: 'delayLimit', maxdelay }, remedy: { maxdelay: 5 } });
      return { request, routes: [{}], probabilityPpm: 990_000 };
    }, 1);
    expect(refusal).toMatchObject({ data: { remedy: { maxdelay: 5, minimal: false } } });
  });

  test('the reason is that of a typical amount, and the remedy that of any amount which helps', async () => {
    const refusal = await refusalOf((request) => {
      const { maxdelay, amountMsat } = request;
      if (maxdelay >= 7) return { request, routes: [{}], probabilityPpm: 990_000 };
      if (amountMsat > 10n)
        refuse(request, { binding: { kind: 'delayLimit', maxdelay }, remedy: { maxdelay: 6 } });
      return refuse(request, { binding: { kind: 'feeLimit', maxfeeMsat: 0n }, remedy: { maxdelay: 7 } });
    }, 1);
    expect(refusal).toMatchObject({
      data: { binding: { kind: 'delay_cap' }, remedy: { maxdelay: 7, minimal: false } },
    });
  });
});
