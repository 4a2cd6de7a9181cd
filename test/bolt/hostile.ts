/**
 * Bytes that an attacker might choose, and the loop that feeds them to a decoder. They are valid bytes that
 * were changed, cut, duplicated or joined, and random bytes.
 *
 * FUZZ_SECONDS=300 gives each decoder five minutes instead of a fixed number of cases, and prints the number
 * of cases.
 */

import fc from 'fast-check';
import { expect } from 'vitest';
import { fromHex, toHex } from '../../src/bolt/bytes.ts';
import { WireError } from '../../src/bolt/wire-error.ts';

const SECONDS = Number(process.env.FUZZ_SECONDS ?? 0);

/** Maximum duration of one `expectOnlyWireErrors`, in ms, for the timeout of the test. */
export const FUZZ_TIMEOUT_MS = (SECONDS + 60) * 1000;

const splice = (bytes: Uint8Array, at: number, cut: number, put: Uint8Array): Uint8Array => {
  const from = at % (bytes.length + 1);
  return new Uint8Array([...bytes.subarray(0, from), ...put, ...bytes.subarray(from + cut)]);
};

/** Valid bytes after one to four changes, or random bytes. */
export function hostile(valid: Uint8Array): fc.Arbitrary<Uint8Array> {
  const edit = fc.tuple(
    fc.nat(),
    fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.nat(40)),
    fc.oneof(
      { weight: 5, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 1 }) },
      fc.uint8Array({ maxLength: 20 }),
      fc.constantFrom(
        valid.subarray(0, 40),
        fromHex('ffffffffffffffffff'),
        fromHex('fd00fc'),
        new Uint8Array(33),
      ),
    ),
  );
  const edited = fc.array(edit, { minLength: 1, maxLength: 4 }).map((edits) => {
    let bytes = valid;
    for (const [at, cut, put] of edits) bytes = splice(bytes, at, cut, put);
    return bytes;
  });
  return fc.oneof({ weight: 4, arbitrary: edited }, fc.uint8Array({ maxLength: 200 }));
}

/**
 * Runs `decode` on changed forms of valid bytes. It may throw only `WireError`. If it returns bytes, they must equal
 * its input.
 */
export function expectOnlyWireErrors(
  name: string,
  valid: Uint8Array,
  decode: (bytes: Uint8Array) => unknown,
): void {
  let [cases, accepted] = [0, 0];
  decode(valid);
  fc.assert(
    fc.property(hostile(valid), (bytes) => {
      cases++;
      try {
        const written = decode(bytes);
        accepted++;
        if (written instanceof Uint8Array) expect(toHex(written)).toBe(toHex(bytes));
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
      }
    }),
    SECONDS > 0
      ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: SECONDS * 1000 }
      : { numRuns: 300 },
  );
  if (SECONDS > 0)
    process.stdout.write(`fuzzed ${name}: ${cases} cases in ${SECONDS} s, ${accepted} accepted\n`);
}
