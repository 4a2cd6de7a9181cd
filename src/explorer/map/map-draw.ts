/**
 * Draws the backdrop of the map into a canvas, in slices, so that the page never freezes. The number of links drawn
 * depends on the zoom. Links are sorted by descending capacity, so the largest are drawn first.
 */
import { type MapColumns, POSITION_SPAN } from '../../map-files/columns.ts';

/** A view of the map: the position at its centre, and its scale in pixels per unit of position. */
export interface MapView {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** The size of a canvas in CSS pixels. */
export interface MapSize {
  readonly width: number;
  readonly height: number;
}

/** The colours of the map, as defined in CSS. */
export interface MapColours {
  readonly line: string;
  readonly point: string;
}

/** Maximum number of links drawn while the whole network, or a large part of it, is visible. */
const FAR_LINKS = 2_000;
const NEAR_LINKS = 10_000;
/** At a close zoom, all links in the window are drawn if there are no more than this. */
const ALL_LINKS = 5_000;
/** Zoom, relative to the view of the whole map, from which more links are drawn. */
const NEAR_ZOOM = 2;
const CLOSE_ZOOM = 4;
/** Number of links or points to draw between two checks of the clock. */
const SLICE = 500;
const POINT_STEPS = [1.1, 1.7, 2.6, 3.8] as const;
/**
 * Side of a cell in pixels, and the maximum number of points drawn per cell. More points would only form one blot, and
 * cost time.
 */
const CELL = 2;
const POINTS_IN_CELL = 3;

/** The view that shows the whole map. */
export function wholeView({ width, height }: MapSize): MapView {
  const middle = POSITION_SPAN / 2;
  return { x: middle, y: middle, scale: (Math.min(width, height) * 0.98) / POSITION_SPAN };
}

/** A view of these nodes with a margin. Without nodes, the whole map. */
export function viewOf(nodes: readonly number[], { x, y }: MapColumns, size: MapSize): MapView {
  if (nodes.length === 0) return wholeView(size);
  const [xs, ys] = [nodes.map((node) => x[node]!), nodes.map((node) => y[node]!)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const least = POSITION_SPAN / 40;
  const fit = Math.min(
    size.width / Math.max(least, (right - left) * 1.35),
    size.height / Math.max(least, (bottom - top) * 1.35),
  );
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale: fit };
}

/**
 * The links to draw in a view: those in the window that are among the largest of the whole network. At a close zoom,
 * all links in the window, if there are few enough.
 */
export function linksInView(columns: MapColumns, view: MapView, size: MapSize): Uint32Array {
  const zoom = view.scale / wholeView(size).scale;
  const most = zoom < NEAR_ZOOM ? FAR_LINKS : NEAR_LINKS;
  const isIn = windowOf(columns, view, size);
  const found = new Uint32Array(ALL_LINKS);
  const few = new Uint32Array(most);
  let [count, fewCount] = [0, 0];
  const links = columns.from.length;
  for (let link = 0; link < links; link++) {
    if (!isIn(columns.from[link]!, columns.to[link]!)) continue;
    if (link < most) few[fewCount++] = link;
    if (zoom < CLOSE_ZOOM && link >= most) break;
    if (count === ALL_LINKS) return few.subarray(0, fewCount);
    found[count++] = link;
  }
  return zoom < CLOSE_ZOOM ? few.subarray(0, fewCount) : found.subarray(0, count);
}

/** Makes a function that checks whether the line between two nodes may touch the window. */
function windowOf({ x, y }: MapColumns, view: MapView, { width, height }: MapSize) {
  const [halfX, halfY] = [width / 2 / view.scale, height / 2 / view.scale];
  const [left, right, top, bottom] = [view.x - halfX, view.x + halfX, view.y - halfY, view.y + halfY];
  return (a: number, b: number): boolean =>
    !(
      (x[a]! < left && x[b]! < left) ||
      (x[a]! > right && x[b]! > right) ||
      (y[a]! < top && y[b]! < top) ||
      (y[a]! > bottom && y[b]! > bottom)
    );
}

/**
 * Draws the map in slices. Yields after each slice, so that the caller can do other work.
 * @param degree number of neighbours of each node
 */
export function* drawMap(
  context: CanvasRenderingContext2D,
  columns: MapColumns,
  degree: Uint32Array,
  view: MapView,
  size: MapSize,
  colours: MapColours,
): Generator<void, void> {
  const { x, y, from, to, capacity } = columns;
  const placeX = (node: number): number => (x[node]! - view.x) * view.scale + size.width / 2;
  const placeY = (node: number): number => (y[node]! - view.y) * view.scale + size.height / 2;
  const links = linksInView(columns, view, size);
  context.strokeStyle = colours.line;
  // The more lines there are, the fainter they are, so that the centre stays readable.
  const faint = Math.min(0.5, Math.max(0.07, 9 / Math.sqrt(links.length + 1)));
  for (let begin = 0; begin < links.length; begin += SLICE) {
    const end = Math.min(links.length, begin + SLICE);
    // Links are sorted by capacity, so those of one slice have about the same width.
    const step = capacity[links[begin]!]!;
    context.globalAlpha = faint * Math.min(1, 0.35 + step / 255);
    context.lineWidth = Math.max(0.5, (step - 140) / 60);
    context.beginPath();
    for (let index = begin; index < end; index++) {
      const link = links[index]!;
      context.moveTo(placeX(from[link]!), placeY(from[link]!));
      context.lineTo(placeX(to[link]!), placeY(to[link]!));
    }
    context.stroke();
    yield;
  }
  const points = pointsToDraw(x, y, degree, view, size);
  yield;
  yield* drawPoints(context, points, degree, placeX, placeY, colours, view.scale / wholeView(size).scale);
  context.globalAlpha = 1;
}

/**
 * The nodes in the window whose points are drawn. The best-connected come last, so that they are on top. Where many
 * nodes overlap, only the best-connected are drawn, so the number of points depends on the size of the window, not of
 * the network.
 */
export function pointsToDraw(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  degree: Uint32Array,
  view: MapView,
  { width, height }: MapSize,
): number[] {
  const columns = Math.ceil(width / CELL) + 1;
  const taken = new Uint8Array(columns * (Math.ceil(height / CELL) + 1));
  const found: number[] = [];
  for (let step = POINT_STEPS.length - 1; step >= 0; step--) {
    for (let node = 0; node < degree.length; node++) {
      if (degree[node] === 0 || stepOfDegree(degree[node]!) !== step) continue;
      const left = (x[node]! - view.x) * view.scale + width / 2;
      const top = (y[node]! - view.y) * view.scale + height / 2;
      if (left < 0 || top < 0 || left > width || top > height) continue;
      const cell = Math.floor(top / CELL) * columns + Math.floor(left / CELL);
      if (taken[cell]! >= POINTS_IN_CELL) continue;
      taken[cell]!++;
      found.push(node);
    }
  }
  return found.reverse();
}

function* drawPoints(
  context: CanvasRenderingContext2D,
  points: readonly number[],
  degree: Uint32Array,
  placeX: (node: number) => number,
  placeY: (node: number) => number,
  colours: MapColours,
  zoom: number,
): Generator<void, void> {
  context.fillStyle = colours.point;
  const grow = Math.min(2.5, Math.sqrt(zoom));
  for (const [drawn, node] of points.entries()) {
    const step = stepOfDegree(degree[node]!);
    const side = POINT_STEPS[step]! * grow;
    const [left, top] = [placeX(node), placeY(node)];
    context.globalAlpha = 0.45 + 0.15 * step;
    if (step < 2) context.fillRect(left - side / 2, top - side / 2, side, side);
    else {
      context.beginPath();
      context.arc(left, top, side / 2 + 0.4, 0, 2 * Math.PI);
      context.fill();
    }
    if (drawn % SLICE === SLICE - 1) yield;
  }
}

const stepOfDegree = (degree: number): number => (degree < 4 ? 0 : degree < 20 ? 1 : degree < 120 ? 2 : 3);

/**
 * The node nearest to a point of the window, where a node with many neighbours counts as nearer than it is. Undefined
 * if no node counts as within `within` pixels.
 */
export function nodeAt(
  { x, y }: MapColumns,
  degree: Uint32Array,
  view: MapView,
  { width, height }: MapSize,
  left: number,
  top: number,
  within = 14,
): number | undefined {
  const atX = (left - width / 2) / view.scale + view.x;
  const atY = (top - height / 2) / view.scale + view.y;
  let [best, found]: [number, number | undefined] = [within / view.scale, undefined];
  for (let node = 0; node < x.length; node++) {
    if (degree[node] === 0) continue;
    const distance = Math.hypot(x[node]! - atX, y[node]! - atY) / (1 + stepOfDegree(degree[node]!) / 4);
    if (distance < best) [best, found] = [distance, node];
  }
  return found;
}
