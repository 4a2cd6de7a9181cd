import { describe, expect, expectTypeOf, it } from 'vitest';
import { FulguriteError } from '../../src/model/errors.ts';
import { type Msat, msat as msatOf } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import {
  type Command,
  defineCommandFor,
  optional,
  required,
  usageOf,
  withDefault,
} from '../../src/rpc/command.ts';
import { type JsonToken, parseJson } from '../../src/rpc/json-token.ts';
import { arrayOf, BadToken, bool, msat, nodeId, string, u16, u64 } from '../../src/rpc/param-types.ts';
import { parseParams } from '../../src/rpc/params.ts';

const define = defineCommandFor<{ layers: readonly string[] }>();

const layerName = {
  name: 'string',
  schema: { type: 'string' },
  parse(token: JsonToken, context: { layers: readonly string[] }) {
    if (!context.layers.includes(token.text)) throw new BadToken('Unknown layer', token);
    return token.text;
  },
};

const jsonString = {
  name: 'string',
  schema: { type: 'string' },
  parse(token: JsonToken) {
    if (token.kind !== 'string') throw new BadToken('should be a string', token);
    return token.text;
  },
};

const texts = { name: 'route', summary: '', description: '', category: 'utility', result: {} } as const;

const route = define({
  ...texts,
  params: {
    source: required(nodeId, 'Where from.'),
    amount_msat: required(msat, 'How much.'),
    layers: required(arrayOf(jsonString), 'Which layers.'),
    maxparts: withDefault(u16, 100, 'How many parts.'),
    persistent: optional(bool, 'Whether kept.'),
    layer: optional(layerName, 'A layer that exists.'),
  },
  handler(params) {
    expectTypeOf(params.source).toEqualTypeOf<NodeId>();
    expectTypeOf(params.amount_msat).toEqualTypeOf<Msat>();
    expectTypeOf(params.layers).toEqualTypeOf<readonly string[]>();
    expectTypeOf(params.maxparts).toEqualTypeOf<number>();
    expectTypeOf(params.persistent).toEqualTypeOf<boolean | undefined>();
    expectTypeOf(params.layer).toEqualTypeOf<string | undefined>();
    return {};
  },
});

const context = { layers: ['xpay'] };
const GENERATOR = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

function parse(
  json: string | undefined,
  mode: 'run' | 'check' = 'run',
  command: Command<typeof context> = route,
): Record<string, unknown> {
  return parseParams(command, json === undefined ? undefined : parseJson(json), context, mode);
}

function refusal(json: string | undefined, mode: 'run' | 'check' = 'run') {
  try {
    parse(json, mode);
  } catch (error) {
    if (error instanceof FulguriteError && error.code === -32602) {
      return { message: error.message, data: error.data };
    }
    throw error;
  }
  return undefined;
}

describe('the parser of parameters, positional and by name', () => {
  const whole = {
    source: GENERATOR,
    amount_msat: msatOf(2000),
    layers: ['a', 'b'],
    maxparts: 100,
    persistent: undefined,
    layer: undefined,
  };

  it('gives the same values for both forms; null and absence are the same', () => {
    expect(parse(`["${GENERATOR}", "2sat", ["a","b"]]`)).toEqual(whole);
    expect(parse(`["${GENERATOR.toUpperCase()}", 2000, ["a","b"], null, null]`)).toEqual(whole);
    expect(parse(`{"layers":["a","b"],"amount_msat":"2000","source":"${GENERATOR}"}`)).toEqual(whole);
    expect(parse(`{"layers":["a","b"],"amount_msat":2000,"source":"${GENERATOR}","maxparts":null}`)).toEqual(
      whole,
    );
  });

  it('names the first missing parameter in order of declaration', () => {
    expect(refusal(undefined)).toEqual({
      message: 'missing required parameter: source',
      data: { parameter: 'source', reason: 'missing', value: undefined },
    });
    expect(refusal('{"layers":[]}')?.message).toBe('missing required parameter: source');
    expect(refusal(`["${GENERATOR}", null]`)?.message).toBe('missing required parameter: amount_msat');
  });

  it('reports the first invalid value in the client’s order', () => {
    expect(refusal('{"amount_msat":"x","source":"y"}')).toEqual({
      message: 'amount_msat: should be a millisatoshi amount: invalid token (see logs for details)',
      data: { parameter: 'amount_msat', reason: 'should be a millisatoshi amount', value: 'x' },
    });
    expect(refusal('{"maxparts":[1],"nosuch":1}')?.data).toEqual({
      parameter: 'maxparts',
      reason: 'should be an unsigned 16 bit integer',
      value: undefined,
    });
  });

  it('shows the raw token in `check`', () => {
    expect(refusal('{"source":"y"}', 'check')?.message).toBe(
      `source: should be a node id: invalid token '"y"'`,
    );
    expect(refusal('{"layers": {"a" : 1}}', 'check')?.message).toBe(
      `layers: should be an array: invalid token '{"a" : 1}'`,
    );
  });

  it('refuses unknown and repeated names', () => {
    // Advice about command line flags would mean nothing to a program, so only the client adds it.
    expect(refusal('{"foo":1}')?.message).toBe('unknown parameter: foo');
    expect(refusal('{"__proto__":1}')?.message).toBe('unknown parameter: __proto__');
    expect(refusal('{"maxparts":1,"maxparts":null}')?.message).toBe('duplicate json names: maxparts');
  });

  it('counts excess positional parameters once it reaches them', () => {
    const valid = `"${GENERATOR}",1,[],1,true,"xpay"`;
    expect(refusal(`[${valid},null]`)?.message).toBe('too many parameters: got 7, expected 6');
    expect(refusal('["x",1,[],1,true,"xpay",7]')?.message).toMatch(/^source: should be a node id/);
  });

  it('refuses params that are neither array nor object', () => {
    for (const params of ['null', '"x"', '5', 'true']) {
      expect(refusal(params)?.message).toBe('Expected array or object for params');
    }
  });

  it('queries the context if a type needs it', () => {
    expect(refusal('{"layer":"nosuch"}')?.message).toBe(
      'layer: Unknown layer: invalid token (see logs for details)',
    );
    expect(parse(`["${GENERATOR}",1,[],1,true,"xpay"]`).layer).toBe('xpay');
  });

  it('shows usage with optional parameters in brackets', () => {
    expect(usageOf(route)).toBe('route source amount_msat layers [maxparts] [persistent] [layer]');
  });

  it('refuses a definition whose required parameter follows an optional one', () => {
    const params = { a: optional(string, ''), b: required(string, '') };
    expect(() => define({ ...texts, params, handler: () => ({}) })).toThrow('required b follows optional a');
  });
});

describe('interchangeable parameters', () => {
  const object = {
    name: 'object',
    schema: { type: 'object' },
    kind: 'object',
    parse: (token: JsonToken) =>
      Object.fromEntries(token.members().map(({ key, value }) => [key, value.text])),
  } as const;
  const pay = define({
    ...texts,
    name: 'pay',
    params: {
      amount: required(u64, ''),
      hints: optional(arrayOf(string), ''),
      tlvs: optional(object, ''),
      last: optional(string, ''),
    },
    interchangeable: ['hints', 'tlvs'],
    handler: () => ({}),
  });
  const hints = ['h'];
  const tlvs = { 5: 'x' };

  it.each([
    ['[1,["h"],{"5":"x"},"l"]', { hints, tlvs, last: 'l' }],
    ['[1,{"5":"x"},["h"],"l"]', { hints, tlvs, last: 'l' }],
    ['[1,null,["h"]]', { hints, tlvs: undefined, last: undefined }],
    ['[1,{"5":"x"},null,"l"]', { hints: undefined, tlvs, last: 'l' }],
    ['[1,null,{"5":"x"}]', { hints: undefined, tlvs, last: undefined }],
    ['[1]', { hints: undefined, tlvs: undefined, last: undefined }],
  ])('%s', (json, expected) => {
    expect(parse(json, 'run', pay)).toEqual({ amount: 1n, ...expected });
  });
});
