/**
 * One payment in detail (`getpayment`), estimated channel balances (`listbeliefs`), and predictions against outcomes
 * (`listodds`), over the line of line-graph.ts:
 *
 *     us ── L2 ──590,000 of 1,000,000 sat── L3 ──500,000 of 1,000,000 sat── L4      1 msat + 10 ppm, 6 blocks
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatShortChannelIdDir } from '../../../src/model/short-channel-id.ts';
import { L2, L2_L3, L3, L3_L4, L4, leaving } from '../../payments/line-graph.ts';
import { until } from '../../until.ts';
import { PaymentNode } from '../payment-node.ts';

const SECOND = formatShortChannelIdDir(leaving(L2, L3, L2_L3));
const THIRD = formatShortChannelIdDir(leaving(L3, L4, L3_L4));
const CAPACITY = 1_000_000_000;
const EXACT = { dev_use_shadow: false, dev_randomize: false, retry_for: 0 };

let node: PaymentNode;
beforeEach(async () => {
  node = new PaymentNode();
  await node.start();
});
afterEach(() => node.stop());

/**
 * Begins a payment that stays in flight until the returned function is called. The call has its own
 * connection.
 */
async function held(): Promise<() => Promise<void>> {
  node.isHeld = true;
  const client = node.client();
  const params = JSON.stringify({ destination: L3, amount_msat: '1000sat', ...EXACT });
  const answer = client.ask(`{"id":9,"method":"xkeysend","params":${params}}`);
  await until(() => !node.node.simulation.isIdle);
  return async () => {
    node.isHeld = false;
    expect(JSON.parse((await answer)!).result).toMatchObject({ amount_msat: 1_000_000 });
    client.close();
  };
}

const hashOf = async (): Promise<string> => {
  const { payments } = await node.result('listsendpays');
  return payments.at(-1).payment_hash;
};

test('each lesson shows the bounds before and after it', async () => {
  // To deliver 550,000 sat to L4, L3 must forward that much for a fee of 1 msat + 10 ppm = 5,501 msat. But L3 has
  // only 500,000 sat.
  await node.error('xkeysend', { destination: L4, amount_msat: '550000sat', ...EXACT });
  const { payments, blockheight } = await node.result('getpayment', { payment_hash: await hashOf() });
  expect(blockheight).toBe(1000);
  expect(payments).toHaveLength(1);
  const [payment] = payments;
  expect(payment).toMatchObject({
    command: 'xkeysend',
    status: 'failed',
    destination: L4,
    amount_msat: 550_000_000,
    failure: { code: 209 },
  });
  const [attempt] = payment.attempts;
  expect(attempt).toMatchObject({
    status: 'failed',
    failreason: 'failed: WIRE_TEMPORARY_CHANNEL_FAILURE (reply from remote)',
    failure: { erring_index: 2, erring_node: L3, erring_channel: THIRD.slice(0, -2) },
    // The next block is 1001. The HTLC in the first channel expires after the delays of all hops.
    expiry_height: 1001 + attempt.route[0].delay,
  });
  const told = attempt.learned.map(({ text: _, ...rest }: { text: string }) => rest);
  expect(told).toEqual([
    {
      kind: 'carried',
      short_channel_id_dir: SECOND,
      capacity_msat: CAPACITY,
      amount_msat: 550_005_501,
      before: { minimum_msat: 0, maximum_msat: CAPACITY },
      after: { minimum_msat: 550_005_501, maximum_msat: CAPACITY },
    },
    {
      kind: 'blocked',
      short_channel_id_dir: THIRD,
      capacity_msat: CAPACITY,
      amount_msat: 550_000_000,
      before: { minimum_msat: 0, maximum_msat: CAPACITY },
      after: { minimum_msat: 0, maximum_msat: 549_999_999 },
    },
  ]);
});

test('a payment in progress is pending, and shows how long its money is locked', async () => {
  const release = await held();
  const payment_hash = await hashOf();
  const { payments, blockheight } = await node.result('getpayment', { payment_hash });
  expect(payments).toMatchObject([{ status: 'pending', attempts: [{ status: 'pending', learned: [] }] }]);
  expect(payments[0].attempts[0].expiry_height).toBeGreaterThan(blockheight);
  expect(payments[0]).not.toHaveProperty('failure');
  await release();
  const after = await node.result('getpayment', { payment_hash });
  expect(after.payments).toMatchObject([
    {
      status: 'complete',
      attempts: [{ status: 'complete', learned: [{ kind: 'delivered', short_channel_id_dir: SECOND }] }],
    },
  ]);
  expect(JSON.stringify(after)).not.toContain('preimage');
  expect((await node.result('getpayment', { payment_hash: '00'.repeat(32) })).payments).toEqual([]);
});

test('estimated balances are the bounds that result from the records', async () => {
  expect(await node.result('listbeliefs')).toEqual({ beliefs: [], num_beliefs: 0 });
  await node.error('xkeysend', { destination: L4, amount_msat: '550000sat', ...EXACT });
  await node.result('xkeysend', { destination: L3, amount_msat: '50000sat', ...EXACT });
  // 550,005,501 msat succeeded; then 50,000,000 msat took the same route, so both bounds fall by that amount.
  const second = {
    short_channel_id_dir: SECOND,
    source: L2,
    destination: L3,
    capacity_msat: CAPACITY,
    minimum_msat: 500_005_501,
    maximum_msat: 950_000_000,
    records: 2,
    timestamp: expect.any(Number),
  };
  const third = { short_channel_id_dir: THIRD, minimum_msat: 0, maximum_msat: 549_999_999, records: 1 };
  const byWidth = await node.result('listbeliefs', { sort: 'narrowest' });
  expect(byWidth).toMatchObject({ beliefs: [second, third], num_beliefs: 2 });
  expect(byWidth.beliefs[0]).toEqual(second);
  const widest = await node.result('listbeliefs', { sort: 'widest', limit: 1 });
  expect(widest).toMatchObject({ beliefs: [third], num_beliefs: 2 });
  const rest = await node.result('listbeliefs', { sort: 'channel', start: 1 });
  expect(rest).toMatchObject({ beliefs: [third], num_beliefs: 2 });
  const one = await node.result('listbeliefs', { short_channel_id_dir: SECOND });
  expect(one).toMatchObject({
    beliefs: [second],
    history: [
      { short_channel_id_dir: SECOND, kind: 'minimum', amount_msat: 550_005_501 },
      { short_channel_id_dir: SECOND, kind: 'impression', amount_msat: 50_000_000 },
    ],
  });
  expect((await node.error('listbeliefs', { sort: 'best' })).code).toBe(-32602);
});

test('listlayers counts the records of each layer', async () => {
  await node.error('xkeysend', { destination: L4, amount_msat: '550000sat', ...EXACT });
  await node.result('askrene-create-layer', { layer: 'mine' });
  await node.result('askrene-disable-node', { layer: 'mine', node: L4 });
  const none = {
    disabled_nodes: 0,
    created_channels: 0,
    channel_updates: 0,
    constraints: 0,
    impressions: 0,
    biases: 0,
    node_biases: 0,
  };
  expect(await node.result('listlayers')).toEqual({
    layers: [
      { layer: 'xpay', persistent: true, ...none, constraints: 2, newest_record: expect.any(Number) },
      { layer: 'mine', persistent: false, ...none, disabled_nodes: 1 },
    ],
  });
});

test('odds are compared with outcomes, and attempts in progress are left out', async () => {
  await node.result('xkeysend', { destination: L3, amount_msat: '1000sat', ...EXACT });
  await node.error('xkeysend', { destination: L4, amount_msat: '550000sat', ...EXACT });
  const { odds } = await node.result('listodds');
  expect(odds).toMatchObject([
    { id: 1, amount_msat: 1_000_000, hops: 2, arrived: true },
    { id: 2, amount_msat: 550_000_000, hops: 3, arrived: false },
  ]);
  // 1,000 sat over the only channel that is not ours, of 1,000,000 sat: 99.9 %. Then 550,005.501 sat and
  // 550,000 sat over one channel of a million each.
  expect(odds[0].probability_ppm).toBe(999_000);
  expect(odds[1].probability_ppm).toBeCloseTo(202_000, -4);
  // These odds were not learned, so they are not corrected.
  expect(odds[0]).not.toHaveProperty('uncorrected_ppm');
  const release = await held();
  expect((await node.result('listodds')).odds).toHaveLength(2);
  await release();
  expect((await node.result('listodds', { limit: 1 })).odds).toMatchObject([{ id: 3 }]);
  expect((await node.result('listodds', { start: 2, limit: 1 })).odds).toMatchObject([{ id: 2 }]);
  expect((await node.result('listodds', { limit: 0 })).odds).toEqual([]);
});

test('listpayments shows every requested payment, including refused ones with the reason', async () => {
  const before = (await node.result('listpayments')).payments;
  const refused = await node.error('xkeysend', { destination: L4, amount_msat: 10 ** 15, label: 'much' });
  const { payments } = await node.result('listpayments');
  expect(payments.slice(0, -1)).toEqual(before);
  const last = payments.at(-1);
  expect(last).toMatchObject({
    created_index: (before.at(-1)?.created_index ?? 0) + 1,
    command: 'xkeysend',
    destination: L4,
    amount_msat: 10 ** 15,
    label: 'much',
    status: 'failed',
    attempts: 0,
    failure: { code: refused.code },
  });
  expect(last).not.toHaveProperty('amount_sent_msat');
  // `listpays` lists only payments that made an attempt.
  const { pays } = await node.result('listpays');
  expect(pays.some(({ label }: { label?: string }) => label === 'much')).toBe(false);
  expect((await node.result('listpayments', { limit: 1 })).payments).toEqual([last]);
  expect((await node.result('listpayments', { start: 1, limit: 1 })).payments).toEqual(payments.slice(0, 1));
  expect((await node.result('listpayments', { start: last.created_index + 1 })).payments).toEqual([]);
  expect((await node.result('listpayments', { limit: 0 })).payments).toEqual([]);
});
