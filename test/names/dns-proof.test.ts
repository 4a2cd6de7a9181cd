/**
 * DNSSEC proofs with signatures by other software: the chain of RFC 9102 appendix A.1, answers of the public
 * DNS of 2024 for a payable name, and zones signed by dnspython. A record that could have been changed in
 * transit must never be accepted.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareNames, dnsName, labelsOf, ofLabels } from '../../src/names/dns-name.ts';
import { anchor, prove, ROOT_ANCHORS } from '../../src/names/dns-proof.ts';
import {
  type DnsRecord,
  RECORD_TYPE,
  readAnswer,
  readProof,
  txtOf,
  writeProof,
} from '../../src/names/dns-record.ts';
import { NameError } from '../../src/names/name-error.ts';
import { madeZones, txtName, vector, zones } from './zones.ts';

const IN_2024 = Date.UTC(2024, 1, 28) / 1000;
const IN_2026 = Date.UTC(2026, 5, 1) / 1000;
const TLSA = 52;
const NINJA = 'dnssec_proof_tests.bitcoin.ninja';
const real = { anchors: ROOT_ANCHORS, nowSeconds: IN_2024 };
const made = { anchors: [anchor(vector('made', 'anchor'))], nowSeconds: IN_2026 };
const madeHeap = madeZones();
const textsOf = (records: readonly DnsRecord[]) => records.map(({ data }) => txtOf(data));
const proveTxt = (heap: readonly DnsRecord[], name: string, how = real) =>
  textsOf(prove(heap, dnsName(name), RECORD_TYPE.txt, how).records);
const faultOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof NameError) return error.fault;
    throw error;
  }
  return 'none';
};

test('the chain of RFC 9102 appendix A.1 proves its TLSA record, in force from November 2018 to December 2020', () => {
  const heap = readProof(Buffer.from(vector('rfc9102', 'chain'), 'hex'));
  const how = { anchors: [anchor(vector('rfc9102', 'anchor'))], nowSeconds: Date.UTC(2020, 0, 1) / 1000 };
  const name = dnsName('_443._tcp.www.example.com');
  const { records, proof } = prove(heap, name, TLSA, how);
  expect(records.map(({ data }) => Buffer.from(data).toString('hex'))).toEqual([
    '0301018bd1da95272f7fa4ffb24137fc0ed03aae67e5c4d8b3c50734e1050a7920b922',
  ]);
  // A serialised proof can be verified again.
  expect(prove(readProof(writeProof(proof)), name, TLSA, how).records).toEqual(records);
  for (const year of [2018, 2021]) {
    const late = { ...how, nowSeconds: Date.UTC(year, 0, 1) / 1000 };
    expect(faultOf(() => prove(heap, name, TLSA, late))).toBe('invalid');
  }
});

test('answers of the public DNS prove a name from the root of the internet', () => {
  const heap = zones('real', 'root', 'com', 'mattcorallo', 'mattTxt');
  const [text] = proveTxt(heap, 'matt.user._bitcoin-payment.mattcorallo.com');
  expect(text).toMatch(/^bitcoin:\?b12=lno1/);
  // Nothing is proven if a zone is missing, if the root differs, or for a different user of the domain.
  for (const left of [
    ['root', 'mattcorallo', 'mattTxt'],
    ['root', 'com', 'mattTxt'],
    ['com', 'mattcorallo', 'mattTxt'],
  ]) {
    expect(
      faultOf(() => proveTxt(zones('real', ...left), 'matt.user._bitcoin-payment.mattcorallo.com')),
    ).toBe('unsigned');
  }
  expect(
    faultOf(() =>
      proveTxt(heap, 'matt.user._bitcoin-payment.mattcorallo.com', { ...real, anchors: made.anchors }),
    ),
  ).toBe('invalid');
  expect(faultOf(() => proveTxt(heap, 'bob.user._bitcoin-payment.mattcorallo.com'))).toBe('absent');
});

test('an alias and wildcards with NSEC and NSEC3 denials of the public DNS are proven', () => {
  const ninja = ['root', 'ninja'];
  expect(proveTxt(zones('real', ...ninja, 'txt', 'cname'), `cname_test.${NINJA}`)).toEqual([
    'dnssec_prover_test',
  ]);
  const nsec3 = zones('real', ...ninja, 'nsec3Wildcard');
  expect(proveTxt(nsec3, `asdf.wildcard_test.${NINJA}`)).toEqual(['wildcard_test']);
  for (const [part, name] of [
    ['nsecWildcard', 'asdf'],
    ['nsecWildcardAfter', 'z'],
  ] as const) {
    const heap = zones('real', ...ninja, 'nsecZone', part);
    expect(proveTxt(heap, `${name}.wildcard_test.nsec_tests.${NINJA}`)).toEqual(['wildcard_test']);
    // The record is proven neither under a name that exists, nor without the proof (NSEC) that the name does not
    // exist.
    const moved = (to: string) =>
      heap.map((one) =>
        labelsOf(one.name)[0] === name
          ? { ...one, name: ofLabels([to, ...labelsOf(one.name).slice(1)]) }
          : one,
      );
    expect(faultOf(() => proveTxt(moved('override'), `override.wildcard_test.nsec_tests.${NINJA}`))).toBe(
      'unsigned',
    );
    const bare = heap.filter(({ type }) => type !== RECORD_TYPE.nsec);
    expect(faultOf(() => proveTxt(bare, `${name}.wildcard_test.nsec_tests.${NINJA}`))).toBe('unsigned');
  }
  const deeper = nsec3.map((one) =>
    labelsOf(one.name)[0] === 'asdf' ? { ...one, name: ofLabels(['x', ...labelsOf(one.name)]) } : one,
  );
  // The proof denies asdf.wildcard_test and everything below it, so the wildcard applies there too.
  expect(proveTxt(deeper, `x.asdf.wildcard_test.${NINJA}`)).toEqual(['wildcard_test']);
});

test.each(['rsa256', 'rsa512', 'p256', 'p384', 'ed25519', 'ed448'])(
  'signatures by %s are verified',
  (method) => {
    const { records, lifeSeconds } = prove(madeHeap, txtName('tea', `${method}.test`), RECORD_TYPE.txt, made);
    expect(textsOf(records).sort()).toEqual([`bitcoin:?lno=lno1${method}`, 'other']);
    expect(lifeSeconds).toBe(300);
  },
);

test('wildcards, a name’s own record beside a wildcard, and aliases into other zones are proven as dnspython signs them', () => {
  const expand = (name: string) => {
    const from = dnsName('*.wild.user._bitcoin-payment.p256.test');
    return [
      ...madeHeap,
      ...madeHeap
        .filter((one) => one.name === from && one.type !== RECORD_TYPE.nsec)
        .map((one) => ({ ...one, name: dnsName(name) })),
    ];
  };
  const wild = 'any.wild.user._bitcoin-payment.p256.test';
  expect(proveTxt(expand(wild), wild, made)).toEqual(['bitcoin:?lno=lno1wild']);
  const own = 'own.wild.user._bitcoin-payment.p256.test';
  expect(proveTxt(madeHeap, own, made)).toEqual(['bitcoin:?lno=lno1own']);
  const hidden = expand(own).filter(
    ({ name, data, type }) =>
      name !== dnsName(own) || type !== RECORD_TYPE.txt || txtOf(data)?.includes('wild'),
  );
  expect(faultOf(() => proveTxt(hidden, own, made))).not.toBe('none');
  expect(proveTxt(madeHeap, 'alias.user._bitcoin-payment.p256.test', made).sort()).toEqual([
    'bitcoin:?lno=lno1ed25519',
    'other',
  ]);
  expect(proveTxt(madeHeap, 'tea.user._bitcoin-payment.shop.p256.test', made).sort()).toEqual([
    'bitcoin:?lno=lno1ed448',
    'other',
  ]);
});

test('a zone without signatures proves nothing', () => {
  const forged = {
    name: txtName('tea', 'plain.test'),
    type: RECORD_TYPE.txt,
    ttlSeconds: 60,
    data: Buffer.from('\x03abc'),
  };
  expect(faultOf(() => prove([...madeHeap, forged], forged.name, RECORD_TYPE.txt, made))).toBe('unsigned');
});

test('a changed, added or missing record is never accepted', () => {
  const name = dnsName('tea.user._bitcoin-payment.p256.test');
  const { proof, records } = prove(madeHeap, name, RECORD_TYPE.txt, made);
  const bytes = writeProof(proof);
  const whole = textsOf(records).sort();
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] as number) ^ change;
      let texts: (string | undefined)[];
      try {
        texts = textsOf(prove(readProof(changed), name, RECORD_TYPE.txt, made).records);
      } catch (error) {
        if (error instanceof NameError) return;
        throw error;
      }
      // Signatures cover neither the time to live nor the case of letters.
      expect(texts.sort()).toEqual(whole);
    }),
    { numRuns: 1000 },
  );
  fc.assert(
    fc.property(fc.nat(proof.length - 1), (at) => {
      const less = proof.filter((_, index) => index !== at);
      expect(faultOf(() => prove(less, name, RECORD_TYPE.txt, made))).not.toBe('none');
    }),
  );
  const extra = { name, type: RECORD_TYPE.txt, ttlSeconds: 60, data: Buffer.from('\x0cbitcoin:?x=1') };
  expect(faultOf(() => prove([...proof, extra], name, RECORD_TYPE.txt, made))).toBe('invalid');
});

test('a proof that needs too many signature checks is refused', () => {
  // With many signatures for one key tag, each pair would have to be tried (CVE-2023-50387).
  const name = dnsName('tea.user._bitcoin-payment.p256.test');
  const { proof } = prove(madeHeap, name, RECORD_TYPE.txt, made);
  const isLast = (one: DnsRecord) => one.name === name && one.type === RECORD_TYPE.rrsig;
  const signature = proof.find(isLast) as DnsRecord;
  const bad = Array.from({ length: 500 }, (_, at) => {
    const data = Uint8Array.from(signature.data);
    data.set([at >> 8, at & 255], data.length - 2);
    return { ...signature, data };
  });
  expect(
    faultOf(() => prove([...proof.filter((one) => !isLast(one)), ...bad], name, RECORD_TYPE.txt, made)),
  ).toBe('invalid');
});

test('bytes that are not a message are refused with a reason, and never read endlessly', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      for (const read of [readProof, readAnswer]) {
        try {
          read(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(NameError);
        }
      }
    }),
    { numRuns: 2000 },
  );
  // A compression pointer that points to itself.
  const loop = Buffer.from('000081800001000000000000c00c', 'hex');
  expect(faultOf(() => readAnswer(Buffer.concat([loop, Buffer.alloc(20)])))).toBe('resolver');
});

test('names sort in the order of RFC 4034 section 6.1', () => {
  const order = [
    'example.',
    'a.example.',
    'yljkjljk.a.example.',
    'Z.a.example.',
    'zABC.a.EXAMPLE.',
    'z.example.',
    '*.z.example.',
  ];
  const names = order.map(dnsName);
  names.splice(6, 0, ofLabels(['\x01', 'z', 'example']));
  names.push(ofLabels(['\xc8', 'z', 'example']));
  expect([...names].reverse().sort(compareNames)).toEqual(names);
});
