/**
 * The ring between two threads: every message comes out complete and in order. First in one thread, where the
 * test chooses every step; then in two threads that race.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RingReader, RingWriter, ringMemory } from '../../../src/engine/host/ring.ts';

/** Bytes that depend on the message and on their position in it. */
const message = (length: number, seed: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, index) => (index * 31 + seed * 7 + (index >> 8)) & 0xff));

function ring(capacity: number): { writer: RingWriter; reader: RingReader } {
  const memory = ringMemory(capacity);
  return { writer: new RingWriter(memory), reader: new RingReader(memory) };
}

describe('in one thread', () => {
  it('wraps around: a record that begins at the end of the memory continues at the start', () => {
    const { writer, reader } = ring(64);
    // Each record takes 4 + 12 bytes, so four records fill the ring. A message of 10 bytes is not cut, since
    // pieces have up to 12.
    for (let round = 0; round < 100; round++) {
      expect(writer.write(message(10, round))).toBe(true);
      expect(writer.write(message(5, round))).toBe(true);
      expect(reader.read()).toEqual(message(10, round));
      expect(reader.read()).toEqual(message(5, round));
      expect(reader.read()).toBeUndefined();
    }
  });

  it('is full when the reader does not read, and then continues where it stopped', () => {
    const { writer, reader } = ring(64);
    const long = message(100, 1);
    expect(writer.write(long)).toBe(false);
    expect(reader.read()).toBeUndefined();
    expect(writer.write(long)).toBe(false);
    expect(reader.read()).toBeUndefined();
    expect(writer.write(long)).toBe(true);
    expect(reader.read()).toEqual(long);
    expect(writer.taken).toBe(reader.written);
  });

  it('continues when its counters wrap at 2³²', () => {
    const memory = ringMemory(64);
    const words = new Int32Array(memory);
    words[0] = words[16] = -48;
    const [writer, reader] = [new RingWriter(memory), new RingReader(memory)];
    for (let round = 0; round < 10; round++) {
      expect(writer.write(message(9, round))).toBe(true);
      expect(reader.read()).toEqual(message(9, round));
    }
    expect(words[0]).toBeGreaterThan(0);
  });

  it('passes empty messages', () => {
    const { writer, reader } = ring(64);
    expect(writer.write(Buffer.alloc(0))).toBe(true);
    expect(reader.read()).toEqual(Buffer.alloc(0));
  });

  it('wakes a sleeping reader only when messages are announced', async () => {
    const { writer, reader } = ring(64);
    let isAwake = false;
    const record = reader.record().then(() => {
      isAwake = true;
    });
    writer.write(message(5, 1), false);
    writer.write(message(5, 2), false);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAwake).toBe(false);
    writer.announce();
    await record;
    expect([reader.read(), reader.read()]).toEqual([message(5, 1), message(5, 2)]);
  });

  it('has a capacity that divides 2³²', () => {
    for (const capacity of [0, 32, 100]) expect(() => ringMemory(capacity)).toThrow(RangeError);
  });

  it('returns everything that was written, in order, for all sizes and patterns of writing and reading', () => {
    const steps = fc.array(fc.oneof(fc.nat(300), fc.constant('read' as const)), { maxLength: 60 });
    fc.assert(
      fc.property(fc.constantFrom(64, 128, 1024), steps, (capacity, plan) => {
        const { writer, reader } = ring(capacity);
        const [unsent, read]: Uint8Array[][] = [[], []];
        let sizes: number[] = [];
        const flush = () => {
          while (unsent.length > 0 && writer.write(unsent[0]!)) unsent.shift();
        };
        const take = () => {
          for (let next = reader.read(); next !== undefined; next = reader.read()) read.push(next);
        };
        for (const step of plan) {
          if (step === 'read') take();
          else {
            unsent.push(message(step, sizes.length));
            sizes = [...sizes, step];
          }
          flush();
        }
        while (unsent.length > 0) {
          take();
          flush();
        }
        take();
        expect(read).toEqual(sizes.map(message));
      }),
    );
  });
});

/** A thread that moves messages from one ring into the other. */
const ECHO = `
import { workerData } from 'node:worker_threads';
import { RingReader, RingWriter } from ${JSON.stringify(new URL('../../../build/src/engine/host/ring.js', import.meta.url).href)};
const [requests, replies] = [new RingReader(workerData.requests), new RingWriter(workerData.replies)];
for (let left = workerData.count; left > 0; ) {
  const request = requests.read();
  if (request === undefined) {
    requests.waitForRecord(10_000);
    continue;
  }
  while (!replies.write(request)) replies.waitForRoom();
  left--;
}
`;

describe('between two threads that race', () => {
  it.each([64, 4096, 262_144])(
    'loses nothing and keeps the order, with a capacity of %i bytes',
    async (capacity) => {
      const seed = 20_261_122;
      const draws = fc.sample(fc.tuple(fc.nat(3 * 600), fc.nat(4)), { numRuns: 1_500, seed });
      const [requests, replies] = [ringMemory(capacity), ringMemory(capacity)];
      const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(ECHO)}`), {
        workerData: { requests, replies, count: draws.length },
      });
      const exit = once(thread, 'exit');
      const [writer, reader] = [new RingWriter(requests), new RingReader(replies)];
      const writing = async () => {
        for (const [index, [length, pause]] of draws.entries()) {
          const next = message(length, index);
          while (!writer.write(next)) await writer.room();
          // Batches of varying lengths: between some of them the event loop turns, and the other thread goes to
          // sleep.
          if (pause === 0) await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const reading = async () => {
        for (const [index, [length]] of draws.entries()) {
          let next = reader.read();
          for (; next === undefined; next = reader.read()) await reader.record();
          if (Buffer.compare(next, message(length, index)) !== 0) throw new Error(`message ${index} differs`);
        }
      };
      await Promise.all([writing(), reading()]);
      expect(reader.read()).toBeUndefined();
      expect(await exit).toEqual([0]);
    },
  );
});
