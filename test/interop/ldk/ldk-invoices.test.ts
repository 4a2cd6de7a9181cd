/**
 * BOLT 11 invoices that LDK reads as well: the specification's examples, and thousands of copies with a
 * changed field and a new signature. LDK must accept and refuse the same invoices as we do, except for the
 * listed differences.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import type { Bolt11Invoice as LdkInvoice } from 'lightningdevkit';
import { beforeAll, expect, test } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import type { TaggedField } from '../../../src/bolt/invoice/bolt11-fields.ts';
import { type Bolt11Invoice, parseBolt11, signBolt11 } from '../../../src/bolt/invoice/bolt11-invoice.ts';
import { bitFieldWords, wordsOf } from '../../../src/bolt/invoice/bolt11-words.ts';
import { featureBits, featuresOf } from '../../../src/bolt/peer/features.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { describeNeeding } from '../../needs.ts';
import { countWithin, likeDrawn } from '../../statistics.ts';

const CASES = Number(process.env.INVOICE_CASES ?? 400);
const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);
const vectors = JSON.parse(readFileSync(new URL('../../vectors/bolt11.json', import.meta.url), 'utf8')) as {
  readonly secretKey: string;
  readonly valid: readonly { readonly name: string; readonly invoice: string; readonly isHighS?: boolean }[];
  readonly invalid: readonly { readonly name: string; readonly invoice: string }[];
};
const KEY = fromHex(vectors.secretKey);
const packageFile = createRequire(import.meta.url).resolve('lightningdevkit/package.json');
const binary = join(dirname(packageFile), 'liblightningjs.wasm');

describeNeeding('ldk', existsSync(binary), 'LDK', () => {
  let ldk: typeof import('lightningdevkit');
  beforeAll(async () => {
    ldk = await import('lightningdevkit');
    await ldk.initializeWasmFromBinary(readFileSync(binary));
  });

  const theirs = (text: string): LdkInvoice | undefined => {
    const read = ldk.Bolt11Invoice.constructor_from_str(text);
    return read instanceof ldk.Result_Bolt11InvoiceParseOrSemanticErrorZ_OK ? read.res : undefined;
  };
  /** The invoice, or our reason to refuse it. */
  const ours = (text: string): Bolt11Invoice | string => {
    try {
      return parseBolt11(text);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return error.message;
    }
  };

  /**
   * Invoices that we accept and LDK refuses. The specification and Core Lightning accept them too. LDK
   * requires features that BOLT 9 assumes, and refuses repeated fields, of which the specification uses the
   * first.
   */
  const isStricter = ({ tagged, fields }: Bolt11Invoice): boolean => {
    const bits = featureBits(fields.features ?? new Uint8Array(0));
    const has = (even: number) => bits.includes(even) || bits.includes(even + 1);
    const tags = tagged.map(({ tag }) => tag);
    const isRepeated = (tag: string) => tags.indexOf(tag) !== tags.lastIndexOf(tag);
    return !has(8) || !has(14) || [...'pshd'].some(isRepeated);
  };

  /**
   * Our reasons for refusing invoices that LDK accepts. In each case, BOLT 11 forbids the invoice for readers
   * or writers.
   */
  const LAXER: readonly RegExp[] = [
    // Numbers and features must not have leading zeros, and delays must fit into 32 bits.
    /^[cx]: not a minimal value$/,
    /^9: non-minimal length/,
    /^c: \d+ is too large$/,
    // Padding bits of a field must be zero.
    /^[a-z]: non-zero trailing bits$/,
    // Addresses of known versions have known lengths.
    /^f: bad length/,
    // A route hint has at least one hop.
    /^r: hop 0 truncated$/,
    // In many programs, a zero byte would end the text.
    /^d: invalid utf8$/,
  ];

  test('accepts the good examples and refuses the bad ones, as we do', () => {
    for (const { name, invoice, isHighS } of vectors.valid) {
      // This example is newer than this version of LDK, which refuses a high s.
      if (isHighS) expect(theirs(invoice), name).toBeUndefined();
      else expect(theirs(invoice), name).toBeDefined();
    }
    for (const { name, invoice } of vectors.invalid) expect(theirs(invoice), name).toBeUndefined();
  });

  const words = (most: number) =>
    fc.array(fc.nat(31), { maxLength: most }).map((list) => Uint8Array.from(list));
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(wordsOf);
  const field: fc.Arbitrary<TaggedField> = fc.oneof(
    fc.record({ tag: fc.constantFrom(...'pshdmncxf9r2ql'), words: words(60) }),
    fc.record({ tag: fc.constantFrom(...'psh'), words: hash }),
    fc.record({ tag: fc.constantFrom('x', 'c'), words: words(8) }),
    fc
      .uniqueArray(fc.constantFrom(8, 9, 14, 15, 16, 17, 25, 48, 49, 100, 101), { minLength: 1 })
      .map((bits) => ({ tag: '9', words: bitFieldWords(featuresOf(bits)) })),
  );
  type Change = (fields: TaggedField[]) => TaggedField[];
  const change: fc.Arbitrary<Change> = fc.oneof(
    fc.nat(12).map(
      (at): Change =>
        (fields) =>
          fields.toSpliced(at, 1),
    ),
    fc.tuple(fc.nat(12), field).map(
      ([at, one]): Change =>
        (fields) =>
          fields.toSpliced(at, 0, one),
    ),
    fc.tuple(fc.nat(12), field).map(
      ([at, one]): Change =>
        (fields) =>
          fields.toSpliced(at, 1, one),
    ),
    fc.tuple(fc.nat(12), fc.nat(60), fc.nat(31)).map(
      ([at, i, word]): Change =>
        (fields) =>
          fields.map((one, j) =>
            j === at ? { ...one, words: one.words.map((w, k) => (k === i ? word : w)) } : one,
          ),
    ),
  );
  const invoices = fc
    .tuple(
      fc.constantFrom(...vectors.valid),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('lnbc', 'lnbc1m', 'lntb20u', 'lntbs3n', 'lnbcrt10p', 'lnbc1p', 'lnbc5x', 'lnbc'),
    )
    .map(([{ invoice }, changes, hrp]) => {
      const { tagged, timestamp } = parseBolt11(invoice);
      return signBolt11(
        hrp,
        timestamp,
        changes.reduce((fields, next) => next(fields), [...tagged]),
        KEY,
      );
    });

  test(`accepts and refuses changed invoices as we do (${CASES} of seed ${SEED})`, () => {
    let [accepted, refused] = [0, 0];
    fc.assert(
      fc.property(invoices, (text) => {
        const [we, they] = [ours(text), theirs(text)];
        if (typeof we === 'string') {
          refused++;
          if (they !== undefined)
            expect(
              LAXER.some((rule) => rule.test(we)),
              `LDK accepts: ${we}`,
            ).toBe(true);
          return;
        }
        accepted++;
        if (they === undefined) {
          expect(
            isStricter(we),
            `LDK refuses ${JSON.stringify(we.tagged.map(({ tag, words }) => tag + words.length))}`,
          ).toBe(true);
          return;
        }
        // LDK hashes its own encoding of the fields that it has read. If a field had a different encoding,
        // LDK recovers a different signer.
        if (they.to_str() === text) expect(toHex(they.recover_payee_pub_key())).toBe(toHex(we.payee));
        expect(toHex(they.payment_hash())).toBe(toHex(we.fields.paymentHash));
        expect(toHex(they.payment_secret())).toBe(toHex(we.fields.paymentSecret));
        expect(they.min_final_cltv_expiry_delta()).toBe(BigInt(we.fields.minFinalCltvExpiryDelta ?? 18));
      }),
      { seed: SEED, numRuns: CASES },
    );
    expect(accepted + refused).toBe(CASES);
    const usual = likeDrawn({ seed: 1, trials: 400, count: 186 }, SEED, CASES);
    expect(accepted).toBe(countWithin(accepted, usual));
  });
});
