/**
 * Events of payments, layers and fetches, over the line of line-graph.ts:
 *
 *     us ──5,000,000 sat── L2 ──1,000,000 sat── L3 ──1,000,000 sat── L4
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EventBody, LayerEvents, paymentEvents } from '../../src/events/index.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { msatFromSat } from '../../src/model/msat.ts';
import type { Payment } from '../../src/payments/payment.ts';
import { L3, L4, lineNode } from '../payments/line-graph.ts';
import { keysendRequest, type SimulatedNode } from '../payments/simulation/simulated-node.ts';
import { until } from '../until.ts';
import { ManualClock } from './manual-clock.ts';

describe('payments', () => {
  let node: SimulatedNode;
  let events: EventBody[];

  beforeEach(() => {
    events = [];
    node = lineNode({ engine: { onEvent: paymentEvents((event) => void events.push(event)) } });
  });
  afterEach(() => node.destroy());

  const statuses = () =>
    events.map((event) => ('status' in event ? `${event.type} ${event.status}` : event.type));

  /** Everything that must never be in an event, as bytes in hex. */
  const secretsOf = ({ preimage, paymentSecret, attempts }: Payment) =>
    [preimage, paymentSecret, ...attempts.map(({ sessionKey }) => sessionKey)]
      .filter((secret) => secret !== undefined)
      .map((secret) => Buffer.from(secret).toString('hex'));

  function texts(value: unknown): string {
    return JSON.stringify(value, (_key, one) =>
      one instanceof Uint8Array
        ? Buffer.from(one).toString('hex')
        : typeof one === 'bigint'
          ? String(one)
          : one,
    );
  }

  it('that arrives: begun, sent, settled with what it taught, complete', async () => {
    const payment = await node.pay(keysendRequest(L4, { useShadow: false, label: 'tea' }));
    expect(statuses()).toEqual([
      'payment pending',
      'attempt sent',
      'attempt settled',
      'learned',
      'payment complete',
    ]);
    const [attempt] = payment.attempts;
    expect(events.at(-1)).toEqual({
      type: 'payment',
      status: 'complete',
      payment: {
        id: payment.id,
        createdIndex: 1,
        kind: 'keysend',
        paymentHash: payment.paymentHash,
        destination: L4,
        amountMsat: msatFromSat(1000),
        label: 'tea',
        askedBy: undefined,
        createdAtMs: payment.createdAtMs,
      },
      result: {
        completedAtMs: payment.completedAtMs,
        deliveredMsat: msatFromSat(1000),
        sentMsat: attempt!.amountSentMsat,
        attempts: 1,
        parts: 1,
        failure: undefined,
      },
    });
    expect(events[2]).toMatchObject({ path: attempt!.path, probabilityPpm: attempt!.probabilityPpm });
    expect(events[3]).toMatchObject({ lessons: attempt!.learned });
    const secrets = secretsOf(payment);
    expect(secrets.length).toBe(2);
    for (const secret of secrets) expect(texts(events)).not.toContain(secret);
  });

  it('that fails: the failure of its attempt, and why there is no further attempt', async () => {
    // L2 has 590,000 sat towards L3, so 700,000 sat cannot pass, and there is no other route.
    const request = keysendRequest(L3, { amountMsat: msatFromSat(700_000), maxfeeMsat: msatFromSat(5_000) });
    const payment = await node.pay(request);
    expect(statuses()).toEqual([
      'payment pending',
      'attempt sent',
      'attempt failed',
      'learned',
      'payment failed',
    ]);
    expect(events[2]).toMatchObject({
      failure: { failcodename: 'temporary_channel_failure', erringIndex: 1 },
    });
    expect(events.at(-1)).toMatchObject({
      result: { attempts: 1, parts: 0, deliveredMsat: 0n, failure: { obstacle: 'noRoute' } },
    });
    for (const secret of secretsOf(payment)) expect(texts(events)).not.toContain(secret);
  });

  it('that an earlier process began is resumed, and its outcome is reported', async () => {
    const paying = node.payments.pay(keysendRequest(L4));
    paying.catch(() => undefined);
    await until(() => !node.simulation.isIdle);
    await node.crash();
    events = [];
    await node.open();
    const [resumed] = [...node.payments.live()];
    expect(statuses()).toEqual(['payment pending', 'attempt sent']);
    expect(events[0]).toMatchObject({ isResumed: true, payment: { id: resumed!.id } });
    expect(node.payments.inFlight()).toEqual({
      payments: 1,
      htlcs: 1,
      htlcsMsat: resumed!.attempts[0]!.amountSentMsat,
      oldestHtlcAtMs: resumed!.attempts[0]!.createdAtMs,
    });
    while ([...node.payments.live()].length > 0) await node.pass();
    expect(statuses().at(-1)).toBe('payment complete');
    expect(node.payments.inFlight()).toEqual({
      payments: 0,
      htlcs: 0,
      htlcsMsat: 0n,
      oldestHtlcAtMs: undefined,
    });
  });
});

describe('layers', () => {
  it('are reported when they are made and removed; changes within a short time are combined', () => {
    const clock = new ManualClock();
    const events: EventBody[] = [];
    const book = new LayerBook(() => 0);
    const layers = new LayerEvents((event) => void events.push(event), clock);
    const stop = book.watch(layers);
    const told = () =>
      events
        .splice(0)
        .map((event) => (event.type === 'layer' ? [event.status, event.name, event.changes] : []));
    const layer = book.createLayer('mine', true);
    const other = book.createLayer('other', false);
    expect(told()).toEqual([
      ['created', 'mine', 0],
      ['created', 'other', 0],
    ]);
    for (let n = 0; n < 1000; n++) book.disableNode(layer, L3);
    book.disableNode(other, L4);
    expect(told()).toEqual([]);
    clock.pass(200);
    expect(told()).toEqual([
      ['changed', 'mine', 1000],
      ['changed', 'other', 1],
    ]);
    book.disableNode(other, L3);
    book.removeLayer(other);
    expect(told()).toEqual([
      ['changed', 'other', 1],
      ['removed', 'other', 0],
    ]);
    // Repeating the request for a persistent layer does not create it again.
    book.createLayer('mine', true);
    book.disableNode(layer, L4);
    layers.flush();
    expect(told()).toEqual([['changed', 'mine', 1]]);
    expect(clock.timers).toBe(0);
    stop();
    book.disableNode(layer, L4);
    expect([told(), clock.timers]).toEqual([[], 0]);
  });
});
