/**
 * The layer commands through the socket: every parameter by position and by name, every error, `help` and
 * `check`.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LayerNode } from './askrene-node.ts';

let node: LayerNode;
beforeEach(async () => {
  node = new LayerNode();
  await node.start();
  await node.result('askrene-create-layer', { layer: 'test' });
});
afterEach(() => node.destroy());

// Public keys of the secret keys 1 to 3, in ascending order of their bytes.
const [N1, N2, N3] = [
  '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5',
  '02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9',
];
const EMPTY = {
  disabled_nodes: [],
  created_channels: [],
  channel_updates: [],
  constraints: [],
  impressions: [],
  biases: [],
  node_biases: [],
};
const T = 1_795_225_900;

const listed = async (layer = 'test') => {
  const { layers } = (await node.result('askrene-listlayers', [layer])) as { layers: object[] };
  expect(layers).toHaveLength(1);
  return layers[0];
};

const USAGE = `askrene-age layer cutoff
askrene-bias-channel layer short_channel_id_dir bias [description] [relative]
askrene-bias-node layer node direction bias [description] [relative]
askrene-create-channel layer source destination short_channel_id capacity_msat
askrene-create-layer layer [persistent]
askrene-disable-node layer node
askrene-inform-channel layer short_channel_id_dir amount_msat inform
askrene-listlayers [layer]
askrene-listreservations 
askrene-remove-channel-update layer short_channel_id_dir
askrene-remove-layer layer
askrene-reserve path
askrene-unreserve path
askrene-update-channel layer short_channel_id_dir [enabled] [htlc_minimum_msat] [htlc_maximum_msat] [fee_base_msat] [fee_proportional_millionths] [cltv_expiry_delta]`.split(
  '\n',
);

/** For each command: valid values of all its parameters, in positional order. */
const FULL: Record<string, Record<string, unknown>> = {
  'askrene-age': { layer: 'test', cutoff: '18446744073709551615' },
  'askrene-bias-channel': {
    layer: 'test',
    short_channel_id_dir: '1x2x3/1',
    bias: -7,
    description: 'note',
    relative: true,
  },
  'askrene-bias-node': {
    layer: 'test',
    node: N1,
    direction: 'in',
    bias: '7',
    description: 'note',
    relative: false,
  },
  'askrene-create-channel': {
    layer: 'test',
    source: N2,
    destination: N1,
    short_channel_id: '1x2x3',
    capacity_msat: '1.5btc',
  },
  'askrene-create-layer': { layer: 'new', persistent: true },
  'askrene-disable-node': { layer: 'test', node: N1 },
  'askrene-inform-channel': {
    layer: 'test',
    short_channel_id_dir: '1x2x3/0',
    amount_msat: '1.001sat',
    inform: 'succeeded',
  },
  'askrene-listlayers': { layer: 'test' },
  'askrene-listreservations': {},
  'askrene-remove-channel-update': { layer: 'test', short_channel_id_dir: '1x2x3/0' },
  'askrene-remove-layer': { layer: 'test' },
  'askrene-reserve': {
    path: [{ short_channel_id_dir: '1x2x3/0', amount_msat: '3sat', layer: 'test', delay: 5 }],
  },
  'askrene-unreserve': { path: [] },
  'askrene-update-channel': {
    layer: 'test',
    short_channel_id_dir: '1x2x3/0',
    enabled: false,
    htlc_minimum_msat: 0,
    htlc_maximum_msat: '18446744073709551615',
    fee_base_msat: '10msat',
    fee_proportional_millionths: 4294967295,
    cltv_expiry_delta: 65535,
  },
};

describe.each(Object.keys(FULL))('%s', (name) => {
  const params = FULL[name]!;

  test('is listed in help with its usage', async () => {
    const { help } = (await node.result('help', [name])) as { help: [{ command: string }] };
    expect(USAGE).toContain(help[0].command);
  });

  test('gives the same answer to named and positional parameters, and check changes nothing', async () => {
    const before = JSON.stringify(await node.result('askrene-listlayers', {}));
    expect(await node.result('check', { command_to_check: name, ...params })).toEqual({
      command_to_check: name,
    });
    expect(await node.result('check', [name, ...Object.values(params)])).toEqual({ command_to_check: name });
    expect(JSON.stringify(await node.result('askrene-listlayers', {}))).toBe(before);
    const named = await node.result(name, params);
    await node.destroy();
    node = new LayerNode();
    await node.start();
    await node.result('askrene-create-layer', { layer: 'test' });
    expect(await node.result(name, Object.values(params))).toEqual(named);
  });

  test('names missing required parameters, and refuses unknown ones', async () => {
    const required = USAGE.find((line) => line.startsWith(`${name} `))!
      .split(' ')
      .slice(1)
      .filter((word) => word !== '' && !word.startsWith('['));
    for (const parameter of required) {
      const rest = Object.fromEntries(Object.entries(params).filter(([key]) => key !== parameter));
      expect(await node.error(name, rest)).toBe(`-32602 missing required parameter: ${parameter}`);
    }
    expect(await node.error(name, { ...params, foo: 1 })).toMatch(/^-32602 unknown parameter: foo$/);
    const tooMany = [...Object.values(params), ...Array(9).fill(null)];
    expect(await node.error(name, tooMany)).toMatch(/^-32602 too many parameters: got \d+, expected \d+$/);
  });

  test('rejects a layer that does not exist', async () => {
    if (!('layer' in params) || name === 'askrene-create-layer') return;
    const { error } = await node.call(name, { ...params, layer: 'nosuchlayer' });
    expect(error).toEqual({
      code: -32602,
      message: 'layer: Unknown layer: invalid token (see logs for details)',
      data: { parameter: 'layer', reason: 'Unknown layer', value: 'nosuchlayer' },
    });
  });
});

test('help lists all of them', async () => {
  const { help } = (await node.result('help', [])) as { help: { command: string }[] };
  const lines = help.map(({ command }) => command).filter((line) => line.startsWith('askrene-'));
  // Two are ours. The others are exactly those that the recorded node lists.
  const ours = lines.filter((line) => /^askrene-(difflayers|score) /.test(line));
  expect(ours).toHaveLength(2);
  expect(lines.filter((line) => !ours.includes(line))).toEqual(USAGE);
});

describe('invalid values', () => {
  test.each([
    ['askrene-create-layer', 'persistent', 'true', "should be 'true' or 'false'"],
    ['askrene-create-channel', 'source', '02abcd', 'should be a node id'],
    ['askrene-create-channel', 'destination', `02${'ff'.repeat(32)}`, 'should be a node id'],
    ['askrene-create-channel', 'short_channel_id', '1x2', 'should be a short_channel_id of form NxNxN'],
    ['askrene-create-channel', 'capacity_msat', -1, 'should be a millisatoshi amount'],
    [
      'askrene-update-channel',
      'short_channel_id_dir',
      '1x2x3/2',
      'should be a short_channel_id_dir of form NxNxN/N',
    ],
    ['askrene-update-channel', 'enabled', 1, "should be 'true' or 'false'"],
    ['askrene-update-channel', 'htlc_minimum_msat', '1.5sat', 'should be a millisatoshi amount'],
    [
      'askrene-update-channel',
      'htlc_maximum_msat',
      '18446744073709551616',
      'should be a millisatoshi amount',
    ],
    ['askrene-update-channel', 'fee_base_msat', '1satoshi', 'should be a millisatoshi amount'],
    [
      'askrene-update-channel',
      'fee_proportional_millionths',
      2 ** 32,
      'should be an unsigned 32 bit integer',
    ],
    ['askrene-update-channel', 'cltv_expiry_delta', 70000, 'should be an unsigned 16 bit integer'],
    ['askrene-inform-channel', 'amount_msat', '1e3', 'should be a millisatoshi amount'],
    ['askrene-inform-channel', 'inform', 'unsure', 'must be constrained/unconstrained/succeeded'],
    ['askrene-bias-channel', 'bias', 101, 'should be a number between -100 and 100'],
    ['askrene-bias-channel', 'bias', 1.5, 'should be a number between -100 and 100'],
    ['askrene-bias-node', 'bias', -101, 'should be a number between -100 and 100'],
    ['askrene-bias-node', 'direction', 'IN', 'Expected either in or out values.'],
    ['askrene-bias-node', 'relative', 'yes', "should be 'true' or 'false'"],
    ['askrene-disable-node', 'node', 'xyz', 'should be a node id'],
    ['askrene-age', 'cutoff', '18446744073709551616', 'should be an unsigned 64 bit integer'],
    ['askrene-reserve', 'path', {}, 'should be an array'],
  ])('%s refuses %s %j', async (name, parameter, value, reason) => {
    const params = { ...FULL[name], [parameter]: value };
    expect(await node.error(name, params)).toBe(
      `-32602 ${parameter}: ${reason}: invalid token (see logs for details)`,
    );
    const shown = JSON.stringify(value);
    expect(await node.error('check', { command_to_check: name, ...params })).toBe(
      `-32602 ${parameter}: ${reason}: invalid token '${shown}'`,
    );
  });

  test.each([
    [[7], "Parsing '{': object expected"],
    [
      [{ amount_msat: 1 }],
      "Parsing '{short_channel_id_dir:': object does not have member short_channel_id_dir",
    ],
    [
      [{ short_channel_id_dir: '1x1x1/0', amount_msat: null }],
      "Parsing '{short_channel_id_dir:%,amount_msat:': object does not have member amount_msat",
    ],
    [
      [{ short_channel_id_dir: '1x1x1', amount_msat: 1 }],
      "Parsing '{short_channel_id_dir:%': should be a short_channel_id_dir of form NxNxN/N",
    ],
    [[{ short_channel_id_dir: '1x1x1/0', amount_msat: 1, layer: 'nosuchlayer' }], 'Unknown layer'],
  ])('a path %j is refused as a whole', async (path, reason) => {
    const good = { short_channel_id_dir: '1x1x1/0', amount_msat: 1 };
    for (const name of ['askrene-reserve', 'askrene-unreserve']) {
      expect(await node.error(name, { path: [good, ...path] })).toBe(
        `-32602 path: ${reason}: invalid token (see logs for details)`,
      );
    }
    expect(await node.result('askrene-listreservations', {})).toEqual({ reservations: [] });
  });
});

describe('layers', () => {
  test('start empty, and accept any text as name', async () => {
    const names = ['', 'null', '5', 'caf\u00e9 "q" \\ /\n\t\u0000', 'auto', 'Auto.x'];
    for (const layer of names) {
      const answer = await node.result('askrene-create-layer', { layer });
      expect(answer).toEqual({ layers: [{ layer, persistent: false, ...EMPTY }] });
    }
    const { layers } = (await node.result('askrene-listlayers', [null])) as { layers: { layer: string }[] };
    expect(layers.map(({ layer }) => layer)).toEqual(['test', ...names]);
    expect(await node.error('askrene-create-layer', ['auto.x'])).toBe('-32602 Cannot create auto layer');
    expect(await node.error('askrene-create-layer', ['test'])).toBe('-32602 Layer already exists');
  });

  test('after a restart, persistent layers are unchanged and others are gone', async () => {
    const layer = 'kept';
    await node.result('askrene-create-layer', { layer, persistent: true });
    for (const [name, params] of Object.entries(FULL)) {
      if (
        !['askrene-age', 'askrene-create-layer', 'askrene-remove-layer'].includes(name) &&
        'layer' in params
      ) {
        await node.result(name, { ...params, layer });
      }
    }
    await node.result('askrene-create-layer', { layer: 'removed', persistent: true });
    await node.result('askrene-remove-layer', { layer: 'removed' });
    const before = await listed(layer);
    expect(before).toMatchObject({ persistent: true, biases: [{ bias: -7 }], disabled_nodes: [N1] });
    await node.restart();
    expect(await node.result('askrene-listlayers', {})).toEqual({ layers: [before] });
  });

  test('removed updates and biases, and aged records, stay removed after a restart', async () => {
    const layer = 'kept';
    await node.result('askrene-create-layer', { layer, persistent: true });
    await node.result('askrene-update-channel', { ...FULL['askrene-update-channel'], layer });
    await node.result('askrene-remove-channel-update', [layer, '1x2x3/0']);
    await node.result('askrene-bias-channel', [layer, '1x2x3/0', 5, 'with a note']);
    expect(await node.result('askrene-bias-channel', [layer, '1x2x3/0', 0])).toEqual({ biases: [] });
    await node.result('askrene-bias-node', [layer, N1, 'in', 5, 'with a note']);
    expect(await node.result('askrene-bias-node', [layer, N1, 'in', -5, null, true])).toEqual({
      node_biases: [],
    });
    await node.result('askrene-inform-channel', [layer, '1x2x3/0', 5, 'constrained']);
    expect(await node.result('askrene-age', [layer, T])).toEqual({ layer, num_removed: 0 });
    expect(await node.result('askrene-age', [layer, T + 1])).toEqual({ layer, num_removed: 1 });
    await node.restart();
    expect(await listed(layer)).toEqual({ layer, persistent: true, ...EMPTY });
  });

  test('a failed write is reported, and repeated as soon as the disk accepts writes again', async () => {
    node.diskFull = true;
    const { error } = await node.call('askrene-create-layer', ['first', true]);
    expect(error).toEqual({
      code: -32003,
      message: 'The change is not on disk yet: disk full',
      data: { reason: 'disk full' },
    });
    expect(await node.result('askrene-bias-channel', ['test', '1x2x3/0', 5])).toMatchObject({ biases: [{}] });
    node.diskFull = false;
    await node.result('askrene-create-layer', ['second', true]);
    await node.restart();
    const { layers } = (await node.result('askrene-listlayers', {})) as { layers: { layer: string }[] };
    expect(layers.map(({ layer }) => layer)).toEqual(['first', 'second']);
  });

  test('the listing of a long layer is complete, in order, and shows one moment', async () => {
    const layer = node.book.layer('test')!;
    for (let i = 0; i < 20_000; i++) {
      const of = { shortChannelId: (BigInt(i) << 40n) as never, direction: 0 as const };
      node.book.informChannel(layer, of, BigInt(i) as never, i % 2 === 0 ? 'unconstrained' : 'succeeded');
    }
    const other = node.client();
    const answer = node.result('askrene-listlayers', { layer: 'test' });
    const aged = other.ask(`{"id":1,"method":"askrene-age","params":["test",${T + 1}]}`);
    const { layers } = (await answer) as {
      layers: [{ constraints: { minimum_msat?: number }[]; impressions: { amount_msat: number }[] }];
    };
    expect(layers[0].constraints.map(({ minimum_msat = 0 }) => minimum_msat)).toEqual(
      Array.from({ length: 10_000 }, (_, i) => 2 * i),
    );
    expect(layers[0].impressions.at(-1)).toMatchObject({ amount_msat: 19_999 });
    expect(JSON.parse((await aged)!).result).toEqual({ layer: 'test', num_removed: 20_000 });
    other.close();
  });
});

describe('entries', () => {
  test('a layer lists all its contents', async () => {
    await node.result('askrene-disable-node', ['test', N3]);
    await node.result('askrene-disable-node', ['test', N3.toUpperCase()]);
    await node.result('askrene-create-channel', ['test', N2, N1, '1x2x3', '2sat']);
    await node.result('askrene-update-channel', { layer: 'test', short_channel_id_dir: '1x2x3/1' });
    await node.result('askrene-update-channel', {
      layer: 'test',
      short_channel_id_dir: '1x2x3/0',
      enabled: false,
    });
    await node.result('askrene-update-channel', {
      layer: 'test',
      short_channel_id_dir: '1x2x3/1',
      fee_base_msat: 0,
      cltv_expiry_delta: 6,
    });
    await node.result('askrene-inform-channel', ['test', '1x2x3/1', 12341235, 'constrained']);
    await node.result('askrene-inform-channel', ['test', '1x2x3/1', 0, 'unconstrained']);
    await node.result('askrene-inform-channel', ['test', '1x2x3/0', 7, 'succeeded']);
    await node.result('askrene-bias-channel', ['test', '1x2x3/0', 100]);
    await node.result('askrene-bias-channel', ['test', '1x2x3/0', 100, 'note', true]);
    await node.result('askrene-bias-node', ['test', N1, 'out', -3]);
    expect(await listed()).toEqual({
      layer: 'test',
      persistent: false,
      disabled_nodes: [N3, N3],
      created_channels: [{ source: N1, destination: N2, short_channel_id: '1x2x3', capacity_msat: 2000 }],
      channel_updates: [
        { short_channel_id_dir: '1x2x3/1', fee_base_msat: 0, cltv_expiry_delta: 6 },
        { short_channel_id_dir: '1x2x3/0', enabled: false },
      ],
      constraints: [
        { short_channel_id_dir: '1x2x3/1', timestamp: T, maximum_msat: 12341234 },
        { short_channel_id_dir: '1x2x3/1', timestamp: T },
      ],
      disabled_channels: ['1x2x3/0'],
      impressions: [{ short_channel_id_dir: '1x2x3/0', timestamp: T, amount_msat: 7 }],
      biases: [{ short_channel_id_dir: '1x2x3/0', description: 'note', bias: 100, timestamp: T }],
      node_biases: [{ node: N1, in_bias: 0, out_bias: -3, timestamp: T }],
    });
  });

  test('a channel is created once per layer, between two different nodes', async () => {
    await node.result('askrene-create-channel', ['test', N1, N2, '1x2x3', 5]);
    expect(await node.error('askrene-create-channel', ['test', N1, N2, '1x2x3', 5])).toBe(
      '-32602 channel already exists',
    );
    expect(await node.error('askrene-create-channel', ['test', N1, N1, '1x2x4', 5])).toBe(
      '-32602 source and destination must be different',
    );
  });

  test('an answer to inform contains exactly the record that was created', async () => {
    const inform = (amount: number | string, what: string) =>
      node.result('askrene-inform-channel', ['test', '1x2x3/1', amount, what]);
    const entry = { layer: 'test', short_channel_id_dir: '1x2x3/1', timestamp: T };
    expect(await inform(5, 'constrained')).toEqual({
      constraints: [{ ...entry, maximum_msat: 4 }],
      impressions: [],
    });
    expect(await inform(5, 'unconstrained')).toEqual({
      constraints: [{ ...entry, minimum_msat: 5 }],
      impressions: [],
    });
    expect(await inform(5, 'succeeded')).toEqual({
      constraints: [],
      impressions: [{ ...entry, amount_msat: 5 }],
    });
    await node.result('askrene-reserve', { path: [{ short_channel_id_dir: '1x2x3/1', amount_msat: 10 }] });
    expect(await inform(5, 'constrained')).toMatchObject({ constraints: [{ maximum_msat: 14 }] });
    const most = '18446744073709551615';
    expect(await node.error('askrene-inform-channel', ['test', '1x2x3/1', most, 'constrained'])).toBe(
      '-32602 Amount overflow with reserves',
    );
  });

  test('64-bit amounts are returned exactly', async () => {
    await node.result('askrene-inform-channel', ['test', '1x2x3/1', '18446744073709551615', 'unconstrained']);
    const text = await node.raw('{"id":1,"method":"askrene-listlayers","params":["test"]}');
    expect(text).toContain('"minimum_msat":18446744073709551615');
  });
});

describe('reservations', () => {
  const hop = (amount_msat: number, layer?: string) => ({
    short_channel_id_dir: '1x2x3/1',
    amount_msat,
    layer,
  });

  test('are listed with their age and request id; those of a layer are not', async () => {
    const path = [hop(1000), hop(5, 'test'), hop(1000)];
    await node.raw(
      JSON.stringify({ id: 'client:pay#1/\u00e9"', method: 'askrene-reserve', params: { path } }),
    );
    await node.raw('{"id":18446744073709551617,"method":"askrene-reserve","params":[[]]}');
    node.now += 40;
    const entry = { short_channel_id_dir: '1x2x3/1', amount_msat: 1000, age_in_seconds: 40 };
    expect(await node.result('askrene-listreservations', {})).toEqual({
      reservations: [
        { ...entry, command_id: 'client:pay#1/\u00e9"' },
        { ...entry, command_id: 'client:pay#1/\u00e9"' },
      ],
    });
  });

  test('are released either all or none', async () => {
    await node.result('askrene-reserve', { path: [hop(1), hop(2, 'test')] });
    const release = (...path: object[]) => node.error('askrene-unreserve', { path });
    expect(await release(hop(1), hop(1))).toBe('-32602 Unknown reservation for 1x2x3/1');
    expect(await release(hop(1), hop(1, 'test'))).toBe(
      '-32602 Unknown reservation for 1x2x3/1 on layer test',
    );
    expect(await node.result('askrene-unreserve', { path: [hop(2, 'test'), hop(1)] })).toEqual({});
    expect(await release(hop(1))).toBe('-32602 Unknown reservation for 1x2x3/1');
  });

  test('can all be released at once, but only in developer mode', async () => {
    const all = { path: [], dev_remove_all: true };
    expect(await node.error('askrene-unreserve', all)).toBe(
      "-32602 Parameter 'dev_remove_all' is developer-only",
    );
    expect(await node.error('askrene-unreserve', [[], true])).toBe('-32602 Parameter 1 is developer-only');
    await node.stop();
    await node.start(true);
    await node.result('askrene-create-layer', ['test']);
    await node.result('askrene-reserve', { path: [hop(1), hop(2, 'test')] });
    expect(await node.result('askrene-unreserve', all)).toEqual({});
    expect(await node.result('askrene-listreservations', {})).toEqual({ reservations: [] });
  });

  test('end when their layer is removed', async () => {
    await node.result('askrene-reserve', { path: [hop(2, 'test')] });
    await node.result('askrene-remove-layer', ['test']);
    await node.result('askrene-create-layer', ['test']);
    expect(await node.error('askrene-unreserve', { path: [hop(2, 'test')] })).toMatch(/Unknown reservation/);
  });
});
