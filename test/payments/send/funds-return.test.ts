/**
 * Payments while an HTLC of another payment of ours holds the money of our only channel, in virtual time. The network is
 * a test double, which keeps HTLCs in flight until the test ends them:
 *
 *     we ──600,000 sat── L2 ──1,000,000 sat── L3
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FAILURES } from '../../../src/bolt/onion/failure.ts';
import { deferred } from '../../../src/model/deferred.ts';
import { msat, msatFromSat } from '../../../src/model/msat.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import type { HtlcOutcome, OutgoingHtlc } from '../../../src/network/port.ts';
import type { Payment, PaymentRequest } from '../../../src/payments/payment.ts';
import type { Purse } from '../../../src/payments/plan/purse.ts';
import { FundsReturn, YOUNG_MS } from '../../../src/payments/send/funds-return.ts';
import { Pauses } from '../../../src/payments/send/pauses.ts';
import { L3, lineNode } from '../line-graph.ts';
import { keysendRequest, type SimulatedNode } from '../simulation/simulated-node.ts';
import { PayingDouble } from './paying-double.ts';

const SPENDABLE_MSAT = msatFromSat(600_000);
const { code } = FAILURES.incorrect_or_unknown_payment_details;
const REFUSED: HtlcOutcome = { status: 'refused', failureCode: code, reason: 'no', cause: 'peerAway' };
const SETTLED: HtlcOutcome = { status: 'settled', preimage: new Uint8Array(32).fill(7) };

/** A network that holds the first HTLC until `end`, and settles all others at once. */
class HoldingNetwork extends PayingDouble {
  readonly #first = deferred<HtlcOutcome>();
  #heldMsat = 0n;

  protected override outcomeOf({ path }: OutgoingHtlc): HtlcOutcome | Promise<HtlcOutcome> {
    if (this.#heldMsat > 0n) return SETTLED;
    this.#heldMsat = path[0]!.amountMsat;
    this.setSpendable(this.spendableMsat - this.#heldMsat);
    return this.#first.promise;
  }

  /** Ends the first HTLC. If it settled, its amount does not return. */
  end(outcome: HtlcOutcome): void {
    if (outcome.status !== 'settled') this.setSpendable(this.spendableMsat + this.#heldMsat);
    this.#first.resolve(outcome);
  }

  get spendableMsat(): bigint {
    return this.ownChannels().channels[0]!.spendableMsat;
  }

  setSpendable(spendableMsat: bigint): void {
    const [channel] = this.ownChannels().channels;
    this.setChannels([{ ...channel!, spendableMsat: msat(spendableMsat) }]);
  }
}

let network: HoldingNetwork;
let node: SimulatedNode;
beforeEach(() => {
  network = new HoldingNetwork();
  node = lineNode({ engine: { network } });
  network.setChannels(node.simulation.ownChannels().channels);
  network.setSpendable(SPENDABLE_MSAT);
});
afterEach(() => node.destroy());

const request = (sat: number, more: Partial<PaymentRequest> = {}): PaymentRequest =>
  keysendRequest(L3, { amountMsat: msatFromSat(sat), useShadow: false, retryForS: 120, ...more });

/** The outcome of a payment, and the milliseconds that it took. */
async function paid(sat: number, more: Partial<PaymentRequest> = {}): Promise<[Payment, number]> {
  const beganMs = node.nowMs();
  return [await node.pay(request(sat, more)), node.nowMs() - beganMs];
}

/** Begins a payment whose HTLC the network holds. It may be in flight until the end of the test. */
async function hold(sat: number): Promise<void> {
  const before = network.spendableMsat;
  node.payments.pay(request(sat, { retryForS: 0 })).catch(() => undefined);
  while (network.spendableMsat === before) await node.pass();
}

test('a payment waits for the money of another payment, and uses it once it returns', async () => {
  await hold(400_000);
  node.after(5_000, () => network.end(REFUSED));
  const [payment, tookMs] = await paid(300_000);
  expect(payment).toMatchObject({ status: 'complete', attempts: [{ status: 'settled' }] });
  expect(tookMs).toBeGreaterThan(5_000);
  expect(tookMs).toBeLessThan(10_000);
});

test('a payment ends its wait once the other payment has spent the money', async () => {
  await hold(400_000);
  node.after(5_000, () => network.end(SETTLED));
  const [payment, tookMs] = await paid(300_000);
  expect(payment).toMatchObject({ status: 'failed', failure: { obstacle: 'noRoute' }, attempts: [] });
  expect(tookMs).toBeLessThan(10_000);
});

test('a payment does not wait for less than it lacks', async () => {
  await hold(400_000);
  const [payment, tookMs] = await paid(700_000);
  expect([payment.status, tookMs]).toEqual(['failed', 0]);
});

test('a payment waits only for HTLCs that were sent within the last minute', async () => {
  await hold(400_000);
  const early = paid(300_000);
  await node.until(new Promise<void>((resolve) => void node.after(YOUNG_MS - 1, resolve)));
  const [, tookMs] = await early;
  expect(tookMs).toBeGreaterThanOrEqual(YOUNG_MS - 10_000);
  const [late, atOnceMs] = await paid(300_000);
  expect([late.status, atOnceMs]).toEqual(['failed', 0]);
});

test.each([0, 3])('a payment with retry_for %i does not wait longer', async (retryForS) => {
  await hold(400_000);
  const [payment, tookMs] = await paid(300_000, { retryForS });
  expect([payment.status, tookMs]).toEqual(['failed', 1_000 * retryForS]);
});

test('a payment waits for a reservation of another payment in a channel of others', async () => {
  network.setSpendable(msatFromSat(2_000_000));
  await hold(400_000);
  node.after(5_000, () => network.end(REFUSED));
  const [payment] = await paid(700_000, { maxfeeMsat: msatFromSat(1_000) });
  expect(payment.status).toBe('complete');
});

test('with several nodes, an HTLC also holds what the sending node may spend', async () => {
  await hold(400_000);
  const live = [...node.payments.live()];
  const fromPurse = { shortChannelId: shortChannelId(1, 2, 3), direction: 0 } as const;
  const shortage = { kind: 'usable', limitMsat: 0n, layers: [] } as const;
  const binding = { kind: 'endCapacity', end: 'source', channels: [fromPurse], shortage } as const;
  const waits = (payment: Partial<Payment>): boolean =>
    new FundsReturn(
      { live: () => live, purse: { directionTo: () => fromPurse } as unknown as Purse, clock: node },
      payment as Payment,
      new Pauses(node),
    ).isWorthwhile({ kind: 'noRoute', noRoute: { binding } });
  const { amountSentMsat } = live[0]!.attempts[0]!;
  expect(waits({ totalMsat: amountSentMsat })).toBe(true);
  expect(waits({ totalMsat: msat(amountSentMsat + 1n) })).toBe(false);
  expect(waits({ ...live[0]! })).toBe(false);
});

test('waiting payments make few searches', async () => {
  await hold(400_000);
  const before = node.routes.queries;
  const payments = Array.from({ length: 50 }, () => node.payments.pay(request(300_000, { retryForS: 50 })));
  const ended = await node.until(Promise.all(payments));
  expect(ended.map(({ status }) => status)).toEqual(payments.map(() => 'failed'));
  expect((node.routes.queries - before) / payments.length).toBeLessThan(25);
});
