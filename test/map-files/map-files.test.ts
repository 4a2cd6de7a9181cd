/**
 * The files of the map: links merged and ordered, columns that reach the page unchanged, layouts, and the stored
 * layout.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  capacityOfStep,
  capacityStep,
  decodeColumns,
  decodeIds,
  decodeNames,
  encodeColumns,
  encodeIds,
  encodeNames,
} from '../../src/map-files/columns.ts';
import { coreLayout, coreNumbers } from '../../src/map-files/core-layout.ts';
import { ForceLayout } from '../../src/map-files/force-layout.ts';
import { keyOf, readLayout, topologyHash, writeLayout } from '../../src/map-files/kept-layout.ts';
import { type GraphCopy, linksOf, neighboursOf } from '../../src/map-files/links.ts';
import { continued, placed } from '../../src/map-files/placement.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());

/**
 * A graph with this number of nodes, and with channels [node, node, capacity in sat, flags of both
 * directions].
 */
function graphOf(
  nodes: number,
  channels: readonly (readonly [number, number, number, number, number])[],
): GraphCopy {
  return {
    version: 7,
    ids: Uint8Array.from({ length: nodes * 33 }, (_, at) => (at % 33 === 0 ? 2 : (at * 7) & 255)),
    aliases: new Uint8Array(nodes * 32),
    node1: Uint32Array.from(channels, ([a]) => a),
    node2: Uint32Array.from(channels, ([, b]) => b),
    capacityMsat: BigUint64Array.from(channels, ([, , sat]) => BigInt(sat) * 1000n),
    policyFlags: Uint8Array.from(channels.flatMap(([, , , one, two]) => [one, two])),
  };
}

describe('links', () => {
  // 0 ═ 1 ─ 2: two channels of 1,000 and 3,000 sat, and one of 1,024.
  const graph = graphOf(3, [
    [0, 1, 1000, 3, 0],
    [1, 2, 1024, 1, 3],
    [0, 1, 3000, 0, 3],
  ]);

  test('combine all channels between two nodes, largest first', () => {
    const { from, to, capacity, flags } = linksOf(graph);
    expect([[...from], [...to], [...flags]]).toEqual([
      [0, 1],
      [1, 2],
      [3, 2],
    ]);
    // 8 · log2(4000) = 95.7, 8 · log2(1024) = 80.
    expect([...capacity]).toEqual([96, 80]);
    expect(capacityOfStep(capacityStep(1_024_000n))).toBe(1024);
  });

  test('report the neighbours of each node', () => {
    const { start, ends } = neighboursOf(3, linksOf(graph));
    expect([[...start], [...ends]]).toEqual([
      [0, 1, 3, 4],
      [1, 0, 2, 1],
    ]);
  });
});

describe('files', () => {
  test.each([
    ['narrow', Uint16Array],
    ['wide', Uint32Array],
  ] as const)('%s columns arrive unchanged', (_name, Index) => {
    const columns = {
      version: 12,
      isSettled: true,
      x: Uint16Array.of(0, 65_535, 9),
      y: Uint16Array.of(1, 2, 3),
      from: Index.of(0),
      to: Index.of(2),
      capacity: Uint8Array.of(200),
      flags: Uint8Array.of(3),
    };
    expect(decodeColumns(encodeColumns(columns).buffer)).toEqual(columns);
  });

  test('anything else is refused', () => {
    const bytes = encodeColumns({
      version: 1,
      isSettled: false,
      x: Uint16Array.of(1),
      y: Uint16Array.of(1),
      from: new Uint16Array(0),
      to: new Uint16Array(0),
      capacity: new Uint8Array(0),
      flags: new Uint8Array(0),
    });
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeColumns(bytes.slice(0, length).buffer)).toThrow(RangeError);
    }
    expect(() => decodeIds(bytes.buffer)).toThrow(RangeError);
  });

  test('ids and names keep their order', () => {
    const ids = Uint8Array.from({ length: 66 }, (_, at) => at);
    expect(decodeIds(encodeIds(3, ids).buffer)).toEqual({ version: 3, ids });
    const text = encodeNames(3, ['one', '', 'two\nlines']);
    expect(decodeNames(text)).toEqual({ version: 3, aliases: ['one', '', 'two lines'] });
  });
});

describe('the core numbers', () => {
  // A square 0-1-2-3 with both diagonals, a tail 3-4-5, and 6 alone.
  const neighbours = neighboursOf(
    7,
    linksOf(
      graphOf(7, [
        [0, 1, 9, 3, 3],
        [0, 2, 9, 3, 3],
        [0, 3, 9, 3, 3],
        [1, 2, 9, 3, 3],
        [1, 3, 9, 3, 3],
        [2, 3, 9, 3, 3],
        [3, 4, 9, 3, 3],
        [4, 5, 9, 3, 3],
      ]),
    ),
  );

  test('are those of the definition', () => {
    expect([...coreNumbers(neighbours)]).toEqual([3, 3, 3, 3, 1, 1, 0]);
  });

  test('on random graphs agree with removing nodes one by one', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const channels = randomChannels(30, 70, seed);
      const some = neighboursOf(30, linksOf(graphOf(30, channels)));
      expect([...coreNumbers(some)]).toEqual(coresByDefinition(30, some));
    }
  });

  test('put the core in the middle', () => {
    const { x, y } = coreLayout(neighbours);
    const radius = Array.from(x, (one, node) => Math.hypot(one, y[node]!));
    expect(Math.max(...radius.slice(0, 4))).toBeLessThan(Math.min(...radius.slice(4)));
  });
});

/** Channels between random nodes, from a linear congruential generator. */
function randomChannels(
  nodes: number,
  count: number,
  seed: number,
): [number, number, number, number, number][] {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: count }, () => {
    const a = next(nodes - 1);
    return [a, a + 1 + next(nodes - 1 - a), 1 + next(5000), 3, 3];
  });
}

/**
 * Core numbers by definition: for each k, nodes of degree below k are removed repeatedly, and the remaining
 * nodes have at least core number k.
 */
function coresByDefinition(nodes: number, { start, ends }: ReturnType<typeof neighboursOf>): number[] {
  const cores = new Array<number>(nodes).fill(0);
  const left = new Set(Array.from({ length: nodes }, (_, node) => node));
  for (let k = 1; left.size > 0; k++) {
    const weak = (): number | undefined =>
      [...left].find(
        (node) => ends.subarray(start[node], start[node + 1]).filter((one) => left.has(one)).length < k,
      );
    for (let node = weak(); node !== undefined; node = weak()) left.delete(node);
    for (const node of left) cores[node] = k;
  }
  return cores;
}

describe('the force-directed layout', () => {
  const nodes = 120;
  const neighbours = neighboursOf(nodes, linksOf(graphOf(nodes, randomChannels(nodes, 300, 5))));

  test('repels like the exact sum over all nodes, within the error of treating squares as one node', () => {
    const layout = new ForceLayout(neighbours, coreLayout(neighbours));
    const { x, y } = layout.positions;
    const mass = (node: number): number => neighbours.start[node + 1]! - neighbours.start[node]! + 1;
    let [error, size] = [0, 0];
    for (let node = 0; node < nodes; node++) {
      let [sumX, sumY] = [0, 0];
      for (let other = 0; other < nodes; other++) {
        const [dx, dy] = [x[node]! - x[other]!, y[node]! - y[other]!];
        const distance2 = dx * dx + dy * dy;
        if (distance2 === 0) continue;
        sumX += (2 * mass(node) * mass(other) * dx) / distance2;
        sumY += (2 * mass(node) * mass(other) * dy) / distance2;
      }
      const [treeX, treeY] = layout.repulsionOn(node);
      error += Math.hypot(treeX - sumX, treeY - sumY);
      size += Math.hypot(sumX, sumY);
    }
    expect(error / size).toBeLessThan(0.05);
  });

  test('brings linked nodes closer together than others, and is reproducible', () => {
    const run = () => {
      const layout = new ForceLayout(neighbours, coreLayout(neighbours));
      for (let step = 0; step < 100; step++) layout.step();
      return layout.positions;
    };
    const { x, y } = run();
    const distance = (a: number, b: number): number => Math.hypot(x[a]! - x[b]!, y[a]! - y[b]!);
    let [linked, links, all, pairs] = [0, 0, 0, 0];
    for (let a = 0; a < nodes; a++) {
      for (const b of neighbours.ends.subarray(neighbours.start[a], neighbours.start[a + 1])) {
        linked += distance(a, b);
        links++;
      }
      for (let b = 0; b < a; b++) {
        all += distance(a, b);
        pairs++;
      }
    }
    expect(linked / links).toBeLessThan((0.8 * all) / pairs);
    expect(run()).toEqual({ x, y });
  });
});

describe('places', () => {
  test('fit into the square, even if a few nodes are far away', () => {
    const x = Float32Array.from({ length: 1000 }, (_, node) => (node === 0 ? 1e6 : Math.cos(node) * 10));
    const y = Float32Array.from({ length: 1000 }, (_, node) => Math.sin(node) * 10);
    const fitted = placed({ x, y });
    const spread = (column: Uint16Array): number =>
      Math.max(...column.slice(1)) - Math.min(...column.slice(1));
    expect(spread(fitted.y)).toBeGreaterThan(0.001 * 65_535);
    expect(fitted.x[0]).toBeGreaterThan(60_000);
  });

  test('of a new node are the mean of its neighbours', () => {
    const neighbours = neighboursOf(
      3,
      linksOf(
        graphOf(3, [
          [0, 2, 9, 3, 3],
          [1, 2, 9, 3, 3],
        ]),
      ),
    );
    const known = [
      [1000, 5000],
      [3000, 9000],
    ] as const;
    const { x, y } = continued(neighbours, (node) => known[node]);
    expect([x[0], y[0], x[1], y[1]]).toEqual([1000, 5000, 3000, 9000]);
    expect(Math.hypot(x[2]! - 2000, y[2]! - 7000)).toBeCloseTo(40, 3);
  });
});

test('a stored layout is read back, and a damaged one is ignored', () => {
  const graph = graphOf(2, [[0, 1, 5, 3, 3]]);
  const path = join(directory.path, 'layout');
  expect(readLayout(path)).toBeUndefined();
  const hash = topologyHash(graph, linksOf(graph));
  writeLayout(path, hash, graph.ids, { x: Uint16Array.of(1, 2), y: Uint16Array.of(3, 65_535) });
  const kept = readLayout(path)!;
  expect(kept.hash).toBe(hash);
  expect([0, 1].map((node) => kept.places.get(keyOf(graph.ids, node)))).toEqual([
    [1, 3],
    [2, 65_535],
  ]);
  expect(topologyHash(graphOf(2, []), linksOf(graphOf(2, [])))).not.toBe(hash);
  writeFileSync(path, 'FGB1');
  expect(readLayout(path)).toBeUndefined();
});
