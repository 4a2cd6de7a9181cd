/**
 * A caller's text is stored, listed and repeated in answers, so every command limits its length. A name of 60
 * MB is refused with a short error, and the connection stays open.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NodeContext } from '../../src/commands/context.ts';
import { COMMANDS } from '../../src/commands/index.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import type { Params } from '../../src/rpc/command.ts';
import { parseJson } from '../../src/rpc/json-token.ts';
import { DEFAULT_LIMITS } from '../../src/rpc/limits.ts';
import { BadToken } from '../../src/rpc/param-types.ts';
import { LayerNode } from './askrene/askrene-node.ts';

const node = new LayerNode();
beforeAll(() => node.start());
afterAll(() => node.destroy());

/** The answer to a request, as text. It must be short. */
async function shortAnswer(request: string): Promise<{ code: number; message: string }> {
  const client = node.client();
  const answer = (await client.ask(request))!;
  expect(answer.length).toBeLessThan(10_000);
  expect(
    JSON.parse((await client.ask('{"id":1,"method":"askrene-listlayers","params":[]}'))!).result.layers,
  ).toBeDefined();
  client.close();
  return JSON.parse(answer).error;
}

const ask = (method: string, params: object, id = '1') =>
  shortAnswer(`{"id":${id},"method":"${method}","params":${JSON.stringify(params)}}`);

test('a layer name of 60 MB is refused, one of 4,096 bytes is not', async () => {
  expect(await ask('askrene-create-layer', { layer: 'x'.repeat(60_000_000) })).toMatchObject({
    code: -32602,
    message: 'layer: should have at most 4096 bytes: invalid token (see logs for details)',
  });
  // These characters take two bytes each in UTF-8.
  expect(await ask('askrene-create-layer', { layer: 'é'.repeat(2049) })).toMatchObject({ code: -32602 });
  const layer = 'é'.repeat(2048);
  await node.result('askrene-create-layer', { layer });
  expect(node.book.layer(layer)?.name).toBe(layer);
});

test.each([
  ['askrene-bias-channel', { short_channel_id_dir: '1x1x1/0' }],
  [
    'askrene-bias-node',
    { node: `02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`, direction: 'in' },
  ],
])('the description of %s is limited', async (method, of) => {
  await node.result('askrene-create-layer', { layer: method });
  const params = { layer: method, ...of, bias: 1 };
  expect(await ask(method, { ...params, description: 'x'.repeat(4097) })).toMatchObject({
    code: -32602,
    message: 'description: should have at most 4096 bytes: invalid token (see logs for details)',
  });
  await node.result(method, { ...params, description: 'x'.repeat(4096) });
});

describe('a text that an answer repeats', () => {
  const long = 'x'.repeat(1_000_000);

  test.each([
    ['the method', `{"id":1,"method":"${long}"}`, -32601],
    ['the command to check', `{"id":1,"method":"check","params":["${long}"]}`, -32601],
    ['the command to explain', `{"id":1,"method":"help","params":["${long}"]}`, -32601],
    ['the name of a parameter', `{"id":1,"method":"askrene-listlayers","params":{"${long}":1}}`, -32602],
    ['the id', `{"id":"${long}","method":"askrene-listlayers"}`, -32600],
  ])('is limited: %s', async (_, request, code) => {
    expect(await shortAnswer(request)).toMatchObject({ code });
  });

  test('an id of 4,096 characters is repeated', async () => {
    const client = node.client();
    const id = `"${'i'.repeat(4094)}"`;
    const answer = await client.ask(`{"id":${id},"method":"askrene-listlayers","params":[]}`);
    expect(answer).toContain(`"id":${id},"result":`);
    client.close();
  });
});

test('a request may name at most a thousand layers', async () => {
  const id = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
  const other = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
  const query = { source: id, destination: other, amount_msat: 1, maxfee_msat: 1, final_cltv: 1 };
  const layers = Array<string>(1001).fill('auto.sourcefree');
  expect(await ask('getroutes', { ...query, layers })).toMatchObject({
    code: -32602,
    message: expect.stringContaining('layers: should have at most 1000 elements'),
  });
});

/**
 * Parameters that accept a text of any length, because it is only compared with what exists, and neither
 * stored nor repeated.
 */
const ONLY_COMPARED = [
  'check.command_to_check',
  'delinvoice.label',
  'help.command',
  'listinvoices.invstring',
  'listinvoices.label',
  'listpays.bolt11',
  'listpeers.level',
  'listsendpays.bolt11',
  'paystatus.bolt11',
  'simulatepayer.invoice',
  'waitinvoice.label',
];

test.each([
  ['a text', '"X"'],
  ['a number', '1X'],
  ['an array of texts', '["X"]'],
  ['an array of arrays', '[["X"]]'],
  ['a member that is too long', '{"1":"X"}'],
  ['a name of a member that is too long', '{"X":"00"}'],
  ['an array of arrays of objects', '[[{"id":"X"}]]'],
])('the error about %s of 100,000 characters is short, for every parameter', (_, text) => {
  const token = parseJson(text.replace('X', '1'.repeat(100_000)));
  const context = {
    layers: new LayerBook(),
    settings: { all: new Map() },
    offers: {},
  } as unknown as NodeContext;
  const long = COMMANDS.flatMap(({ name, params }) =>
    Object.entries(params as Params<NodeContext>).flatMap(([parameter, { type }]) => {
      try {
        type.parse(token, context);
      } catch (error) {
        if ((error as Error).message.length > 1_500) return [`${name}.${parameter}`];
      }
      return [];
    }),
  );
  expect(long).toEqual([]);
});

test('no other parameter of any command accepts a megabyte of text', () => {
  const { maxDepth, maxValues } = DEFAULT_LIMITS;
  const token = parseJson(JSON.stringify('/'.padEnd(1_000_000, 'x')), maxDepth, maxValues);
  const context = {
    layers: new LayerBook(),
    settings: { all: new Map() },
    offers: { chainHash: new Uint8Array(32) },
  } as unknown as NodeContext;
  const taken = COMMANDS.flatMap(({ name, params }) =>
    Object.entries(params as Params<NodeContext>).flatMap(([parameter, { type }]) => {
      try {
        type.parse(token, context);
        return [`${name}.${parameter}`];
      } catch (error) {
        if (!(error instanceof BadToken) && (error as { name?: string }).name !== 'invalidParams')
          throw error;
        return [];
      }
    }),
  );
  expect(taken.sort()).toEqual(ONLY_COMPARED);
});
