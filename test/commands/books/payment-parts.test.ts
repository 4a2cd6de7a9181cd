/**
 * Payments in several parts, and the answers of lists, `waitsendpay` and `delpay` while parts are in flight,
 * over the socket. L3 announces support for several parts, and three channels lead from us to L2:
 *
 *     us ══ 3 × 300,000 sat ══ L2 ── 590,000 sat ── L3 ── 500,000 sat ── L4
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { featuresOf } from '../../../src/bolt/peer/features.ts';
import { msatFromSat } from '../../../src/model/msat.ts';
import type { Payment } from '../../../src/payments/payment.ts';
import { L2, L2_L3, L3, L4, leaving } from '../../payments/line-graph.ts';
import { turn } from '../../payments/simulation/simulated-node.ts';
import { until } from '../../until.ts';
import { PaymentNode } from '../payment-node.ts';

const BASIC_MPP = 17;
const PAYMENT_SECRET = 14;
const HEX32 = /^[0-9a-f]{64}$/;

let node: PaymentNode;
beforeEach(async () => {
  const plan = { peerId: L2, capacityMsat: msatFromSat(310_000n), localMsat: msatFromSat(303_100n) };
  node = new PaymentNode({ simulation: { ownChannels: [plan, plan, plan] } });
  const { graph } = node.node;
  graph.setAnnouncement(graph.nodeIndex(L3), {
    timestamp: 1,
    alias: new Uint8Array(32),
    color: new Uint8Array(3),
    features: featuresOf([BASIC_MPP, PAYMENT_SECRET]),
    addresses: new Uint8Array(0),
  });
  await node.start();
});
afterEach(() => node.stop());

const pay = (more: object = {}) => ({
  destination: L3,
  amount_msat: '500000sat',
  dev_use_shadow: false,
  ...more,
});
interface Row {
  readonly partid?: number;
  readonly groupid: number;
  readonly status: string;
  readonly amount_msat: number;
  readonly amount_sent_msat: number;
}
const sumOf = (rows: readonly Row[], member: 'amount_msat' | 'amount_sent_msat'): number =>
  rows.reduce((sum, row) => sum + row[member], 0);

/** Waits until an HTLC is in flight, with virtual time stopped. */
async function inFlight(): Promise<void> {
  await until(() => !node.node.simulation.isIdle);
}

describe('several parts', () => {
  test('xkeysend uses several of our channels; the parts add up', async () => {
    const answer = await node.result('xkeysend', pay());
    const parts = answer.successful_parts;
    expect(parts).toBeGreaterThan(1);
    const { payments } = await node.result('listsendpays');
    expect(answer).toEqual({
      payment_preimage: expect.stringMatching(HEX32),
      amount_msat: 500_000_000,
      amount_sent_msat: sumOf(payments, 'amount_sent_msat'),
      failed_parts: 0,
      successful_parts: parts,
    });
    expect(sumOf(payments, 'amount_msat')).toBe(500_000_000);
    expect(payments.map(({ partid }: Row) => partid)).toEqual(
      payments.map((_: Row, index: number) => index + 1),
    );
    const groups = new Set(payments.map(({ groupid }: Row) => groupid));
    expect(groups.size).toBe(1);
    expect([...groups][0]).not.toBe(0);
    const { pays } = await node.result('listpays');
    expect(pays).toMatchObject([{ status: 'complete', amount_msat: 500_000_000, number_of_parts: parts }]);
    expect(node.node.simulation.checkConservation()).toEqual([]);
  });

  test('keysend is not split if one channel can carry it', async () => {
    expect(await node.result('keysend', pay({ amount_msat: '200000sat' }))).toMatchObject({ parts: 1 });
  });

  test('keysend is split if none can, and reports that parts are still in flight', async () => {
    const answer = await node.result('keysend', pay());
    expect(answer.parts).toBeGreaterThan(1);
    const rows = async (): Promise<Row[]> => (await node.result('listsendpays')).payments;
    expect(answer).toMatchObject({
      amount_msat: 500_000_000,
      amount_sent_msat: sumOf(await rows(), 'amount_sent_msat'),
      status: 'complete',
      warning_partial_completion:
        'Some parts of the payment are not yet completed, but we have the confirmation from the recipient.',
    });
    while ((await rows()).some(({ status }) => status === 'pending'));
    expect((await rows()).map(({ partid = 0, groupid, status }) => [partid, groupid, status])).toEqual(
      Array.from({ length: answer.parts }, (_, part) => [part, 0, 'complete']),
    );
  });

  test('keysend is not split for a recipient that does not announce support', async () => {
    const error = await node.error('keysend', pay({ destination: L4, amount_msat: '400000sat' }));
    expect(error).toMatchObject({ code: 205, data: { attempts: [] } });
  });

  test('plankeysend shows the parts that keysend then sends', async () => {
    const text = await node.raw(`{"id":1,"method":"plankeysend","params":${JSON.stringify(pay())}}`);
    const seed = /"seed":(\d+)/.exec(text!)![1];
    const { parts } = JSON.parse(text!).result;
    expect(parts.length).toBeGreaterThan(1);
    const request = JSON.stringify(pay()).replace('{', `{"seed":${seed},`);
    const paid = JSON.parse((await node.raw(`{"id":2,"method":"keysend","params":${request}}`))!).result;
    const [{ attempts }] = (await node.result('paystatus', { payment_hash: paid.payment_hash })).pay;
    expect(attempts.map(({ route }: { route: object }) => route)).toEqual(
      parts.map(({ route }: { route: object }) => route),
    );
  });

  test('a payment whose payload has no room for the fields of a part is not split', async () => {
    // The recipient needs 42 bytes for the preimage, and at least 37 for payment secret and total.
    const extratlvs = { 65537: '00'.repeat(1150) };
    const fits = { amount_msat: '1sat', destination: L2, extratlvs };
    expect(await node.result('keysend', pay(fits))).toMatchObject({ parts: 1 });
    expect(await node.error('keysend', pay({ extratlvs }))).toMatchObject({
      code: 205,
      data: { attempts: [] },
    });
  });
});

describe('while parts are in flight', () => {
  beforeEach(() => {
    node.isHeld = true;
  });

  test('lists and paystatus show it pending; it cannot be deleted; waits time out', async () => {
    const call = node.client();
    call.send(`{"id":9,"method":"xkeysend","params":${JSON.stringify(pay({ label: 'rent' }))}}`);
    await inFlight();
    const { payments } = await node.result('listsendpays', { status: 'pending' });
    expect(payments.length).toBeGreaterThan(1);
    expect(payments[0]).not.toHaveProperty('payment_preimage');
    expect(payments[0]).not.toHaveProperty('updated_index');
    const { payment_hash, groupid, partid } = payments[0];
    expect((await node.result('listpays')).pays).toMatchObject([
      { status: 'pending', label: 'rent', amount_msat: 500_000_000, number_of_parts: payments.length },
    ]);
    const [live] = (await node.result('paystatus', { payment_hash })).pay;
    expect(live).toMatchObject({
      status: 'pending',
      label: 'rent',
      amount_msat: 500_000_000,
      destination: L3,
    });
    expect(live.attempts[0]).toMatchObject({
      strategy: 'Initial attempt',
      state: 'pending',
      start_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      route: [{ id: L2 }, { id: L3 }],
    });
    expect(live.attempts[0]).not.toHaveProperty('end_time');

    for (const status of ['complete', 'failed']) {
      expect(await node.error('delpay', { payment_hash, status })).toMatchObject({
        code: 211,
        message: `Payment with hash ${payment_hash} has pending status but it should be ${status}`,
        data: { payment_hash, status: 'pending' },
      });
    }
    for (const timeout of [0, 1]) {
      const error = await node.error('waitsendpay', { payment_hash, timeout, partid });
      expect(error).toMatchObject({ code: 200, message: 'Timed out while waiting' });
    }
    const otherGroup = { payment_hash, partid, groupid: groupid + 4096 };
    expect(await node.error('waitsendpay', otherGroup)).toMatchObject({ code: 208 });

    const waiting = node.client();
    waiting.send(`{"id":1,"method":"waitsendpay","params":["${payment_hash}",600,${partid}]}`);
    node.isHeld = false;
    expect(JSON.parse((await waiting.next())!).result).toMatchObject({
      payment_hash,
      partid,
      status: 'complete',
    });
    expect(JSON.parse((await call.next())!).result).toMatchObject({ amount_msat: 500_000_000 });
    for (const client of [call, waiting]) client.close();
  });

  test('a payment that is complete cannot be deleted until its last part has ended', async () => {
    const call = node.client();
    call.send(`{"id":1,"method":"xkeysend","params":${JSON.stringify(pay())}}`);
    await inFlight();
    const [{ attempts }] = [...node.node.payments.live()] as [Payment];
    while (!attempts.some((attempt) => attempt.status === 'settled')) {
      node.node.simulation.step();
      await turn();
    }
    expect(JSON.parse((await call.next())!).result).toMatchObject({ amount_msat: 500_000_000 });
    call.close();
    const [{ payment_hash, status }] = (await node.result('listpays')).pays;
    expect(status).toBe('complete');
    expect(await node.error('delpay', { payment_hash, status })).toMatchObject({
      code: 211,
      data: { payment_hash, status: 'pending' },
    });
    node.isHeld = false;
    let removed = await node.call('delpay', { payment_hash, status });
    while (removed.error !== undefined) removed = await node.call('delpay', { payment_hash, status });
    expect(removed.result).toMatchObject({ payments: [{ status }, { status }] });
    expect((await node.result('listsendpays')).payments).toEqual([]);
  });

  test('paystatus shows each attempt and its lesson while the payment is in progress', async () => {
    node.node.simulation.setPolicy(leaving(L2, L3, L2_L3), { feeBaseMsat: 500 });
    node.isHeld = false;
    const call = node.client();
    await call.ask('{"id":1,"method":"notifications","params":{"enable":true}}');
    call.send(`{"id":2,"method":"keysend","params":${JSON.stringify(pay({ amount_msat: '1sat' }))}}`);
    let failures = 0;
    for (let text = await call.next(); !text!.includes('"id":2,"result"'); text = await call.next()) {
      if (!text!.includes('WIRE_FEE_INSUFFICIENT')) continue;
      node.isHeld = true;
      failures++;
      const [live] = (await node.result('paystatus')).pay;
      expect(live.attempts[0]).toMatchObject({
        state: 'completed',
        failure: { code: 204, data: { failcodename: 'WIRE_FEE_INSUFFICIENT' } },
        learned: expect.arrayContaining([expect.stringContaining('asks for 500msat + 10ppm, 6 blocks')]),
      });
      node.isHeld = false;
    }
    expect(failures).toBe(1);
    call.close();
  });
});

describe('after parts have failed', () => {
  test('waitsendpay distinguishes a refusal by the recipient from a failure on the route', async () => {
    const last = async () => (await node.result('listsendpays')).payments.at(-1).payment_hash;
    node.node.simulation.setTrait(L4, 'takesKeysend', false);
    await node.error('keysend', pay({ destination: L4, amount_msat: '1sat' }));
    expect(await node.error('waitsendpay', { payment_hash: await last() })).toMatchObject({
      code: 203,
      data: {
        status: 'failed',
        erring_index: 3,
        erring_node: L4,
        failcodename: 'WIRE_INVALID_ONION_PAYLOAD',
      },
    });
    node.node.simulation.setTrait(L3, 'offline', true);
    await node.error('keysend', pay({ amount_msat: '1sat' }));
    expect(await node.error('waitsendpay', { payment_hash: await last() })).toMatchObject({
      code: 204,
      data: { status: 'failed', erring_index: 1 },
    });
  });

  test('delpay deletes one attempt or all; a part needs both partid and groupid', async () => {
    node.node.simulation.setPolicy(leaving(L2, L3, L2_L3), { feeBaseMsat: 500 });
    const { payment_hash } = await node.result('keysend', pay({ amount_msat: '1sat' }));
    const rows = async () => (await node.result('listsendpays', { payment_hash })).payments;
    const [failed, settled] = await rows();
    expect([failed, settled]).toMatchObject([{ status: 'failed' }, { status: 'complete', partid: 1 }]);
    const both = 'Must set both partid and groupid, or neither';
    for (const half of [{ partid: 0 }, { groupid: 0 }]) {
      const error = await node.error('delpay', { payment_hash, status: 'failed', ...half });
      expect(error).toMatchObject({ code: -32602, message: both, data: { parameter: 'partid' } });
    }
    const odd = await node.error('delpay', { payment_hash, status: 'pending' });
    expect(odd).toMatchObject({ code: -32602, data: { parameter: 'status' } });
    const of = (partid: number, groupid = 0) => ({ payment_hash, partid, groupid });
    expect(await node.error('delpay', { ...of(0), status: 'complete' })).toMatchObject({ code: 211 });
    expect(await node.error('delpay', { ...of(7), status: 'failed' })).toMatchObject({ code: 208 });
    expect(await node.error('delpay', { ...of(0, 1), status: 'failed' })).toMatchObject({ code: 208 });
    expect(await node.result('delpay', { ...of(0), status: 'failed' })).toEqual({ payments: [failed] });
    expect(await rows()).toEqual([settled]);
    expect(await node.result('delpay', { payment_hash, status: 'complete' })).toEqual({
      payments: [settled],
    });
    expect((await node.result('listpays')).pays).toEqual([]);
  });
});

test('a payment without a route is in no list, but paystatus shows it', async () => {
  await node.error('keysend', pay({ amount_msat: '10btc' }));
  expect((await node.result('listsendpays')).payments).toEqual([]);
  expect((await node.result('listpays')).pays).toEqual([]);
  const { pay: all } = await node.result('paystatus');
  expect(all).toMatchObject([{ status: 'failed', attempts: [], failure: { code: 205 } }]);
});

test('lists can be paged by either index, over any history', async () => {
  const LABELS = ['a', 'b', 'c', 'd', 'e'];
  for (const label of LABELS) await node.result('keysend', pay({ amount_msat: '1sat', label }));
  const labels = async (method: string, member: string, params: object) =>
    (await node.result(method, params))[member].map(({ label }: { label: string }) => label).join('');
  for (const [method, member] of [
    ['listpays', 'pays'],
    ['listsendpays', 'payments'],
  ] as const) {
    for (const index of ['created', 'updated']) {
      let all = '';
      for (let start = 1; start <= 5; start += 2)
        all += await labels(method, member, { index, start, limit: 2 });
      expect(all).toBe('abcde');
      expect(await labels(method, member, { index, limit: 0 })).toBe('');
      expect(await labels(method, member, { index, start: 6 })).toBe('');
      expect(await labels(method, member, { index, start: 0, limit: 1 })).toBe('a');
    }
    expect(await labels(method, member, { index: 'created', start: 2, limit: 2, status: 'failed' })).toBe('');
    const huge = await node.raw(
      `{"id":1,"method":"${method}","params":{"index":"created","start":18446744073709551615}}`,
    );
    expect(JSON.parse(huge!).result[member]).toEqual([]);
    expect(await node.error(method, { index: 'odd' })).toMatchObject({
      code: -32602,
      data: { parameter: 'index' },
    });
  }
  expect(await labels('paystatus', 'pay', { start: 4 })).toBe('de');
  expect(await labels('paystatus', 'pay', { limit: 0 })).toBe('');
});
