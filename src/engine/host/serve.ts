/**
 * The loop of a solver's thread: it reads requests from a ring, answers them one by one, and writes the replies to
 * another ring (ring.ts). The engine's side is thread-link.ts.
 *
 * One pool task is one session, in which the thread sleeps while idle; that is cheaper than a task per request. After a
 * while without requests the session ends, so that a program with nothing else to do can exit. The next request starts
 * a new session. A session never ends within a request: the engine may be slow to write the rest of a long request, and
 * the next session would mistake that rest for a new request.
 *
 * Within a session the thread's event loop does not turn, so V8 cannot run the tasks by which it finishes collections of
 * garbage and gives memory back. So a long session ends too, and the engine starts the next one.
 */
import { RingReader, RingWriter } from './ring.ts';

/** The two rings between the engine and one thread. */
export interface SolverRings {
  readonly requests: SharedArrayBuffer;
  readonly replies: SharedArrayBuffer;
  /** One word: the average microseconds of the thread's recent answers. */
  readonly pace: SharedArrayBuffer;
}

/** Milliseconds without a request after which a session ends. */
const LINGER_MS = 250;
/** Milliseconds after which a session ends even if requests keep arriving. A session costs as much as a pool task. */
const SESSION_MS = 5_000;
/** The share of the last answer in the average. */
const LAST_SHARE = 1 / 32;

/**
 * Answers requests until none has arrived for a while. When `answer` throws, the solver's state is unknown: the thread
 * ends with this error, without processing further requests.
 */
export function serve(rings: SolverRings, answer: (request: Uint8Array) => Uint8Array): unknown {
  const requests = new RingReader(rings.requests);
  const replies = new RingWriter(rings.replies);
  const pace = new Int32Array(rings.pace);
  let averageMs = Atomics.load(pace, 0) / 1000;
  const endMs = performance.now() + SESSION_MS;
  try {
    for (;;) {
      const request = requests.read();
      if (request === undefined) {
        if (requests.waitForRecord(LINGER_MS) || requests.isInMessage) continue;
        return undefined;
      }
      const startedMs = performance.now();
      const reply = answer(request);
      averageMs += LAST_SHARE * (performance.now() - startedMs - averageMs);
      Atomics.store(pace, 0, 1000 * averageMs);
      while (!replies.write(reply)) replies.waitForRoom();
      if (startedMs > endMs) return undefined;
    }
  } catch (error) {
    // Nothing catches this error, so it ends the thread, and the pool receives it.
    queueMicrotask(() => {
      throw error;
    });
    return new Promise(() => undefined);
  }
}
