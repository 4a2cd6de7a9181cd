/**
 * Attribution data (BOLT 4, "Returning Errors") compared with a reference that keeps the hmacs in a table, one by one,
 * and uses Node's own HMAC and ChaCha20.
 */
import { createCipheriv, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/bolt/bytes.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { ATTRIBUTION_BYTES, attribute, readAttribution } from '../../../src/bolt/onion/attribution.ts';
import { unwrapFailurePacket, wrapFailurePacket } from '../../../src/bolt/onion/failure-packet.ts';

const HOPS = 20;
const hmac = (key: Uint8Array | string, ...parts: Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHmac('sha256', key)).digest();
const secretsOf = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => sha256(Uint8Array.of(i)));

/** What a node has before it applies its stream: hold times in units of 100 ms, and hmac(x, y) at `hmacs[x][y]`. */
interface Table {
  readonly times: readonly number[];
  readonly hmacs: readonly (readonly Buffer[])[];
}

const zeros = (count: number): Buffer[] => Array.from({ length: count }, () => Buffer.alloc(4));
const EMPTY: Table = {
  times: Array<number>(HOPS).fill(0),
  hmacs: Array.from({ length: HOPS }, (_, x) => zeros(HOPS - x)),
};

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** The table of the node before, which held the HTLC for `units`. */
function before({ times, hmacs }: Table, secret: Uint8Array, units: number, message: Uint8Array): Table {
  const allTimes = [units, ...times.slice(0, HOPS - 1)];
  const shifted = hmacs.slice(0, HOPS - 1).map((ofNode, x) => ofNode.slice(0, HOPS - 1 - x));
  const key = hmac('um', secret);
  const own = Array.from({ length: HOPS }, (_, y) => {
    const covered = allTimes.slice(0, y + 1).map(u32);
    const downstream = Array.from({ length: y }, (_, n) => shifted[n]![y - 1 - n]!);
    return hmac(key, message, ...covered, ...downstream).subarray(0, 4);
  });
  return { times: allTimes, hmacs: [own, ...shifted] };
}

/** The bytes of a table, without the stream. */
const serialized = ({ times, hmacs }: Table): Buffer =>
  Buffer.concat([...times.map(u32), ...hmacs.flatMap((ofNode) => [...ofNode].reverse())]);

/** Applies a node's stream. */
const streamed = (secret: Uint8Array, bytes: Uint8Array): Buffer =>
  createCipheriv('chacha20', hmac('ammagext', secret), Buffer.alloc(16)).update(bytes);

/** The table that a node reads from what the next node sent. */
function parsed(bytes: Uint8Array): Table {
  const words = Array.from({ length: bytes.length / 4 }, (_, i) =>
    Buffer.from(bytes).subarray(4 * i, 4 * i + 4),
  );
  const fromWord = (x: number): number => HOPS + x * HOPS - (x * (x - 1)) / 2;
  return {
    times: words.slice(0, HOPS).map((word) => word.readUInt32BE()),
    hmacs: Array.from({ length: HOPS }, (_, x) => words.slice(fromWord(x), fromWord(x + 1)).reverse()),
  };
}

/** Hold times in units of 100 ms of a route, and the message (empty for a success). */
const journey = fc.tuple(
  fc.array(fc.nat(0xffff_ffff), { minLength: 1, maxLength: HOPS }),
  fc.oneof(fc.constant(new Uint8Array(0)), fc.uint8Array({ minLength: 1, maxLength: 300 })),
);

/** What arrives at the payer, with the message that it vouches for. */
function returned(units: readonly number[], plain: Uint8Array): { data: Uint8Array; message: Uint8Array } {
  const secrets = secretsOf(units.length);
  let data: Uint8Array | undefined;
  let message = plain;
  for (let i = units.length - 1; i >= 0; i--) {
    data = attribute(secrets[i]!, 100 * units[i]!, message, data);
    if (message.length > 0) message = wrapFailurePacket(secrets[i]!, message);
  }
  return { data: data!, message };
}

describe('attribution data', () => {
  it('equals the reference implementation’s, at every node of any route', () => {
    fc.assert(
      fc.property(journey, ([units, plain]) => {
        const secrets = secretsOf(units.length);
        let ours: Uint8Array | undefined;
        let theirs: Uint8Array | undefined;
        let message: Uint8Array = plain;
        for (let i = units.length - 1; i >= 0; i--) {
          const table = before(
            theirs === undefined ? EMPTY : parsed(theirs),
            secrets[i]!,
            units[i]!,
            message,
          );
          theirs = streamed(secrets[i]!, serialized(table));
          ours = attribute(secrets[i]!, 100 * units[i]!, message, ours);
          expect(toHex(ours)).toBe(toHex(theirs));
          if (message.length > 0) message = wrapFailurePacket(secrets[i]!, message);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('is read as the hold times that were written', () => {
    fc.assert(
      fc.property(journey, ([units, plain]) => {
        const { data, message } = returned(units, plain);
        const read = readAttribution(secretsOf(units.length), data, message);
        expect(read).toEqual({ holdTimesMs: units.map((one) => 100 * one), brokenIndex: undefined });
      }),
      { numRuns: 40 },
    );
  });

  it('that was changed yields only true hold times: those before the first invalid HMAC', () => {
    fc.assert(
      fc.property(
        journey,
        fc.array(fc.tuple(fc.nat(ATTRIBUTION_BYTES - 1), fc.integer({ min: 1, max: 255 })), { minLength: 1 }),
        ([units, plain], changes) => {
          const { data, message } = returned(units, plain);
          const changed = data.slice();
          for (const [at, by] of changes) changed[at]! ^= by;
          const { holdTimesMs, brokenIndex } = readAttribution(secretsOf(units.length), changed, message);
          expect(holdTimesMs).toEqual(units.slice(0, holdTimesMs.length).map((one) => 100 * one));
          expect(holdTimesMs).toHaveLength(brokenIndex ?? units.length);
        },
      ),
    );
  });

  it('names the liar if it changes a hold time after adding its own HMACs, and the next node if before', () => {
    const secrets = secretsOf(4);
    const noMessage = new Uint8Array(0);
    for (const isEarly of [true, false]) {
      let data: Uint8Array | undefined;
      for (let i = 3; i >= 0; i--) {
        const isLiar = i === 1;
        if (isLiar && isEarly) data![3]! ^= 1;
        data = attribute(secrets[i]!, 100, noMessage, data);
        if (isLiar && !isEarly) data[7]! ^= 1;
      }
      expect(readAttribution(secrets, data!).brokenIndex).toBe(isEarly ? 2 : 1);
    }
  });

  it('of a wrong length hides no failure, and is invalid from the first node on', () => {
    const secrets = secretsOf(2);
    const { message } = returned([1, 1], new Uint8Array(0));
    const none = { holdTimesMs: [], brokenIndex: 0 };
    for (const length of [0, 1, ATTRIBUTION_BYTES - 1, ATTRIBUTION_BYTES + 1, 65_535]) {
      expect(readAttribution(secrets, new Uint8Array(length), message)).toEqual(none);
      const read = unwrapFailurePacket(secrets, new Uint8Array(292), new Uint8Array(length));
      expect(read).toMatchObject({ hopIndex: undefined, suspectIndex: 0, holdTimesMs: [] });
    }
  });
});
