/**
 * Recorded conversations with a Core Lightning node about layers, replayed against our service. The recording is a
 * selection: requests that built up the state seen in the recorded answers are missing. `BETWEEN` holds such
 * requests, each before the first case that shows its effect. Whole answers are compared, after times, the order of
 * lists (which that node does not define) and ids made up by plugins have been normalised. Intended differences are
 * listed, each with the decision behind it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeNeeding } from '../../needs.ts';
import { recordings } from '../recordings.ts';
import { LayerNode } from './askrene-node.ts';

interface Recorded {
  readonly case: string;
  readonly request_raw: string;
  readonly response_raw: string;
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Request = readonly [method: string, params: object];

const recorded = recordings<Recorded>();

const ABOUT_LAYERS = /^(askrene-|check_askrene-|help_askrene-|jsonrpc_|nodeprecated_listlayers)/;

/** Whether a request contains no layer command. Such cases concern the transport, and are tested with it. */
const FOREIGN = (request: string) => !request.includes('askrene-');

/**
 * Positions in the recording, for cases whose request id contains no number. For the other cases, that number is the
 * position.
 */
const UNNUMBERED: Readonly<Record<string, number>> = {
  'jsonrpc_no-id': 41,
  'jsonrpc_no-version': 41,
  'jsonrpc_numeric-id': 41,
  'jsonrpc_params-string': 41,
  'jsonrpc_invalid-json': 41,
  'askrene-listlayers_duplicate-key': 68,
};

function numberOf({ case: name, request_raw }: Recorded): number {
  const match = /"id": ?"anchors:[^"]*#(\d+)"/.exec(request_raw);
  return match === null ? (UNNUMBERED[name] ?? Number.NaN) : Number(match[1]);
}

const cases = recorded
  .filter(({ case: name, request_raw }) => ABOUT_LAYERS.test(name) && !FOREIGN(request_raw))
  .sort((a, b) => numberOf(a) - numberOf(b));

const G = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const inTest = (rest: object) => ({ layer: 'test_layer', short_channel_id_dir: '123x456x7/1', ...rest });
const hop = { short_channel_id_dir: '103x1x0/1', amount_msat: 2000 };
const inFlight = { short_channel_id_dir: '104x1x0/1', amount_msat: 989990000 };

/**
 * Requests that build the state assumed by the recording, each under the name of the case that it precedes.
 */
const BETWEEN: Readonly<Record<string, readonly Request[]>> = {
  'askrene-listreservations_pending-xkeysend': [
    // Every Core Lightning node has a layer with this name, created by its payment plugin.
    ['askrene-create-layer', { layer: 'xpay', persistent: true }],
    ['askrene-reserve', { path: [hop] }],
  ],
  'help_askrene-listlayers_positional': [['askrene-unreserve', { path: [hop] }]],
  'askrene-create-layer_nonpersistent-over-persistent': [
    ['askrene-create-layer', { layer: 'test_persist', persistent: true }],
  ],
  'askrene-create-layer_missing': [['askrene-create-layer', ['test_positional', true]]],
  'askrene-create-layer_wrong-type-persistent': [
    // Here a layer name cannot be null (see DIFFERENT), so the layer is created under the name "null".
    ['askrene-create-layer', { layer: 'null' }],
    ['askrene-create-layer', { layer: ['x'] }],
    ['askrene-create-layer', { layer: 'caf\u00e9 "q" \\ /\n\t' }],
  ],
  'askrene-update-channel_unknown-layer': [
    ['askrene-update-channel', inTest({ short_channel_id_dir: '123x456x7/0', enabled: false })],
    ['askrene-update-channel', inTest({ short_channel_id_dir: '9x9x9/0', fee_base_msat: 1 })],
  ],
  'askrene-inform-channel_succeeded': [
    ['askrene-inform-channel', inTest({ amount_msat: 100000, inform: 'unconstrained' })],
    ['askrene-inform-channel', inTest({ amount_msat: 1000000, inform: 'constrained' })],
  ],
  'askrene-bias-channel_other-zero': [['askrene-bias-channel', inTest({ bias: -100, relative: true })]],
  'askrene-disable-node_bad-node': [['askrene-disable-node', { layer: 'test_persist', node: G }]],
  'askrene-remove-channel-update_again': [
    ['askrene-remove-channel-update', { layer: 'test_layer', short_channel_id_dir: '123x456x7/1' }],
  ],
  'askrene-listreservations_after-getroutes': [['askrene-reserve', { path: [inFlight] }]],
  'askrene-listlayers_after-payments': [
    ['askrene-unreserve', { path: [inFlight] }],
    ['askrene-age', { layer: 'test_layer', cutoff: '18446744073709551615' }],
    [
      'askrene-inform-channel',
      { layer: 'test_persist', short_channel_id_dir: '104x1x0/1', amount_msat: 50000, inform: 'constrained' },
    ],
  ],
};

const same = (json: Json): Json => json;
/**
 * Cases that we answer differently: our answer as a function of Core Lightning's, and the decision behind the
 * difference.
 */
const DIFFERENT: Readonly<Record<string, readonly [decision: string, ours: (theirs: Json) => Json]>> = {
  'askrene-listlayers_null-no-such-layer': [
    'decision 2: a named null means absent, so all layers are listed',
    () => ({ result: { layers: [emptyLayer('xpay', true)] } }),
  ],
  'askrene-create-layer_wrong-type-layer-null': [
    'decision 2: a named null means absent',
    () => ({ error: { code: -32602, message: 'missing required parameter: layer' } }),
  ],
  'jsonrpc_no-version': [
    'decision 1: jsonrpc may be absent',
    () => ({ result: { layers: [emptyLayer('xpay', true)] } }),
  ],
  'jsonrpc_invalid-json': [
    'decision 1: unparsable input is -32700 with id null',
    () => ({ error: { code: -32700, message: '' } }),
  ],
};

const emptyLayer = (layer: string, persistent: boolean): Json => ({
  layer,
  persistent,
  disabled_nodes: [],
  created_channels: [],
  channel_updates: [],
  constraints: [],
  impressions: [],
  biases: [],
  node_biases: [],
});

/** Differences that occur in many answers. Each function turns Core Lightning's answer into ours. */
const EVERYWHERE: readonly (readonly [decision: string, (member: Json, key: string) => Json])[] = [
  [
    'decision 5: only check shows the invalid token (that node ran in developer mode)',
    (member, key) =>
      key === 'message' && typeof member === 'string'
        ? member.replace(/: invalid token '.*'$/s, ': invalid token (see logs for details)')
        : member,
  ],
  [
    'decision 7: names are JSON strings, escaped once',
    (member, key) =>
      key === 'layer' && typeof member === 'string' ? JSON.parse(`"${unescaped(member)}"`) : member,
  ],
  [
    'decision 8: disabled_channels is present if updates disable any',
    (member) => {
      if (!isObject(member) || !('channel_updates' in member)) return member;
      const disabled = (member.channel_updates as { short_channel_id_dir: string; enabled?: boolean }[])
        .filter(({ enabled }) => enabled === false)
        .map(({ short_channel_id_dir }) => short_channel_id_dir);
      return disabled.length === 0 ? member : { ...member, disabled_channels: disabled };
    },
  ],
];

/** Core Lightning escapes the backslashes of the input, and quotes a value that was not a string. */
const unescaped = (name: string): string => (name.startsWith('[') ? JSON.stringify(name).slice(1, -1) : name);

const isObject = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Replaces every member of a value, innermost members first. */
function mapped(value: Json, change: (member: Json, key: string) => Json, key = ''): Json {
  if (Array.isArray(value))
    return change(
      value.map((element) => mapped(element, change)),
      key,
    );
  if (!isObject(value)) return change(value, key);
  const members = Object.entries(value).map(([name, member]) => [name, mapped(member, change, name)]);
  return change(Object.fromEntries(members), key);
}

const MADE_UP: Readonly<Record<string, Json>> = { timestamp: 0, age_in_seconds: 0, command_id: '' };

/** Replaces times and ids with fixed values, and sorts lists. */
const normal = (answer: Json): Json =>
  mapped(answer, (member, key) => {
    if (key in MADE_UP) return MADE_UP[key] as Json;
    if (!Array.isArray(member)) return member;
    return [...member].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  });

/**
 * The result or error, without our machine-readable data (decision 5) and without texts about unparsable
 * input.
 */
function content(text: string): Json {
  const { result, error } = JSON.parse(text) as { result?: Json; error?: { code: number; message: string } };
  if (error === undefined) return { result: result as Json };
  return { error: { code: error.code, message: error.code === -32700 ? '' : error.message } };
}

function expected({ case: name, response_raw }: Recorded): Json {
  const [, ours] = DIFFERENT[name] ?? ['', same];
  const theirs = ours(content(response_raw));
  return EVERYWHERE.reduce((answer, [, change]) => mapped(answer, change), theirs);
}

/**
 * Records that the node learned from the recorded payments. They are added here, so that the listings can be
 * compared.
 */
async function learnedByPayments(node: LayerNode, answer: string): Promise<void> {
  const { layers } = JSON.parse(answer).result;
  const theirs = layers.find(({ layer }: { layer: string }) => layer === 'xpay');
  await node.result('askrene-age', { layer: 'xpay', cutoff: '18446744073709551615' });
  const inform = (short_channel_id_dir: string, amount_msat: number, what: string) =>
    node.result('askrene-inform-channel', { layer: 'xpay', short_channel_id_dir, amount_msat, inform: what });
  for (const { short_channel_id_dir, minimum_msat, maximum_msat } of theirs.constraints) {
    if (minimum_msat !== undefined) await inform(short_channel_id_dir, minimum_msat, 'unconstrained');
    else await inform(short_channel_id_dir, maximum_msat + 1, 'constrained');
  }
  for (const { short_channel_id_dir, amount_msat } of theirs.impressions) {
    await inform(short_channel_id_dir, amount_msat, 'succeeded');
  }
}

describeNeeding('conversations', recorded.length > 0, 'recorded conversations', () => {
  const node = new LayerNode();
  beforeAll(() => node.start());
  afterAll(() => node.destroy());

  test('are all numbered, and every listed difference and gap refers to one of them', () => {
    // Every recorded request that uses a layer command is among the cases.
    expect(cases).toHaveLength(recorded.filter(({ request_raw }) => !FOREIGN(request_raw)).length);
    expect(cases.filter((one) => Number.isNaN(numberOf(one)))).toEqual([]);
    const names = cases.map(({ case: name }) => name);
    expect(names).toEqual(expect.arrayContaining([...Object.keys(DIFFERENT), ...Object.keys(BETWEEN)]));
  });

  test.each(cases)('$case', async (one) => {
    for (const [method, params] of BETWEEN[one.case] ?? []) await node.result(method, params);
    if (/after-payments|after-restart/.test(one.case)) await learnedByPayments(node, one.response_raw);
    if (one.case.includes('after-restart')) await node.restart();
    const client = node.client();
    const answer = await client.ask(one.request_raw);
    client.close();
    expect(normal(content(answer!))).toEqual(normal(expected(one)));
  });
});
