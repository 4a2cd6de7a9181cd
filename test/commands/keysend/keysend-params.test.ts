/** The parameters of `keysend` over the socket: every accepted form, and every refused one with its error. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { L2, L3 } from '../../payments/line-graph.ts';
import { type NodeOptions, OWN_ID } from '../../payments/simulation/simulated-node.ts';
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
const INVALID = -32602;
const hop = { id: L2, scid: '104x1x0', feebase: '1msat', feeprop: 10, expirydelta: 6 };
/** Two hints, of which the second has this defect. */
const hinted = (wrong: object) => ({ routehints: [[hop], [{ ...hop, ...wrong }]] });

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
    '18446744073709551616',
  ])('%s is not an amount', async (amount) => {
    for (const method of ['keysend', 'plankeysend']) {
      const { error } = JSON.parse((await node.raw(request(method, amount)))!);
      expect(error).toMatchObject({
        code: INVALID,
        message: 'amount_msat: should be a millisatoshi amount: invalid token (see logs for details)',
        data: { parameter: 'amount_msat', reason: 'should be a millisatoshi amount' },
      });
    }
  });

  test.each(['0', '"0sat"', '"0.000sat"', '"0msat"', '"0.0btc"'])(
    '%s is an amount, but too small',
    async (amount) => {
      for (const method of ['keysend', 'plankeysend']) {
        const { error } = JSON.parse((await node.raw(request(method, amount)))!);
        expect(error).toMatchObject({
          code: INVALID,
          message: 'amount_msat: must be non-zero: invalid token (see logs for details)',
          data: { parameter: 'amount_msat', reason: 'must be non-zero' },
        });
      }
      const { error } = JSON.parse((await node.raw(request('xkeysend', amount)))!);
      expect(error).toMatchObject({ code: INVALID, message: 'Failed: amount must be non-zero' });
    },
  );
});

const REFUSED = (
  [
    [{ destination: undefined }, 'missing required parameter: destination', 'destination'],
    [{ amount_msat: undefined }, 'missing required parameter: amount_msat', 'amount_msat'],
    [{ destination: L3.slice(2) }, 'destination: should be a node id', 'destination'],
    [{ destination: `02${'00'.repeat(32)}` }, 'destination: should be a node id', 'destination'],
    [{ destination: OWN_ID }, 'We are the destination. Keysend cannot be', 'destination'],
    // Our own id is refused before mutually exclusive limits are.
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
    [{ routehints: [['5']] }, 'routehints[0][0]: Parsing \'{\': token is not an object: "5"', 'routehints'],
    [hinted({ id: undefined }), "[1][0]: Parsing '{id:': object does not have member id", 'routehints'],
    [hinted({ id: '02' }), '[1][0]: Parsing \'{id:%\': json_to_node_id could not parse "02"', 'routehints'],
    [hinted({ scid: undefined }), "'{id:%,scid:': object does not have member scid", 'routehints'],
    [
      hinted({ scid: '1x1' }),
      '\'{id:%,scid:%\': json_to_short_channel_id could not parse "1x1"',
      'routehints',
    ],
    [hinted({ feebase: 2 ** 32 }), "feebase:%': json_to_u32 could not parse 4294967296", 'routehints'],
    [hinted({ feeprop: -1 }), "feebase:%,feeprop:%': json_to_u32 could not parse -1", 'routehints'],
    [hinted({ expirydelta: 65536 }), "expirydelta:%': json_to_u16 could not parse 65536", 'routehints'],
    [{ extratlvs: '5' }, 'extratlvs: "5" is not a valid JSON object.', 'extratlvs'],
    [{ routehints: [5] }, 'Routehint routehints[0] ("5") is not an array of hop objects', 'routehints'],
    [
      { extratlvs: { 5482373484: '00' } },
      '"5482373484" is a TLV type that this command sets itself.',
      'extratlvs',
    ],
    [{ extratlvs: { '01': '00', 1: '00' } }, 'is given more than once.', 'extratlvs'],
    [{ extratlvs: { x: '00' } }, '"x" is not a valid numeric TLV type.', 'extratlvs'],
    [{ extratlvs: { 65537: '0' } }, '"65537" is not a valid hex encoded TLV value.', 'extratlvs'],
    [{ retry_for: 4294967296 }, 'retry_for: should be an integer', 'retry_for'],
    [{ extratlvs: { 16: '00' } }, '"16" is a TLV type that this command sets itself.', 'extratlvs'],
    [{ extratlvs: { 65537: '00'.repeat(1300) } }, 'Payloads exceed maximum onion packet size.', 'extratlvs'],
    [{ amount_msat: '21000001btc' }, 'amount_msat: exceeds the total supply of bitcoin', 'amount_msat'],
    [{ seed: -1 }, 'seed: should be an unsigned 64 bit integer', 'seed'],
  ] as const
).map(([more, message, parameter]) => [message, more, parameter] as const);

describe('parameters', () => {
  test.each(REFUSED)('refused, by `check` as well: %s', async (message, more, parameter) => {
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

  test.each([
    '"maxdelay":4294967295',
    '"retry_for":4294967295',
    '"retry_for":"60"',
    '"maxfee":18446744073709551615',
    '"exemptfee":"18446744073709551615msat"',
    '"maxfeepercent":100',
    '"maxfeepercent":"5."',
    '"maxfeepercent":".5"',
    '"maxfeepercent":0.50000049',
    '"seed":18446744073709551615',
    '"label":""',
    '"routehints":[]',
    '"routehints":[[]]',
    '"extratlvs":{}',
  ])('%s is accepted', async (member) => {
    await start();
    const params = `{"destination":"${L3}","amount_msat":1000,"dev_use_shadow":false,${member}}`;
    const { result } = JSON.parse((await node.raw(`{"id":1,"method":"keysend","params":${params}}`))!);
    expect(result).toMatchObject({ amount_msat: 1000, amount_sent_msat: 1001, parts: 1 });
  });

  test('a percentage that exceeds all possible amounts is reported as an overflow', async () => {
    await start();
    const huge = { amount_msat: '1000000btc', maxfeepercent: '18446744073709.5', exemptfee: 0 };
    expect(await node.error('keysend', pay(huge))).toMatchObject({
      code: INVALID,
      message: 'Overflow when computing fee budget, fee rate too high.',
      data: { parameter: 'maxfeepercent', reason: 'overflow' },
    });
  });

  test('`check` accepts valid parameters, and sends nothing', async () => {
    await start();
    // Whether a route exists is not checked.
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

  test('too many, unknown or repeated parameters are refused; null means absent', async () => {
    await start();
    const ask = async (params: string) =>
      JSON.parse((await node.raw(`{"id":1,"method":"keysend","params":${params}}`))!);
    const many = await ask(`["${L3}",1000${',null'.repeat(15)}]`);
    expect(many.error).toMatchObject({ code: INVALID, message: 'too many parameters: got 17, expected 16' });
    const unknown = await ask(`{"destination":"${L3}","amount_msat":1,"foo":1}`);
    expect(unknown.error.message).toMatch(/^unknown parameter: foo/);
    const twice = await ask(`{"destination":"${L3}","amount_msat":1,"amount_msat":2}`);
    expect(twice.error).toMatchObject({ code: INVALID, message: 'duplicate json names: amount_msat' });
    const nulls = '"label":null,"maxfeepercent":null,"routehints":null,"extratlvs":null,"maxfee":null';
    const paid = await ask(`{"destination":"${L3.toUpperCase()}","amount_msat":1,${nulls}}`);
    expect(paid.result).toMatchObject({ destination: L3, status: 'complete' });
  });

  test('shadow and randomisation can only be disabled in developer mode', async () => {
    await start({}, false);
    for (const parameter of ['dev_use_shadow', 'dev_randomize']) {
      const params = { destination: L3, amount_msat: 1, [parameter]: false };
      expect(await node.error('keysend', params)).toMatchObject({
        code: INVALID,
        message: `Parameter '${parameter}' is developer-only`,
      });
      // The parameter is also refused with its default value, in a check, and by position.
      const asDefault = { ...params, [parameter]: true };
      const { message } = await node.error('check', { command_to_check: 'keysend', ...asDefault });
      expect(message).toBe(`Parameter '${parameter}' is developer-only`);
    }
    const places = [L3, 1, ...new Array(10).fill(null), true];
    expect((await node.error('keysend', places)).message).toBe('Parameter 12 is developer-only');
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

  test('help and description mark keysend deprecated', async () => {
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

test('labels and hints have a maximum size', async () => {
  await start();
  for (const [more, message] of [
    [{ label: 'x'.repeat(4097) }, 'label: should have at most 4096 characters'],
    [{ routehints: [Array.from({ length: 101 }, () => hop)] }, 'routehints[0] has more than 100 hops'],
    [{ routehints: Array.from({ length: 101 }, () => [hop]) }, 'routehints has more than 100 hints'],
  ] as const) {
    const error = await node.error('keysend', pay(more));
    expect(error).toMatchObject({ code: INVALID, message: expect.stringContaining(message) });
    expect(JSON.stringify(error).length).toBeLessThan(2_000);
  }
  const long = await node.error('xkeysend', { destination: L3, amount_msat: 1, label: 'x'.repeat(4097) });
  expect(long.message).toContain('label: should have at most 4096 characters');
  expect(await node.result('keysend', pay({ label: 'x'.repeat(4096) }))).toMatchObject({ parts: 1 });
});

test('an idempotency key has 1 to 256 characters', async () => {
  await start();
  for (const idempotency_key of ['', 'k'.repeat(257)]) {
    expect(await node.error('keysend', pay({ idempotency_key }))).toMatchObject({
      code: INVALID,
      message: expect.stringContaining('idempotency_key: should be a string of 1 to 256 characters'),
    });
  }
});
