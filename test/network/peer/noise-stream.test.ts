/**
 * The state machine of a connection: two of ours talk through any cuts of the stream, and bytes that somebody
 * else chose (random, truncated, replayed, changed, oversize) end it with a `WireError` and nothing else.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/curve.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { NoiseStream } from '../../../src/network/peer/noise-stream.ts';

const A = new Uint8Array(32).fill(0x11);
const B = new Uint8Array(32).fill(0x22);

interface End {
  readonly stream: NoiseStream;
  readonly sent: Uint8Array[];
  readonly received: Uint8Array[];
  readonly opened: Uint8Array[];
}

function end(secretKey: Uint8Array, remoteId?: Uint8Array): End {
  const [sent, received, opened]: Uint8Array[][] = [[], [], []];
  const stream = new NoiseStream(secretKey, remoteId, {
    write: (bytes) => void sent!.push(bytes),
    opened: (id) => void opened!.push(id),
    message: (bytes) => void received!.push(bytes),
  });
  return { stream, sent: sent!, received: received!, opened: opened! };
}

/** Everything that one end has to say, as one array. */
const said = ({ sent }: End): Uint8Array => concatBytes(...sent.splice(0));

/** Two ends after their handshake. */
function connected(): [End, End] {
  const initiator = end(A, curve.publicKey(B));
  const responder = end(B);
  initiator.stream.start();
  responder.stream.receive(said(initiator));
  initiator.stream.receive(said(responder));
  responder.stream.receive(said(initiator));
  return [initiator, responder];
}

function expectEnded(stream: NoiseStream, run: () => void): void {
  expect(run).toThrow(WireError);
  expect(() => stream.receive(new Uint8Array(1))).toThrow('ended');
  expect(() => stream.send(new Uint8Array(1))).toThrow('not open');
}

describe('a connection', () => {
  it('proves both ids', () => {
    const [initiator, responder] = connected();
    expect(initiator.opened).toEqual([curve.publicKey(B)]);
    expect(responder.opened).toEqual([curve.publicKey(A)]);
  });

  it('carries messages of every size, however the stream is cut', () => {
    const sizes = fc.array(fc.oneof(fc.nat(40), fc.constantFrom(0, 1366, 32834, 65535)), { maxLength: 6 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 70_000 }), (lengths, cut) => {
        const [from, to] = connected();
        const messages = lengths.map((length, i) => new Uint8Array(length).fill(i + 1));
        for (const message of messages) from.stream.send(message);
        const bytes = said(from);
        for (let at = 0; at < bytes.length; at += cut) to.stream.receive(bytes.subarray(at, at + cut));
        expect(to.received).toEqual(messages);
      }),
      { numRuns: 40 },
    );
  });

  it('carries messages beyond two changes of key', () => {
    const [from, to] = connected();
    for (let i = 0; i < 1100; i++) from.stream.send(Uint8Array.of(i & 0xff));
    to.stream.receive(said(from));
    expect(to.received.map(([byte]) => byte)).toEqual(Array.from({ length: 1100 }, (_, i) => i & 0xff));
  });

  it('handshake byte by byte', () => {
    const [initiator, responder] = [end(A, curve.publicKey(B)), end(B)];
    initiator.stream.start();
    for (const byte of said(initiator)) responder.stream.receive(Uint8Array.of(byte));
    for (const byte of said(responder)) initiator.stream.receive(Uint8Array.of(byte));
    for (const byte of said(initiator)) responder.stream.receive(Uint8Array.of(byte));
    expect(responder.opened).toEqual([curve.publicKey(A)]);
  });
});

describe('what ends a connection', () => {
  it('a frame played twice', () => {
    const [from, to] = connected();
    from.stream.send(new Uint8Array(5));
    const frame = said(from);
    to.stream.receive(frame);
    expectEnded(to.stream, () => to.stream.receive(frame));
    expect(to.received).toHaveLength(1);
  });

  it('frames out of order', () => {
    const [from, to] = connected();
    from.stream.send(new Uint8Array(5));
    const first = said(from);
    from.stream.send(new Uint8Array(5));
    const second = said(from);
    expectEnded(to.stream, () => to.stream.receive(concatBytes(second, first)));
    expect(to.received).toEqual([]);
  });

  it('one changed bit anywhere', () => {
    fc.assert(
      fc.property(fc.nat(18 + 30 + 16 - 1), fc.nat(7), (byte, bit) => {
        const [from, to] = connected();
        from.stream.send(new Uint8Array(30));
        const frame = said(from);
        frame[byte]! ^= 1 << bit;
        expectEnded(to.stream, () => to.stream.receive(frame));
        expect(to.received).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('a peer that is not the one we meant', () => {
    const [initiator, responder] = [end(A, curve.publicKey(A)), end(B)];
    initiator.stream.start();
    expectEnded(responder.stream, () => responder.stream.receive(said(initiator)));
    expect(responder.sent).toEqual([]);
  });

  it('a cut-off stream only waits', () => {
    const [from, to] = connected();
    from.stream.send(new Uint8Array(30));
    to.stream.receive(said(from).subarray(0, -1));
    expect(to.received).toEqual([]);
  });
});

describe('bytes that somebody else chose', () => {
  const seconds = process.env.FUZZ_SECONDS;
  const budget = { interruptAfterTimeLimit: Number(seconds ?? 20) * 1000 };
  const chunks = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 });

  it.each([
    ['a responder', () => end(B)],
    ['an initiator', () => end(A, curve.publicKey(B))],
    ['an open connection', () => connected()[1]],
  ])(
    'to %s: only WireError, nothing received',
    (_, make) => {
      fc.assert(
        fc.property(chunks, fc.boolean(), (pieces, versioned) => {
          const { stream, received, opened } = make();
          const before = opened.length;
          try {
            if (versioned) stream.receive(Uint8Array.of(0, 2));
            for (const piece of pieces) stream.receive(piece);
          } catch (error) {
            expect(error).toBeInstanceOf(WireError);
          }
          expect(received).toEqual([]);
          expect(opened).toHaveLength(before);
        }),
        { numRuns: seconds === undefined ? 150 : Number.MAX_SAFE_INTEGER, ...budget },
      );
    },
    600_000,
  );
});
