/**
 * The kernel as a solver under test. There is one instance per build, to which each graph is published in
 * turn.
 */
import { expect } from 'vitest';
import { asError } from '../../../src/commands/client-error.ts';
import { noRouteInWords } from '../../../src/commands/routes/no-route-words.ts';
import { pricesFor } from '../../../src/engine/question/objective.ts';
import { allowedRemedies } from '../../../src/engine/question/remedy-rules.ts';
import type { RouteAnswer, RouteQuery } from '../../../src/engine/question/route.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { SOURCEFREE_SLOT } from '../../../src/engine/solver/kernel-layout.ts';
import {
  createSharedKernel,
  GraphPublisher,
  type KernelBuild,
} from '../../../src/engine/solver/kernel-memory.ts';
import { solveRoute } from '../../../src/engine/solver/solve-route.ts';
import type { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { MAXIMUM_HOPS, partsAllowed } from '../../reference/referee.ts';
import type { Solver } from '../../reference/solver.ts';

export const AUTOMATIC: ReadonlyMap<string, number> = new Map([['auto.sourcefree', SOURCEFREE_SLOT]]);

/** Sends a question to a kernel. The kernel has the automatic layers, and the layers in `slots` by name. */
export function askKernel(
  kernel: Kernel,
  query: RouteQuery,
  slots: ReadonlyMap<string, number> = AUTOMATIC,
): RouteAnswer | FulguriteError {
  const names = query.layers.filter((name) => slots.has(name));
  const outcome = solveRoute(kernel, {
    ...query,
    maxparts: partsAllowed(query),
    maxhops: MAXIMUM_HOPS,
    layerIds: names.map((name) => slots.get(name)!),
    layerNames: names,
    includeFees: query.layers.includes('auto.include_fees'),
    ...allowedRemedies(undefined, query.layers.includes('auto.no_mpp_support')),
  });
  if ('answer' in outcome) return outcome.answer;
  return asError(noRouteInWords(outcome.noRoute));
}

/** A solver on one build of the kernel. */
export function kernelSolver(build: KernelBuild): Solver {
  const shared = createSharedKernel(build);
  const publisher = new GraphPublisher(shared);
  let kernel: Kernel | undefined;
  let published: ChannelGraph | undefined;
  return {
    name: `${build} build`,
    solve({ graph }, query) {
      if (published !== graph) publisher.publish(graph);
      published = graph;
      kernel ??= new Kernel(shared, 0);
      return askKernel(kernel, query);
    },
    prices: (amountMsat) => pricesFor(amountMsat),
  };
}

/** The compared part of an outcome: for an error, its details. */
const comparable = (outcome: RouteAnswer | FulguriteError): object =>
  outcome instanceof FulguriteError
    ? { code: outcome.code, message: outcome.message, data: outcome.data }
    : outcome;

/**
 * Both builds as one solver, which requires equal answers. So a check of the release build's answer also
 * covers the debug build, which in addition asserts its invariants.
 */
export function bothBuilds(): Solver {
  const [release, debug] = [kernelSolver('release'), kernelSolver('debug')];
  return {
    name: 'both builds',
    solve(graph, query) {
      const answer = release.solve(graph, query);
      expect(comparable(debug.solve(graph, query)), 'the debug build answers otherwise').toEqual(
        comparable(answer),
      );
      return answer;
    },
    prices: release.prices,
  };
}
