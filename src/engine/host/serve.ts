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

/** The memory between the engine and one thread. */
export interface SolverRings {
  readonly requests: SharedArrayBuffer;
  readonly replies: SharedArrayBuffer;
  /** Three words, by `PACE`. */
  readonly pace: SharedArrayBuffer;
}

/** The average microseconds of recent answers, and numbers that wrap at 2³²: requests written, and replies written. */
export const PACE = { averageUs: 0, requests: 1, replies: 2 } as const;

/** Milliseconds without a request after which a session ends. */
const LINGER_MS = 250;
/** Milliseconds after which a session ends even if requests keep arriving. A session costs as much as a pool task. */
const SESSION_MS = 5_000;
/** The share of the last answer in the average. */
const LAST_SHARE = 1 / 32;

/**
 * Answers requests until none has arrived for a while. When `answer` throws, the solver's state is unknown: the thread
 * ends with this error, without processing further requests.
 *
 * Replies are announced once they are as many as the requests left. So the engine handles one half and sends new
 * requests while the thread answers the other half. It is woken once for many replies, and the thread rarely waits.
 */
export function serve(rings: SolverRings, answer: (request: Uint8Array) => Uint8Array): unknown {
  const requests = new RingReader(rings.requests);
  const replies = new RingWriter(rings.replies);
  const pace = new Int32Array(rings.pace);
  let averageMs = Atomics.load(pace, PACE.averageUs) / 1000;
  let unannounced = 0;
  const endMs = performance.now() + SESSION_MS;
  try {
    for (;;) {
      const request = requests.read();
      if (request === undefined) {
        if (unannounced > 0) replies.announce();
        unannounced = 0;
        if (requests.waitForRecord(LINGER_MS) || requests.isInMessage) continue;
        return undefined;
      }
      const startedMs = performance.now();
      const reply = answer(request);
      averageMs += LAST_SHARE * (performance.now() - startedMs - averageMs);
      Atomics.store(pace, PACE.averageUs, 1000 * averageMs);
      while (!replies.write(reply, false)) {
        replies.announce();
        replies.waitForRoom();
      }
      unannounced++;
      const written = Atomics.add(pace, PACE.replies, 1) + 1;
      const left = (Atomics.load(pace, PACE.requests) - written) | 0;
      const isOver = startedMs > endMs;
      if (unannounced >= left || isOver) {
        replies.announce();
        unannounced = 0;
      }
      if (isOver) return undefined;
    }
  } catch (error) {
    // Nothing catches this error, so it ends the thread, and the pool receives it.
    queueMicrotask(() => {
      throw error;
    });
    return new Promise(() => undefined);
  }
}
