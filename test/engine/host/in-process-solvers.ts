/**
 * A solver in the process of the test, behind the same link and the same packed messages as a worker's. So
 * tests of the engine's answers need no threads, and run the sources instead of the build.
 */

import type { SolverLink, Solvers } from '../../../src/engine/host/solver-link.ts';
import { createSharedKernel, GraphPublisher } from '../../../src/engine/solver/kernel-memory.ts';
import { Responder } from '../../../src/engine/solver/responder.ts';
import type { ChannelGraph } from '../../../src/model/channel-graph.ts';

/** One solver. It answers in a later turn of the event loop, as real solvers do. */
export function inProcessSolvers(): Solvers {
  const shared = createSharedKernel();
  const publisher = new GraphPublisher(shared);
  const responder = new Responder(shared, 0);
  const link: SolverLink = {
    depth: 1,
    send: (_task, request) =>
      new Promise((resolve) => {
        setImmediate(() => resolve(responder.answer(request)));
      }),
    cancel: () => undefined,
    reset: () => undefined,
  };
  return {
    links: [link],
    get memoryBytes() {
      return publisher.memoryBytes;
    },
    publish: (graph: ChannelGraph) => publisher.publish(graph),
    close: () => Promise.resolve(),
  };
}
