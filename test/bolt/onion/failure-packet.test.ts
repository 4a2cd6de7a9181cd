import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { availableCurves, curve } from '../../../src/bolt/crypto/curve.ts';
import { hmacSha256, sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { ATTRIBUTION_BYTES, attribute, readAttribution } from '../../../src/bolt/onion/attribution.ts';
import { encodeFailure } from '../../../src/bolt/onion/failure.ts';
import {
  createFailurePacket,
  plainFailurePacket,
  unwrapFailurePacket,
  wrapFailurePacket,
} from '../../../src/bolt/onion/failure-packet.ts';
import { onionKey } from '../../../src/bolt/onion/onion-key.ts';
import { createOnion, peelOnion } from '../../../src/bolt/onion/sphinx.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { vectors } from '../vectors.ts';

const curves = availableCurves().map((on) => [on.name, on] as const);
const failure = encodeFailure('temporary_channel_failure', {});
const secretsOf = (count: number) => Array.from({ length: count }, (_, i) => sha256(Uint8Array.of(i)));

/** The packet that the payer receives when the node at `failing` fails: every node before it wraps the packet. */
function returned(
  secrets: readonly Uint8Array[],
  failing: number,
  message: Uint8Array = failure,
): Uint8Array {
  let packet = createFailurePacket(secrets[failing] as Uint8Array, message);
  for (let i = failing - 1; i >= 0; i--) packet = wrapFailurePacket(secrets[i] as Uint8Array, packet);
  return packet;
}

/** The packet that the payer receives with attribution data: node i holds the HTLC for (i + 1) x 100 ms. */
function attributed(secrets: readonly Uint8Array[], failing: number, message: Uint8Array = failure) {
  let plain = plainFailurePacket(secrets[failing] as Uint8Array, message);
  let data: Uint8Array | undefined;
  for (let i = failing; i >= 0; i--) {
    const secret = secrets[i] as Uint8Array;
    data = attribute(secret, (i + 1) * 100, plain, data);
    plain = wrapFailurePacket(secret, plain);
  }
  return { packet: plain, attribution: data as Uint8Array };
}

const flip = (bytes: Uint8Array, at: number): Uint8Array => {
  const changed = new Uint8Array(bytes);
  changed[at] = (changed[at] as number) ^ 1;
  return changed;
};

describe('bolt04/onion-error-test.json', () => {
  const { generate, errorpacket } = vectors('bolt04-onion-error');
  const secrets = (): Uint8Array[] =>
    generate.hops.map((hop: { hop_shared_secret: string }) => fromHex(hop.hop_shared_secret));
  const message = () => fromHex(generate.failure_message);

  it('is created byte for byte', () => {
    const plain = plainFailurePacket(secrets()[4] as Uint8Array, message());
    expect(toHex(plain.subarray(32))).toBe(generate.hops[4].payload);
    expect(toHex(returned(secrets(), 4, message()))).toBe(errorpacket);
  });

  it('is read as the failure of the last hop', () => {
    const read = unwrapFailurePacket(secrets(), fromHex(errorpacket));
    expect(read.hopIndex).toBe(4);
    expect(toHex(read.failure as Uint8Array)).toBe(generate.failure_message);
  });
});

describe('failure packets', () => {
  it('are attributed to the node that failed, with its message, in routes of 1 to 20 hops', () => {
    const cases = fc
      .integer({ min: 1, max: 20 })
      .chain((hops) =>
        fc.tuple(fc.constant(hops), fc.nat(hops - 1), fc.uint8Array({ minLength: 2, maxLength: 300 })),
      );
    fc.assert(
      fc.property(cases, ([hops, failing, message]) => {
        const secrets = secretsOf(hops);
        const read = unwrapFailurePacket(secrets, returned(secrets, failing, message));
        expect(read.hopIndex).toBe(failing);
        expect(toHex(read.failure as Uint8Array)).toBe(toHex(message));
      }),
    );
  });

  it('have 292 bytes for every failure, and more only for a longer one', () => {
    const [secret] = secretsOf(1) as [Uint8Array];
    expect(createFailurePacket(secret, failure)).toHaveLength(292);
    expect(createFailurePacket(secret, new Uint8Array(256))).toHaveLength(292);
    expect(createFailurePacket(secret, new Uint8Array(300))).toHaveLength(336);
  });

  it('that were changed on the way are unreadable, as are random bytes', () => {
    const secrets = secretsOf(5);
    const packet = returned(secrets, 3);
    for (const bytes of [flip(packet, 40), packet.subarray(1), new Uint8Array(0), new Uint8Array(31)]) {
      expect(unwrapFailurePacket(secrets, bytes)).toEqual({
        hopIndex: undefined,
        failure: undefined,
        holdTimesMs: [],
        suspectIndex: undefined,
      });
    }
    expect(() => unwrapFailurePacket(secrets, new Uint8Array(65536))).toThrow(WireError);
  });

  it('with an impossible length inside name the node but no failure', () => {
    const secrets = secretsOf(3);
    const secret = secrets[1] as Uint8Array;
    for (const content of ['', '01', '0003aabb', 'ffff0000']) {
      const bytes = fromHex(content);
      const plain = concatBytes(hmacSha256(onionKey('um', secret), bytes), bytes);
      const packet = wrapFailurePacket(secrets[0] as Uint8Array, wrapFailurePacket(secret, plain));
      expect(unwrapFailurePacket(secrets, packet)).toMatchObject({ hopIndex: 1, failure: undefined });
    }
  });
});

describe('an onion and the failure that comes back', () => {
  it.each(curves)('use the same secrets, so the failure of hop i is attributed to hop i (%s)', (name, on) => {
    const secretKeys = secretsOf(20);
    const nodeIds = secretKeys.map((key) => curve.publicKey(key));
    const journey = fc
      .integer({ min: 1, max: 20 })
      .chain((hops) => fc.tuple(fc.constant(hops), fc.nat(hops - 1)));
    fc.assert(
      fc.property(journey, ([count, failing]) => {
        const hops = nodeIds.slice(0, count).map((nodeId) => ({ nodeId, payload: new Uint8Array(20) }));
        const built = createOnion(hops, { sessionKey: sha256(failure), associatedData: failure, curve: on });
        let packet = built.packet;
        const seen: Uint8Array[] = [];
        for (let i = 0; i <= failing; i++) {
          const peeled = peelOnion(packet, secretKeys[i] as Uint8Array, failure, on);
          seen.push(peeled.sharedSecret);
          packet = peeled.next ?? packet;
        }
        const read = unwrapFailurePacket(built.sharedSecrets, returned(seen, failing));
        expect([read.hopIndex, toHex(read.failure as Uint8Array)]).toEqual([failing, toHex(failure)]);
      }),
      { numRuns: name === 'noble' ? 4 : 25 },
    );
  });
});

describe('attribution data (BOLT 4, test vector "Returning Errors")', () => {
  const vector = JSON.parse(readFileSync(new URL('../../vectors/attribution.json', import.meta.url), 'utf8'));
  const secrets: Uint8Array[] = [...vector.sharedSecretsFromErringNode].reverse().map(fromHex);

  it('is created byte for byte at every node, with the packet it vouches for', () => {
    let plain = plainFailurePacket(secrets[4] as Uint8Array, fromHex(vector.failure), 1024);
    let data: Uint8Array | undefined;
    const made = [4, 3, 2, 1, 0].map((i) => {
      const secret = secrets[i] as Uint8Array;
      data = attribute(secret, vector.holdTimesFromOrigin[i] * 100, plain, data);
      plain = wrapFailurePacket(secret, plain);
      return [toHex(plain), toHex(data)];
    });
    expect(made.map(([packet]) => packet)).toEqual(vector.packets);
    expect(made.map(([, attribution]) => attribution)).toEqual(vector.attribution);
  });

  it('is read with the hold times and the failure', () => {
    const read = unwrapFailurePacket(secrets, fromHex(vector.packets[4]), fromHex(vector.attribution[4]));
    expect(read.hopIndex).toBe(4);
    expect(toHex(read.failure as Uint8Array)).toBe(vector.failure);
    expect(read.holdTimesMs).toEqual([500, 400, 300, 200, 100]);
  });

  it('of a success is created byte for byte and read', () => {
    let data: Uint8Array | undefined;
    const made = [4, 3, 2, 1, 0].map((i) => {
      data = attribute(secrets[i] as Uint8Array, vector.holdTimesFromOrigin[i] * 100, undefined, data);
      return toHex(data);
    });
    expect(made).toEqual(vector.successAttribution);
    expect(readAttribution(secrets, data as Uint8Array)).toEqual({
      holdTimesMs: [500, 400, 300, 200, 100],
      brokenIndex: undefined,
    });
  });
});

describe('attribution data', () => {
  const route = fc
    .integer({ min: 1, max: 20 })
    .chain((hops) => fc.tuple(fc.constant(hops), fc.nat(hops - 1)));

  it('contains the hold time of every node up to the one that failed', () => {
    fc.assert(
      fc.property(route, ([hops, failing]) => {
        const secrets = secretsOf(hops);
        const { packet, attribution } = attributed(secrets, failing);
        const read = unwrapFailurePacket(secrets, packet, attribution);
        expect(read.hopIndex).toBe(failing);
        expect(read.holdTimesMs).toEqual(Array.from({ length: failing + 1 }, (_, i) => (i + 1) * 100));
        expect(read.suspectIndex).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });

  it('leads to the pair of nodes between which the packet was changed', () => {
    fc.assert(
      fc.property(
        route.chain(([hops, failing]) => fc.tuple(fc.constant(hops), fc.constant(failing), fc.nat(failing))),
        fc.nat(291),
        ([hops, failing, liar], at) => {
          const secrets = secretsOf(hops);
          let plain = plainFailurePacket(secrets[failing] as Uint8Array, failure);
          let data: Uint8Array | undefined;
          for (let i = failing; i >= 0; i--) {
            const secret = secrets[i] as Uint8Array;
            data = attribute(secret, 0, plain, data);
            plain = wrapFailurePacket(secret, plain);
            // The node lies: it attests one packet, but sends a different one.
            if (i === liar) plain = flip(plain, at);
          }
          const read = unwrapFailurePacket(secrets, plain, data);
          expect(read.hopIndex).toBeUndefined();
          expect(read.suspectIndex).toBe(liar);
          expect(read.holdTimesMs).toHaveLength(liar);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('ends where a node does not support it, and the failure is still read', () => {
    const secrets = secretsOf(4);
    // Node 3 fails with attribution data, node 2 forwards only the packet, and node 1 starts new attribution
    // data.
    const packet = returned(secrets, 3);
    const atNode1 = returned(secrets.slice(2), 1);
    const fromNode1 = attribute(secrets[1] as Uint8Array, 200, atNode1);
    const fromNode0 = attribute(
      secrets[0] as Uint8Array,
      100,
      wrapFailurePacket(secrets[1] as Uint8Array, atNode1),
      fromNode1,
    );
    expect(unwrapFailurePacket(secrets, packet, fromNode0)).toMatchObject({
      hopIndex: 3,
      holdTimesMs: [100, 200],
      suspectIndex: undefined,
    });
  });

  it('rounds hold times to 100 ms, from 0 to the maximum that fits', () => {
    const secrets = secretsOf(1);
    const read = (ms: number) =>
      readAttribution(secrets, attribute(secrets[0] as Uint8Array, ms)).holdTimesMs[0];
    expect([149, 150, 0, -5, 1e15].map(read)).toEqual([100, 200, 0, 0, 0xffffffff * 100]);
  });

  it('reaches no node that is more than 20 hops from the end of the route', () => {
    const secrets = secretsOf(21);
    const { packet, attribution } = attributed(secrets, 5);
    expect(readAttribution(secrets, attribution, packet)).toEqual({ holdTimesMs: [], brokenIndex: 0 });
    expect(unwrapFailurePacket(secrets, packet, attribution)).toMatchObject({ hopIndex: 5, holdTimesMs: [] });
  });

  it('of a wrong length does not hide the failure', () => {
    const secrets = secretsOf(3);
    const read = unwrapFailurePacket(secrets, returned(secrets, 2), new Uint8Array(ATTRIBUTION_BYTES - 1));
    expect(read).toMatchObject({ hopIndex: 2, holdTimesMs: [], suspectIndex: undefined });
    expect(toHex(read.failure!)).toBe(toHex(failure));
  });

  it('is not relayed with a wrong length, and is read with any content', () => {
    const secrets = secretsOf(3);
    const packet = returned(secrets, 2);
    expect(() => attribute(secrets[0] as Uint8Array, 1, packet, new Uint8Array(3))).toThrow(WireError);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: ATTRIBUTION_BYTES, maxLength: ATTRIBUTION_BYTES }), (data) => {
        expect(readAttribution(secrets, data, packet).brokenIndex).toBe(0);
      }),
    );
  });
});
