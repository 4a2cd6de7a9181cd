/**
 * A stranger's text or message can cost only a limited amount of work: its size and its number of records have
 * maximums, and the work to check its signature is proportional to its size.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { expect, test, vi } from 'vitest';
import { toHex } from '../../src/bolt/bytes.ts';
import { curve } from '../../src/bolt/crypto/curve.ts';
import { decodeInvoice } from '../../src/bolt/invoice/bolt12-invoice.ts';
import { decodeInvoiceRequest } from '../../src/bolt/invoice/bolt12-invoice-request.ts';
import {
  merkleRoot,
  signatureDigest,
  signStream,
  verifyStream,
} from '../../src/bolt/invoice/bolt12-merkle.ts';
import { decodeOffer } from '../../src/bolt/invoice/bolt12-offer.ts';
import { decodeBolt12String } from '../../src/bolt/invoice/bolt12-string.ts';
import { encodeTlvStream, type TlvRecord } from '../../src/bolt/tlv.ts';
import { WireError } from '../../src/bolt/wire-error.ts';

const KEY = new Uint8Array(32).fill(7);
/** `count` empty records of unknown odd types, which offers, requests and invoices may contain. */
const tiny = (count: number): TlvRecord[] =>
  Array.from({ length: count }, (_, i) => ({
    type: 1_000_001_001n + 2n * BigInt(i),
    value: new Uint8Array(0),
  }));

/** The error that the call throws. */
function thrown(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

/** Number of bytes that are hashed with SHA-256 during the call. */
function bytesHashed(work: () => unknown): number {
  const { hash } = crypto;
  let bytes = 0;
  const spy = vi.spyOn(crypto, 'hash').mockImplementation(((...given: Parameters<typeof hash>) => {
    bytes += (given[1] as Uint8Array).length;
    return hash(...given);
  }) as typeof hash);
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    spy.mockRestore();
    syncBuiltinESMExports();
  }
  return bytes;
}

/**
 * For each record, 390 bytes are hashed in addition to the record: 64 bytes of tag for its leaf, 64 bytes of tag and
 * the type for its nonce, 128 for the branch that joins the two, and 128 for a branch above. The first record is
 * hashed twice: as a leaf, and in the tag of the nonces. If it were hashed for each nonce, a record of 40,000 bytes
 * with 511 others would cost 20 million bytes.
 */
test('the root of a message with a long first record costs no more than its size', () => {
  const first = { type: 0n, value: new Uint8Array(40_000) };
  const stream = encodeTlvStream([first, ...tiny(511)]);
  const hashed = bytesHashed(() => merkleRoot(stream));
  expect(hashed).toBeGreaterThan(2 * 40_000);
  expect(hashed).toBeLessThan(2 * 40_100 + 512 * 400);
});

test('a message of 512 records is read and its signature checked; one with more is not read', () => {
  const point = curve.publicKey(KEY);
  const signed = signStream('invoice', encodeTlvStream(tiny(511)), KEY);
  expect(decodeInvoice(signed).unknown).toHaveLength(511);
  expect(verifyStream('invoice', signed, point)).toBe(true);
  const more = encodeTlvStream(tiny(513));
  for (const read of [
    () => decodeOffer(more),
    () => decodeInvoiceRequest(more),
    () => decodeInvoice(more),
    () => merkleRoot(more),
    () => signatureDigest('invoice', more),
    () => verifyStream('invoice', more, point),
  ]) {
    const error = thrown(read);
    expect(error).toBeInstanceOf(WireError);
    expect((error as WireError).reason).toBe('tooLong');
  }
  expect(() => merkleRoot(more)).toThrow('more than 512 records');
  expect(decodeOffer(encodeTlvStream(tiny(512))).unknown).toHaveLength(512);
});

/** 65,535 bytes are 104,856 bech32 digits. A line break may stand between any two digits. */
test('a text is read up to the size of an onion message', () => {
  const longest = `lno1${'q'.repeat(104_856)}`;
  expect(decodeBolt12String(longest).data).toHaveLength(65_535);
  const inLines = longest.replace(/.{60}/g, '$&+\n  ');
  expect(toHex(decodeBolt12String(inLines).data)).toBe('00'.repeat(65_535));
  expect(() => decodeBolt12String(`${longest}qq`)).toThrow('more than 65535 bytes');
  expect(() => decodeBolt12String(longest.padEnd(131_073, '+'))).toThrow('more than 131072 characters');
});
