/**
 * The surroundings of a node, from the columns of the graph: its links and the links of its neighbours, largest first.
 */
import { type MapColumns, POSITION_SPAN } from '../../map-files/columns.ts';

/** Maximum number of links drawn around a node. */
const MAX_LINKS = 200;
/** Maximum number of the node's own links among those drawn. */
const MAX_DIRECT = 120;

/** Links around a node, as indexes of the columns. */
export interface Neighbourhood {
  readonly direct: readonly number[];
  /** Links from the neighbours in `direct` to other nodes. */
  readonly further: readonly number[];
  /** Total number of the node's own links. */
  readonly count: number;
}

/** The largest links around a node. Links are sorted by capacity. */
export function neighbourhood({ from, to }: MapColumns, node: number): Neighbourhood {
  const direct: number[] = [];
  let count = 0;
  const near = new Set<number>([node]);
  for (let link = 0; link < from.length; link++) {
    if (from[link] !== node && to[link] !== node) continue;
    count++;
    if (direct.length >= MAX_DIRECT) continue;
    direct.push(link);
    near.add(from[link] === node ? to[link]! : from[link]!);
  }
  const further: number[] = [];
  for (let link = 0; link < from.length && direct.length + further.length < MAX_LINKS; link++) {
    if (from[link] === node || to[link] === node) continue;
    if (near.has(from[link]!) !== near.has(to[link]!)) further.push(link);
  }
  return { direct, further, count };
}

/** The network as seen from one node: nodes at the same distance form a ring. */
export interface Rings {
  readonly columns: MapColumns;
  /** Number of nodes by distance in hops, starting with the node itself. */
  readonly counts: readonly number[];
}

/**
 * Arranges the network around a node. A node's distance in hops determines its ring, and the neighbour through which it
 * is first reached (over larger links first) determines its sector. A sector is wider the more nodes it has.
 * Unreachable nodes are placed in the corner.
 */
export function ringsFrom(columns: MapColumns, node: number): Rings {
  const { order, parent, hops } = reached(columns, node);
  const nodes = columns.x.length;
  const weight = new Float64Array(nodes);
  for (let at = order.length - 1; at >= 0; at--) {
    const one = order[at]!;
    weight[one]! += 1;
    if (one !== node) weight[parent[one]!]! += weight[one]!;
  }
  const counts: number[] = [];
  for (const one of order) counts[hops[one]!] = (counts[hops[one]!] ?? 0) + 1;
  const begin = new Float64Array(nodes);
  const width = new Float64Array(nodes);
  const used = new Float64Array(nodes);
  width[node] = 2 * Math.PI;
  const x = new Uint16Array(nodes);
  const y = new Uint16Array(nodes);
  const half = POSITION_SPAN / 2;
  x[node] = half;
  y[node] = half;
  for (const one of order) {
    if (one === node) continue;
    const above = parent[one]!;
    width[one] = (width[above]! * weight[one]!) / Math.max(1, weight[above]! - 1);
    begin[one] = begin[above]! + used[above]!;
    used[above]! += width[one]!;
    const radius = half * ringRadius(hops[one]!, counts.length - 1);
    const angle = begin[one]! + width[one]! / 2;
    x[one] = half + radius * Math.cos(angle);
    y[one] = half + radius * Math.sin(angle);
  }
  return { columns: { ...columns, x, y }, counts };
}

/**
 * Radius of a ring, as a fraction of half the width of the map. Inner rings contain most nodes, so they get more room.
 */
export const ringRadius = (hops: number, rings: number): number =>
  0.96 * Math.sqrt(hops / Math.max(1, rings));

interface Reached {
  readonly order: readonly number[];
  readonly parent: Int32Array;
  readonly hops: Int32Array;
}

/** The reachable nodes in order of distance, each with the node through which it is first reached. */
function reached({ x, from, to }: MapColumns, node: number): Reached {
  const nodes = x.length;
  const start = new Uint32Array(nodes + 1);
  for (let link = 0; link < from.length; link++) {
    start[from[link]! + 1]!++;
    start[to[link]! + 1]!++;
  }
  for (let one = 0; one < nodes; one++) start[one + 1]! += start[one]!;
  const next = start.slice();
  const ends = new Uint32Array(from.length * 2);
  for (let link = 0; link < from.length; link++) {
    ends[next[from[link]!]!++] = to[link]!;
    ends[next[to[link]!]!++] = from[link]!;
  }
  const parent = new Int32Array(nodes).fill(-1);
  const hops = new Int32Array(nodes).fill(-1);
  const order = [node];
  hops[node] = 0;
  for (let at = 0; at < order.length; at++) {
    const one = order[at]!;
    for (const other of ends.subarray(start[one], start[one + 1])) {
      if (hops[other] !== -1) continue;
      hops[other] = hops[one]! + 1;
      parent[other] = one;
      order.push(other);
    }
  }
  return { order, parent, hops };
}

/** The bars of a histogram: for each class of fee rates in parts per million, the number of rates. */
export function feeClasses(ppms: readonly number[]): { readonly label: string; readonly count: number }[] {
  const bounds = [0, 1, 10, 50, 100, 250, 500, 1000, 2500, Number.POSITIVE_INFINITY];
  return bounds.slice(0, -1).map((low, at) => {
    const high = bounds[at + 1]!;
    const count = ppms.filter((ppm) => ppm >= low && ppm < high).length;
    const label = high === 1 ? '0' : high === Number.POSITIVE_INFINITY ? `${low}+` : `${low}–${high - 1}`;
    return { label, count };
  });
}
