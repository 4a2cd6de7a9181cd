/** `decode` of texts that anybody may send: an answer or a parameter error, never anything else. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeBolt12String } from '../../src/bolt/bolt12-string.ts';
import { OfferNode } from './offer-node.ts';

const node = new OfferNode();
beforeAll(() => node.start());
afterAll(() => node.destroy());

/** The BOLT 11 specification's example "please make a donation of any amount". */
const DONATION =
  'lnbc1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq9qrsgq357wnc5r2ueh7ck6q93dj32dlqnls087fxdwk8qakdyafkq3yap9us6v52vjjsrvywa6rt52cm9r9zqt8r2t7mlcwspyetp5h2tztugp9lfyql';

test('a BOLT 11 invoice shows who signed it', async () => {
  expect(await node.result('decode', { string: `LIGHTNING:${DONATION.toUpperCase()}` })).toMatchObject({
    type: 'bolt11 invoice',
    currency: 'bc',
    created_at: 1_496_314_658,
    payee: '03e7156ae33b0a208d0744199163177e909e80176e55d97a2f221ede0f934dd9ad',
    payment_hash: '0001020304050607080900010203040506070809000102030405060708090102',
    payment_secret: '11'.repeat(32),
    description: 'Please consider supporting this project',
    min_final_cltv_expiry: 18,
    valid: true,
  });
});

test('any text', async () => {
  const prefix = fc.constantFrom('lno', 'lnr', 'lni');
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(prefix, fc.uint8Array()).map(([hrp, bytes]) => encodeBolt12String(hrp as 'lno', bytes)),
    fc
      .tuple(fc.nat(DONATION.length - 1), fc.string({ minLength: 1, maxLength: 2 }))
      .map(([at, other]) => DONATION.slice(0, at) + other + DONATION.slice(at + 1)),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (string) => {
      const { result, error } = await node.call('decode', { string });
      expect(result !== undefined || error?.code === -32602).toBe(true);
    }),
    { numRuns: 300 },
  );
});
