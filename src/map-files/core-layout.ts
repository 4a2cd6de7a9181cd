/**
 * A layout that takes a fraction of a second: the distance from the centre depends on the core number of a node, and
 * the angle on the mean of its neighbours' angles.
 *
 * The k-core of a graph is what remains after repeatedly removing all nodes with fewer than k neighbours. The core
 * number of a node is the largest k for which the k-core contains the node. It is found by always removing the node of
 * least degree (Batagelj and Zaveršnik 2003), in time proportional to the number of links. The best-connected nodes are
 * in the centre.
 *
 * The result depends only on the links and the order of the nodes, so two visits look the same.
 */
import type { Neighbours } from './links.ts';

/** Positions of nodes in a plane. Their unit has no meaning. */
export interface Positions {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** Weight of a node's own angle relative to the mean angle of its neighbours. */
const OWN_SHARE = 0.9;
/** Number of averaging passes. */
const SWEEPS = 3;
/** The golden angle. Its multiples are evenly distributed on a circle. */
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/** The core number of each node. */
export function coreNumbers({ start, ends }: Neighbours): Uint32Array {
  const nodes = start.length - 1;
  const degree = Uint32Array.from({ length: nodes }, (_, node) => start[node + 1]! - start[node]!);
  const most = degree.reduce((a, b) => Math.max(a, b), 0);
  // Sorts the nodes by degree; `begin` holds the first position of each degree.
  const begin = new Uint32Array(most + 2);
  for (const one of degree) begin[one + 1]!++;
  for (let one = 0; one <= most; one++) begin[one + 1]! += begin[one]!;
  const place = new Uint32Array(nodes);
  const order = new Uint32Array(nodes);
  const next = begin.slice();
  for (let node = 0; node < nodes; node++) {
    place[node] = next[degree[node]!]!++;
    order[place[node]!] = node;
  }
  for (let at = 0; at < nodes; at++) {
    const node = order[at]!;
    for (let index = start[node]!; index < start[node + 1]!; index++) {
      const other = ends[index]!;
      if (degree[other]! <= degree[node]!) continue;
      // The neighbour swaps places with the first node of its degree, and then counts as one of the degree below.
      const first = begin[degree[other]!]!;
      const displaced = order[first]!;
      order[place[other]!] = displaced;
      place[displaced] = place[other]!;
      order[first] = other;
      place[other] = first;
      begin[degree[other]!]!++;
      degree[other]!--;
    }
  }
  return degree;
}

/** Computes the layout. Nodes without a neighbour are outermost. */
export function coreLayout(neighbours: Neighbours): Positions {
  const cores = coreNumbers(neighbours);
  const nodes = cores.length;
  const most = cores.reduce((a, b) => Math.max(a, b), 1);
  const angle = Float32Array.from({ length: nodes }, (_, node) => (node * GOLDEN) % (2 * Math.PI));
  const order = Array.from({ length: nodes }, (_, node) => node).sort(
    (a, b) => cores[b]! - cores[a]! || a - b,
  );
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const node of order) if (cores[node]! < most) averageAngle(node, neighbours, cores, angle);
  }
  const x = new Float32Array(nodes);
  const y = new Float32Array(nodes);
  for (let node = 0; node < nodes; node++) {
    // A little noise in the radius, derived from the node's index, spreads the shells.
    const noise = ((node * 0.618034) % 1) / (most + 1);
    const radius = (1 - cores[node]! / (most + 1) + noise) ** 0.7;
    const turn = angle[node]! + noise * 2;
    x[node] = radius * Math.cos(turn);
    y[node] = radius * Math.sin(turn);
  }
  return { x, y };
}

/** Turns a node towards the mean angle of its neighbours, weighted by their core numbers. */
function averageAngle(
  node: number,
  { start, ends }: Neighbours,
  cores: Uint32Array,
  angle: Float32Array,
): void {
  let [sine, cosine] = [0, 0];
  for (let index = start[node]!; index < start[node + 1]!; index++) {
    const other = ends[index]!;
    const weight = cores[other]!;
    sine += weight * Math.sin(angle[other]!);
    cosine += weight * Math.cos(angle[other]!);
  }
  const length = Math.hypot(sine, cosine);
  if (length === 0) return;
  // Means of many angles differ little from node to node, so the node keeps part of its own angle.
  const own = OWN_SHARE * length;
  angle[node] = Math.atan2(sine + own * Math.sin(node * GOLDEN), cosine + own * Math.cos(node * GOLDEN));
}
