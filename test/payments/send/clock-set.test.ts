/**
 * Payments while the clock of the system is set ahead or back, in virtual time. A payment's deadline and its waits are
 * durations, so they do not move. The network is a test double with these channels:
 *
 *     we ──5,000,000 sat── L2 ──1,000,000 sat── L3
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FAILURES } from '../../../src/bolt/onion/failure.ts';
import type { HtlcOutcome, NodeBehind } from '../../../src/network/port.ts';
import type { Payment, PaymentRequest } from '../../../src/payments/payment.ts';
import { PaymentRefused } from '../../../src/payments/refusal.ts';
import { RETURN_MS } from '../../../src/payments/send/channel-return.ts';
import { collected } from '../../collected.ts';
import { until } from '../../until.ts';
import { L3, lineNode } from '../line-graph.ts';
import { keysendRequest, OWN_ID, type SimulatedNode, turn } from '../simulation/simulated-node.ts';
import { PayingDouble } from './paying-double.ts';

const PREIMAGE = new Uint8Array(32).fill(7);
const HOUR_MS = 3_600_000;

/** A network whose peer, or whose node, may be away. An HTLC meanwhile fails for that reason. */
class AbsentNetwork extends PayingDouble {
  away: 'peerAway' | 'nodeAway' | undefined;
  /** Whether the node goes away when it receives the next HTLC. */
  diesNext = false;

  override nodeBehind(): NodeBehind {
    const node = { nodeId: OWN_ID, alias: '', color: '000000', version: '1', details: async () => ({}) };
    return this.away === 'nodeAway' ? { ...node, problem: 'the node is unreachable' } : node;
  }

  protected override outcomeOf(): HtlcOutcome {
    if (this.diesNext) this.away = 'nodeAway';
    const { code } = FAILURES.temporary_node_failure;
    return this.away === undefined
      ? { status: 'settled', preimage: PREIMAGE }
      : { status: 'refused', failureCode: code, reason: 'not ready', cause: this.away };
  }

  setUsable(usable: boolean): void {
    this.setChannels(this.ownChannels().channels.map((channel) => ({ ...channel, usable })));
  }
}

let network: AbsentNetwork;
let node: SimulatedNode;
beforeEach(() => {
  network = new AbsentNetwork();
  node = lineNode({ engine: { network } });
  network.setChannels(node.simulation.ownChannels().channels);
});
afterEach(() => node.destroy());

const request = (more: Partial<PaymentRequest> = {}): PaymentRequest =>
  keysendRequest(L3, { useShadow: false, retryForS: 60, ...more });

/** The outcome of a payment, and the milliseconds that it took, if the clock is set by `ms` after a second. */
async function whileSet(ms: number, asked: PaymentRequest): Promise<[Payment | Error, number]> {
  const beganMs = node.monotonicMs();
  node.after(1_000, () => node.setClock(ms));
  const outcome = await node.until(node.payments.pay(asked).catch((error: Error) => error));
  return [outcome, node.monotonicMs() - beganMs];
}

describe.each([HOUR_MS, -HOUR_MS])('while the clock is set by %i ms, a payment', (setMs) => {
  test('waits half a minute for a lost channel', async () => {
    network.setUsable(false);
    const [payment, tookMs] = await whileSet(setMs, request());
    expect(payment).toMatchObject({ status: 'failed', failure: { obstacle: 'noRoute' } });
    expect(tookMs).toBe(RETURN_MS);
  });

  test('uses a channel that returns in time', async () => {
    network.setUsable(false);
    node.after(5_000, () => network.setUsable(true));
    expect((await whileSet(setMs, request()))[0]).toMatchObject({ status: 'complete' });
  });

  test('waits for the peer that refused its attempt', async () => {
    network.away = 'peerAway';
    node.after(5_000, () => {
      network.away = undefined;
    });
    expect((await whileSet(setMs, request()))[0]).toMatchObject({ status: 'complete' });
  });

  test('ends at its deadline if its node stays away', async () => {
    network.diesNext = true;
    const [payment, tookMs] = await whileSet(setMs, request({ retryForS: 10 }));
    expect(payment).toMatchObject({ status: 'failed', failure: { obstacle: 'ownNodeRefused' } });
    expect(tookMs).toBe(10_000);
  });

  test('is refused if its node stays away before it begins', async () => {
    network.away = 'nodeAway';
    const [refused, tookMs] = await whileSet(setMs, request());
    expect(refused).toBeInstanceOf(PaymentRefused);
    expect(tookMs).toBe(15_000);
  });

  test('whose node returns before it begins keeps the rest of its time', async () => {
    network.away = 'nodeAway';
    node.after(5_000, () => {
      network.away = 'peerAway';
    });
    node.after(10_000, () => {
      network.away = undefined;
    });
    expect((await whileSet(setMs, request()))[0]).toMatchObject({ status: 'complete' });
  });
});

test.each([
  ['back', -HOUR_MS, 10_000],
  ['ahead by less than its time', 4_000, 6_000],
])(
  'a payment of an earlier process, with the clock set %s since, has at most its own time',
  async (_, setMs, leftMs) => {
    const asked = request({ retryForS: 10, idempotencyKey: 'tea' });
    let isSent = false;
    const { send } = network;
    network.send = () => {
      isSent = true;
      return new Promise(() => undefined);
    };
    node.payments.pay(asked).catch(() => undefined);
    await until(() => isSent);
    await turn();
    await node.crash();
    network.send = send;
    network.away = 'nodeAway';
    node.setClock(setMs);
    const openedMs = node.monotonicMs();
    await node.open();
    while ([...node.payments.live()].length > 0) await node.pass();
    await node.store.payments.durable();
    const [payment] = await collected(node.payments.journal.payments());
    expect(payment).toMatchObject({ status: 'failed' });
    expect(node.monotonicMs() - openedMs).toBe(leftMs);
  },
);
