/** The payment commands over the socket, on the line of line-graph.ts in virtual time. */
import { beforeEach, describe, expect, test } from 'vitest';
import { L2, L2_L3, L3, L3_L4, L4, leaving } from '../../payments/line-graph.ts';
import { until } from '../../until.ts';
import { nodePerTest } from '../payment-fixture.ts';
import type { PaymentNode } from '../payment-node.ts';

let node: PaymentNode;
nodePerTest((started) => {
  node = started;
});

const HEX32 = /^[0-9a-f]{64}$/;
const plain = { dev_use_shadow: false };
const pay = (more: object = {}) => ({ destination: L3, amount_msat: '1000sat', ...plain, ...more });

describe('keysend', () => {
  test('answers as documented, with a time of nine decimals', async () => {
    const text = await node.raw(
      `{"id":1,"method":"keysend","params":{"destination":"${L3}","amount_msat":"1.000sat","dev_use_shadow":false}}`,
    );
    expect(text).toMatch(/"created_at":\d+\.\d{9},/);
    expect(JSON.parse(text!).result).toEqual({
      destination: L3,
      payment_hash: expect.stringMatching(HEX32),
      created_at: expect.any(Number),
      parts: 1,
      amount_msat: 1000,
      // 1 msat + 10 ppm, rounded down.
      amount_sent_msat: 1001,
      payment_preimage: expect.stringMatching(HEX32),
      status: 'complete',
    });
  });

  test('takes routehints and extratlvs in either order', async () => {
    const hint = [[{ id: L2, scid: '104x1x0', feebase: '1msat', feeprop: 10, expirydelta: 6 }]];
    const tlvs = { 65537: 'feedc0de' };
    for (const [seventh, eighth] of [
      [hint, tlvs],
      [tlvs, hint],
    ]) {
      const params = [L3, 1000, null, null, null, null, null, seventh, eighth];
      expect(await node.result('keysend', params)).toMatchObject({ status: 'complete' });
    }
  });

  test('203: the routing failure object and the attempts', async () => {
    node.node.simulation.setTrait(L4, 'takesKeysend', false);
    const { code, data } = await node.error('keysend', pay({ destination: L4 }));
    expect(code).toBe(203);
    const failure = {
      erring_index: 3,
      failcode: 16406,
      failcodename: 'WIRE_INVALID_ONION_PAYLOAD',
      erring_node: L4,
      raw_message: expect.stringMatching(/^4016/),
    };
    expect(data).toMatchObject(failure);
    expect(data).not.toHaveProperty('erring_channel');
    expect(data.attempts).toHaveLength(1);
    expect(data.attempts[0]).toMatchObject({ status: 'failed', partid: 0, failure, amount_msat: 1_000_000 });
    expect(data.attempts[0].route.map(({ id }: { id: string }) => id)).toEqual([L2, L3, L4]);
  });

  test('205: why there is no route', async () => {
    const error = await node.error('keysend', pay({ amount_msat: '10btc' }));
    expect(error).toMatchObject({ code: 205, data: { binding: { kind: 'source_capacity' }, attempts: [] } });
  });

  test('206: what the best route costs, when the fee or the delay exceeds its limit', async () => {
    // Two hops of 1 msat + 10 ppm: 11 msat of a million.
    const fee = await node.error('keysend', pay({ maxfee: 10 }));
    expect(fee).toMatchObject({
      code: 206,
      data: {
        fee: 11,
        feepercent: 0.0011,
        delay: 48,
        amount_msat: 1_000_000,
        maxfee_msat: 10,
        maxdelay: 2016,
      },
    });
    const delay = await node.error('keysend', pay({ maxdelay: 47 }));
    expect(delay).toMatchObject({ code: 206, data: { fee: 11, delay: 48, maxdelay: 47 } });
    expect(await node.result('keysend', pay({ maxfee: 11, maxdelay: 48 }))).toMatchObject({ parts: 1 });
  });

  test('210 with the failure when time runs out; retry_for 0 makes one attempt', async () => {
    node.node.simulation.setPolicy(leaving(L2, L3, L2_L3), { feeBaseMsat: 500 });
    const error = await node.error('keysend', pay({ retry_for: 0 }));
    expect(error).toMatchObject({
      code: 210,
      data: { failcodename: 'WIRE_FEE_INSUFFICIENT', erring_index: 1 },
    });
    expect(error.data.attempts).toHaveLength(1);
  });

  test('uses the fee that a failure reports, for this payment only', async () => {
    node.node.simulation.setPolicy(leaving(L2, L3, L2_L3), { feeBaseMsat: 500 });
    const answer = await node.result('keysend', pay());
    expect(answer).toMatchObject({ parts: 2, amount_sent_msat: 1_000_510 });
    const { layers } = await node.result('askrene-listlayers');
    expect(layers.map(({ layer }: { layer: string }) => layer)).toEqual(['xpay']);
    expect(layers[0].channel_updates).toEqual([]);
  });

  test('learns which amounts fit, and forgets it after an hour', async () => {
    await node.error('keysend', pay({ amount_msat: '600000sat' }));
    const of = leaving(L2, L3, L2_L3);
    const name = `104x1x0/${of.direction}`;
    const learned = async () =>
      (await node.result('askrene-listlayers', { layer: 'xpay' })).layers[0].constraints;
    expect(await learned()).toMatchObject([{ short_channel_id_dir: name, maximum_msat: 599_999_999 }]);
    node.node.simulation.advanceTo(node.node.nowMs() + 3_700_000);
    await node.result('keysend', pay());
    expect(await learned()).toEqual([]);
  });

  test('waits for the block height that the recipient reports', async () => {
    node.node.simulation.setHeightOffset(L3, 60);
    const call = node.result('keysend', pay({ retry_for: 3_600 }));
    while (node.node.simulation.height < 1_060) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if ([...node.node.payments.live()].some(({ attempts }) => attempts[0]?.failure !== undefined)) {
        // Now the other nodes have the recipient's blocks too.
        node.node.simulation.setHeightOffset(L3, 0);
        node.node.simulation.setHeight(1_060);
      }
    }
    expect(await call).toMatchObject({ parts: 2, status: 'complete' });
  });

  test('is never reported failed while something is in flight', async () => {
    node.node.simulation.setTrait(L3, 'unresponsive', true);
    const call = node.error('keysend', pay({ retry_for: 1 }));
    const live = () => [...node.node.payments.live()][0];
    await until(() => live()?.attempts[0]?.status === 'sent');
    const sentAtMs = node.node.nowMs();
    const error = await call;
    // The HTLC ended only when it expired, days later, and not after the second that `retry_for` allows.
    expect(node.node.nowMs() - sentAtMs).toBeGreaterThan(3_600_000);
    expect(error.code).toBe(210);
  });

  test('reports its progress to clients that asked for it', async () => {
    const client = node.client();
    await client.ask('{"id":1,"method":"notifications","params":{"enable":true}}');
    client.send(`{"id":2,"method":"keysend","params":{"destination":"${L3}","amount_msat":1000}}`);
    const lines = [await client.next(), await client.next(), await client.next()].map((text) =>
      JSON.parse(text!),
    );
    for (const line of lines.slice(0, 2))
      expect(line).toMatchObject({ method: 'message', params: { id: 2, level: 'debug' } });
    expect(lines[0].params.message).toMatch(/^attempt 0: \d+msat, fee \d+msat, [\d.]+ % likely, over /);
    expect(lines[0].params.attempt).toMatchObject({ status: 'pending', partid: 0 });
    expect(lines[1].params).toMatchObject({ message: 'attempt 0 settled', attempt: { status: 'success' } });
    expect(lines[2].result.status).toBe('complete');
    client.close();
  });

  test('logs failures at the usual level: programs get them in the answer', async () => {
    node.node.simulation.setTrait(L4, 'takesKeysend', false);
    const client = node.client();
    await client.ask('{"id":1,"method":"notifications","params":{"enable":true}}');
    client.send(`{"id":2,"method":"keysend","params":{"destination":"${L4}","amount_msat":1000}}`);
    const levels: string[] = [];
    let failures = 0;
    for (;;) {
      const { params, error } = JSON.parse((await client.next()) as string);
      if (error !== undefined) break;
      levels.push(params.level);
      if (params.attempt?.status === 'failed') failures++;
    }
    expect(failures).toBeGreaterThan(0);
    expect(new Set(levels)).toEqual(new Set(['debug']));
    client.close();
  });

  test('is refused if deprecated commands are', async () => {
    const client = node.client();
    await client.ask('{"id":1,"method":"deprecations","params":{"enable":false}}');
    const answer = await client.ask(`{"id":2,"method":"keysend","params":["${L3}",1000]}`);
    expect(JSON.parse(answer!).error).toMatchObject({
      code: -32601,
      message: 'Command "keysend" is deprecated',
    });
    client.close();
  });
});

describe('an idempotency key', () => {
  test('pays only once, even if requested repeatedly and in parallel', async () => {
    const clients = Array.from({ length: 5 }, () => node.client());
    const request = `{"id":1,"method":"keysend","params":{"destination":"${L3}","amount_msat":1000,"idempotency_key":"rent"}}`;
    const answers = await Promise.all(clients.map((client) => client.ask(request)));
    expect(new Set(answers).size).toBe(1);
    expect(await clients[0]!.ask(request)).toBe(answers[0]);
    expect((await node.result('listsendpays')).payments).toHaveLength(1);
    for (const client of clients) client.close();
  });

  test('stays used after its payment is deleted', async () => {
    const first = await node.result('keysend', pay({ idempotency_key: 'gone' }));
    await node.result('delpay', { payment_hash: first.payment_hash, status: 'complete' });
    expect(await node.error('keysend', pay({ idempotency_key: 'gone' }))).toMatchObject({
      code: -32602,
      message: 'idempotency_key: was used for a payment that was deleted (complete)',
      data: { parameter: 'idempotency_key', payment_hash: first.payment_hash, status: 'complete' },
    });
  });

  test('returns the first failure again, and is refused for a different payment', async () => {
    const first = await node.error('keysend', pay({ maxfee: 0, idempotency_key: 'k' }));
    expect(await node.error('keysend', pay({ maxfee: 0, idempotency_key: 'k' }))).toEqual(first);
    const other = await node.error('keysend', pay({ amount_msat: 7, idempotency_key: 'k' }));
    expect(other).toMatchObject({
      code: -32602,
      message: 'idempotency_key: was used for another payment, which differs in amount_msat, maxfee',
      data: { parameter: 'idempotency_key', differing: ['amount_msat', 'maxfee'] },
    });
  });
});

describe('plankeysend', () => {
  test('sends nothing, and its seed makes keysend do the same', async () => {
    const plan = await node.result('plankeysend', { destination: L4, amount_msat: '1000sat' });
    expect(plan.parts).toHaveLength(1);
    expect(await node.result('listsendpays')).toEqual({ payments: [] });
    expect((await node.result('askrene-listlayers')).layers).toHaveLength(1);
    const text = await node.raw(
      `{"id":1,"method":"plankeysend","params":{"destination":"${L4}","amount_msat":"1000sat"}}`,
    );
    const seed = /"seed":(\d+)/.exec(text!)![1];
    const paid = await node.raw(
      `{"id":2,"method":"keysend","params":{"destination":"${L4}","amount_msat":"1000sat","seed":${seed}}}`,
    );
    const { result } = JSON.parse(text!);
    const { payment_hash } = JSON.parse(paid!).result;
    const [status] = (await node.result('paystatus', { payment_hash })).pay;
    expect(status.attempts[0].route).toEqual(result.parts[0].route);
    expect(status.attempts[0]).toMatchObject({
      amount_msat: result.amount_msat,
      amount_sent_msat: result.amount_sent_msat,
      probability_ppm: result.parts[0].probability_ppm,
    });
  });
});

describe('xkeysend', () => {
  test('answers as documented, and uses layers of the caller', async () => {
    await node.result('askrene-create-layer', { layer: 'mine' });
    const answer = await node.result('xkeysend', pay({ layers: ['mine'] }));
    expect(answer).toEqual({
      payment_preimage: expect.stringMatching(HEX32),
      amount_msat: 1_000_000,
      amount_sent_msat: 1_000_011,
      failed_parts: 0,
      successful_parts: 1,
    });
    const { code, message } = await node.error('xkeysend', pay({ maxdelay: 2017 }));
    expect([code, message]).toEqual([217, 'Failed: maximum delay allowed is 2016']);
  });
});

describe('lists', () => {
  const LABELS = ['a', 'b "q" \\', 'c'];
  beforeEach(async () => {
    for (const label of LABELS) await node.result('keysend', pay({ label }));
    await node.error('keysend', pay({ label: 'd', amount_msat: '600000sat' }));
  });

  test('listsendpays: rows, filters and pages', async () => {
    const { payments } = await node.result('listsendpays');
    expect(payments.map((row: { label: string }) => row.label)).toEqual([...LABELS, 'd']);
    expect(payments[0]).toEqual({
      created_index: 1,
      id: 1,
      payment_hash: expect.stringMatching(HEX32),
      groupid: 0,
      updated_index: 1,
      destination: L3,
      amount_msat: 1_000_000,
      amount_sent_msat: 1_000_011,
      created_at: expect.any(Number),
      completed_at: expect.any(Number),
      status: 'complete',
      payment_preimage: expect.stringMatching(HEX32),
      label: 'a',
    });
    const ids = async (params: object) =>
      (await node.result('listsendpays', params)).payments.map(({ id }: { id: number }) => id);
    expect(await ids({ index: 'created', start: 2, limit: 2 })).toEqual([2, 3]);
    expect(await ids({ index: 'updated', start: 3 })).toEqual([3, 4]);
    expect(await ids({ status: 'failed' })).toEqual([4]);
    expect(await ids({ payment_hash: payments[1].payment_hash })).toEqual([2]);
  });

  test.each([
    [{ start: 1 }, 'Can only specify {start} with {index}'],
    [{ limit: 1 }, 'Can only specify {limit} with {index}'],
    [{ bolt11: 'lnbc1' }, 'Invalid invstring: Bad bech32 string'],
    [{ bolt11: 'x', payment_hash: '00'.repeat(32) }, 'Can only specify one of {bolt11} or {payment_hash}'],
    [
      { index: 'created', start: 1, payment_hash: '00'.repeat(32) },
      'Cannot use start with bolt11 or payment_hash',
    ],
    [{ status: 'odd' }, 'status: should be an invoice status: invalid token (see logs for details)'],
  ])('refuse %o', async (params, message) => {
    expect(await node.error('listsendpays', params)).toMatchObject({ code: -32602, message });
    expect(await node.error('listpays', params)).toMatchObject({ code: -32602, message });
  });

  test('listpays: one row per payment', async () => {
    const { pays } = await node.result('listpays');
    expect(pays.map((row: { status: string }) => row.status)).toEqual([
      'complete',
      'complete',
      'complete',
      'failed',
    ]);
    expect(pays[3]).toMatchObject({ amount_sent_msat: 0, created_index: 4, updated_index: 4 });
    expect(pays[3]).not.toHaveProperty('preimage');
    const page = await node.result('listpays', { index: 'created', start: 2, limit: 1 });
    expect(page.pays).toEqual([pays[1]]);
  });

  test('paystatus: every attempt with route, failure and lesson', async () => {
    const { pay: all } = await node.result('paystatus');
    expect(all).toHaveLength(4);
    expect(all[3].attempts[0]).toMatchObject({
      state: 'completed',
      failure: { code: 204, data: { failcodename: 'WIRE_TEMPORARY_CHANNEL_FAILURE', erring_index: 1 } },
      learned: [expect.stringContaining('cannot carry 600000000msat')],
    });
    expect(all[3].failure.code).toBe(205);
    // The payments without their ages, which each call computes again.
    const ageless = (pays: unknown) =>
      JSON.parse(JSON.stringify(pays, (key, value) => (key === 'age_in_seconds' ? undefined : value)));
    const { pay: some } = await node.result('paystatus', { start: 2, limit: 2 });
    expect(ageless(some)).toEqual(ageless(all.slice(1, 3)));
  });

  test('waitsendpay: the row, or the failure with its code', async () => {
    const { payments } = await node.result('listsendpays');
    const row = { ...payments[0] };
    expect(await node.result('waitsendpay', { payment_hash: row.payment_hash })).toEqual(row);
    const failed = await node.error('waitsendpay', { payment_hash: payments[3].payment_hash });
    expect(failed).toMatchObject({ code: 204, data: { status: 'failed', erring_index: 1, failcode: 4103 } });
    const unknown = await node.error('waitsendpay', { payment_hash: row.payment_hash, partid: 7 });
    expect(unknown).toMatchObject({
      code: 208,
      message: `Never attempted payment part 7 for '${row.payment_hash}'`,
    });
  });

  test('delpay: only payments that have ended, in the given state', async () => {
    const { payments } = await node.result('listsendpays');
    const payment_hash = payments[0].payment_hash;
    const wrong = await node.error('delpay', { payment_hash, status: 'failed' });
    expect(wrong).toMatchObject({
      code: 211,
      message: `Payment with hash ${payment_hash} has complete status but it should be failed`,
    });
    const removed = await node.result('delpay', { payment_hash, status: 'complete' });
    expect(removed.payments).toEqual([payments[0]]);
    expect((await node.result('listpays')).pays).toHaveLength(3);
    expect(await node.error('delpay', { payment_hash, status: 'complete' })).toMatchObject({ code: 208 });
  });

  test('everything is still listed after a restart', async () => {
    const before = await node.result('listpays');
    await node.node.crash();
    await node.node.open();
    expect(await node.result('listpays')).toEqual(before);
    expect(await node.result('keysend', pay())).toMatchObject({ parts: 1 });
    expect((await node.result('listsendpays')).payments.at(-1).id).toBe(5);
  });
});

describe('our own channels', () => {
  test('listpeerchannels and listfunds show what can be sent, and a payment changes it', async () => {
    const [before] = (await node.result('listpeerchannels')).channels;
    expect(before).toMatchObject({ peer_id: L2, state: 'CHANNELD_NORMAL', total_msat: 5_000_000_000 });
    await node.result('keysend', pay());
    const [after] = (await node.result('listpeerchannels', { id: L2 })).channels;
    expect(before.spendable_msat - after.spendable_msat).toBe(1_000_011);
    const { channels, outputs } = await node.result('listfunds');
    // Our balance minus the reserve of 1 % that cannot be sent.
    expect([channels[0].our_amount_msat, outputs]).toEqual([after.spendable_msat + 50_000_000, []]);
    expect(channels[0].our_amount_msat).toBe(after.to_us_msat);
    expect((await node.result('listpeerchannels', { id: L3 })).channels).toEqual([]);
    for (const [params, count] of [
      [{ short_channel_id: '1000x1x0' }, 1],
      [{ short_channel_id: '1000x2x0' }, 0],
      [{ channel_id: '00'.repeat(32) }, 0],
      [{ channel_id: after.channel_id }, 1],
    ] as const) {
      expect((await node.result('listpeerchannels', params)).channels).toHaveLength(count);
    }
    expect(await node.error('listpeerchannels', { id: 'x' })).toMatchObject({ code: -32602 });
    expect(await node.result('listfunds', { spent: true })).toEqual({ outputs, channels });
  });

  test('exactly what a channel can send can be sent to its peer', async () => {
    const [{ spendable_msat }] = (await node.result('listpeerchannels')).channels;
    const more = await node.error('keysend', { destination: L2, amount_msat: spendable_msat + 1 });
    expect(more.code).toBe(205);
    const answer = await node.result('keysend', { destination: L2, amount_msat: spendable_msat });
    expect(answer).toMatchObject({ parts: 1, amount_msat: spendable_msat, amount_sent_msat: spendable_msat });
  });
});

test('a route hint over an unannounced channel', async () => {
  const hint = (scid: string) => [{ id: L3, scid, feebase: 1, feeprop: 10, expirydelta: 6 }];
  const [destination, amount_msat] = [L4, '1000sat'];
  node.node.graph.removeChannel(node.node.graph.channelIndex(L3_L4));
  node.node.republish();
  expect(await node.error('keysend', { destination, amount_msat })).toMatchObject({ code: 205 });
  const bad = await node.error('keysend', { destination, amount_msat, routehints: [hint('9x9x9')] });
  expect(bad).toMatchObject({ code: 205, data: { failcodename: 'WIRE_UNKNOWN_NEXT_PEER' } });
  const routehints = [hint('9x9x9'), [], hint('105x1x0')];
  expect(await node.result('keysend', { destination, amount_msat, routehints })).toMatchObject({
    status: 'complete',
  });
  const { layers } = await node.result('askrene-listlayers');
  expect(layers.map(({ layer }: { layer: string }) => layer)).toEqual(['xpay']);
});
