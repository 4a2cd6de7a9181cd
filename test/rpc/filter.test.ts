import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FulguriteError } from '../../src/model/errors.ts';
import { applyFilter, parseFilter } from '../../src/rpc/filter.ts';
import { parseJson } from '../../src/rpc/json-token.ts';
import { chunksOf, JsonList, jsonPieces } from '../../src/rpc/json-write.ts';

function filtered(filter: string, result: unknown): string {
  return [...chunksOf(jsonPieces(applyFilter(parseFilter(parseJson(filter)), result)))].join('');
}

const result = {
  id: '03',
  binding: [{ type: 'ipv4', port: 1 }],
  configs: { network: { value: 'x', source: 'y' } },
  plain: { a: 1 },
  numbers: [1, 2],
  layers: [
    { layer: 'xpay', persistent: true, biases: [] },
    { layer: 'b', persistent: false, biases: [{ bias: 1, node: 'n' }] },
  ],
};

describe('filter', () => {
  it.each([
    ['{"id":true}', '{"id":"03"}'],
    ['{"id":true,"nosuch":{"a":true}}', '{"id":"03"}'],
    ['{"layers":[{"layer":true}]}', '{"layers":[{"layer":"xpay"},{"layer":"b"}]}'],
    ['{"layers":[{"biases":[{"bias":true}]}]}', '{"layers":[{"biases":[]},{"biases":[{"bias":1}]}]}'],
    ['{"plain":true,"numbers":true}', '{"plain":{"a":1},"numbers":[1,2]}'],
    ['{"numbers":[true]}', '{"numbers":[1,2]}'],
    ['{"configs":[true]}', '{"configs":{},"warning_parameter_filter":".configs is an object"}'],
    ['{"binding":{"type":true}}', '{"binding":[],"warning_parameter_filter":".binding is an array"}'],
    [
      '{"layers":[{"biases":{"bias":true}}]}',
      '{"layers":[{"biases":[]},{"biases":[]}],"warning_parameter_filter":".layers[].biases is an array"}',
    ],
    ['{"plain":[true]}', '{"plain":{}}'],
    ['{"numbers":{"a":true}}', '{"numbers":[]}'],
    ['{"id":{"a":true}}', '{"id":"03"}'],
  ])('%s', (filter, expected) => {
    expect(filtered(filter, result)).toBe(expected);
  });

  it('{} drops scalars and keeps containers', () => {
    const { id: _id, ...containers } = result;
    expect(JSON.parse(filtered('{}', result))).toEqual(containers);
  });

  it('works on long lists while they are written, and warns after them', () => {
    const list = () => ({ layers: new JsonList(result.layers), count: 2 });
    expect(filtered('{"layers":[{"layer":true}]}', list())).toBe(
      '{"layers":[{"layer":"xpay"},{"layer":"b"}]}',
    );
    expect(filtered('{"layers":[{"biases":{"bias":true}}]}', list())).toBe(
      '{"layers":[{"biases":[]},{"biases":[]}],"warning_parameter_filter":".layers[].biases is an array"}',
    );
    expect(filtered('{"layers":{"a":true}}', list())).toBe(
      '{"layers":[],"warning_parameter_filter":".layers is an array"}',
    );
  });

  it.each([
    ['[]', 'Expected object'],
    ['true', 'Expected object'],
    ['{"a":false}', 'value must be true'],
    ['{"a":{"b":1}}', 'value must be true'],
    ['{"a":[]}', 'Arrays can only have one element'],
    ['{"a":[true,true]}', 'Arrays can only have one element'],
    [`{"a":true,"${'b'.repeat(65_530)}":true}`, 'should have at most 65536 characters'],
  ])('refuses %s', (filter, reason) => {
    expect(() => parseFilter(parseJson(filter))).toThrow(
      `filter: ${reason}: invalid token (see logs for details)`,
    );
  });

  it('gives JSON or a typed error for any filter and result', () => {
    fc.assert(
      fc.property(fc.json(), fc.jsonValue(), (filter, value) => {
        try {
          JSON.parse(filtered(filter, value));
        } catch (error) {
          expect(error).toBeInstanceOf(FulguriteError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
