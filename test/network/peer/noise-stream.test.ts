/**
 * The state machine of a connection. Two ends understand each other no matter where the stream is cut into
 * pieces. Hostile bytes (random, truncated, replayed, changed, oversized) always end the connection with a
 * `WireError`.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, toHex } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../../../src/model/node-id.ts';
import { NoiseStream } from '../../../src/network/peer/noise-stream.ts';
import { expectOnlyWireErrors, FUZZ_TIMEOUT_MS } from '../../bolt/hostile.ts';

const A = new Uint8Array(32).fill(0x11);
const B = new Uint8Array(32).fill(0x22);
const EPHEMERAL = new Uint8Array(32).fill(0x33);

interface End {
  readonly stream: NoiseStream;
  readonly sent: Uint8Array[];
  readonly received: Uint8Array[];
  readonly opened: Uint8Array[];
}

function end(secretKey: Uint8Array, remoteId?: Uint8Array): End {
  const [sent, received, opened]: Uint8Array[][] = [[], [], []];
  const events = {
    write: (bytes: Uint8Array) => void sent!.push(bytes),
    opened: (id: NodeId) => void opened!.push(nodeIdToBytes(id)),
    message: (bytes: Uint8Array) => void received!.push(bytes),
  };
  // A fixed ephemeral key makes the bytes repeatable, so bytes written for one connection also fit the next.
  const stream = new NoiseStream(secretKey, remoteId && nodeIdFromBytes(remoteId), events, EPHEMERAL);
  return { stream, sent: sent!, received: received!, opened: opened! };
}

/** Everything that one end has sent since the last call, as one array. */
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

const digest = (message: Uint8Array): string => toHex(sha256(message));

describe('a connection', () => {
  it('proves both ids', () => {
    const [initiator, responder] = connected();
    expect(initiator.opened).toEqual([curve.publicKey(B)]);
    expect(responder.opened).toEqual([curve.publicKey(A)]);
  });

  it('carries messages of every size, for any cut of the stream into pieces', () => {
    const sizes = fc.array(fc.oneof(fc.nat(40), fc.constantFrom(0, 1366, 32834, 65535)), { maxLength: 6 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 70_000 }), (lengths, cut) => {
        const [from, to] = connected();
        const messages = lengths.map((length, i) => new Uint8Array(length).fill(i + 1));
        for (const message of messages) from.stream.send(message);
        const bytes = said(from);
        for (let at = 0; at < bytes.length; at += cut) to.stream.receive(bytes.subarray(at, at + cut));
        // Digests are compared, because arrays of megabytes would be compared element by element.
        expect(to.received.map(digest)).toEqual(messages.map(digest));
      }),
      { numRuns: 40 },
    );
  });

  it('does not keep the pieces: a peer that sends single bytes makes us hold one frame and no more', () => {
    const [from, to] = connected();
    from.stream.send(new Uint8Array(65_535).fill(3));
    const piece = new Uint8Array(1);
    for (const byte of said(from)) {
      piece[0] = byte;
      to.stream.receive(piece);
    }
    expect(to.received).toEqual([new Uint8Array(65_535).fill(3)]);
  });

  it('carries messages across two key rotations', () => {
    const [from, to] = connected();
    for (let i = 0; i < 1100; i++) from.stream.send(Uint8Array.of(i & 0xff));
    to.stream.receive(said(from));
    expect(to.received.map(([byte]) => byte)).toEqual(Array.from({ length: 1100 }, (_, i) => i & 0xff));
  });

  it('completes its handshake byte by byte', () => {
    const [initiator, responder] = [end(A, curve.publicKey(B)), end(B)];
    initiator.stream.start();
    for (const byte of said(initiator)) responder.stream.receive(Uint8Array.of(byte));
    for (const byte of said(responder)) initiator.stream.receive(Uint8Array.of(byte));
    for (const byte of said(initiator)) responder.stream.receive(Uint8Array.of(byte));
    expect(responder.opened).toEqual([curve.publicKey(A)]);
  });
});

describe('a bad stream', () => {
  it('with a replayed frame ends the connection', () => {
    const [from, to] = connected();
    from.stream.send(new Uint8Array(5));
    const frame = said(from);
    to.stream.receive(frame);
    expectEnded(to.stream, () => to.stream.receive(frame));
    expect(to.received).toHaveLength(1);
  });

  it('with frames out of order ends the connection', () => {
    const [from, to] = connected();
    from.stream.send(new Uint8Array(5));
    const first = said(from);
    from.stream.send(new Uint8Array(5));
    const second = said(from);
    expectEnded(to.stream, () => to.stream.receive(concatBytes(second, first)));
    expect(to.received).toEqual([]);
  });

  it('with one changed bit anywhere ends the connection', () => {
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

  it('from a peer other than the intended one ends the connection', () => {
    const [initiator, responder] = [end(A, curve.publicKey(A)), end(B)];
    initiator.stream.start();
    expectEnded(responder.stream, () => responder.stream.receive(said(initiator)));
    expect(responder.sent).toEqual([]);
  });

  it('that is cut off keeps waiting', () => {
    const [from, to] = connected();
    from.stream.send(new Uint8Array(30));
    to.stream.receive(said(from).subarray(0, -1));
    expect(to.received).toEqual([]);
  });
});

describe('hostile bytes', () => {
  const SIZES = [2, 0, 300];
  const [actOne, actThree] = (() => {
    const [initiator, responder] = [end(A, curve.publicKey(B)), end(B)];
    initiator.stream.start();
    const first = said(initiator);
    responder.stream.receive(first);
    initiator.stream.receive(said(responder));
    return [first, said(initiator)];
  })();
  const actTwo = (() => {
    const responder = end(B);
    responder.stream.receive(actOne);
    return said(responder);
  })();
  const frames = (() => {
    const [from] = connected();
    for (const length of SIZES) from.stream.send(new Uint8Array(length));
    return said(from);
  })();

  const waitsFor: readonly [string, Uint8Array, () => End][] = [
    ['act one', actOne, () => end(B)],
    [
      'act two',
      actTwo,
      () => {
        const initiator = end(A, curve.publicKey(B));
        initiator.stream.start();
        return initiator;
      },
    ],
    [
      'act three and frames',
      concatBytes(actThree, frames),
      () => {
        const responder = end(B);
        responder.stream.receive(actOne);
        return responder;
      },
    ],
    ['frames', frames, () => connected()[1]],
  ];

  it.each(waitsFor)(
    'instead of %s cause only WireErrors',
    { timeout: FUZZ_TIMEOUT_MS },
    (name, valid, make) => {
      expectOnlyWireErrors(name, valid, (bytes) => {
        const { stream, received } = make();
        try {
          stream.receive(bytes);
        } finally {
          // The messages that arrived are the first of those sent.
          expect(received.map(({ length }) => length)).toEqual(SIZES.slice(0, received.length));
          expect(received.every((message) => message.every((byte) => byte === 0))).toBe(true);
        }
      });
    },
  );
});
