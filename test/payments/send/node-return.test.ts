/**
 * Payments while the node behind us restarts, in virtual time. The node is a test double that is away for a
 * while, with these channels:
 *
 *     we ──5,000,000 sat── L2 ──1,000,000 sat── L3
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FAILURES } from '../../../src/bolt/onion/failure.ts';
import type { HtlcOutcome, NodeBehind, OutgoingHtlc } from '../../../src/network/port.ts';
import type { Payment, PaymentRequest } from '../../../src/payments/payment.ts';
import { PaymentRefused } from '../../../src/payments/refusal.ts';
import { until } from '../../until.ts';
import { L3, lineNode } from '../line-graph.ts';
import { keysendRequest, OWN_ID, type SimulatedNode } from '../simulation/simulated-node.ts';
import { PayingDouble } from './paying-double.ts';

const PREIMAGE = new Uint8Array(32).fill(7);

/**
 * A node that settles every HTLC, except while it is away. While away, it refuses HTLCs, as the adapters for nodes
 * do.
 */
class RestartingNode extends PayingDouble {
  isAway = false;
  /** Whether the node goes away when it receives the next HTLC. */
  diesNext = false;
  readonly sent: OutgoingHtlc[] = [];

  override nodeBehind(): NodeBehind {
    const node = { nodeId: OWN_ID, alias: '', color: '000000', version: '1', details: async () => ({}) };
    return this.isAway ? { ...node, problem: 'the node is unreachable' } : node;
  }

  protected override outcomeOf({ attemptId, paymentHash }: OutgoingHtlc): HtlcOutcome {
    this.sent.push({ attemptId, paymentHash } as OutgoingHtlc);
    if (this.diesNext) this.isAway = true;
    this.diesNext = false;
    const { code } = FAILURES.temporary_node_failure;
    return this.isAway
      ? { status: 'refused', failureCode: code, reason: 'unreachable', cause: 'nodeAway' }
      : { status: 'settled', preimage: PREIMAGE };
  }
}

let network: RestartingNode;
let node: SimulatedNode;
beforeEach(() => {
  network = new RestartingNode();
  node = lineNode({ engine: { network } });
  network.setChannels(node.simulation.ownChannels().channels);
});
afterEach(() => node.destroy());

const request = (more: Partial<PaymentRequest> = {}): PaymentRequest =>
  keysendRequest(L3, { useShadow: false, retryForS: 60, ...more });

/** Makes the node come back after `ms` of virtual time. */
function returnsAfter(ms: number): void {
  node.after(ms, () => {
    network.isAway = false;
  });
}

const outcomeOf = async (paid: Promise<Payment>): Promise<Payment | Error> =>
  node.until(paid.catch((error: Error) => error));

test('a payment survives a restart of the node between plan and HTLC', async () => {
  network.diesNext = true;
  const paid = node.payments.pay(request());
  await until(() => network.sent.length > 0);
  returnsAfter(30_000);
  expect(await outcomeOf(paid)).toMatchObject({
    status: 'complete',
    attempts: [{ status: 'failed', failure: { notSent: { cause: 'nodeAway' } } }, { status: 'settled' }],
  });
  // The payment checks the node's state repeatedly, and sends no HTLC until it is back.
  expect(network.sent).toHaveLength(2);
});

test('a payment fails at its deadline if the node stays away', async () => {
  network.diesNext = true;
  const beganMs = node.nowMs();
  const paid = node.payments.pay(request({ retryForS: 10 }));
  await until(() => network.sent.length > 0);
  expect(await outcomeOf(paid)).toMatchObject({
    status: 'failed',
    failure: { obstacle: 'ownNodeRefused' },
    attempts: [{ status: 'failed' }],
  });
  expect(node.nowMs() - beganMs).toBe(10_000);
});

test('a payment that begins while the node restarts waits for it', async () => {
  network.isAway = true;
  returnsAfter(2_000);
  expect(await outcomeOf(node.payments.pay(request()))).toMatchObject({
    status: 'complete',
    attempts: [{ status: 'settled' }],
  });
});

test.each([
  [60, 15_000],
  [3, 3_000],
  [0, 0],
])('a payment with retry_for %i waits at most %i ms before it begins', async (retryForS, waitMs) => {
  network.isAway = true;
  const beganMs = node.nowMs();
  const refused = await outcomeOf(node.payments.pay(request({ retryForS })));
  expect(refused).toBeInstanceOf(PaymentRefused);
  expect((refused as PaymentRefused).reason).toMatchObject({ kind: 'nodeAway' });
  expect(node.nowMs() - beganMs).toBe(waitMs);
});
