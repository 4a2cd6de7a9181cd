import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prettyJson } from '../../src/cli/client/pretty.ts';
import { printable } from '../../src/cli/client/printable.ts';
import { parseJson } from '../../src/rpc/json-token.ts';

const pretty = (json: string) => [...prettyJson(parseJson(json))].join('');

describe('indented JSON', () => {
  it('has three spaces per level, the order and the digits of the source', () => {
    expect(pretty('{"b":[1,{"x":18446744073709551615}],"a":{},"c":[],"d":1.50e1,"b":null}')).toBe(
      [
        '{',
        '   "b": [',
        '      1,',
        '      {',
        '         "x": 18446744073709551615',
        '      }',
        '   ],',
        '   "a": {},',
        '   "c": [],',
        '   "d": 1.50e1,',
        '   "b": null',
        '}',
      ].join('\n'),
    );
  });

  it('has the same meaning as the source, and contains no terminal control characters', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const json = JSON.stringify(value);
        const text = pretty(json);
        expect(JSON.parse(text)).toEqual(JSON.parse(json));
        expect(printable(text.replaceAll('\n', ''))).toBe(text.replaceAll('\n', ''));
      }),
    );
  });
});

describe('printable text', () => {
  it('shows control characters and direction marks in escaped form', () => {
    expect(printable('a\x1b[31m\x00\x7f\x9b\r\n\u202e\u2066é😀')).toBe(
      'a\\u001b[31m\\u0000\\u007f\\u009b\\u000d\\u000a\\u202e\\u2066é😀',
    );
    expect(printable('\ud800')).toBe('\\ud800');
  });
});
