/**
 * Log lines for payments over the line of line-graph.ts: one for each attempt and one for each payment.
 *
 *     us ──5,000,000 sat── L2 ──1,000,000 sat── L3 ──1,000,000 sat── L4
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EventBody, type NodeEvent, paymentEvents } from '../../src/events/index.ts';
import { createNodeLog, eventLines, parseLevelRules } from '../../src/log/index.ts';
import { msatFromSat } from '../../src/model/msat.ts';
import { L3, L4, lineNode } from '../payments/line-graph.ts';
import { keysendRequest, type SimulatedNode } from '../payments/simulation/simulated-node.ts';

let node: SimulatedNode;
let events: EventBody[];

beforeEach(() => {
  events = [];
  node = lineNode({ engine: { onEvent: paymentEvents((event) => void events.push(event)) } });
});
afterEach(() => node.destroy());

/** The lines at this level. */
function lines(level: string, isPrivate = false) {
  const sink = { write: () => undefined, reopen: () => undefined };
  const log = createNodeLog({ sink, format: () => '', rules: parseLevelRules(level)! });
  const write = eventLines({ log, isPrivate });
  for (const [index, event] of events.entries()) write({ id: index, atMs: 0, ...event } as NodeEvent);
  return log.recent.lines.map(({ level: of, message, fields }) => ({ of, message, fields }));
}

it('a payment that arrives logs its attempt and its end', async () => {
  const payment = await node.pay(keysendRequest(L4, { useShadow: false }));
  const [attempt] = payment.attempts;
  const ms = payment.completedAtMs! - payment.createdAtMs;
  const fee_msat = attempt!.amountSentMsat - 1_000_000n;
  expect(lines('info')).toEqual([
    {
      of: 'info',
      message: 'keysend 1 part 0 settled',
      fields: {
        payment: 1,
        part: 0,
        amount_msat: 1_000_000n,
        fee_msat,
        hops: 3,
        probability: attempt!.probabilityPpm / 1e6,
        status: 'settled',
        ms: attempt!.completedAtMs! - attempt!.createdAtMs,
      },
    },
    {
      of: 'info',
      message: 'keysend 1 complete',
      fields: {
        payment: 1,
        status: 'complete',
        amount_msat: 1_000_000n,
        fee_msat,
        parts: 1,
        attempts: 1,
        ms,
      },
    },
  ]);
});

it('a failed payment logs where and why it failed, but its destination only on request', async () => {
  // L2 has only 590,000 sat towards L3, so the payment fails.
  const request = keysendRequest(L3, { amountMsat: msatFromSat(700_000), maxfeeMsat: msatFromSat(5_000) });
  await node.pay(request);
  const open = lines('info');
  expect(open.map(({ message }) => message)).toEqual([
    'keysend 1 part 0 failed at node 1 of 2: temporary_channel_failure',
    'keysend 1 failed: noRoute',
  ]);
  expect(open[0]!.fields).toMatchObject({ reason: 'temporary_channel_failure', at: 1, status: 'failed' });
  const told = (all: typeof open) => JSON.stringify(all, (_, v) => (typeof v === 'bigint' ? String(v) : v));
  expect(told(open)).not.toMatch(/x1x0|[0-9a-f]{64}/);
  for (const whole of [lines('info', true), lines('debug').filter(({ of }) => of === 'info')]) {
    expect(whole.map(({ message }) => message)).toEqual(open.map(({ message }) => message));
    expect(whole[0]!.fields).toMatchObject({
      route: expect.stringMatching(/^\d+x\d+x\d+\/[01],104x1x0\/[01]$/),
      destination: L3,
      told: 'failed: WIRE_TEMPORARY_CHANNEL_FAILURE (reply from remote)',
    });
  }
  expect(
    lines('debug')
      .filter(({ of }) => of === 'debug')
      .map(({ message }) => message),
  ).toEqual([
    'keysend 1 begins',
    'keysend 1 part 0 sent',
    expect.stringMatching(/^learned from keysend 1 part 0: .*104x1x0\/[01] cannot carry/),
  ]);
});
