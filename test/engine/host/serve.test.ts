/**
 * Sessions of a solver's thread, and when it announces its replies to the engine. Sessions end at some time even if
 * requests keep arriving, so that the event loop of the thread turns, and no request is lost between two sessions. The
 * test's clock advances with each answer.
 */
import { afterEach, expect, it, vi } from 'vitest';
import { RingReader, RingWriter, ringMemory } from '../../../src/engine/host/ring.ts';
import { PACE, serve } from '../../../src/engine/host/serve.ts';

afterEach(() => vi.restoreAllMocks());

const RING_BYTES = 1024;
/** Milliseconds that each answer takes. */
const ANSWER_MS = 1_500;

it('a long session ends between two requests, and the next session answers the rest', () => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const rings = {
    requests: ringMemory(RING_BYTES),
    replies: ringMemory(RING_BYTES),
    pace: new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT),
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

const ANNOUNCED_WORD = 1;

/**
 * Writes this many requests, serves them, and returns the number of announced replies before each answer and at the
 * end.
 */
function announcedReplies(requests: number): number[] {
  const rings = { requests: ringMemory(), replies: ringMemory(), pace: new SharedArrayBuffer(12) };
  const writer = new RingWriter(rings.requests);
  for (let n = 0; n < requests; n++) writer.write(Uint8Array.of(n));
  new Int32Array(rings.pace)[PACE.requests] = requests;
  const words = new Int32Array(rings.replies);
  const REPLY_BYTES = 8;
  const announced: number[] = [];
  const note = () => announced.push(words[ANNOUNCED_WORD]! / REPLY_BYTES);
  serve(rings, (request) => {
    note();
    return request;
  });
  note();
  const reader = new RingReader(rings.replies);
  for (let n = 0; n < requests; n++) expect([...reader.read()!]).toEqual([n]);
  return announced;
}

it('replies are announced once there are as many as requests left', () => {
  expect(announcedReplies(1)).toEqual([0, 1]);
  expect(announcedReplies(2)).toEqual([0, 1, 2]);
  expect(announcedReplies(3)).toEqual([0, 0, 2, 3]);
  // 4 replies and 4 requests left; then 2 and 2; then 1 and 1.
  expect(announcedReplies(8)).toEqual([0, 0, 0, 0, 4, 4, 6, 7, 8]);
});
