import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { withoutNullMembers } from '../../src/rpc/json-nulls.ts';
import { JsonSyntaxError } from '../../src/rpc/json-scan.ts';
import { type JsonToken, parseJson } from '../../src/rpc/json-token.ts';
import { chunksOf, inTurns, JsonList, jsonPieces, toJson } from '../../src/rpc/json-write.ts';

function accepts(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError || error instanceof SyntaxError)) throw error;
    return false;
  }
}

/** Valid JSON with one random change: mostly invalid afterwards, sometimes not. */
const nearlyJson = fc
  .tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom(...'{}[],:"\\0123456789.eE+-tfn \n\x01é'))
  .map(([json, at, remove, insert]) => {
    const cut = at % (json.length + 1);
    return json.slice(0, cut) + insert + json.slice(cut + remove);
  });

describe('the JSON scanner', () => {
  it('accepts exactly what JSON.parse accepts', () => {
    const sameVerdict = (text: string): void => {
      expect(accepts(parseJson, text)).toBe(accepts(JSON.parse, text));
    };
    fc.assert(fc.property(fc.json(), sameVerdict));
    fc.assert(fc.property(nearlyJson, sameVerdict), { numRuns: 5000 });
    fc.assert(fc.property(fc.string({ unit: 'binary' }), sameVerdict));
  });

  it.each([
    '',
    ' ',
    '{',
    '[1',
    '{"a"',
    '{"a":',
    '{"a":1,}',
    '[1,]',
    '01',
    '1.',
    '.5',
    '+1',
    '-',
    '1e',
    'tru',
    '"\t"',
    '"\\x"',
    '"\\u12g4"',
    '1 2',
    '{}}',
    "{'a':1}",
    'NaN',
    '[1 2]',
    '{"a":1 "b":2}',
  ])('refuses %j', (text) => {
    expect(() => parseJson(text)).toThrow(JsonSyntaxError);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  it('limits nesting and the number of values', () => {
    expect(parseJson('[[[]]]', 3).kind).toBe('array');
    expect(() => parseJson('[[[]]]', 2)).toThrow('nested deeper than 2 at offset 2');
    expect(parseJson('{"a":[1,{}]}', 9, 4).kind).toBe('object');
    expect(() => parseJson('{"a":[1,{}]}', 9, 3)).toThrow('more than 3 values at offset 8');
    const deep = '['.repeat(100_000);
    expect(() => parseJson(deep + ']'.repeat(100_000))).toThrow(JsonSyntaxError);
  });

  it('yields the values of JSON.parse', () => {
    const plain = (token: JsonToken): unknown => {
      if (token.kind === 'array') return token.elements().map(plain);
      if (token.kind !== 'object') return JSON.parse(token.raw);
      return Object.fromEntries(token.members().map(({ key, value }) => [key, plain(value)]));
    };
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => {
        expect(plain(parseJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps source text, order and repeated keys', () => {
    const token = parseJson(
      ' { "a" : 18446744073709551615 , "\\u0062":1.50e1, "a":"x\\ny" , "__proto__" : 1} ',
    );
    expect(token.members().map(({ key, value }) => [key, value.raw, value.text])).toEqual([
      ['a', '18446744073709551615', '18446744073709551615'],
      ['b', '1.50e1', '1.50e1'],
      ['a', '"x\\ny"', 'x\ny'],
      ['__proto__', '1', '1'],
    ]);
  });
});

describe('the JSON writer', () => {
  it('writes what JSON.parse reads back', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(JSON.parse(toJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('escapes quotes, backslashes, control characters and 0x7f, and nothing else', () => {
    expect(toJson({ 'a"': 'b\\\n\x01\x7fé€😀', none: undefined, big: 2n ** 64n - 1n })).toBe(
      '{"a\\"":"b\\\\\\n\\u0001\\u007fé€😀","big":18446744073709551615}',
    );
  });

  it('refuses values that JSON cannot represent', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, () => 1, undefined, Symbol('s')]) {
      expect(() => toJson(value)).toThrow(TypeError);
    }
  });

  it('waits for each element of an asynchronous list, and closes a list that is not read further', async () => {
    const log: string[] = [];
    async function* later(): AsyncGenerator<unknown, void> {
      try {
        for (let n = 1; n <= 3; n++) {
          await undefined;
          log.push(`made ${n}`);
          yield { n };
        }
      } finally {
        log.push('let go');
      }
    }
    const even = (element: unknown): unknown => ({ ...(element as { n: number }), even: true });
    let text = '';
    for (const piece of jsonPieces({ a: new JsonList(later()).map(even) })) {
      if (typeof piece === 'string') text += piece;
      else await piece;
    }
    expect(text).toBe('{"a":[{"n":1,"even":true},{"n":2,"even":true},{"n":3,"even":true}]}');
    expect(log.splice(0)).toEqual(['made 1', 'made 2', 'made 3', 'let go']);
    for (const piece of jsonPieces(new JsonList(later()))) {
      if (typeof piece !== 'string') await piece;
      else if (piece !== '[' && piece !== '') break;
    }
    await new Promise(setImmediate);
    expect(log).toEqual(['made 1', 'let go']);
    expect(() => toJson(new JsonList(later()))).toThrow(TypeError);
  });

  it('waits once per page of a list in pages, and writes the same as for a list of its elements', async () => {
    const pages = [[{ n: 1 }, { n: 2 }, { n: 4 }], [], [{ n: 3, list: new JsonList([1n, 'x']) }]];
    const log: string[] = [];
    async function* later(): AsyncGenerator<Iterable<unknown>, void> {
      try {
        yield* pages;
      } finally {
        log.push('let go');
      }
    }
    const even = (element: unknown): unknown => ({ ...(element as { n: number }), even: true });
    const written = async (list: JsonList): Promise<[string, number]> => {
      let text = '';
      let waits = 0;
      for (const piece of jsonPieces(list)) {
        if (typeof piece === 'string') text += piece;
        else {
          waits++;
          await piece;
        }
      }
      return [text, waits];
    };
    const text =
      '[{"n":1,"even":true},{"n":2,"even":true},{"n":4,"even":true},{"n":3,"list":[1,"x"],"even":true}]';
    // One wait per page, and a last one that finds the end.
    expect(await written(JsonList.inPages(later()).map(even))).toEqual([text, 4]);
    const elements = new JsonList(JsonList.inPages(later()).elements).map(even);
    expect(await written(elements)).toEqual([text, 5]);
    for (const piece of jsonPieces(JsonList.inPages(later()))) {
      if (typeof piece !== 'string') await piece;
      else if (piece.includes('1')) break;
    }
    await new Promise(setImmediate);
    expect(log).toEqual(['let go', 'let go', 'let go']);
    expect(() => toJson(JsonList.inPages(later()))).toThrow(TypeError);
  });

  it('yields to other work after some time, even while a list has nothing to write', () => {
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    function* slow(msEach: number): Generator<string, void> {
      for (let n = 0; n < 64; n++) {
        nowMs += msEach;
        yield '';
      }
    }
    const waits = (msEach: number) =>
      [...inTurns(slow(msEach))].filter((piece) => typeof piece !== 'string').length;
    // 8 pieces that take 1 ms each exceed the time of a turn; 64 pieces of 0.01 ms do not.
    expect([waits(1), waits(0.01)]).toEqual([8, 0]);
    clock.mockRestore();
  });

  it('writes lists in chunks, including nested ones', () => {
    const plain = { a: [1, { b: ['x'.repeat(100_000), 2], c: 'y' }], d: null, e: [] };
    const lists = {
      a: new JsonList([1, { b: new JsonList(['x'.repeat(100_000), 2]), c: 'y' }]),
      d: null,
      e: new JsonList([]),
      f: undefined,
    };
    const chunks = [...chunksOf(jsonPieces(lists))];
    expect(chunks.length).toBe(2);
    expect(chunks.join('')).toBe(toJson(plain));
  });

  it('keeps only the text of chunks for slow readers', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const entry = (n: number) => ({ n, source: `02${n}`, fee: BigInt(n), text: String(n).repeat(3) });
    const heldBytes = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = heldBytes();
    const readers = Array.from({ length: 100 }, (_, reader) =>
      chunksOf(
        jsonPieces(
          JsonList.of(
            Array.from({ length: 4000 }, (_, n) => n),
            (n) => entry(reader * 4000 + n),
          ),
        ),
      ),
    );
    const chunks = readers.map((chunksOfOne) => chunksOfOne.next().value as string);
    const textBytes = chunks.reduce((sum, { length }) => sum + length, 0);
    const held = heldBytes() - before;
    expect(held).toBeLessThan(1.5 * (textBytes + readers.length * 4000 * 8));
    expect(readers[0]!.next().value).not.toBe('');
  });
});

describe('members that are null', () => {
  /** The reference, with JSON.parse: ten times simpler. */
  const reference = (text: string): string =>
    JSON.stringify(JSON.parse(text), (_key, value) =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? value
        : Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)),
    );
  const depth = { maxDepth: 6, depthSize: 'large' as const };
  const { nullish } = fc.letrec((tie) => ({
    nullish: fc.oneof(
      depth,
      fc.constantFrom(null, null, true, 0, 'null', '"}', 'a,b:c'),
      fc.array(tie('nullish'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', 'b', '{', 'null', '\\"'), tie('nullish'), { maxKeys: 4 }),
    ),
  }));

  it('are dropped at any depth, and nothing else is', () => {
    fc.assert(
      fc.property(nullish, fc.constantFrom(undefined, 1), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        expect(JSON.stringify(JSON.parse(withoutNullMembers(text)))).toBe(reference(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('keep the digits of numbers and repeated keys', () => {
    const text = ' { "a" : 18446744073709551615.10 , "b" : null , "a" : [ null , 1e5 ] } ';
    expect(withoutNullMembers(text)).toBe(' { "a" : 18446744073709551615.10 ,  "a" : [ null , 1e5 ] } ');
  });
});

describe('deep nesting', () => {
  const SIZE = 200_000;
  const wrapped = (levels: number): string =>
    `{"a":${'['.repeat(levels)}${'1,'.repeat(SIZE)}null${']'.repeat(levels)}}`;
  const leaves = (token: JsonToken): number => {
    const inner = [...token.elements(), ...token.members().map(({ value }) => value)];
    return inner.length === 0 ? 1 : inner.reduce((sum, one) => sum + leaves(one), 0);
  };
  /** Processor time in microseconds: the minimum of five runs. */
  const costOf = (run: () => void): number => {
    const costs = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    });
    return Math.min(...costs);
  };

  // If each level were scanned again, the nested text would cost at least 470 times as much as the flat text.
  it.each([
    ['visiting every value', (text: string) => void leaves(parseJson(text))],
    ['dropping members that are null', (text: string) => void withoutNullMembers(text)],
  ])('costs at most 20 times as much as flat text: %s', (_, run) => {
    const [deep, flat] = [wrapped(950), wrapped(1)];
    run(deep);
    expect(costOf(() => run(deep)) / costOf(() => run(flat))).toBeLessThan(20);
  });
});
