/**
 * BOLT 11 invoices. The specification's valid and invalid examples are read, and valid ones are written back.
 * Forged invoices are refused. Any terms are unchanged after writing and reading.
 */
import { readFileSync } from 'node:fs';
import { bech32 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { BOLT11_CURRENCIES, formatHumanReadablePart } from '../../../src/bolt/invoice/bolt11-amount.ts';
import { encodeFields, LETTERS, type TaggedField } from '../../../src/bolt/invoice/bolt11-fields.ts';
import {
  type Bolt11Invoice,
  type Bolt11Terms,
  bolt11Expiry,
  checkPayable,
  createBolt11,
  parseBolt11,
  signBolt11,
} from '../../../src/bolt/invoice/bolt11-invoice.ts';
import { bitFieldWords, integerWords, wordsOf } from '../../../src/bolt/invoice/bolt11-words.ts';
import { addressScript, addressText, isAddressLength } from '../../../src/bolt/onchain-address.ts';
import { featureBits, featuresOf } from '../../../src/bolt/peer/features.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { msat } from '../../../src/model/msat.ts';
import { formatShortChannelId, parseShortChannelId } from '../../../src/model/short-channel-id.ts';

interface Vector {
  readonly name: string;
  readonly invoice: string;
  readonly amountMsat?: string;
  readonly fallbacks?: readonly string[];
  readonly ignored?: string;
  readonly isHighS?: boolean;
  readonly [field: string]: unknown;
}

const file = new URL('../../vectors/bolt11.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly secretKey: string;
  readonly payee: string;
  readonly valid: readonly Vector[];
  readonly invalid: readonly { readonly name: string; readonly invoice: string; readonly reason: string }[];
};
const KEY = fromHex(vectors.secretKey);
const OTHER_KEY = sha256(Uint8Array.of(1));
const HASH = new Uint8Array(32).fill(7);
const TIMESTAMP = 1_496_314_658;

const hex = (bytes: Uint8Array | undefined): string | undefined => bytes && toHex(bytes);

/** The invoice in the format of the vectors. */
function shown(invoice: Bolt11Invoice): object {
  const { fields, currency } = invoice;
  const prefix = currency === 'bc' || currency === 'bcrt' ? currency : 'tb';
  return {
    currency,
    amountMsat: invoice.amountMsat?.toString(),
    timestamp: invoice.timestamp,
    paymentHash: hex(fields.paymentHash),
    paymentSecret: hex(fields.paymentSecret),
    description: fields.description,
    descriptionHash: hex(fields.descriptionHash),
    paymentMetadata: hex(fields.paymentMetadata),
    expirySeconds: fields.expirySeconds === undefined ? undefined : Number(fields.expirySeconds),
    minFinalCltvExpiryDelta: fields.minFinalCltvExpiryDelta,
    features: fields.features && featureBits(fields.features),
    fallbacks: emptyToUndefined(fields.fallbacks?.map((one) => addressText(one, prefix))),
    routeHints: emptyToUndefined(
      fields.routeHints?.map((hops) =>
        hops.map(({ nodeId, shortChannelId, ...hop }) => ({
          nodeId: hex(nodeId),
          shortChannelId: formatShortChannelId(shortChannelId),
          ...hop,
        })),
      ),
    ),
    ignored: invoice.ignored.map(({ tag }) => tag).join('') || undefined,
  };
}

const emptyToUndefined = <T>(list: readonly T[] | undefined) => (list?.length === 0 ? undefined : list);

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof WireError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('the specification’s examples', () => {
  test.each(vectors.valid)(
    '$name',
    ({ name, invoice, isHighS, signature, recoveryId, digest, ...expected }) => {
      const decoded = parseBolt11(invoice);
      expect(shown(decoded)).toEqual(expected);
      if (signature !== undefined) {
        expect([toHex(decoded.signature), decoded.recoveryId]).toEqual([signature, recoveryId]);
        const recovered = curve.ecdsaRecover(
          decoded.signature,
          decoded.recoveryId,
          fromHex(digest as string),
        );
        expect(hex(recovered)).toBe(toHex(decoded.payee));
      }
      if (isHighS) return;
      expect(toHex(decoded.payee)).toBe(vectors.payee);
      const hrp = formatHumanReadablePart(decoded);
      const again = signBolt11(hrp, decoded.timestamp, decoded.tagged, KEY);
      expect(again).toBe(invoice.toLowerCase());
    },
  );

  test.each(vectors.invalid)('refused: $name', ({ invoice, reason }) => {
    expect(refusal(() => parseBolt11(invoice))).toBe(reason);
  });

  test('terms become the first example, byte for byte', () => {
    const { invoice, description } = vectors.valid[0] as Vector;
    const made = createBolt11(
      {
        currency: 'bc',
        amountMsat: undefined,
        timestamp: TIMESTAMP,
        fields: {
          paymentHash: fromHex('0001020304050607080900010203040506070809000102030405060708090102'),
          paymentSecret: fromHex('11'.repeat(32)),
          description: description as string,
          features: featuresOf([8, 14]),
        },
      },
      KEY,
    );
    expect(made).toBe(invoice);
  });

  test('scripts of fallback addresses', () => {
    const script = (at: number) => {
      const [fallback] = parseBolt11((vectors.valid[at] as Vector).invoice).fields.fallbacks ?? [];
      return fallback && toHex(addressScript(fallback));
    };
    // BIP-141: version 0 with 20 bytes, and with 32; BIP-341: version 1.
    expect(script(7)).toBe('0014751e76e8199196d454941c45d1b3a323f1433bd6');
    expect(script(8)).toBe('00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262');
    expect(script(4)).toBe('76a9143172b5654f6683c8fb146959d347ce303cae4ca788ac');
    expect(script(6)).toBe('a9148f55563b9a19f321c211e9b9f38cdf686ea0784587');
    expect(script(9)?.slice(0, 4)).toBe('5120');
  });
});

/** The fields of a plain invoice, in order. */
const PLAIN = {
  paymentSecret: HASH,
  paymentHash: HASH,
  description: 'coffee',
  features: featuresOf([8, 14]),
};

const tag = (letter: string, words: Uint8Array | readonly number[]): TaggedField => ({
  tag: letter,
  words: Uint8Array.from(words),
});

/**
 * The result of reading a plain invoice with these fields added. A field replaces the plain invoice's field
 * with the same letter.
 */
function judged(added: readonly TaggedField[], leftOut = '', key = KEY): string {
  const fields = encodeFields(PLAIN).filter((field) => !leftOut.includes(field.tag));
  return refusal(() => parseBolt11(signBolt11('lnbc', TIMESTAMP, [...fields, ...added], key)));
}

describe('forged and broken', () => {
  test('an invoice must be signed by the payee that it names', () => {
    const named = tag('n', wordsOf(curve.publicKey(KEY)));
    expect(judged([named])).toBe('accepted');
    expect(judged([named], '', OTHER_KEY)).toBe('invalid signature');
    // No point on the curve has x = 5.
    const nobody = Uint8Array.of(2, ...new Uint8Array(31), 5);
    expect(judged([tag('n', wordsOf(nobody))])).toBe(`n: invalid public key ${toHex(nobody)}`);
  });

  const cases: readonly [name: string, expected: string, added: TaggedField[], leftOut?: string][] = [
    ['plain', 'accepted', []],
    ['no payment hash', "No valid 'p' field found", [], 'p'],
    ['no payment secret', 'Missing required payment secret (s field)', [], 's'],
    ['no description', "must have either 'd' or 'h' field", [], 'd'],
    ['a description and a hash', "must not have both 'd' and 'h' fields", [tag('h', wordsOf(HASH))]],
    [
      'an unknown mandatory feature',
      '9: unknown feature bit 100',
      [tag('9', bitFieldWords(featuresOf([100])))],
      '9',
    ],
    ['an unknown optional feature', 'accepted', [tag('9', bitFieldWords(featuresOf([101])))], '9'],
    ['features that begin with zero', '9: non-minimal length (begins with 0)', [tag('9', [0, 8, 8])], '9'],
    ['no UTF-8', 'd: invalid utf8', [tag('d', wordsOf(Uint8Array.of(0xc3, 0x28)))], 'd'],
    ['a zero byte in a text', 'd: invalid utf8', [tag('d', wordsOf(Uint8Array.of(65, 0, 66)))], 'd'],
    ['bits behind the last byte', 'd: non-zero trailing bits', [tag('d', [31, 31])], 'd'],
    ['a word with nothing but such bits', 'd: non-zero trailing bits', [tag('d', [12, 0, 0])], 'd'],
    ['bits behind a hash', 'h: non-zero trailing bits', [tag('h', [...wordsOf(HASH).fill(31, 51)])], 'd'],
    ['an expiry that begins with zero', 'x: not a minimal value', [tag('x', [0, 1])]],
    ['an expiry of 65 bits', 'x: integer too large', [tag('x', new Uint8Array(13).fill(1))]],
    ['an expiry of 60 bits', 'accepted', [tag('x', new Uint8Array(12).fill(31))]],
    ['a delay that begins with zero', 'c: not a minimal value', [tag('c', [0, 0, 1])]],
    ['a delay of 33 bits', 'c: 4294967296 is too large', [tag('c', integerWords(2n ** 32n))]],
    ['a delay of 32 bits', 'accepted', [tag('c', integerWords(2n ** 32n - 1n))]],
    ['an empty fallback', 'f: truncated', [tag('f', [])]],
    ['a short key hash', 'f: bad length 19 for version 17', [tag('f', [17, ...wordsOf(HASH.subarray(13))])]],
    [
      'a long script hash',
      'f: bad length 21 for version 18',
      [tag('f', [18, ...wordsOf(HASH.subarray(11))])],
    ],
    [
      'a witness program of 31 bytes, version 0',
      'f: bad length 31 for version 0',
      [tag('f', [0, ...wordsOf(HASH.subarray(1))])],
    ],
    ['the same, version 1', 'f: bad length 31 for version 1', [tag('f', [1, ...wordsOf(HASH.subarray(1))])]],
    ['the same, version 2', 'accepted', [tag('f', [2, ...wordsOf(HASH.subarray(1))])]],
    ['a fallback of version 19', 'accepted', [tag('f', [19, 1])]],
    ['an empty route hint', 'r: hop 0 truncated', [tag('r', [])]],
    ['half a route hint', 'r: hop 0 truncated', [tag('r', wordsOf(new Uint8Array(25)))]],
    ['a route hint through no node', 'r: hop 0 pubkey invalid', [tag('r', wordsOf(new Uint8Array(51)))]],
    ['a hash of 51 words, ignored', "No valid 'p' field found", [tag('p', new Uint8Array(51))], 'p'],
    ['a second hash, ignored', 'accepted', [tag('p', new Uint8Array(52))]],
    ['a second description, ignored', 'accepted', [tag('d', wordsOf(Uint8Array.of(0xff)))]],
    ['an unknown field', 'accepted', [tag('q', [16])]],
  ];
  test.each(cases)('%s: %s', (_, expected, added, leftOut = '') => {
    expect(judged(added, leftOut)).toBe(expected);
  });

  test('a field that exceeds the remaining data', () => {
    const words = parseBolt11(signBolt11('lnbc', TIMESTAMP, encodeFields(PLAIN), KEY)).tagged;
    expect(words.length).toBe(4);
    const long = { tag: 'd', words: new Uint8Array(1024) };
    expect(refusal(() => signBolt11('lnbc', TIMESTAMP, [long], KEY))).toBe('d: too long for a field');
  });

  test.each([
    ['lnbc1m', msat(100_000_000n)],
    ['lnbc2500u', msat(250_000_000n)],
    ['lnbc10p', msat(1n)],
    ['lnbc25', msat(2_500_000_000_000n)],
    ['lnbc0012n', msat(1200n)],
    ['lnbc184467440737095516150p', msat(2n ** 64n - 1n)],
  ])('%s is an amount', (hrp, amountMsat) => {
    expect(parseBolt11(signBolt11(hrp, TIMESTAMP, encodeFields(PLAIN), KEY)).amountMsat).toBe(amountMsat);
  });

  test.each([
    ['lnbc1p', "Invalid sub-millisatoshi amount '1p'"],
    ['lnbc1k', "Invalid amount postfix 'k'"],
    ['lnbc1mm', "Invalid amount postfix 'mm'"],
    ['lnbcm', 'Unknown chain bcm'],
    ['lnxy', 'Unknown chain xy'],
    ['bc', "Prefix 'bc' does not start with ln"],
    ['lnbc184467440737095516160p', "Invalid amount '18446744073709551616…'"],
    [`lnbc${'9'.repeat(3000)}`, `Invalid amount '${'9'.repeat(20)}…'`],
  ])('%s is not an amount', (hrp, reason) => {
    const text = signBolt11(hrp, TIMESTAMP, encodeFields(PLAIN), KEY);
    expect(refusal(() => parseBolt11(text))).toBe(reason);
  });

  test('characters that become ASCII only when lowercased are refused', () => {
    const text = signBolt11('lnbc', TIMESTAMP, encodeFields(PLAIN), KEY).toUpperCase();
    expect(text).toContain('K');
    expect(refusal(() => parseBolt11(text))).toBe('accepted');
    expect(refusal(() => parseBolt11(text.replace('K', '\u212a')))).toBe('Bad bech32 string');
  });
});

describe('paying', () => {
  const invoice = (expirySeconds?: bigint): Bolt11Invoice =>
    parseBolt11(
      createBolt11(
        { currency: 'tbs', amountMsat: msat(1n), timestamp: 1000, fields: { ...PLAIN, expirySeconds } },
        KEY,
      ),
    );

  test('an invoice expires an hour after its creation, or at the stated time', () => {
    expect(bolt11Expiry(invoice())).toBe(4600n);
    expect(bolt11Expiry(invoice(60n))).toBe(1060n);
    expect(refusal(() => checkPayable(invoice(60n), 'tbs', 1060n))).toBe('accepted');
    expect(refusal(() => checkPayable(invoice(60n), 'tbs', 1061n))).toBe('Invoice expired');
  });

  test('an invoice is paid on its own chain', () => {
    expect(refusal(() => checkPayable(invoice(), 'bc', 1000n))).toBe(
      'Invoice is for another network: lntbs, not lnbc',
    );
  });
});

describe('any terms', () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  const point = bytes(32)
    .filter((key) => curve.isSecretKey(key))
    .map((key) => curve.publicKey(key));
  const u32 = fc.nat(0xffff_ffff);
  const hop = fc.record({
    nodeId: point,
    shortChannelId: fc.constantFrom('1x2x3', '589390x3312x1', '16777215x16777215x65535').map((text) => {
      const id = parseShortChannelId(text);
      if (id === undefined) throw new Error(text);
      return id;
    }),
    feeBaseMsat: u32,
    feeProportionalMillionths: u32,
    cltvExpiryDelta: fc.nat(0xffff),
  });
  const fallback = fc
    .tuple(fc.nat(18), fc.uint8Array({ minLength: 2, maxLength: 40 }))
    .filter(([version, address]) => isAddressLength(version, address.length))
    .map(([version, address]) => ({ version, address }));
  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const purpose = fc.oneof(
    fc
      .string({ maxLength: 100, unit: 'grapheme' })
      .filter((description) => !description.includes('\0'))
      .map((description) => ({ description })),
    bytes(32).map((descriptionHash) => ({ descriptionHash })),
  );
  const terms: fc.Arbitrary<Bolt11Terms> = fc.record({
    currency: fc.constantFrom(...BOLT11_CURRENCIES),
    amountMsat: optional(fc.bigInt(1n, 2n ** 64n - 1n).map((value) => msat(value))),
    timestamp: fc.nat(2 ** 31 - 1),
    withPayeeId: fc.boolean(),
    fields: fc
      .tuple(
        purpose,
        fc.record({
          paymentSecret: bytes(32),
          paymentHash: bytes(32),
          paymentMetadata: optional(fc.uint8Array({ maxLength: 100 })),
          expirySeconds: optional(fc.bigInt(0n, 2n ** 60n - 1n)),
          minFinalCltvExpiryDelta: optional(u32),
          fallbacks: fc.array(fallback, { maxLength: 3 }),
          routeHints: fc.array(fc.array(hop, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
        }),
      )
      .map(([what, rest]) => ({ ...what, ...rest, features: featuresOf([8, 14, 17, 101]) })),
  });

  test('are read as they were written', () => {
    fc.assert(
      fc.property(terms, ({ withPayeeId, ...wish }) => {
        const text = createBolt11({ ...wish, withPayeeId }, KEY);
        const { fields, ...invoice } = parseBolt11(text);
        expect(toHex(invoice.payee)).toBe(vectors.payee);
        expect(invoice).toMatchObject({
          currency: wish.currency,
          amountMsat: wish.amountMsat,
          timestamp: wish.timestamp,
        });
        const { payeeId, features, ...read } = fields;
        expect(hex(payeeId)).toBe(withPayeeId ? vectors.payee : undefined);
        expect(features && featureBits(features)).toEqual([8, 14, 17, 101]);
        const { features: _, ...wished } = wish.fields;
        expect(read).toEqual(wished);
      }),
      { numRuns: 200 },
    );
  });
});

test('randomly changed texts are read or refused with a reason', () => {
  const texts = vectors.valid.map(({ invoice }) => invoice);
  const letters = [...'qpzry9x8gf2tvdw0s3jn54khce6mua7l1LNBC', '\u0130', '\0', ' '];
  const edit = fc.tuple(fc.nat(400), fc.nat(3), fc.array(fc.constantFrom(...letters), { maxLength: 3 }));
  // Corrects the checksum, so that the decoder reads the fields before it.
  const repaired = (text: string): string => {
    const data = [...text.toLowerCase().slice(text.lastIndexOf('1') + 1, -6)];
    if (data.some((letter) => !LETTERS.includes(letter))) return text;
    const words = Uint8Array.from(data, (letter) => LETTERS.indexOf(letter));
    return bech32.encode('lnbc', words, false);
  };
  const changed = fc
    .tuple(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([text, edits, isRepaired]) => {
      let result = text;
      for (const [at, cut, put] of edits)
        result = result.slice(0, at) + put.join('') + result.slice(at + cut);
      return isRepaired ? repaired(result) : result;
    });
  fc.assert(
    fc.property(changed, (text) => {
      expect(refusal(() => parseBolt11(text))).toMatch(/./);
    }),
    { numRuns: 2000 },
  );
});
