import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { availableCurves, curve } from '../../../src/bolt/crypto/curve.ts';
import { chacha20Xor, hmacSha256, sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { onionKey } from '../../../src/bolt/onion/onion-key.ts';
import { createOnion, frameBytes, type OnionHop, peelOnion } from '../../../src/bolt/onion/sphinx.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { vectors } from '../vectors.ts';

const curves = availableCurves().map((on) => [on.name, on] as const);

/** Payloads in the vectors include their length prefix. */
function withoutLength(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  return bytes.subarray(bytes[0] === 0xfd ? 3 : 1);
}

describe('bolt04/onion-test.json', () => {
  const { generate, onion, decode } = vectors('bolt04-onion');
  const associatedData = () => fromHex(generate.associated_data);
  const hops = (): OnionHop[] =>
    generate.hops.map((hop: { pubkey: string; payload: string }) => ({
      nodeId: fromHex(hop.pubkey),
      payload: withoutLength(hop.payload),
    }));

  it.each(curves)('is built byte for byte on %s', (_, on) => {
    const sessionKey = fromHex(generate.session_key);
    const built = createOnion(hops(), { sessionKey, associatedData: associatedData(), curve: on });
    expect(toHex(built.packet)).toBe(onion);
  });

  it.each(curves)('is peeled hop by hop on %s', (_, on) => {
    let packet: Uint8Array | undefined = fromHex(onion);
    const payloads: string[] = [];
    for (const secretKey of decode as string[]) {
      const peeled = peelOnion(packet as Uint8Array, fromHex(secretKey), associatedData(), on);
      payloads.push(toHex(peeled.payload));
      packet = peeled.next;
    }
    expect(payloads).toEqual(hops().map(({ payload }) => toHex(payload)));
    expect(packet).toBeUndefined();
  });
});

const secretKeys = Array.from({ length: 27 }, (_, i) => sha256(Uint8Array.of(i)));
const nodeIds = secretKeys.map((key) => curve.publicKey(key));
const sessionKey = sha256(Buffer.from('session'));
const associatedData = sha256(Buffer.from('payment hash'));

function hopsWith(payloads: readonly Uint8Array[]): OnionHop[] {
  return payloads.map((payload, i) => ({ nodeId: nodeIds[i] as Uint8Array, payload }));
}

/** The payload that each hop finds, from the first to the last. */
function peelAll(packet: Uint8Array, hops: number, data?: Uint8Array) {
  const found: { payload: string; sharedSecret: string }[] = [];
  let next: Uint8Array | undefined = packet;
  for (let i = 0; i < hops; i++) {
    expect(next?.length).toBe(packet.length);
    const peeled = peelOnion(next as Uint8Array, secretKeys[i] as Uint8Array, data);
    found.push({ payload: toHex(peeled.payload), sharedSecret: toHex(peeled.sharedSecret) });
    next = peeled.next;
  }
  expect(next).toBeUndefined();
  return found;
}

const payload = (most: number) => fc.uint8Array({ minLength: 2, maxLength: most });

describe('onions', () => {
  it('give every hop its payload, for any number of hops and any sizes that fit', () => {
    const payloads = fc
      .integer({ min: 1, max: 20 })
      .chain((count) =>
        fc.array(payload(Math.floor(1300 / count) - 35), { minLength: count, maxLength: count }),
      );
    fc.assert(
      fc.property(payloads, (all) => {
        const built = createOnion(hopsWith(all), { sessionKey, associatedData });
        const found = peelAll(built.packet, all.length, associatedData);
        expect(found.map((hop) => hop.payload)).toEqual(all.map(toHex));
        expect(found.map((hop) => hop.sharedSecret)).toEqual(built.sharedSecrets.map(toHex));
      }),
      { numRuns: 60 },
    );
  });

  it('are passed on with full length, however long the removed frame was', () => {
    for (const length of [2, 100, ...Array.from({ length: 70 }, (_, i) => 430 + i), 1000, 9000]) {
      const all = [new Uint8Array(length).fill(7), Uint8Array.of(1, 2), Uint8Array.of(3, 4)];
      const { packet } = createOnion(hopsWith(all), { sessionKey, areaBytes: 9300 });
      expect(peelAll(packet, all.length).map((hop) => hop.payload)).toEqual(all.map(toHex));
    }
  });

  it('give the last hop of a large onion its payload, whether or not it is near the front', () => {
    // 4,096 bytes at the front are deciphered first. A frame has 35 bytes besides a payload of this length.
    for (const length of [
      2,
      252,
      253,
      2000,
      ...Array.from({ length: 5 }, (_, i) => 4059 + i),
      4096,
      30_000,
    ]) {
      const all = [new Uint8Array(length).fill(7), Uint8Array.of(1, 2)];
      for (const some of [all, all.slice(0, 1), all.toReversed()]) {
        const { packet } = createOnion(hopsWith(some), { sessionKey, areaBytes: 32768 });
        expect(peelAll(packet, some.length).map((hop) => hop.payload)).toEqual(some.map(toHex));
      }
    }
  });

  it('whose sender wrote nonsense into a large area are refused with WireError', () => {
    const ephemeralKey = curve.publicKey(sessionKey);
    const secret = curve.ecdh(nodeIds[0] as Uint8Array, sessionKey);
    const packetOf = (front: string): Uint8Array => {
      const clear = concatBytes(fromHex(front), new Uint8Array(32768 - front.length / 2));
      const area = chacha20Xor(onionKey('rho', secret), clear);
      const hmac = hmacSha256(onionKey('mu', secret), area);
      return concatBytes(Uint8Array.of(0), ephemeralKey, area, hmac);
    };
    const reasonOf = (front: string): string => {
      try {
        return `${peelOnion(packetOf(front), secretKeys[0] as Uint8Array).payload.length} bytes`;
      } catch (error) {
        return (error as WireError).reason;
      }
    };
    expect(
      ['00', '01', '02', 'fd00fc', 'fd0fff', 'fd7fff', 'fd8000', 'ffffffffffffffffff'].map(reasonOf),
    ).toEqual([
      ...['invalid', 'invalid', '2 bytes', 'notMinimal', '4095 bytes', 'truncated', 'truncated', 'truncated'],
    ]);
  });

  it('also work with 32768 bytes and any other size of the payload area', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 40000 }),
        fc.array(payload(30), { minLength: 1, maxLength: 3 }),
        (areaBytes, all) => {
          const { packet } = createOnion(hopsWith(all), { sessionKey, areaBytes });
          expect(packet).toHaveLength(66 + areaBytes);
          expect(peelAll(packet, all.length).map((hop) => hop.payload)).toEqual(all.map(toHex));
        },
      ),
      { numRuns: 20 },
    );
  });

  it('are equal on every curve engine', () => {
    const hops = hopsWith([Uint8Array.of(1, 2), Uint8Array.of(3, 4, 5), new Uint8Array(300)]);
    const packets = curves.map(([, on]) => toHex(createOnion(hops, { sessionKey, curve: on }).packet));
    expect(new Set(packets).size).toBe(1);
  });

  it('hold exactly 1300 bytes of frames, and not one byte more', () => {
    // 3 + 1265 + 32 = 1300
    expect(frameBytes(1265)).toBe(1300);
    const [full, over] = [new Uint8Array(1265), new Uint8Array(1266)];
    expect(peelAll(createOnion(hopsWith([full]), { sessionKey }).packet, 1)).toHaveLength(1);
    expect(() => createOnion(hopsWith([over]), { sessionKey })).toThrow(
      expect.objectContaining({ reason: 'tooLong' }),
    );
    // 26 hops x (1 + 16 + 32) = 1274
    const many = Array.from({ length: 26 }, () => new Uint8Array(16));
    expect(peelAll(createOnion(hopsWith(many), { sessionKey }).packet, 26)).toHaveLength(26);
  });

  it('refuse no hops, empty payloads, and node ids that are not points', () => {
    expect(() => createOnion([], { sessionKey })).toThrow(WireError);
    expect(() => createOnion(hopsWith([Uint8Array.of(1)]), { sessionKey })).toThrow(WireError);
    const hop = { nodeId: new Uint8Array(33), payload: new Uint8Array(4) };
    expect(() => createOnion([hop], { sessionKey })).toThrow(WireError);
  });

  it('report why they cannot be peeled', () => {
    const { packet } = createOnion(hopsWith([new Uint8Array(20), new Uint8Array(20)]), {
      sessionKey,
      associatedData,
    });
    const [key] = secretKeys as [Uint8Array];
    const reason = (bytes: Uint8Array, data = associatedData, secretKey = key): string => {
      try {
        peelOnion(bytes, secretKey, data);
        return 'none';
      } catch (error) {
        return (error as WireError).reason;
      }
    };
    // x = 5 is not on the curve: 5^3 + 7 is not a square.
    const notOnCurve = fromHex(`02${'00'.repeat(31)}05`);
    const change = (at: number, value: number): Uint8Array => {
      const changed = new Uint8Array(packet);
      changed[at] = value;
      return changed;
    };
    expect(reason(packet)).toBe('none');
    expect(reason(change(0, 1))).toBe('onionVersion');
    expect(reason(change(1, 5))).toBe('onionKey');
    expect(reason(concatBytes(Uint8Array.of(0), notOnCurve, packet.subarray(34)))).toBe('onionKey');
    expect(reason(change(700, (packet[700] as number) ^ 1))).toBe('onionHmac');
    expect(reason(change(1365, (packet[1365] as number) ^ 1))).toBe('onionHmac');
    expect(reason(packet, sha256(associatedData))).toBe('onionHmac');
    expect(reason(packet, associatedData, secretKeys[1])).toBe('onionHmac');
    expect(reason(packet.subarray(0, 67))).toBe('truncated');
    expect(reason(new Uint8Array(0))).toBe('truncated');
  });

  it('whose sender wrote anything inside are peeled or refused with WireError', () => {
    const ephemeralKey = curve.publicKey(sessionKey);
    const secret = curve.ecdh(nodeIds[0] as Uint8Array, sessionKey);
    const inside = fc.oneof(
      fc.uint8Array({ minLength: 100, maxLength: 100 }),
      // Lengths around the end of the area: 100 - 32 - 1 = 67 is the maximum length of a payload.
      fc.integer({ min: 0, max: 110 }).map((length) => new Uint8Array([length, ...new Uint8Array(99)])),
    );
    fc.assert(
      fc.property(inside, (clear) => {
        const area = chacha20Xor(onionKey('rho', secret), clear);
        const hmac = hmacSha256(onionKey('mu', secret), area);
        const packet = concatBytes(Uint8Array.of(0), ephemeralKey, area, hmac);
        const length = clear[0] as number;
        if (length >= 2 && length <= 67) {
          const peeled = peelOnion(packet, secretKeys[0] as Uint8Array);
          expect(toHex(peeled.payload)).toBe(toHex(clear.subarray(1, 1 + length)));
        } else {
          expect(() => peelOnion(packet, secretKeys[0] as Uint8Array)).toThrow(WireError);
        }
      }),
    );
  });

  it('throw nothing but WireError after any change', () => {
    const { packet } = createOnion(hopsWith([new Uint8Array(20), new Uint8Array(20)]), { sessionKey });
    const changes = fc.array(fc.tuple(fc.nat(packet.length - 1), fc.nat(255)), {
      minLength: 1,
      maxLength: 4,
    });
    const mutated = changes.map((all) => {
      const bytes = new Uint8Array(packet);
      for (const [at, value] of all) bytes[at] = value;
      return bytes;
    });
    fc.assert(
      fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 1500, size: 'max' })), (bytes) => {
        try {
          peelOnion(bytes, secretKeys[0] as Uint8Array);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
