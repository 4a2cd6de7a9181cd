/**
 * The requests that runes permit: each condition, each field, and the texts of refusals. The cases of single
 * conditions are the published vectors of the rune library; the texts are those of Core Lightning's
 * `checkrune`.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/bolt/bytes.ts';
import { curve } from '../../src/bolt/crypto/curve.ts';
import { createInvoice, formatInvoice } from '../../src/bolt/invoice/bolt12-invoice.ts';
import { createInvoiceRequest } from '../../src/bolt/invoice/bolt12-invoice-request.ts';
import { encodeOffer } from '../../src/bolt/invoice/bolt12-offer.ts';
import { msat } from '../../src/model/msat.ts';
import { parseJson } from '../../src/rpc/json-token.ts';
import { complaintAbout, type Usage } from '../../src/runes/judge.ts';
import { parseRestrictions } from '../../src/runes/restriction.ts';
import { request, restriction, restrictions } from './arbitrary.ts';

const NEVER: Usage = { isKnown: true, lastUsedNs: undefined, spentMsat: 0n };
const NOW_MS = 1_800_000_000_123;

interface Asked {
  readonly method?: string | undefined;
  /** Parameters as JSON. */
  readonly params?: string | undefined;
  readonly nodeId?: string;
  readonly usage?: Usage;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly ourNodes?: readonly string[];
}

function complaint(
  text: string,
  { method, params, nodeId, usage = NEVER, aliases, ourNodes }: Asked = {},
): string | undefined {
  const token = params === undefined ? undefined : parseJson(params);
  return complaintAbout(
    parseRestrictions(text)!,
    { method, params: token, nodeId, aliases, ourNodes: () => ourNodes },
    usage,
    NOW_MS,
  );
}

describe('the nodes that a request may use', () => {
  it.each([
    // Restrictions, the nodes (undefined: one unnamed node pays), and the complaint.
    ['node=a', ['a'], undefined],
    ['node=a', [], undefined],
    ['node=a', ['a', 'b'], 'node is not equal to a: the request may use our node b'],
    ['node=a|node=b', ['a', 'b'], undefined],
    ['node^eu-', ['eu-1', 'us-1'], 'node does not start with eu-: the request may use our node us-1'],
    ['node/c', ['a', 'c'], 'node is equal to c: the request may use our node c'],
    ['node=a|method=getinfo', ['b'], undefined],
    ['node=a', undefined, 'node not present'],
    ['node!', undefined, undefined],
    ['node!', ['a'], 'node is present: the request may use our node a'],
  ] as const)('%s of %j', (text, ourNodes, words) => {
    expect(complaint(text, { method: 'getinfo', ...(ourNodes && { ourNodes }) })).toBe(words);
  });
});

describe('one condition', () => {
  it.each([
    // Restriction, passing values, failing values, and the complaint. A null value means that the field is
    // absent.
    ['f!', [null], ['1', 'var'], 'is present'],
    ['f=v1', ['v1'], ['v', 'v1a', null], 'is not equal to v1'],
    ['f/v1', ['v2', 'v', 'v1a'], ['v1', null], 'is equal to v1'],
    ['f$v1', ['v1', '2v1'], ['v1a', null], 'does not end with v1'],
    ['f^v1', ['v1', 'v1a'], ['2v1', null], 'does not start with v1'],
    ['f~v1', ['v1', 'v1a', '2v1', '2v12'], ['1v2', null], 'does not contain v1'],
    ['f<1', [0, -10000], [1, 10000, null], 'is greater or equal to 1'],
    ['f>1', [2, 10000], [1, -10000, 0, null], 'is less or equal to 1'],
    ['f{11', ['0', '1', '\t', '/', ''], ['11', '111', 'v1', ':', null], 'is equal to or ordered after 11'],
    ['f}11', ['111', 'v1', ':'], ['0', '1', '\t', '/', '11', null], 'is equal to or ordered before 11'],
    ['f#anything', [null, '1', 'x'], [], ''],
    // The order is that of UTF-8 bytes, which differs from that of UTF-16.
    ['f{𝄞', ['｡'], ['𝄞'], 'is equal to or ordered after 𝄞'],
  ] as const)('%s', (text, passing, failing, words) => {
    const of = (value: string | number | null) =>
      complaint(`pname${text}`, { params: value === null ? '{}' : JSON.stringify({ f: value }) });
    for (const value of passing) expect(of(value), String(value)).toBeUndefined();
    for (const value of failing) {
      expect(of(value), String(value)).toBe(`parameter f ${value === null ? 'not present' : words}`);
    }
  });

  it('of order accepts 64-bit integers, and only JSON numbers', () => {
    const less = (params: string, limit = '10001') => complaint(`pnamea<${limit}`, { params });
    expect(less('{"a":10000}')).toBeUndefined();
    for (const params of [
      '{"a":"12"}',
      '{"a":"10000msat"}',
      '{"a":1.5}',
      '{"a":1e3}',
      '{"a":true}',
      '{"a":[1]}',
    ]) {
      expect(less(params)).toBe('parameter a is not an integer field');
    }
    // Beyond 2^53, these would be equal as doubles.
    expect(less('{"a":9007199254740992}', '9007199254740993')).toBeUndefined();
    expect(less('{"a":9007199254740993}', '9007199254740993')).toContain('greater or equal');
    expect(less('{"a":9223372036854775806}', '9223372036854775807')).toBeUndefined();
    expect(less('{"a":9223372036854775808}', '9223372036854775807')).toContain('not an integer field');
    for (const limit of ['', 'x', '1.0', '1 ', '9223372036854775808']) {
      expect(less('{"a":1}', limit)).toBe(`${limit} is not a valid integer`);
    }
  });
});

describe('fields', () => {
  it.each([
    ['method=x', { method: 'x' }, { method: 'y' }],
    ['method!', {}, { method: 'x' }],
    ['time<1800000001', {}, undefined],
    ['time>1799999999', {}, undefined],
    ['id^02', { nodeId: '02aa' }, { nodeId: '03aa' }],
    ['id!', {}, { nodeId: '03aa' }],
    ['pnum=0', {}, { params: '[1]' }],
    ['pnum<3', { params: '{"a":1,"b":2}' }, { params: '[1,2,3]' }],
    ['parr1=b', { params: '["a","b"]' }, { params: '["b"]' }],
    ['pnamea=1', { params: '{"a":1}' }, { params: '[1]' }],
    ['parr0=1', { params: '[1]' }, { params: '{"a":1}' }],
    ['unknown!', { params: '{"unknown":1}' }, undefined],
  ] as const)('%s', (text, passing, failing) => {
    expect(complaint(text, passing)).toBeUndefined();
    if (failing !== undefined) expect(complaint(text, failing)).toBeDefined();
  });

  it('of parameters are found under their names with and without punctuation', () => {
    const params = '{"amount_msat":5}';
    for (const name of ['amount_msat', 'amountmsat']) {
      expect(complaint(`pname${name}<10`, { params })).toBeUndefined();
      expect(complaint(`pname${name}<5`, { params })).toBe(`parameter ${name} is greater or equal to 5`);
    }
  });

  it('of parameters cannot be evaded by a different spelling', () => {
    // The check reads parameters as the command does: with escapes in keys and strings, null for absent, and
    // alternative names.
    expect(complaint('pnameamountmsat<10', { params: String.raw`{"amount\u005fmsat":50}` })).toContain(
      'greater',
    );
    expect(complaint('pnamelabel/bad', { params: String.raw`{"label":"b\u0061d"}` })).toContain(
      'is equal to',
    );
    expect(complaint('pnamea!', { params: '{"a":null}' })).toBeUndefined();
    expect(complaint('parr0!', { params: '[null]' })).toBeUndefined();
    expect(complaint('pnum=1', { params: '{"a":null,"b":1}' })).toBeUndefined();
    const aliases = { bolt11: 'invstring' };
    for (const name of ['bolt11', 'invstring']) {
      expect(complaint(`pname${name}!`, { params: '{"bolt11":"x"}', aliases })).toBe(
        `parameter ${name} is present`,
      );
    }
  });

  it('that are limited by name refuse positional parameters, unless a condition requires absence', () => {
    expect(complaint('pnameamountmsat<10', { params: '["02aa",5]' })).toBe(
      'parameter amountmsat not present',
    );
    expect(complaint('pnameamountmsat!', { params: '["02aa",500]' })).toBeUndefined();
    expect(complaint('pnameamountmsat<10&parr0!', { params: '["02aa",5]' })).toContain('not present');
  });
});

describe('the node of an invoice', () => {
  const [issuer, thief] = [fromHex('41'.repeat(32)), fromHex('42'.repeat(32))];
  const issuerId = curve.publicKey(issuer);
  const path = {
    firstNode: issuerId,
    firstPathKey: issuerId,
    hops: [{ blindedNodeId: issuerId, encryptedRecipientData: new Uint8Array(50) }],
  };
  const payInfo = {
    feeBaseMsat: 1,
    feeProportionalMillionths: 2,
    cltvExpiryDelta: 18,
    htlcMinimumMsat: msat(0),
    htlcMaximumMsat: msat(10n ** 12n),
    features: new Uint8Array(0),
  };
  const invoiceOf = (signer: Uint8Array): string => {
    const offer = encodeOffer({ offerDescription: 'tea', offerAmount: 1000n, offerIssuerId: issuerId });
    const request = createInvoiceRequest(offer, { invreqMetadata: new Uint8Array(16) }, thief);
    const fields = {
      invoicePaths: [path],
      invoiceBlindedPay: [payInfo],
      invoiceCreatedAt: 1_700_000_000n,
      invoicePaymentHash: new Uint8Array(32),
      invoiceAmountMsat: msat(1000),
      invoiceNodeId: curve.publicKey(signer),
    };
    return formatInvoice({ bytes: createInvoice(request, fields, signer) });
  };

  it('is the issuer only if the issuer signed', () => {
    const rune = `pinvinvstring_node=${toHex(issuerId)}`;
    const asked = (signer: Uint8Array) => ({ params: JSON.stringify({ invstring: invoiceOf(signer) }) });
    expect(complaint(rune, asked(issuer))).toBeUndefined();
    expect(complaint(rune, asked(thief))).toBe('Invalid invoice: invoice_node_id is not the offer_issuer_id');
  });
});

describe('a refusal', () => {
  it.each([
    ['pnamea=1', 'parameter a not present'],
    ['parr3=1', 'parameter #3 not present'],
    ['pnum=3', 'number of parameters is not equal to 3'],
    ['pinva_amount<3', 'Unknown invoice parameter a'],
    ['pinva_colour=red', 'Unknown invoice field a_colour'],
    ['method=a|method=b', 'method not present AND method not present'],
    ['method!&id!&method=x&id=y', 'method not present'],
  ])('%s', (text, words) => {
    expect(complaint(text)).toBe(words);
  });
});

describe('time limits', () => {
  const agoNs = (ns: bigint): Usage => ({
    isKnown: true,
    lastUsedNs: BigInt(NOW_MS) * 1_000_000n - ns,
    spentMsat: 0n,
  });
  const SECOND = 1_000_000_000n;

  it.each([
    ['rate=60', SECOND],
    ['rate=1', 60n * SECOND],
    // 60 s divided by 7, truncated to whole nanoseconds.
    ['rate=7', 8_571_428_571n],
    ['per=1', SECOND],
    ['per=10sec', 10n * SECOND],
    ['per=5nsec', 5n],
    ['per=5usec', 5_000n],
    ['per=5msec', 5_000_000n],
    ['per=2min', 120n * SECOND],
    ['per=3hour', 10_800n * SECOND],
    ['per=4day', 345_600n * SECOND],
  ])('%s', (text, least) => {
    expect(complaint(text)).toBeUndefined();
    expect(complaint(text, { usage: agoNs(least) })).toBeUndefined();
    expect(complaint(text, { usage: agoNs(least - 1n) })).toBe('too soon');
    // The clock was set back.
    expect(complaint(text, { usage: agoNs(-SECOND) })).toBe('too soon');
  });

  it.each([
    ['rate/6', 'rate operator must be ='],
    ['rate=', 'malformed rate'],
    ['rate=0', 'malformed rate'],
    ['rate=6x', 'malformed rate'],
    ['rate=4294967295', 'malformed rate'],
    ['per^6', 'per operator must be ='],
    ['per=sec', 'malformed per'],
    ['per=0sec', 'malformed per'],
    ['per=4294967295', 'malformed per'],
    ['per=1week', 'malformed suffix'],
    ['per=4294967294day', 'per overflow'],
  ])('%s is refused', (text, words) => {
    expect(complaint(text)).toBe(words);
  });

  it('need a rune with known uses', () => {
    const usage: Usage = { isKnown: false, lastUsedNs: undefined, spentMsat: 0n };
    expect(complaint('rate=6', { usage })).toBe('rate needs a rune of this node');
    expect(complaint('per=6', { usage })).toBe('per needs a rune of this node');
  });
});

describe('any rune', () => {
  const judge = (
    given: Parameters<typeof complaintAbout>[0],
    { method, params }: { method: string | undefined; params: unknown },
  ) =>
    complaintAbout(
      given,
      { method, params: params === undefined ? undefined : parseJson(JSON.stringify(params)) },
      NEVER,
      NOW_MS,
    );

  it('passes if and only if each of its restrictions has a passing alternative', () => {
    fc.assert(
      fc.property(restrictions, request, (given, asked) => {
        const each = given.map((alternatives) =>
          alternatives.some((one) => judge([[one]], asked) === undefined),
        );
        expect(judge(given, asked) === undefined).toBe(each.every(Boolean));
      }),
      { numRuns: 1000 },
    );
  });

  it('permits nothing additional after narrowing', () => {
    fc.assert(
      fc.property(restrictions, restriction, request, (given, added, asked) => {
        if (judge(given, asked) !== undefined) expect(judge([...given, added], asked)).toBeDefined();
      }),
      { numRuns: 1000 },
    );
  });
});
