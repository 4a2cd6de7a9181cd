/**
 * The proof that no larger amount can pass: a maximum flow and a minimum cut of the same size.
 *
 * The reference finds the maximum flow by single augmenting paths (Ford and Fulkerson 1956). The kernel's cut
 * must have exactly that capacity, and removing its directions must disconnect the destination from the
 * source. Then both are correct, no matter which side the kernel's search has exhausted.
 *
 *   A ──100──► B ══ many ══► Z        the cut is at the source
 *   A ══ many ══► Y ──100──► Z        the cut is at the destination
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { createSharedKernel, GraphPublisher } from '../../../src/engine/solver/kernel-memory.ts';
import type { EffectiveArc } from '../../../src/engine/solver/solution.ts';
import { formatShortChannelId } from '../../../src/model/short-channel-id.ts';
import { type Instance, instances } from '../../reference/arbitrary.ts';
import type { PlainDirection } from '../../reference/direction.ts';
import { MEDIUM, SMALL } from '../../reference/shapes.ts';
import { nodeNamed, type TinyGraph, tinyGraph } from '../../reference/tiny-graph.ts';

const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);
const EVERYTHING = 10n ** 17n;

/** The maximum that HTLCs together can carry over a direction. Each of them carries at least the minimum. */
function carried(mostMsat: bigint, least: bigint, highest: bigint): bigint {
  if (highest === 0n || highest < least) return 0n;
  const htlcs = least > 0n ? mostMsat / least : mostMsat;
  return htlcs * highest < mostMsat ? htlcs * highest : mostMsat;
}

const capacityOf = ({ enabled, maximumMsat, htlcMinimumMsat, htlcMaximumMsat }: PlainDirection): bigint =>
  enabled ? carried(maximumMsat, htlcMinimumMsat, htlcMaximumMsat) : 0n;

/** The nodes of a shortest path with residual capacity from the source to the destination; empty if there is none. */
function augmentingPath(rows: Map<string, Map<string, bigint>>, from: string, to: string): string[] {
  const cameFrom = new Map([[from, '']]);
  for (const node of cameFrom.keys()) {
    for (const [next, left] of rows.get(node) ?? [])
      if (left > 0n && !cameFrom.has(next)) cameFrom.set(next, node);
  }
  if (!cameFrom.has(to)) return [];
  const path = [to];
  while (path[0] !== from) path.unshift(cameFrom.get(path[0]!)!);
  return path;
}

/** The maximum flow, found by augmenting paths over a table of residual capacities. */
function mostByReference(graph: TinyGraph, source: string, destination: string): bigint {
  const rows = new Map<string, Map<string, bigint>>();
  const add = (from: string, to: string, amount: bigint) => {
    const row = rows.get(from) ?? new Map<string, bigint>();
    rows.set(from, row.set(to, (row.get(to) ?? 0n) + amount));
  };
  for (const each of graph.directions) add(each.source, each.destination, capacityOf(each));
  let most = 0n;
  for (;;) {
    const path = augmentingPath(rows, source, destination);
    if (path.length === 0) return most;
    const steps = path.slice(1).map((to, index) => [path[index]!, to] as const);
    const amount = steps.map(([from, to]) => rows.get(from)!.get(to)!).reduce((a, b) => (b < a ? b : a));
    for (const [from, to] of steps) {
      add(from, to, -amount);
      add(to, from, amount);
    }
    most += amount;
  }
}

/** A kernel to which graphs are published one after the other. */
class Flows {
  readonly #shared = createSharedKernel('debug');
  readonly #publisher = new GraphPublisher(this.#shared);
  #kernel: Kernel | undefined;

  /** The maximum that the kernel proves, and the directions of its cut. */
  most(graph: TinyGraph, source: string, destination: string): { most: bigint; cut: EffectiveArc[] } {
    this.#publisher.publish(graph.graph);
    this.#kernel ??= new Kernel(this.#shared, 0);
    const kernel = this.#kernel;
    return kernel.reading(() => {
      kernel.applyStack([]);
      const [from, to] = [kernel.nodeIndex(nodeNamed(source)), kernel.nodeIndex(nodeNamed(destination))];
      if (from === undefined || to === undefined) return { most: 0n, cut: [] };
      kernel.exports.setEffort(Number.POSITIVE_INFINITY);
      kernel.solve({
        source: from,
        destination: to,
        amountMsat: EVERYTHING,
        maxfeeMsat: EVERYTHING,
        maxPathDelay: 2016,
        maxparts: 1,
        maxhops: 20,
      });
      const most = kernel.provenMost();
      if (most === undefined) throw new Error('nothing can pass everything');
      return { most, cut: kernel.cut().map((arc) => kernel.arc(arc)) };
    });
  }
}

describe('a minimum cut', () => {
  const flows = new Flows();

  function isCertificate(graph: TinyGraph, source: string, destination: string): bigint {
    const { most, cut } = flows.most(graph, source, destination);
    expect(most).toBe(mostByReference(graph, nodeNamed(source), nodeNamed(destination)));
    const capacities = cut.map(({ maxMsat, htlcMinimumMsat, htlcMaximumMsat }) =>
      carried(maxMsat, htlcMinimumMsat, htlcMaximumMsat),
    );
    expect(capacities.reduce((sum, each) => sum + each, 0n)).toBe(most);
    const names = new Set(
      cut.map(({ shortChannelId, direction }) => `${formatShortChannelId(shortChannelId)}/${direction}`),
    );
    const rest = graph.directions.filter(({ name }) => !names.has(name));
    const left = mostByReference({ ...graph, directions: rest }, nodeNamed(source), nodeNamed(destination));
    expect(left, 'what passes beside the cut').toBe(0n);
    return most;
  }

  const many = (from: string, to: string) =>
    Array.from({ length: 12 }, (_, i) => [
      `${from}-${i + 30} cap=900sat`,
      `${i + 30}-${to} cap=900sat`,
    ]).flat();

  it('lies at the source if its channel is the bottleneck', () => {
    const graph = tinyGraph(['A-B 7x7x7 cap=100sat', ...many('B', 'Z')]);
    expect(isCertificate(graph, 'A', 'Z')).toBe(100_000n);
  });

  it('lies at the destination if its channel is the bottleneck', () => {
    const graph = tinyGraph([...many('A', 'Y'), 'Y-Z 7x7x7 cap=100sat']);
    expect(isCertificate(graph, 'A', 'Z')).toBe(100_000n);
  });

  it.each([
    ['one HTLC', 'cap=1480sat min=1000000 max=1465sat', 1_465_000n],
    ['two HTLCs', 'cap=2100sat min=1000000 max=1010sat', 2_020_000n],
    ['enough HTLCs', 'cap=2100sat min=1000000 max=1200sat', 2_100_000n],
    ['no HTLC', 'cap=999sat min=1000000 max=1200sat', 0n],
  ])('counts %s of at least the minimum', (_, limits, most) => {
    const graph = tinyGraph([`A-B ${limits}`, ...many('B', 'Z')]);
    expect(isCertificate(graph, 'A', 'Z')).toBe(most);
  });

  // The side of a node with many channels is searched last, so that the opposite side has to undo flow.
  it.each(['A', 'Z'])('undoes flow if the first paths were wrong, with many channels at %s', (hub) => {
    // The shortest path A-B-C-Z blocks both A-B-D-F-Z and A-E-G-C-Z.
    const lines = ['A-B', 'B-C', 'C-Z', 'B-D', 'D-F', 'F-Z', 'A-E', 'E-G', 'G-C'];
    const ends = Array.from({ length: 40 }, (_, i) => `${hub}-${i + 30}`);
    const graph = tinyGraph([...lines, ...ends].map((pair) => `${pair} cap=10sat > fee=0+1 < off`));
    expect(isCertificate(graph, 'A', 'Z')).toBe(20_000n);
  });

  it('has the capacity of the maximum flow of a simple reference', () => {
    let crossed = 0;
    const check = ({ lines, source, destination }: Instance) => {
      if (isCertificate(tinyGraph(lines), String(source), String(destination)) > 0n) crossed++;
    };
    const runs = { numRuns: 250, seed: SEED };
    fc.assert(fc.property(instances(SMALL), check), runs);
    fc.assert(fc.property(instances(MEDIUM), check), runs);
    expect(crossed, `seed ${SEED}`).toBeGreaterThan(0);
  });
});
