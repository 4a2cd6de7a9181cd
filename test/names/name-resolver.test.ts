/** Names are looked up through resolvers of each kind, honest and dishonest. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FulguriteError } from '../../src/model/errors.ts';
import { prove } from '../../src/names/dns-proof.ts';
import { RECORD_TYPE, readProof } from '../../src/names/dns-record.ts';
import { anchor, NameResolver, resolverPlace } from '../../src/names/index.ts';
import { madeZones, serveZones, txtName, vector, type ZoneServer } from './zones.ts';

const IN_2026 = Date.UTC(2026, 5, 1);
const anchors = [anchor(vector('made', 'anchor'))];
let server: ZoneServer;
let nowMs = IN_2026;
let monotonicMs = 0;

/** Lets time pass on both clocks. */
function pass(ms: number): void {
  nowMs += ms;
  monotonicMs += ms;
}

beforeAll(async () => {
  server = await serveZones(madeZones());
});
beforeEach(() => {
  server.answer = undefined;
  server.records = madeZones();
  server.asked.length = 0;
  nowMs = IN_2026;
});
afterAll(() => server.close());

function resolver(place: string, timeoutMs = 20_000): NameResolver {
  const read = resolverPlace(place);
  if (typeof read === 'string') throw new Error(read);
  return new NameResolver({
    place: read,
    clock: { nowMs: () => nowMs, monotonicMs: () => monotonicMs },
    anchors,
    timeoutMs,
  });
}

async function failure(names: NameResolver, name = 'tea', domain = 'p256.test') {
  const error = await names.resolve(name, domain).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FulguriteError);
  const { data, message } = error as FulguriteError;
  return { reason: data?.reason, message };
}

describe.each(['dns', 'https', 'proof'] as const)('a resolver by %s', (kind) => {
  test('finds the offer of a name, with a proof that can be verified on its own', async () => {
    const found = await resolver(server[kind]).resolve('tea', 'p256.test');
    expect(found.offers).toEqual(['lno1p256']);
    const how = { anchors, nowSeconds: IN_2026 / 1000 };
    const again = prove(readProof(found.proof), txtName('tea', 'p256.test'), RECORD_TYPE.txt, how);
    expect(again.records).toHaveLength(2);
  });

  test('is queried again only after its answer has expired', async () => {
    const names = resolver(server[kind]);
    const [one, two] = await Promise.all([
      names.resolve('Tea', 'P256.test'),
      names.resolve('tea', 'p256.test'),
    ]);
    expect(one).toBe(two);
    const first = server.asked.length;
    // The record may be cached for 300 s.
    pass(299_000);
    await names.resolve('tea', 'p256.test');
    expect(server.asked).toHaveLength(first);
    pass(2_000);
    await names.resolve('tea', 'p256.test');
    expect(server.asked).toHaveLength(2 * first);
  });

  test('keeps an answer no longer if the clock is set back', async () => {
    const names = resolver(server[kind]);
    await names.resolve('tea', 'p256.test');
    const first = server.asked.length;
    nowMs -= 3_600_000;
    pass(301_000);
    await names.resolve('tea', 'p256.test');
    expect(server.asked).toHaveLength(2 * first);
  });

  test('is not believed once its signatures have expired', async () => {
    nowMs = Date.UTC(2027, 5, 1);
    expect(await failure(resolver(server[kind]))).toMatchObject({ reason: 'invalid' });
  });
});

test('aliases, wildcards and other zones are followed over DNS', async () => {
  const names = resolver(server.dns);
  expect((await names.resolve('alias', 'p256.test')).offers).toEqual(['lno1ed25519']);
  expect((await names.resolve('any.wild', 'p256.test')).offers).toEqual(['lno1wild']);
  expect((await names.resolve('tea', 'shop.p256.test')).offers).toEqual(['lno1ed448']);
});

describe('bad answers', () => {
  test('are refused with the reason', async () => {
    const names = resolver(server.dns);
    expect(await failure(names, 'coffee')).toMatchObject({ reason: 'absent' });
    expect(await failure(names, 'x'.repeat(64))).toMatchObject({ reason: 'absent' });
    const forged = {
      ...{ name: txtName('tea', 'plain.test'), type: RECORD_TYPE.txt, ttlSeconds: 60 },
      data: Buffer.from('\x0dbitcoin:?lno='),
    };
    server.records = [...server.records, forged];
    expect(await failure(names, 'tea', 'plain.test')).toMatchObject({ reason: 'unsigned' });
    const answers: [string, (honest: Buffer) => Buffer | undefined, string][] = [
      ['cut short', (honest) => honest.subarray(0, honest.length - 3), 'resolver'],
      ['nonsense', () => Buffer.alloc(600, 0xff), 'resolver'],
      ['empty', () => Buffer.alloc(0), 'resolver'],
      [
        'the answer to another question',
        (honest) => Buffer.concat([Buffer.from([honest[0]! ^ 1]), honest.subarray(1)]),
        'resolver',
      ],
      [
        'truncated',
        (honest) => Buffer.concat([honest.subarray(0, 2), Buffer.from([honest[2]! | 2]), honest.subarray(3)]),
        'resolver',
      ],
      [
        'refused',
        (honest) => Buffer.concat([honest.subarray(0, 3), Buffer.from([0x85]), honest.subarray(4)]),
        'resolver',
      ],
      ['silent', () => undefined, 'resolver'],
    ];
    for (const [, answer, reason] of answers) {
      server.answer = answer;
      for (const place of [server.dns, server.https]) {
        if (place === server.https && answer(Buffer.alloc(20))?.[0] === 1) continue;
        expect((await failure(resolver(place, 500))).reason).toBe(reason);
      }
    }
  });

  test('end a lookup, even if the answer or the chain of aliases is endless', async () => {
    server.answer = () => Buffer.alloc(70_000);
    expect(await failure(resolver(server.https))).toMatchObject({
      reason: 'resolver',
      message: expect.stringContaining('too large'),
    });
    const names = Array.from({ length: 60 }, (_, at) => txtName(`a${at}`, 'p256.test'));
    server.answer = undefined;
    server.records = names.slice(1).map((target, at) => ({
      ...{ name: names[at]!, type: RECORD_TYPE.cname, ttlSeconds: 60, data: Buffer.from(target, 'latin1') },
    }));
    expect(await failure(resolver(server.dns), 'a0')).toMatchObject({
      reason: 'resolver',
      message: expect.stringContaining('too many'),
    });
    const closed = resolver('127.0.0.1:1');
    expect(await failure(closed)).toMatchObject({
      reason: 'resolver',
      message: expect.stringContaining('cannot reach'),
    });
    const stopped = resolver(server.dns);
    stopped.close();
    expect(await failure(stopped)).toMatchObject({ reason: 'resolver' });
  });

  test('do not queue names without limit: names beyond the limit are refused', async () => {
    server.answer = () => undefined;
    const names = resolver(server.dns);
    const reasons = Promise.all(Array.from({ length: 40 }, (_, at) => failure(names, `n${at}`)));
    await new Promise((resolve) => setImmediate(resolve));
    names.close();
    const counted = (await reasons).map(({ reason }) => reason);
    expect(counted.filter((reason) => reason === 'busy')).toHaveLength(8);
  });
});

test('the option accepts exactly these forms', () => {
  expect(resolverPlace('192.0.2.1')).toEqual({ kind: 'dns', host: '192.0.2.1', port: 53 });
  expect(resolverPlace('dns://192.0.2.1:5353')).toEqual({ kind: 'dns', host: '192.0.2.1', port: 5353 });
  expect(resolverPlace('[2001:db8::1]:54')).toEqual({ kind: 'dns', host: '2001:db8::1', port: 54 });
  expect(resolverPlace('2001:db8::1')).toEqual({ kind: 'dns', host: '2001:db8::1', port: 53 });
  expect(resolverPlace('https://dns.example/dns-query')).toEqual({
    kind: 'https',
    url: 'https://dns.example/dns-query',
  });
  expect(resolverPlace('proof+https://p.example/dnssecproof')).toEqual({
    kind: 'proof',
    url: 'https://p.example/dnssecproof',
  });
  for (const wrong of [
    '',
    'dns.example',
    'http://dns.example/',
    'proof+x',
    '192.0.2.1:0',
    '192.0.2.1:70000',
    'https://',
    'ftp://x',
  ]) {
    expect(typeof resolverPlace(wrong), wrong).toBe('string');
  }
});
