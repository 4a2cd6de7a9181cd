/**
 * `keysend` over the socket, checked against each sentence of its documentation: limits, errors with all
 * members of `data`, and what the recipient receives. (Parameters: keysend-params.test.ts.)
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { decodePayload } from '../../../src/bolt/onion/payload.ts';
import { peelOnion } from '../../../src/bolt/onion/sphinx.ts';
import { snapshotNodePrivateKey } from '../../../src/gossip/node-keys.ts';
import type { HtlcOffer } from '../../../src/network/simulated/index.ts';
import { L2, L2_L3, L3, L3_L4, L4, leaving, TERMS } from '../../payments/line-graph.ts';
import type { NodeOptions } from '../../payments/simulation/simulated-node.ts';
import { binomialRange, countWithin } from '../../statistics.ts';
import { until } from '../../until.ts';
import { PaymentNode } from '../payment-node.ts';

let node: PaymentNode;
const start = async (options: NodeOptions = {}, developer = true): Promise<void> => {
  node = new PaymentNode(options);
  await node.start(developer);
};
afterEach(() => node.stop());

const pay = (more: object = {}) => ({
  destination: L3,
  amount_msat: 1_000_000,
  dev_use_shadow: false,
  ...more,
});

/** L2 asks for far more than any limit allows, so that the error shows the fee limit. */
describe('the fee limit', () => {
  beforeEach(async () => {
    await start();
    const { graph } = node.node;
    const channel = graph.channelIndex(L2_L3);
    for (const direction of [0, 1] as const) {
      graph.setPolicy(channel, direction, { ...TERMS, feeBaseMsat: 4_000_000_000 } as never);
    }
    node.node.republish();
  });

  test.each([
    // 0.5 %, but at least 5 sat.
    [{ amount_msat: 1_000_000 }, 5_000],
    [{ amount_msat: 1_000_001 }, 5_000],
    [{ amount_msat: 100_000_000 }, 500_000],
    [{ amount_msat: 100_000_199 }, 500_000],
    [{ amount_msat: 100_000_200 }, 500_001],
    [{ amount_msat: 100_000_000, maxfeepercent: 1 }, 1_000_000],
    [{ amount_msat: 100_000_000, maxfeepercent: '0.00019' }, 5_000],
    [{ amount_msat: 100_000_000, maxfeepercent: '0.00019', exemptfee: 0 }, 100],
    [{ amount_msat: 100_000_000, maxfeepercent: 0, exemptfee: '7sat' }, 7_000],
    [{ amount_msat: 100_000_000, exemptfee: '600.000sat' }, 600_000],
    [{ amount_msat: 100_000_000, maxfee: 3 }, 3],
    [{ amount_msat: 100_000_000, maxfee: 0 }, 0],
  ])('for %o is %i msat', async (params, maxfee_msat) => {
    const { code, data, message } = await node.error('keysend', pay(params));
    const parameter = 'maxfeepercent' in params || 'exemptfee' in params ? 'exemptfee' : 'maxfee';
    const fee = 4_000_000_000 + Math.floor(params.amount_msat / 100_000);
    expect({ code, message, data }).toEqual({
      code: 206,
      message: `Fee exceeds our fee budget: ${fee}msat > ${maxfee_msat}msat`,
      data: {
        fee,
        feepercent: Math.floor((fee * 1e8) / params.amount_msat) / 1e6,
        delay: 48,
        amount_msat: params.amount_msat,
        maxfee_msat,
        maxdelay: 2016,
        binding: { kind: 'fee_cap', maxfee_msat },
        remedy: { [parameter]: fee },
        attempts: [],
      },
    });
  });
});

test('the remedies of 206 are sufficient: with them the payment arrives', async () => {
  await start();
  const dear = await node.error('keysend', pay({ maxfee: 0 }));
  expect(dear.data.remedy).toEqual({ maxfee: 11 });
  const long = await node.error('keysend', pay({ maxdelay: 41 }));
  expect(long).toMatchObject({ code: 206, message: 'CLTV delay exceeds our CLTV budget: 48 > 41' });
  expect(long.data.remedy).toEqual({ maxdelay: 48 });
  const both = await node.error('keysend', pay({ maxfee: 10, maxdelay: 47 }));
  expect(both).toMatchObject({
    code: 206,
    message: 'Fee exceeds our fee budget: 11msat > 10msat; CLTV delay exceeds our CLTV budget: 48 > 47',
    data: { fee: 11, delay: 48, maxfee_msat: 10, maxdelay: 47, remedy: { maxfee: 11, maxdelay: 48 } },
  });
  await node.result('keysend', pay({ maxfee: 11, maxdelay: 48 }));
});

describe('a payment that fails', () => {
  test('203: the recipient refuses permanently, with the members of a routing failure', async () => {
    await start();
    node.node.simulation.setHeightOffset(L3, 60);
    const { code, message, data } = await node.error('keysend', pay({ retry_for: 1 }));
    const failure = {
      erring_index: 2,
      failcode: 0x400f,
      failcodename: 'WIRE_INCORRECT_OR_UNKNOWN_PAYMENT_DETAILS',
      erring_node: L3,
      // The data of the failure: the amount, and the height that the recipient sees.
      raw_message: `400f${(1_000_000).toString(16).padStart(16, '0')}${(1_060).toString(16).padStart(8, '0')}`,
    };
    expect([code, message]).toEqual([
      203,
      'failed: WIRE_INCORRECT_OR_UNKNOWN_PAYMENT_DETAILS (reply from remote): the recipient is at block height ' +
        '1060, but we are at 1000: either our node lags behind the chain, or the height of the recipient is wrong',
    ]);
    const [attempt] = data.attempts;
    expect(data).toEqual({ ...failure, recipient_height: 1060, own_height: 1000, attempts: [attempt] });
    expect(attempt).toEqual({
      status: 'failed',
      failreason: 'failed: WIRE_INCORRECT_OR_UNKNOWN_PAYMENT_DETAILS (reply from remote)',
      partid: 0,
      amount_msat: 1_000_000,
      amount_sent_msat: 1_000_011,
      probability_ppm: expect.any(Number),
      created_at: expect.any(Number),
      completed_at: expect.any(Number),
      route: [
        {
          short_channel_id_dir: expect.stringMatching(/^1000x1x0\//),
          id: L2,
          amount_msat: 1_000_011,
          delay: 48,
        },
        {
          short_channel_id_dir: expect.stringMatching(/^104x1x0\//),
          id: L3,
          amount_msat: 1_000_000,
          delay: 42,
        },
      ],
      failure,
      learned: [expect.stringContaining('104x1x0')],
    });
  });

  test('205: we have no channel at all', async () => {
    await start({ simulation: { ownChannels: [] } });
    expect(await node.error('keysend', pay())).toMatchObject({ code: 205, data: { attempts: [] } });
  });

  test('205: the recipient is unknown, or its only peer is gone', async () => {
    await start();
    const stranger = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
    expect(await node.error('keysend', pay({ destination: stranger }))).toMatchObject({
      code: 205,
      message: `Unknown destination ${stranger}`,
      data: { binding: { kind: 'unknown_node' }, attempts: [] },
    });
    node.node.simulation.setTrait(L2, 'offline', true);
    node.node.simulation.setHeight(1_001);
    expect(await node.error('keysend', pay())).toMatchObject({ code: 205, data: { attempts: [] } });
  });

  test('205 with the failure: a channel on the only route has less than the amount', async () => {
    await start();
    const { code, data } = await node.error('keysend', pay({ amount_msat: '600000sat' }));
    const { direction } = leaving(L2, L3, L2_L3);
    expect(code).toBe(205);
    expect(data).toMatchObject({
      erring_index: 1,
      failcode: 0x1007,
      failcodename: 'WIRE_TEMPORARY_CHANNEL_FAILURE',
      erring_node: L2,
      erring_channel: '104x1x0',
      erring_direction: direction,
      raw_message: expect.stringMatching(/^1007/),
    });
    expect(data.attempts).toHaveLength(1);
  });

  test('210: time is up, nothing is in flight, and the most informative failure is reported', async () => {
    await start();
    node.node.simulation.setTrait(L3, 'offline', true);
    const { code, message, data } = await node.error('keysend', pay({ destination: L4, retry_for: 0 }));
    expect([code, message]).toEqual([210, 'Timed out after 1 attempt: see `paystatus`']);
    expect(data).toMatchObject({
      erring_node: L2,
      erring_channel: '104x1x0',
      attempts: [{ status: 'failed' }],
    });
    expect((await node.result('listsendpays', { status: 'pending' })).payments).toEqual([]);
  });

  test('an undecryptable failure is reported as such, and other routes are tried as long as there are any', async () => {
    await start({ simulation: { faults: { garbledFailures: 1 } } });
    node.node.simulation.setPolicy(leaving(L3, L4, L3_L4), { feeBaseMsat: 500 });
    const { code, data } = await node.error('keysend', pay({ destination: L4 }));
    expect(code).toBe(205);
    expect(Object.keys(data)).not.toContain('erring_index');
    expect(data.attempts[0]).toMatchObject({ failreason: 'failed: unreadable failure message', failure: {} });
    const [{ payment_hash }] = (await node.result('listsendpays')).payments;
    expect(await node.error('waitsendpay', { payment_hash })).toMatchObject({
      code: 202,
      message: 'Malformed error reply',
      data: { payment_hash, status: 'failed' },
    });
  });

  test.each([
    // L2 has less than this amount. The payment continues after the restart and finds no other route.
    [205, { amount_msat: '600000sat' }, 'WIRE_TEMPORARY_CHANNEL_FAILURE'],
    [203, { destination: L4 }, 'WIRE_INVALID_ONION_PAYLOAD'],
  ])(
    '%i: the service stopped during the payment; a repeated request gets the outcome',
    async (code, more, name) => {
      await start();
      node.isHeld = true;
      node.node.simulation.setTrait(L4, 'takesKeysend', false);
      const request = pay({ ...more, idempotency_key: 'k' });
      const first = node.error('keysend', request);
      await until(() => !node.node.simulation.isIdle);
      await node.node.crash();
      expect((await first).code).toBe(-5);
      await node.node.open();
      node.isHeld = false;
      const error = await node.error('keysend', request);
      expect(error).toMatchObject({ code, data: { failcodename: name, attempts: [{ status: 'failed' }] } });
      expect((await node.result('listpays')).pays).toMatchObject([{ status: 'failed' }]);
      expect((await node.result('paystatus')).pay[0].failure).toEqual({ code, message: error.message });
    },
  );
});

test('the recipient reads the amount, the delay, the preimage, and the requested fields in order', async () => {
  await start();
  const { simulation } = node.node;
  const offers: HtlcOffer[] = [];
  const send = simulation.offerHtlc.bind(simulation);
  simulation.offerHtlc = (offer) => {
    offers.push(offer);
    send(offer);
  };
  const text = Buffer.from('caf\u00e9 \u{1f600}\n').toString('hex');
  const extratlvs = { '34349334': text, '065537': 'FEEDC0DE', 133773311: '' };
  const paid = await node.result('keysend', pay({ destination: L2, extratlvs }));
  const { onion, paymentHash } = offers[0]!;
  const payload = decodePayload(peelOnion(onion, snapshotNodePrivateKey(0), paymentHash).payload, () => true);
  expect(payload).toEqual({
    amtToForwardMsat: 1_000_000n,
    // The HTLC expires 42 blocks after the next block, which has height 1,001.
    outgoingCltvValue: 1_043,
    keysendPreimage: fromHex(paid.payment_preimage),
    customRecords: [
      { type: 65_537n, value: fromHex('feedc0de') },
      { type: 34_349_334n, value: fromHex(text) },
      { type: 133_773_311n, value: new Uint8Array(0) },
    ],
  });
  expect(toHex(sha256(payload.keysendPreimage!))).toBe(paid.payment_hash);
});

test('a shadow is at most a quarter of both limits, and half of the seeds plan none', async () => {
  await start();
  const offsets: number[] = [];
  for (let seed = 0; seed < 100; seed++) {
    const limits = { maxdelay: 100, maxfee: 100 };
    const plan = await node.result('plankeysend', {
      destination: L3,
      amount_msat: 1_000_000,
      seed,
      ...limits,
    });
    expect(plan.delay).toBe(48 + plan.shadow_delay);
    expect(plan.shadow_delay).toBeLessThanOrEqual((100 - 42) / 4);
    expect(plan.shadow_msat).toBeLessThanOrEqual(25);
    expect(plan.amount_sent_msat - 1_000_000).toBeLessThanOrEqual(100);
    expect(plan.parts[0].route.at(-1)).toMatchObject({
      amount_msat: plan.amount_msat,
      delay: 42 + plan.shadow_delay,
    });
    offsets.push(plan.shadow_delay);
  }
  // At each step, a walk continues with a probability of 1/2 and adds 6 blocks. It has at most two steps,
  // because a third would exceed the limit.
  expect([...new Set(offsets)].sort((a, b) => a - b)).toEqual([0, 6, 12]);
  for (const [blocks, chance] of [
    [0, 1 / 2],
    [6, 1 / 4],
    [12, 1 / 4],
  ] as const) {
    const count = offsets.filter((offset) => offset === blocks).length;
    expect(countWithin(count, binomialRange(offsets.length, chance)), `${blocks} blocks`).toBe(count);
  }
});

test('a shadow without room for a fee still adds delay', async () => {
  await start();
  const plans = [];
  for (let seed = 0; seed < 40; seed++) {
    // The route costs 11 msat. A quarter of the limit of 13 msat would allow a shadow of 3 msat, but only 2
    // msat are left.
    for (const maxfee of [11, 13]) {
      plans.push(await node.result('plankeysend', { destination: L3, amount_msat: 1_000_000, seed, maxfee }));
      expect(plans.at(-1).amount_sent_msat - 1_000_000).toBeLessThanOrEqual(maxfee);
    }
  }
  const delayed = plans.filter(({ shadow_delay }) => shadow_delay > 0);
  // The walks are the same under both limits. One in two takes at least one step.
  const walks = delayed.length / 2;
  expect(countWithin(walks, binomialRange(40, 1 / 2))).toBe(walks);
  expect(new Set(delayed.map(({ shadow_msat }) => shadow_msat))).toEqual(new Set([0, 1, 2]));
});

test('one satoshi arrives as one satoshi, however large the fee limit', async () => {
  await start();
  const received = new Set<number>();
  for (let seed = 0; seed < 60; seed++) {
    const limits = { maxfeepercent: 1_000_000_000, maxdelay: 1_000 };
    const plan = await node.result('plankeysend', { destination: L3, amount_msat: '1sat', seed, ...limits });
    expect(plan.parts[0].route.at(-1).amount_msat).toBe(plan.amount_msat);
    received.add(plan.amount_msat);
  }
  expect(received).toEqual(new Set([1_000, 1_001]));
});
