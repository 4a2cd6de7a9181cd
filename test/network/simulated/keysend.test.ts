import { describe, expect, test } from 'vitest';
import { B, BC, C, CAPACITY, directionFrom, fee, line, routeTo } from './line.ts';
import { buildAttempt } from './payer.ts';

describe('a keysend', () => {
  test('reaches its recipient through three real onion layers and moves balances', async () => {
    const network = line();
    const { port, simulation, ours } = network;
    const amount = 10_000_000n;
    const attempt = buildAttempt('first', routeTo(network, C, amount));
    const before = port.ownChannels().channels[0];
    const sent = port.sendHtlc(attempt.offer);
    expect(await port.lookUpHtlc('first')).toEqual({ status: 'pending' });
    expect(simulation.runUntilIdle()).toBe(true);
    expect(await sent).toEqual({ status: 'settled', preimage: attempt.preimage });
    expect(await port.lookUpHtlc('first')).toEqual({ status: 'settled', preimage: attempt.preimage });
    // C gets 10,000,000 msat. B charges 1000 + 1000 msat for that, and A 1000 + 1000 msat (100 ppm of
    // 10,002,000, rounded down).
    const toB = amount + fee(amount);
    const toA = toB + fee(toB);
    expect([toB, toA]).toEqual([10_002_000n, 10_004_000n]);
    expect(port.ownChannels().channels[0]?.shortChannelId).toBe(ours);
    expect(port.ownChannels().channels[0]?.spendableMsat).toBe((before?.spendableMsat as bigint) - toA);
    const lastHop = { shortChannelId: BC, direction: directionFrom(B, C) };
    expect(simulation.balanceMsat(lastHop)).toBe(CAPACITY / 2n - amount);
    expect(simulation.checkConservation()).toEqual([]);
  });

  test('with the same attempt id is sent only once', async () => {
    const network = line();
    const { port, simulation } = network;
    const attempt = buildAttempt('twice', routeTo(network, C, 10_000_000n));
    const both = [port.sendHtlc(attempt.offer), port.sendHtlc(attempt.offer)];
    simulation.runUntilIdle();
    const events = simulation.stats().events;
    both.push(port.sendHtlc(attempt.offer));
    expect(await Promise.all(both)).toEqual(Array(3).fill({ status: 'settled', preimage: attempt.preimage }));
    simulation.runUntilIdle();
    expect(simulation.stats().events).toBe(events);
    expect(await port.lookUpHtlc('never')).toEqual({ status: 'unknown' });
  });
});
