/**
 * What the thread of a solver does all day: it takes requests out of a ring, answers them one by one, and
 * puts the replies into another ring (ring.ts). The engine's side is thread-link.ts.
 *
 * One task of the pool is one session. The thread sleeps inside it while there is nothing to do, which costs less
 * than a task for each request. After a while without requests the session ends, so that a program that has nothing
 * else to do may end too. The next request begins another. A session never ends within a request: the engine may be
 * slow to write the rest of a long one, and the next session would take that rest for a request of its own.
 */
import { RingReader, RingWriter } from './ring.ts';

/** The two rings between the engine and one thread. */
export interface SolverRings {
  readonly requests: SharedArrayBuffer;
  readonly replies: SharedArrayBuffer;
}

/** Milliseconds without a request after which a session ends. */
const LINGER_MS = 250;

/**
 * Answers requests until none has arrived for a while. When `answer` throws, the solver is in an unknown state: the
 * thread ends with this error, and touches no further request.
 */
export function serve(rings: SolverRings, answer: (request: Uint8Array) => Uint8Array): unknown {
  const requests = new RingReader(rings.requests);
  const replies = new RingWriter(rings.replies);
  try {
    do {
      for (let request = requests.read(); request !== undefined; request = requests.read()) {
        const reply = answer(request);
        while (!replies.write(reply)) replies.waitForRoom();
      }
    } while (requests.waitForRecord(LINGER_MS) || requests.isInMessage);
    return undefined;
  } catch (error) {
    // This error is not caught. So it ends the thread, and the pool learns why.
    queueMicrotask(() => {
      throw error;
    });
    return new Promise(() => undefined);
  }
}
