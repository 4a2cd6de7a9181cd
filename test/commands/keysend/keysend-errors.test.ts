/**
 * Errors of payments are accurate: no cause is guessed, and no limit that the caller did not set stops a
 * payment.
 */
import { describe, expect, test } from 'vitest';
import { L2, L2_L3, L3, L3_L4, L4, leaving } from '../../payments/line-graph.ts';
import { nodePerTest, plainPaymentTo } from '../payment-fixture.ts';
import type { PaymentNode } from '../payment-node.ts';

let node: PaymentNode;
nodePerTest((started) => {
  node = started;
});

const pay = plainPaymentTo(L4);

/**
 *     us ── L2 ── L3 ──105x1x0, in the hint only── L4
 *
 * The fee is 1 msat + 10 ppm over 104x1x0, and the hint's fee over 105x1x0. The node in the hint really charges what
 * the hint states.
 */
describe('a route hint whose fee is larger than the amount', () => {
  const hinted = (feebase: number, feeprop = 0) => {
    const { graph, simulation } = node.node;
    graph.removeChannel(graph.channelIndex(L3_L4));
    node.node.republish();
    simulation.setPolicy(leaving(L3, L4, L3_L4), {
      feeBaseMsat: feebase,
      feeProportionalMillionths: feeprop,
    });
    return [[{ id: L3, scid: '105x1x0', feebase, feeprop, expirydelta: 6 }]];
  };

  test('is used if the fee limit allows it', async () => {
    const routehints = hinted(4_000_000);
    // 10 msat arrive; 4,000,010 msat cross 104x1x0 for a fee of 1 + 40 msat.
    const paid = await node.result('keysend', pay({ amount_msat: 10, routehints, maxfee: '5000sat' }));
    expect(paid).toMatchObject({ amount_msat: 10, amount_sent_msat: 4_000_051, parts: 1 });
  });

  test('is too expensive otherwise: 206 with the cost, and the suggested remedy works', async () => {
    const routehints = hinted(4_000_000, 2_000_000);
    // 10 msat arrive; the hint costs 4,000,000 + 20; 4,000,030 msat cross 104x1x0 for a fee of 1 + 40 msat.
    const error = await node.error('keysend', pay({ amount_msat: 10, routehints }));
    expect(error).toMatchObject({
      code: 206,
      message:
        'Fee exceeds our fee budget: 4000061msat > 5000msat; the route hint over 105x1x0 asks for 4000020msat',
      data: { fee: 4_000_061 },
    });
    const again = pay({ amount_msat: 10, routehints, maxfee: error.data.fee });
    expect(await node.result('keysend', again)).toMatchObject({ amount_sent_msat: 4_000_071 });
  });

  /**
   * Both channels beyond L2 are known from the hint only. The first of them must also carry the fee of the
   * second.
   */
  const twiceHinted = () => {
    const { graph, simulation } = node.node;
    const [[last]] = hinted(3_000_000) as [[object]];
    graph.removeChannel(graph.channelIndex(L2_L3));
    node.node.republish();
    simulation.setPolicy(leaving(L2, L3, L2_L3), { feeBaseMsat: 2_000_000 });
    return [[{ id: L2, scid: '104x1x0', feebase: 2_000_000, feeprop: 10, expirydelta: 6 }, last]];
  };

  test('is used over two such channels', async () => {
    const routehints = twiceHinted();
    // 5 msat arrive; 3,000,005 msat cross 104x1x0 for a fee of 2,000,000 + 30 msat.
    const paid = await node.result('keysend', pay({ amount_msat: 5, routehints, maxfee: '6000sat' }));
    expect(paid).toMatchObject({ amount_msat: 5, amount_sent_msat: 5_000_035 });
  });

  test('over two such channels, it is reported as too expensive and not as missing', async () => {
    const routehints = twiceHinted();
    const error = await node.error('keysend', pay({ amount_msat: 5, routehints }));
    expect(error).toMatchObject({ code: 206, data: { fee: 5_000_030 } });
  });

  test('a channel in several hints is assumed to carry as much as any of them needs', async () => {
    const [hint] = twiceHinted();
    const routehints = [hint!.slice(1), hint!, [{ ...hint![0]!, feebase: 2_000_001 }, hint![1]!]];
    const paid = await node.result('keysend', pay({ amount_msat: 5, routehints, maxfee: '6000sat' }));
    // When hints repeat a channel, the terms of the last hint apply.
    expect(paid).toMatchObject({ amount_msat: 5, amount_sent_msat: 5_000_036 });
  });
});

/**
 * L4 accepts the keysend record unless the test says otherwise. No node accepts any other even type below
 * 65536 that BOLT 4 does not define.
 */
describe('203 for a payload that the recipient refuses', () => {
  const refused = async (method: string, more: object) => {
    const { code, message, data } = await node.error(method, pay(more));
    expect([code, data.failcodename]).toEqual([203, 'WIRE_INVALID_ONION_PAYLOAD']);
    return message;
  };

  test('blames missing keysend support only if the keysend field was refused', async () => {
    node.node.simulation.setTrait(L4, 'takesKeysend', false);
    expect(await refused('keysend', {})).toBe(
      `Recipient ${L4} reported an invalid payload, this usually means they don't support keysend.`,
    );
    expect(await refused('xkeysend', {})).toBe(
      "Destination reported invalid_onion_payload (likely doesn't support keysend)",
    );
  });

  test('names a field that the caller added', async () => {
    const extratlvs = { 20: '00' };
    expect(await refused('keysend', { extratlvs })).toBe(
      `Recipient ${L4} reported an invalid payload, in field 20, which extratlvs contains`,
    );
    expect(await refused('xkeysend', { extratlvs })).toBe(
      'Destination reported invalid_onion_payload (in field 20, which extratlvs contains)',
    );
  });
});

test('an amount of zero parses as an amount, but is too small for every command that pays', async () => {
  for (const method of ['keysend', 'plankeysend', 'xkeysend']) {
    for (const amount_msat of [0, '0msat', '0sat', '0.000sat', '0.0btc']) {
      const error = await node.error(method, pay({ amount_msat }));
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('must be non-zero') });
      expect(error.data.parameter).toBe('amount_msat');
      expect(error.data.reason).toContain('must be non-zero');
    }
  }
});

describe('an idempotency key whose request has changed', () => {
  const ASKED = { amount_msat: 1_000, destination: L3, idempotency_key: 'k' };

  test.each([
    ['label', { label: 'x' }],
    ['maxfee', { maxfee: 6_000 }],
    ['maxfee', { maxfeepercent: 600 }],
    ['maxfee', { exemptfee: 6_000 }],
    ['retry_for', { retry_for: 59 }],
    ['maxdelay', { maxdelay: 2_015 }],
    ['extratlvs', { extratlvs: { 34349334: '6869' } }],
    ['routehints', { routehints: [[{ id: L2, scid: '9x9x9', feebase: 1, feeprop: 1, expirydelta: 6 }]] }],
    ['seed', { seed: 1 }],
    ['dev_randomize', { dev_randomize: false }],
  ])('is refused, and %s is named', async (name, more) => {
    const paid = await node.result('keysend', ASKED);
    expect(await node.error('keysend', { ...ASKED, ...more })).toMatchObject({
      code: -32602,
      message: `idempotency_key: was used for another payment, which differs in ${name}`,
      data: { parameter: 'idempotency_key', differing: [name] },
    });
    // The same values in a different notation count as the same request.
    const inOtherWords = {
      ...ASKED,
      amount_msat: '1.000sat',
      maxfee: '5sat',
      retry_for: '60',
      extratlvs: {},
      label: null,
    };
    expect(await node.result('keysend', inOtherWords)).toEqual(paid);
    expect((await node.result('listsendpays')).payments).toHaveLength(1);
  });

  test('xkeysend: different layers or a different command are also named', async () => {
    await node.result('askrene-create-layer', { layer: 'mine' });
    const asked = { ...ASKED, layers: ['mine'] };
    const paid = await node.result('xkeysend', asked);
    expect((await node.error('xkeysend', ASKED)).data.differing).toEqual(['layers']);
    expect((await node.error('xkeysend', { ...asked, maxfee: 1 })).data.differing).toEqual(['maxfee']);
    expect((await node.error('keysend', ASKED)).data.differing).toEqual(['method', 'layers']);
    expect(await node.result('xkeysend', asked)).toEqual(paid);
  });
});

/** 105x1x0 carries HTLCs of at most 990,000 sat, and no recipient accepts several parts. */
test('an amount that fits no route: the remedy is an amount that fits, within the fee limit for it', async () => {
  const error = await node.error('plankeysend', pay({ amount_msat: 995_000_000 }));
  expect(error.code).toBe(205);
  expect(Object.keys(error.data.remedy)).toEqual(['amount_msat']);
  const { amount_msat } = error.data.remedy;
  // The suggested amount is within 1 % of the maximum.
  expect(amount_msat).toBeGreaterThanOrEqual(Math.floor(990_000_000 / 1.01));
  expect(await node.result('plankeysend', pay({ amount_msat }))).toMatchObject({ amount_msat });
  const more = Math.ceil(amount_msat * 1.01);
  expect(await node.error('plankeysend', pay({ amount_msat: more }))).toMatchObject({ code: 205 });
});
