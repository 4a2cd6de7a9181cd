/**
 * The kernel's overlay says of every direction what the rules of the layer book say, whatever layers, queries,
 * graphs and removals came before, and as a kernel without history would; on both builds.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { histories, IDS, type Query, type View, World } from './overlay-world.ts';

const RUNS = Number(process.env.OVERLAY_RUNS ?? 40);

/** Whether both ends of the query have a channel. */
function bothEndsIn(view: View, { source, destination }: Query): boolean {
  const nodes = new Set([...view.values()].map(({ nodeFrom }) => nodeFrom));
  return nodes.has(IDS[source]!) && nodes.has(IDS[destination]!);
}

describe.each(['release', 'debug'] as const)('%s build', (build) => {
  it('has every direction as the rules have it, after any history', () => {
    fc.assert(
      fc.property(histories, (rounds) => {
        const world = new World(build);
        for (const round of rounds) {
          for (const step of round.steps) world.run(step);
          world.deliver();
          for (const query of round.queries) {
            const rules = world.referenceView(query);
            expect(world.kernelView(query)).toEqual(bothEndsIn(rules, query) ? rules : undefined);
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});
