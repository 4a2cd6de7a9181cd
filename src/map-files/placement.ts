/** Converts a layout to positions in a square, and back to initial positions for the next layout. */
import { POSITION_SPAN } from './columns.ts';
import type { Positions } from './core-layout.ts';
import type { Neighbours } from './links.ts';

/** Share of the nodes that lie in the inner part of the square. The few nodes outside it are moved closer to it. */
const INNER_SHARE = 0.99;
const INNER = 0.94;

/** Positions in a square, as in `MapColumns`. */
export interface Placed {
  readonly x: Uint16Array;
  readonly y: Uint16Array;
}

/**
 * Fits a layout into the square. A few poorly connected nodes lie far out, and would shrink all others to a dot. So 99
 * of 100 nodes keep their distance from the centre, and the distances of the others are compressed.
 */
export function placed({ x, y }: Positions): Placed {
  const nodes = x.length;
  const [middleX, middleY] = [middleOf(x), middleOf(y)];
  const distance = Float64Array.from(x, (one, node) => Math.hypot(one - middleX, y[node]! - middleY));
  const reach = distance.toSorted()[Math.floor(INNER_SHARE * (nodes - 1))] || 1;
  const half = POSITION_SPAN / 2;
  const inSquare = (value: number, factor: number): number =>
    Math.round(Math.min(POSITION_SPAN, Math.max(0, half + half * value * factor)));
  const factorOf = (node: number): number => {
    const far = distance[node]! / reach;
    if (far <= 1) return INNER / reach;
    const squeezed = INNER + (1 - INNER) * (1 - 1 / far);
    return squeezed / distance[node]!;
  };
  return {
    x: Uint16Array.from(x, (one, node) => inSquare(one - middleX, factorOf(node))),
    y: Uint16Array.from(y, (one, node) => inSquare(one - middleY, factorOf(node))),
  };
}

/**
 * The middle of a column of coordinates: the mean of the 1st and the 99th percentile, so that a few distant nodes do
 * not shift it.
 */
function middleOf(column: Float32Array): number {
  const sorted = column.toSorted();
  const edge = Math.floor((1 - INNER_SHARE) * (sorted.length - 1));
  return ((sorted[edge] ?? 0) + (sorted[sorted.length - 1 - edge] ?? 0)) / 2;
}

/**
 * Initial positions for a layout of a changed graph: known nodes keep their position, and a new node starts near the
 * mean of its neighbours' known positions, or near the centre if none is known.
 * @param known returns the position of a known node, by its current index
 */
export function continued(
  neighbours: Neighbours,
  known: (node: number) => readonly [number, number] | undefined,
): Positions {
  const nodes = neighbours.start.length - 1;
  const x = new Float32Array(nodes);
  const y = new Float32Array(nodes);
  const isPlaced = new Uint8Array(nodes);
  for (let node = 0; node < nodes; node++) {
    const place = known(node);
    if (place === undefined) continue;
    [x[node], y[node]] = place;
    isPlaced[node] = 1;
  }
  for (let node = 0; node < nodes; node++) if (isPlaced[node] === 0) placeAtMean(node);
  return { x, y };

  function placeAtMean(node: number): void {
    let [sumX, sumY, count] = [0, 0, 0];
    for (let index = neighbours.start[node]!; index < neighbours.start[node + 1]!; index++) {
      const other = neighbours.ends[index]!;
      if (isPlaced[other] !== 1) continue;
      sumX += x[other]!;
      sumY += y[other]!;
      count++;
    }
    // Two new nodes at the same position would never separate, so each is moved slightly, depending on its index.
    const turn = node * 2.399963;
    const middle = POSITION_SPAN / 2;
    x[node] = (count === 0 ? middle : sumX / count) + 40 * Math.cos(turn);
    y[node] = (count === 0 ? middle : sumY / count) + 40 * Math.sin(turn);
  }
}
