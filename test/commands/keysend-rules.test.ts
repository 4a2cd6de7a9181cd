/**
 * `keysend` sentence by sentence, over the socket: every form of its parameters, its limits, and each of its
 * errors with all members of `data`.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { L2, L2_L3, L3, L3_L4, L4, leaving, TERMS } from '../payments/line-graph.ts';
import { type NodeOptions, OWN_ID } from '../payments/simulated-node.ts';
import { PaymentNode } from './payment-node.ts';

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
const INVALID = -32602;

describe('amounts', () => {
  beforeEach(() => start());
  const request = (method: string, amount: string) =>
    `{"id":1,"method":"${method}","params":{"destination":"${L2}","amount_msat":${amount}}}`;

  test.each([
    ['1000', 1000],
    ['"1000"', 1000],
    ['"1000msat"', 1000],
    ['"7sat"', 7000],
    ['"7.125sat"', 7125],
    ['"0.00000001btc"', 1000],
    ['"0.00000000123btc"', 123],
    ['"0.0001btc"', 10_000_000],
  ])('%s is %i msat', async (amount, amount_msat) => {
    const { result } = JSON.parse((await node.raw(request('keysend', amount)))!);
    expect(result).toMatchObject({ amount_msat, amount_sent_msat: amount_msat, parts: 1 });
  });

  test.each([
    ...['1000.0', '1.5', '1e3', '-1', 'true', '[]', '{}', '""', '" 1"', '"1 sat"', '"1SAT"', '"+1"', '"1.5"'],
    ...['"1.5sat"', '"1.00sat"', '"1.0000sat"', '".5btc"', '"0.000000000001btc"', '"1msatx"', '"0x10"'],
    ...['0', '"0sat"', '"0.000sat"', '18446744073709551616'],
  ])('%s is none', async (amount) => {
    for (const method of ['keysend', 'plankeysend']) {
      const { error } = JSON.parse((await node.raw(request(method, amount)))!);
      expect(error).toMatchObject({
        code: INVALID,
        message: 'amount_msat: should be a millisatoshi amount: invalid token (see logs for details)',
        data: { parameter: 'amount_msat', reason: 'should be a millisatoshi amount' },
      });
    }
  });
});

describe('parameters', () => {
  test.each([
    [{ destination: undefined }, 'missing required parameter: destination', 'destination'],
    [{ amount_msat: undefined }, 'missing required parameter: amount_msat', 'amount_msat'],
    [{ destination: L3.slice(2) }, 'destination: should be a node id', 'destination'],
    [{ destination: `02${'00'.repeat(32)}` }, 'destination: should be a node id', 'destination'],
    [{ destination: OWN_ID }, 'We are the destination. Keysend cannot be', 'destination'],
    // Our own id is refused before limits that exclude each other.
    [{ destination: OWN_ID, maxfee: 1, exemptfee: 1 }, 'We are the destination.', 'destination'],
    [
      { maxfee: 1, exemptfee: 1 },
      'If you specify maxfee, cannot specify maxfeepercent or exemptfee.',
      'maxfee',
    ],
    [{ maxfee: 1, maxfeepercent: 0.5 }, 'If you specify maxfee, cannot specify', 'maxfee'],
    [{ maxfeepercent: -1 }, 'maxfeepercent: should be a non-negative floating-point number', 'maxfeepercent'],
    [
      { maxfeepercent: '.' },
      'maxfeepercent: should be a non-negative floating-point number',
      'maxfeepercent',
    ],
    [{ retry_for: 1.5 }, 'retry_for: should be an integer', 'retry_for'],
    [{ retry_for: -1 }, 'retry_for: should be an integer', 'retry_for'],
    [{ maxdelay: '0x10' }, 'maxdelay: should be an integer', 'maxdelay'],
    [{ exemptfee: '1.5sat' }, 'exemptfee: should be a millisatoshi amount', 'exemptfee'],
    [{ routehints: 5 }, 'Routehint array routehints ("5") is not an array', 'routehints'],
    [{ extratlvs: '5' }, 'extratlvs: "5" is not a valid JSON object.', 'extratlvs'],
    [{ extratlvs: { 16: '00' } }, '"16" is a TLV type that this command sets itself.', 'extratlvs'],
    [{ extratlvs: { 65537: '00'.repeat(1300) } }, 'Payloads exceed maximum onion packet size.', 'extratlvs'],
    [{ amount_msat: '21000001btc' }, 'amount_msat: is more than all bitcoin', 'amount_msat'],
    [{ seed: -1 }, 'seed: should be an unsigned 64 bit integer', 'seed'],
  ])('%o are refused: %s, by `check` as well', async (more, message, parameter) => {
    await start();
    for (const method of ['keysend', 'plankeysend']) {
      const error = await node.error(method, pay(more));
      expect(error).toMatchObject({ code: INVALID, message: expect.stringContaining(message) });
      expect(error.data?.parameter ?? parameter).toBe(parameter);
      const checked = await node.error('check', { command_to_check: method, ...pay(more) });
      expect(checked.code).toBe(INVALID);
      expect(checked.message.slice(0, 20)).toBe(error.message.slice(0, 20));
    }
    expect((await node.result('listsendpays')).payments).toEqual([]);
  });

  test('`check` accepts what would be tried, and sends nothing', async () => {
    await start();
    // Whether there is a route only the network can tell.
    for (const params of [pay(), pay({ amount_msat: '10btc' })]) {
      const checked = await node.result('check', { command_to_check: 'keysend', ...params });
      expect(checked).toEqual({ command_to_check: 'keysend' });
    }
    expect((await node.result('paystatus')).pay).toEqual([]);
    const large = { command_to_check: 'xkeysend', destination: L3, amount_msat: 1, maxdelay: 2017 };
    expect(await node.error('check', large)).toMatchObject({
      code: 217,
      data: { remedy: { maxdelay: 2016 } },
    });
  });

  test('too many, unknown or repeated ones are refused; null is none', async () => {
    await start();
    const ask = async (params: string) =>
      JSON.parse((await node.raw(`{"id":1,"method":"keysend","params":${params}}`))!);
    const many = await ask(`["${L3}",1000${',null'.repeat(13)}]`);
    expect(many.error).toMatchObject({ code: INVALID, message: 'too many parameters: got 15, expected 14' });
    const unknown = await ask(`{"destination":"${L3}","amount_msat":1,"foo":1}`);
    expect(unknown.error.message).toMatch(/^unknown parameter: foo/);
    const twice = await ask(`{"destination":"${L3}","amount_msat":1,"amount_msat":2}`);
    expect(twice.error).toMatchObject({ code: INVALID, message: 'duplicate json names: amount_msat' });
    const nulls = '"label":null,"maxfeepercent":null,"routehints":null,"extratlvs":null,"maxfee":null';
    const paid = await ask(`{"destination":"${L3.toUpperCase()}","amount_msat":1,${nulls}}`);
    expect(paid.result).toMatchObject({ destination: L3, status: 'complete' });
  });

  test('developers only may switch shadow and randomisation off', async () => {
    await start({}, false);
    for (const parameter of ['dev_use_shadow', 'dev_randomize']) {
      const params = { destination: L3, amount_msat: 1, [parameter]: false };
      expect(await node.error('keysend', params)).toMatchObject({
        code: INVALID,
        message: `Parameter '${parameter}' is developer-only`,
      });
    }
  });

  test.each([
    ['plain', 'plain'],
    ['a"b\\ \u00e9\n\u{1f600}', 'a"b\\ \u00e9\n\u{1f600}'],
    [5, '5'],
  ])('the label %j comes back from both lists', async (label, expected) => {
    await start();
    await node.result('keysend', pay({ label }));
    expect((await node.result('listpays')).pays[0].label).toBe(expected);
    expect((await node.result('listsendpays')).payments[0].label).toBe(expected);
  });

  test('help and description mark it deprecated', async () => {
    await start();
    const { help } = await node.result('help', { command: 'keysend' });
    expect(help[0].command).toMatch(
      /^keysend \(DEPRECATED!\) destination amount_msat \[label\] \[maxfeepercent\] \[retry_for\] \[maxdelay\] \[exemptfee\] \[routehints\] \[extratlvs\] \[maxfee\]/,
    );
    const { methods } = await node.result('rpc.discover');
    const described = (name: string) => methods.find((method: { name: string }) => method.name === name);
    expect([described('keysend').deprecated, described('xkeysend').deprecated ?? false]).toEqual([
      true,
      false,
    ]);
  });
});

/** L2 asks for far more than anybody allows: what is allowed is in the error. */
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
  ])('of %o is %i msat', async (params, maxfee_msat) => {
    const { code, data, message } = await node.error('keysend', pay(params));
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
        remedy: { maxfee_msat: fee },
        attempts: [],
      },
    });
  });
});

test('the remedies of 206 are exact: with them the payment arrives', async () => {
  await start();
  const dear = await node.error('keysend', pay({ maxfee: 0 }));
  expect(dear.data.remedy).toEqual({ maxfee_msat: 11 });
  const long = await node.error('keysend', pay({ maxdelay: 41 }));
  expect(long).toMatchObject({ code: 206, message: 'CLTV delay exceeds our CLTV budget: 48 > 41' });
  expect(long.data.remedy).toEqual({ maxdelay: 48 });
  await node.result('keysend', pay({ maxfee: 11, maxdelay: 48 }));
});

describe('a payment that fails', () => {
  test('203: the recipient refuses for good, by the members of a routing failure', async () => {
    await start();
    node.node.simulation.setHeightOffset(L3, 60);
    const { code, message, data } = await node.error('keysend', pay({ retry_for: 1 }));
    const failure = {
      erring_index: 2,
      failcode: 0x400f,
      failcodename: 'WIRE_INCORRECT_OR_UNKNOWN_PAYMENT_DETAILS',
      erring_node: L3,
      // The amount and the height that it sees.
      raw_message: `400f${(1_000_000).toString(16).padStart(16, '0')}${(1_060).toString(16).padStart(8, '0')}`,
    };
    expect([code, message]).toEqual([
      203,
      'failed: WIRE_INCORRECT_OR_UNKNOWN_PAYMENT_DETAILS (reply from remote)',
    ]);
    const [attempt] = data.attempts;
    expect(data).toEqual({ ...failure, attempts: [attempt] });
    expect(attempt).toEqual({
      status: 'failed',
      failreason: message,
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

  test('205: nobody has heard of the recipient, or its only peer is gone', async () => {
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

  test('205 with the failure: a channel on the way has less than the amount, and there is no other', async () => {
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

  test('210: time is over, nothing is in flight, and the best known failure is told', async () => {
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

  test('a failure that nobody can read says so, and another way is tried while there is one', async () => {
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
    // L2 has less than that: its failure is no reason to give up, but nobody would wait for another attempt.
    [-1, { amount_msat: '600000sat' }, 'WIRE_TEMPORARY_CHANNEL_FAILURE'],
    [203, { destination: L4 }, 'WIRE_INVALID_ONION_PAYLOAD'],
  ])('%i: the service stopped meanwhile; whoever repeats the request learns it', async (code, more, name) => {
    await start();
    node.isHeld = true;
    node.node.simulation.setTrait(L4, 'takesKeysend', false);
    const request = pay({ ...more, idempotency_key: 'k' });
    const first = node.error('keysend', request);
    while (node.node.simulation.isIdle) await new Promise((resolve) => setTimeout(resolve, 1));
    await node.node.crash();
    expect((await first).code).toBe(-5);
    node.node.open();
    node.isHeld = false;
    const error = await node.error('keysend', request);
    expect(error).toMatchObject({ code, data: { failcodename: name, attempts: [{ status: 'failed' }] } });
    expect((await node.result('listpays')).pays).toMatchObject([{ status: 'failed' }]);
    expect((await node.result('paystatus')).pay[0].failure).toEqual({ code, message: error.message });
  });
});

test('a seed plans a shadow within a quarter of both limits, and more often none', async () => {
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
  // One step of 6 blocks, or two; half of the walks take none.
  expect([...new Set(offsets)].sort((a, b) => a - b)).toEqual([0, 6, 12]);
  expect(offsets.filter((blocks) => blocks === 0).length).toBeGreaterThan(30);
});
