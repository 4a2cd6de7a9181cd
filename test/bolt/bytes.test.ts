/**
 * XOR of byte arrays: processing words must give the same result as processing bytes, for any start and end
 * of the arrays.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteWriter, xorInto } from '../../src/bolt/bytes.ts';

const SEED = Number(process.env.FULGURITE_TEST_SEED ?? Date.now() % 2 ** 31);

it('xors every byte of the source and no other', () => {
  const offset = fc.integer({ min: 0, max: 9 });
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      offset,
      offset,
      offset,
      fc.integer(),
      (bytes, before, at, after, fill) => {
        const target = new Uint8Array(before + at + bytes.length + after).map((_, i) =>
          Math.imul(i + 1, fill),
        );
        const source = new Uint8Array([...new Uint8Array(after), ...bytes]).subarray(after);
        const expected = target.map((byte, i) => byte ^ (source[i - before - at] ?? 0));
        xorInto(target.subarray(before), source, at);
        expect([...target]).toEqual([...expected]);
      },
    ),
    { seed: SEED, numRuns: 500 },
  );
});

it('later writes do not change finished bytes, even if they filled the buffer', () => {
  for (const capacity of [2, 3]) {
    const writer = new ByteWriter(capacity).u16(0x0102);
    const finished = writer.finish();
    writer.u8(3);
    expect([...finished]).toEqual([1, 2]);
    expect([...writer.finish()]).toEqual([1, 2, 3]);
  }
});
