import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FulguriteError } from '../../src/model/errors.ts';
import { Framer } from '../../src/rpc/framer.ts';
import { InputBudget } from '../../src/rpc/input-budget.ts';

/** The texts found in a stream that arrives in chunks of these lengths (in a cycle), or the error. */
function cut(stream: Buffer, lengths: readonly number[], maxBytes = 1 << 20): (string | FulguriteError)[] {
  const budget = new InputBudget(Number.MAX_SAFE_INTEGER);
  const framer = new Framer(maxBytes, budget);
  const texts: (string | FulguriteError)[] = [];
  let at = 0;
  for (let i = 0; at < stream.length; i++) {
    const end = at + lengths[i % lengths.length]!;
    framer.push(stream.subarray(at, end));
    at = end;
    try {
      for (let text = framer.next(); text !== undefined; text = framer.next()) texts.push(text.toString());
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
      return [...texts, error];
    }
  }
  framer.release();
  expect(budget.usedBytes).toBe(0);
  return texts;
}

const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
const containers = fc
  .oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()))
  .map((value) => JSON.stringify(value));
const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 });

describe('framing', () => {
  it('finds the same texts for any chunking and spacing of the stream', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(space, containers)), space, lengths, (texts, tail, chunks) => {
        const stream = Buffer.from(texts.flat().join('') + tail);
        expect(cut(stream, chunks)).toEqual(texts.map(([, text]) => text));
      }),
    );
  });

  it('turns random bytes into texts or one typed error', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.string({ unit: fc.constantFrom(...'{}[]",\\ax\n'), maxLength: 60 }).map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bytes, lengths, (stream, chunks) => {
        const whole = cut(Buffer.from(stream), [Math.max(1, stream.length)], 50);
        const parts = cut(Buffer.from(stream), chunks, 50);
        const names = (texts: typeof whole) =>
          texts.map((text) => (text instanceof FulguriteError ? text.name : text));
        expect(names(parts)).toEqual(names(whole));
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses at once everything that is neither an object nor an array', () => {
    for (const text of ['hello world', '42', ' "x"', 'null', '}', '\0']) {
      expect(cut(Buffer.from(text), [1])).toMatchObject([{ name: 'parseError', code: -32700 }]);
    }
  });

  it('shows only the beginning of unreadable input', () => {
    const [error] = cut(Buffer.from(`x${'y'.repeat(5000)}`), [10_000]) as [FulguriteError];
    expect(error.message).toBe(`Failed to parse RPC JSON response 'x${'y'.repeat(199)}…'`);
  });

  it('keeps an unfinished text in one buffer of at most twice its size', () => {
    const budget = new InputBudget(Number.MAX_SAFE_INTEGER);
    const framer = new Framer(1 << 20, budget);
    framer.push(Buffer.from('["'));
    for (let byte = 2; byte < 100_000; byte++) {
      expect(framer.next()).toBeUndefined();
      framer.push(Buffer.from('x'));
    }
    framer.next();
    expect(budget.usedBytes).toBeGreaterThanOrEqual(100_000);
    expect(budget.usedBytes).toBeLessThanOrEqual(200_000);
    framer.push(Buffer.from('"]'));
    expect(framer.next()?.length).toBe(100_002);
    expect(budget.usedBytes).toBe(0);
  });

  it('shares a limit with other framers', () => {
    const budget = new InputBudget(10_000);
    const [one, other] = [new Framer(8000, budget), new Framer(8000, budget)];
    one.push(Buffer.from(`["${'x'.repeat(6000)}`));
    expect(one.next()).toBeUndefined();
    other.push(Buffer.from(`["${'x'.repeat(6000)}`));
    expect(() => other.next()).toThrow('The requests of all clients exceed 10000 bytes');
    one.release();
    const third = new Framer(8000, budget);
    third.push(Buffer.from(`["${'x'.repeat(6000)}`));
    expect(third.next()).toBeUndefined();
  });

  it('may use the whole budget of all clients, and not one byte more', () => {
    const budget = new InputBudget(100);
    expect([
      budget.tryReserve(60),
      budget.tryReserve(41),
      budget.tryReserve(40),
      budget.tryReserve(1),
    ]).toEqual([true, false, true, false]);
    expect(budget.usedBytes).toBe(100);
  });

  it('allows a text of exactly the limit', () => {
    const text = `{"a":"${'x'.repeat(92)}"}`;
    expect(text.length).toBe(100);
    expect(cut(Buffer.from(text + text), [7], 100)).toEqual([text, text]);
    expect(cut(Buffer.from(text), [7], 99)).toMatchObject([{ name: 'tooLarge', data: { limit: 99 } }]);
    expect(cut(Buffer.from(text), [100], 99)).toMatchObject([{ name: 'tooLarge', data: { limit: 99 } }]);
  });
});
