import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { availableCurves, type Curve, curve } from '../../../src/bolt/crypto/curve.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import {
  type BlindedPath,
  blindedPath,
  blindedPaths,
  blindedSecretKey,
  createBlindedPath,
  nextPathKey,
  openRecipientData,
  pathSecret,
} from '../../../src/bolt/onion/blinded-path.ts';
import {
  amountToForward,
  decodeEncryptedData,
  type EncryptedData,
  encodeEncryptedData,
  encodePadded,
  type PaymentRelay,
  pathTotals,
} from '../../../src/bolt/onion/encrypted-data.ts';
import { decodePayload } from '../../../src/bolt/onion/payload.ts';
import { createOnion, peelOnion } from '../../../src/bolt/onion/sphinx.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { msat } from '../../../src/model/msat.ts';
import { formatShortChannelId, shortChannelId } from '../../../src/model/short-channel-id.ts';
import { vectors } from '../vectors.ts';

const curves = availableCurves().map((on) => [on.name, on] as const);
const secretKeys = Array.from({ length: 12 }, (_, i) => sha256(Uint8Array.of(i)));
const nodeIds = secretKeys.map((key) => curve.publicKey(key));
const node = (i: number): Uint8Array => nodeIds[i] as Uint8Array;

const relayOf = (json: Record<string, number>): PaymentRelay => ({
  cltvExpiryDelta: json.cltv_expiry_delta as number,
  feeProportionalMillionths: json.fee_proportional_millionths as number,
  feeBaseMsat: json.fee_base_msat ?? 0,
});

describe('bolt04/route-blinding-test.json', () => {
  const { generate, route, unblind } = vectors('bolt04-route-blinding');

  it('data of every hop is decoded to the stated fields and encoded back', () => {
    for (const { tlvs, encoded_tlvs: encoded } of generate.hops) {
      const data = decodeEncryptedData(fromHex(encoded));
      expect(toHex(encodeEncryptedData(data))).toBe(encoded);
      expect(data.shortChannelId && formatShortChannelId(data.shortChannelId)).toBe(tlvs.short_channel_id);
      expect(data.pathId && toHex(data.pathId)).toBe(tlvs.path_id);
      expect(data.nextPathKeyOverride && toHex(data.nextPathKeyOverride)).toBe(tlvs.next_path_key_override);
      expect(data.paymentRelay).toEqual(tlvs.payment_relay && relayOf(tlvs.payment_relay));
      expect(data.paymentConstraints?.maxCltvExpiry).toBe(tlvs.payment_constraints?.max_cltv_expiry);
      expect(Number(data.paymentConstraints?.htlcMinimumMsat)).toBe(
        tlvs.payment_constraints?.htlc_minimum_msat,
      );
    }
  });

  it.each(curves)('both parts of the route are created byte for byte on %s', (_, on) => {
    const nodes = generate.hops.map((hop: { node_id: string; encoded_tlvs: string }) => ({
      nodeId: fromHex(hop.node_id),
      data: fromHex(hop.encoded_tlvs),
    }));
    const first = createBlindedPath(nodes.slice(0, 2), fromHex(generate.hops[0].session_key), on);
    const second = createBlindedPath(nodes.slice(2), fromHex(generate.hops[2].session_key), on);
    expect(toHex(first.firstNode as Uint8Array)).toBe(route.first_node_id);
    expect(toHex(first.firstPathKey)).toBe(route.first_path_key);
    expect(toHex(second.firstPathKey)).toBe(generate.hops[1].tlvs.next_path_key_override);
    const hops = [...first.hops, ...second.hops].map((hop) => ({
      blinded_node_id: toHex(hop.blindedNodeId),
      encrypted_data: toHex(hop.encryptedRecipientData),
    }));
    expect(hops).toEqual(route.hops);
  });

  it.each(curves)('is unblinded hop by hop on %s', (_, on) => {
    let pathKey = fromHex(route.first_path_key);
    unblind.hops.forEach((hop: Record<string, string>, i: number) => {
      expect(toHex(pathKey)).toBe(hop.path_key);
      const secretKey = fromHex(hop.node_privkey as string);
      const secret = pathSecret(secretKey, pathKey, on);
      expect(toHex(blindedSecretKey(secretKey, secret, on))).toBe(hop.blinded_privkey);
      const bytes = openRecipientData(secret, fromHex(route.hops[i].encrypted_data));
      expect(toHex(bytes)).toBe(hop.decrypted_data);
      const next = nextPathKey(pathKey, secret, on);
      expect(toHex(next)).toBe(hop.next_path_key);
      pathKey = decodeEncryptedData(bytes).nextPathKeyOverride ?? next;
    });
  });
});

describe('a path to our own node', () => {
  const secretKey = secretKeys[2] as Uint8Array;
  const sessionKey = sha256(Buffer.from('reply'));
  const data = encodeEncryptedData({});
  const pathOver = (
    others: number,
    isOurs: boolean,
    on: Curve,
  ): { path: BlindedPath; pathKey: Uint8Array } => {
    const nodes = Array.from({ length: others }, (_, i) => ({ nodeId: node(i), data }));
    const path = createBlindedPath([...nodes, { nodeId: node(2), data, secretKey, isOurs }], sessionKey, on);
    let pathKey = path.firstPathKey;
    for (let i = 0; i < others; i++) {
      pathKey = nextPathKey(pathKey, curve.ecdh(pathKey, secretKeys[i] as Uint8Array));
    }
    return { path, pathKey };
  };
  /** Fails if a shared secret is computed. */
  const withoutEcdh = new Proxy(curve, {
    get(target, name) {
      if (name === 'ecdh') throw new Error('a shared secret is computed');
      return Reflect.get(target, name, target);
    },
  });

  it.each(curves)('has a secret that need not be computed again on %s', (_, on) => {
    for (const others of [0, 1, 2]) {
      const { path, pathKey } = pathOver(others, true, on);
      expect(path).toEqual(pathOver(others, false, on).path);
      const expected = curve.ecdh(pathKey, secretKey);
      expect(toHex(pathSecret(secretKey, pathKey, withoutEcdh))).toBe(toHex(expected));
      // A second message over the same path.
      expect(toHex(pathSecret(secretKey, pathKey))).toBe(toHex(expected));
    }
  });

  it('keeps its secret from other nodes, and none is kept for paths to others', () => {
    const { pathKey } = pathOver(1, true, curve);
    const other = secretKeys[3] as Uint8Array;
    expect(toHex(pathSecret(other, pathKey))).toBe(toHex(curve.ecdh(pathKey, other)));
    expect(() => pathSecret(secretKey, pathKey, withoutEcdh)).not.toThrow();
    pathOver(1, false, curve);
    expect(() => pathSecret(secretKey, pathKey, withoutEcdh)).toThrow('a shared secret is computed');
  });
});

describe('bolt04/blinded-payment-onion-test.json', () => {
  const { generate, decrypt } = vectors('bolt04-blinded-payment');
  const associatedData = () => fromHex(generate.associated_data);

  it('the onion is created byte for byte', () => {
    const hops = generate.full_route.hops.map((hop: { pubkey: string; payload: string }) => ({
      nodeId: fromHex(hop.pubkey),
      payload: fromHex(hop.payload).subarray(1),
    }));
    const built = createOnion(hops, {
      sessionKey: fromHex(generate.session_key),
      associatedData: associatedData(),
    });
    expect(toHex(built.packet)).toBe(generate.onion);
  });

  it('every hop peels it, the blinded ones with their blinded keys, and finds its instructions', () => {
    let pathKey: Uint8Array | undefined;
    decrypt.hops.forEach((hop: Record<string, string>, i: number) => {
      const key = fromHex(hop.node_privkey as string);
      const secretKey = pathKey ? blindedSecretKey(key, pathSecret(key, pathKey)) : key;
      const { payload, next } = peelOnion(fromHex(hop.onion as string), secretKey, associatedData());
      const fields = decodePayload(payload);
      const key12 = pathKey ?? fields.currentPathKey;
      if (key12 !== undefined) {
        const secret = pathSecret(key, key12);
        const data = decodeEncryptedData(
          openRecipientData(secret, fields.encryptedRecipientData as Uint8Array),
        );
        const stated = generate.full_route.hops[i].tlvs.encrypted_recipient_data;
        expect(data.paymentRelay).toEqual(stated.payment_relay && relayOf(stated.payment_relay));
        expect(data.pathId && toHex(data.pathId)).toBe(stated.path_id);
        pathKey = data.nextPathKeyOverride ?? nextPathKey(key12, secret);
        expect(toHex(pathKey)).toBe(hop.next_path_key);
      }
      expect(next && toHex(next)).toBe(decrypt.hops[i + 1]?.onion);
    });
  });

  it('the totals of the path are those that its creator stated', () => {
    const relays = generate.full_route.hops
      .map(
        (hop: { tlvs: { encrypted_recipient_data?: { payment_relay?: Record<string, number> } } }) =>
          hop.tlvs.encrypted_recipient_data?.payment_relay,
      )
      .filter((relay: unknown) => relay !== undefined)
      .map(relayOf);
    const stated = generate.blinded_payinfo;
    expect(pathTotals(relays, 0)).toEqual({
      feeBaseMsat: BigInt(stated.fee_base_msat),
      feeProportionalMillionths: BigInt(stated.fee_proportional_millionths),
      cltvExpiryDelta: stated.cltv_expiry_delta,
    });
  });
});

describe('fees of a blinded path', () => {
  it('are rounded so that the recipient never gets less than was sent for it', () => {
    const relay = fc.record({
      cltvExpiryDelta: fc.nat(2016),
      feeProportionalMillionths: fc.nat(50_000),
      feeBaseMsat: fc.nat(100_000),
    });
    fc.assert(
      fc.property(fc.array(relay, { maxLength: 6 }), fc.bigInt(1n, 10n ** 14n), (relays, amount) => {
        const totals = pathTotals(relays, 18);
        const fee = totals.feeBaseMsat + (amount * totals.feeProportionalMillionths) / 1_000_000n;
        let left = msat(amount + fee);
        for (const one of relays) left = amountToForward(left, one) ?? msat(0);
        expect(left).toBeGreaterThanOrEqual(amount);
      }),
    );
  });

  it('that exceed the incoming amount leave nothing to forward', () => {
    const relay = { cltvExpiryDelta: 1, feeProportionalMillionths: 0, feeBaseMsat: 1000 };
    expect(amountToForward(msat(999), relay)).toBeUndefined();
    expect(amountToForward(msat(1000), relay)).toBe(0n);
    // ceil(99_000 x 10^6 / 1_010_000) = ceil(98019.80...)
    expect(amountToForward(msat(100_000), { ...relay, feeProportionalMillionths: 10_000 })).toBe(98_020n);
  });
});

const blob = fc.uint8Array({ maxLength: 100 });
const anyPath: fc.Arbitrary<BlindedPath> = fc.record({
  firstNode: fc.oneof(
    fc.constantFrom(...nodeIds),
    fc.record({
      shortChannelId: fc.nat(0xffff).map((output) => shortChannelId(1, 2, output)),
      direction: fc.constantFrom(0 as const, 1 as const),
    }),
  ),
  firstPathKey: fc.constantFrom(...nodeIds),
  hops: fc.array(fc.record({ blindedNodeId: fc.constantFrom(...nodeIds), encryptedRecipientData: blob }), {
    maxLength: 5,
  }),
});

describe('blinded paths', () => {
  it('return what was written', () => {
    fc.assert(
      fc.property(fc.array(anyPath, { maxLength: 3 }), (paths) => {
        expect(blindedPaths.decode(blindedPaths.encode(paths))).toEqual(paths);
        for (const path of paths) expect(blindedPath.decode(blindedPath.encode(path))).toEqual(path);
      }),
    );
  });

  it('throw nothing but WireError on any bytes', () => {
    const mutated = fc.tuple(anyPath, fc.nat(), fc.nat(255)).map(([path, at, value]) => {
      const bytes = blindedPath.encode(path);
      bytes[at % bytes.length] = value;
      return bytes;
    });
    fc.assert(
      fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 150 })), (bytes) => {
        for (const decode of [blindedPath.decode, blindedPaths.decode, decodeEncryptedData]) {
          try {
            decode(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(WireError);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('cannot be read by a node for which they were not made', () => {
    const path = createBlindedPath(
      [{ nodeId: node(0), data: Uint8Array.of(1, 0) }],
      sha256(Uint8Array.of(99)),
    );
    const encrypted = path.hops[0]?.encryptedRecipientData as Uint8Array;
    const open = (key: number, pathKey: Uint8Array) =>
      openRecipientData(pathSecret(secretKeys[key] as Uint8Array, pathKey), encrypted);
    expect(toHex(open(0, path.firstPathKey))).toBe('0100');
    expect(() => open(1, path.firstPathKey)).toThrow(expect.objectContaining({ reason: 'decryption' }));
    expect(() => open(0, node(3))).toThrow(expect.objectContaining({ reason: 'decryption' }));
    expect(() => createBlindedPath([], sha256(Uint8Array.of(1)))).toThrow(WireError);
  });
});

describe('a blinded path whose creator has keys of its nodes', () => {
  it('equals the path that it would create without those keys', () => {
    const nodes = [0, 1, 2].map((i) => ({ nodeId: node(i), data: Uint8Array.of(1, 1, i) }));
    const sessionKey = sha256(Uint8Array.of(98));
    const known = nodes.map((one, i) => (i === 1 ? one : { ...one, secretKey: secretKeys[i] }));
    expect(createBlindedPath(known, sessionKey)).toEqual(createBlindedPath(nodes, sessionKey));
  });
});

describe('encrypted data', () => {
  const data: fc.Arbitrary<EncryptedData> = fc.record(
    {
      shortChannelId: fc.nat(0xffff).map((output) => shortChannelId(1, 2, output)),
      pathId: fc.uint8Array({ maxLength: 300 }),
      nextPathKeyOverride: fc.constant(node(1)),
      paymentRelay: fc.record({
        cltvExpiryDelta: fc.nat(65535),
        feeProportionalMillionths: fc.nat(0xffffffff),
        feeBaseMsat: fc.nat(0xffffffff),
      }),
      paymentConstraints: fc.record({
        maxCltvExpiry: fc.nat(0xffffffff),
        htlcMinimumMsat: fc.bigInt(0n, 2n ** 64n - 1n).map(msat),
      }),
      allowedFeatures: fc.uint8Array({ maxLength: 4 }),
    },
    { requiredKeys: [] },
  );

  it('is padded to one length, regardless of its original length', () => {
    fc.assert(
      fc.property(fc.array(data, { minLength: 1, maxLength: 6 }), (all) => {
        const encoded = encodePadded(all);
        expect(new Set(encoded.map((bytes) => bytes.length)).size).toBe(1);
        const longest = Math.max(...all.map((one) => encodeEncryptedData(one).length));
        expect((encoded[0] as Uint8Array).length - longest).toBeLessThanOrEqual(10);
        encoded.forEach((bytes, i) => {
          const { padding: _, ...rest } = decodeEncryptedData(bytes);
          expect(rest).toEqual(all[i]);
        });
      }),
    );
  });

  it('identifies the next node in only one way', () => {
    const both = encodeEncryptedData({ shortChannelId: shortChannelId(1, 2, 3), nextNodeId: node(0) });
    expect(() => decodeEncryptedData(both)).toThrow(expect.objectContaining({ reason: 'fields' }));
  });
});
