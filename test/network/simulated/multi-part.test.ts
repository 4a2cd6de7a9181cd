import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import type { HopPayload } from '../../../src/bolt/onion/payload.ts';
import { msat } from '../../../src/model/msat.ts';
import { C, line, routeTo } from './line.ts';
import { buildAttempt, readFailure, secretOf } from './payer.ts';

const HALF = 5_000_000n;
const preimage = secretOf('whole');
const paymentSecret = secretOf('payment secret');
const part = (totalMsat: bigint): Partial<HopPayload> => ({
  keysendPreimage: preimage,
  paymentData: { paymentSecret, totalMsat: msat(totalMsat) },
});

describe('a payment of several parts', () => {
  test('settles when its parts reach the total', async () => {
    const network = line();
    const route = routeTo(network, C, HALF);
    const [first, second] = ['1', '2'].map((id) => buildAttempt(id, route, part(2n * HALF)));
    const one = network.port.sendHtlc(first!.offer);
    network.simulation.advanceTo(network.simulation.nowMs + 30_000);
    expect(await network.port.lookUpHtlc('1')).toEqual({ status: 'pending' });
    const two = network.port.sendHtlc(second!.offer);
    network.simulation.runUntilIdle();
    expect(await Promise.all([one, two])).toEqual([
      { status: 'settled', preimage },
      { status: 'settled', preimage },
    ]);
    // A third part of a payment that is already paid is refused and counted.
    const late = buildAttempt('3', route, part(2n * HALF));
    const three = network.port.sendHtlc(late.offer);
    network.simulation.runUntilIdle();
    expect(readFailure(late, await three)?.failure.name).toBe('incorrect_or_unknown_payment_details');
    expect(network.simulation.stats().repeatedPayments).toBe(1);
  });

  test('fails as a whole 60 seconds after its first part', async () => {
    const network = line();
    const route = routeTo(network, C, HALF);
    const attempts = ['1', '2'].map((id) => buildAttempt(id, route, part(3n * HALF)));
    const sent = attempts.map(({ offer }) => network.port.sendHtlc(offer));
    const startedMs = network.simulation.nowMs;
    network.simulation.runUntilIdle();
    expect(network.simulation.nowMs - startedMs).toBeGreaterThanOrEqual(60_000);
    for (const [i, outcome] of (await Promise.all(sent)).entries()) {
      expect(readFailure(attempts[i]!, outcome)?.failure.name).toBe('mpp_timeout');
    }
    expect(network.simulation.checkConservation()).toEqual([]);
  });

  test('is refused if totals differ, and by recipients that accept no parts', async () => {
    const network = line();
    const route = routeTo(network, C, HALF);
    const [first, other] = [
      buildAttempt('1', route, part(3n * HALF)),
      buildAttempt('2', route, part(4n * HALF)),
    ];
    void network.port.sendHtlc(first.offer);
    network.simulation.advanceTo(network.simulation.nowMs + 5_000);
    const sent = network.port.sendHtlc(other.offer);
    network.simulation.runUntilIdle();
    const names = [readFailure(other, await sent)?.failure.name];
    network.simulation.setTrait(C, 'takesMultiPart', false);
    const third = buildAttempt('3', route, part(2n * HALF));
    const refused = network.port.sendHtlc(third.offer);
    network.simulation.runUntilIdle();
    names.push(readFailure(third, await refused)?.failure.name);
    const unknown = 'incorrect_or_unknown_payment_details';
    expect(names).toEqual([unknown, unknown]);
  });

  test('for an invoice needs its secret and its amount', async () => {
    const network = line();
    const paymentHash = network.simulation.addInvoice(C, {
      preimage,
      paymentSecret,
      amountMsat: msat(2n * HALF),
    });
    expect(paymentHash).toEqual(sha256(preimage));
    const route = routeTo(network, C, HALF);
    const invoicePart =
      (totalMsat: bigint, secret = paymentSecret) =>
      (payload: HopPayload, hop: number) =>
        hop < 2
          ? payload
          : {
              ...payload,
              keysendPreimage: undefined,
              paymentData: { paymentSecret: secret, totalMsat: msat(totalMsat) },
            };
    const send = async (id: string, alter: ReturnType<typeof invoicePart>) => {
      const attempt = buildAttempt(id, route, { keysendPreimage: preimage }, alter);
      return { attempt, outcome: network.port.sendHtlc(attempt.offer) };
    };
    const wrong = [
      await send('secret', invoicePart(2n * HALF, secretOf('wrong'))),
      await send('less', invoicePart(2n * HALF - 1n)),
      await send('more', invoicePart(4n * HALF + 1n)),
    ];
    const right = [await send('1', invoicePart(2n * HALF)), await send('2', invoicePart(2n * HALF))];
    network.simulation.runUntilIdle();
    for (const { attempt, outcome } of wrong) {
      expect(readFailure(attempt, await outcome)?.failure.name).toBe('incorrect_or_unknown_payment_details');
    }
    for (const { outcome } of right) expect(await outcome).toEqual({ status: 'settled', preimage });
  });
});
