/**
 * Sessions of a solver's thread: they end at some time even if requests keep arriving, so that the event loop of the
 * thread turns, and no request is lost between two sessions. The test's clock advances with each answer.
 */
import { afterEach, expect, it, vi } from 'vitest';
import { RingReader, RingWriter, ringMemory } from '../../../src/engine/host/ring.ts';
import { serve } from '../../../src/engine/host/serve.ts';

afterEach(() => vi.restoreAllMocks());

const RING_BYTES = 1024;
/** Milliseconds that each answer takes. */
const ANSWER_MS = 1_500;

it('ends a long session between two requests, and the next session answers the rest', () => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const rings = {
    requests: ringMemory(RING_BYTES),
    replies: ringMemory(RING_BYTES),
    pace: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
  };
  const [requests, replies] = [new RingWriter(rings.requests), new RingReader(rings.replies)];
  const received = (): number[] => {
    const all: number[] = [];
    for (let reply = replies.read(); reply !== undefined; reply = replies.read()) all.push(...reply);
    return all;
  };
  const answer = (request: Uint8Array): Uint8Array => {
    nowMs += ANSWER_MS;
    return request;
  };
  for (let request = 0; request < 7; request++) requests.write(Uint8Array.of(request));
  serve(rings, answer);
  // Request 4 is the first that begins more than 5 s after the session.
  expect(received()).toEqual([0, 1, 2, 3, 4]);
  serve(rings, answer);
  expect(received()).toEqual([5, 6]);
});
