/**
 * A force-directed layout (ForceAtlas2: Jacomy, Venturini, Heymann, Bastian 2014). Linked nodes attract each other with
 * a force equal to their distance. All nodes repel each other with a force proportional to (degree + 1) · (degree + 1)
 * / distance. A force that grows with the distance pulls all nodes to the centre, so that disconnected parts stay in
 * the picture. Well-connected nodes end up in the middle of their neighbours.
 *
 * Repulsion is computed with a tree of squares (Barnes and Hut 1986): a square whose side is less than θ times its
 * distance counts as a single mass. A step takes O(n log n + links) time.
 *
 * A step moves each node by the force on it times a speed that decreases when forces oscillate (see the paper, section
 * "Adapting the local speed to the global speed").
 */
import type { Positions } from './core-layout.ts';
import type { Neighbours } from './links.ts';

const THETA = 0.9;
const REPULSION = 2;
/**
 * The width of the picture is this number times the square root of the number of nodes. Gravity keeps nearly all nodes
 * within it.
 */
const SPACE = 10;
/** Tolerated oscillation: τ in the paper. */
const TOLERANCE = 1;
/** Square of the distance below which two nodes count as being at the same position. */
const MIN_DISTANCE2 = 1e-6;
/** Maximum depth of the tree. At this depth, nodes that are too close to separate share a square. */
const MAX_DEPTH = 24;

/**
 * The squares of the tree, as columns. The children of a square are four consecutive squares, the first at index
 * `child`; 0 means that it has none.
 */
class Squares {
  child: Uint32Array;
  mass: Float64Array;
  x: Float64Array;
  y: Float64Array;
  side: Float64Array;
  left: Float64Array;
  top: Float64Array;
  count = 0;

  constructor(capacity: number) {
    this.child = new Uint32Array(capacity);
    this.mass = new Float64Array(capacity);
    this.x = new Float64Array(capacity);
    this.y = new Float64Array(capacity);
    this.side = new Float64Array(capacity);
    this.left = new Float64Array(capacity);
    this.top = new Float64Array(capacity);
  }

  get isFull(): boolean {
    return this.count + 4 > this.child.length;
  }

  add(left: number, top: number, side: number): number {
    const square = this.count++;
    this.child[square] = 0;
    this.mass[square] = 0;
    this.left[square] = left;
    this.top[square] = top;
    this.side[square] = side;
    return square;
  }

  split(square: number): void {
    const half = this.side[square]! / 2;
    const [left, top] = [this.left[square]!, this.top[square]!];
    this.child[square] = this.add(left, top, half);
    this.add(left + half, top, half);
    this.add(left, top + half, half);
    this.add(left + half, top + half, half);
  }

  childAt(square: number, x: number, y: number): number {
    const half = this.side[square]! / 2;
    const right = x >= this.left[square]! + half ? 1 : 0;
    const below = y >= this.top[square]! + half ? 2 : 0;
    return this.child[square]! + right + below;
  }

  weigh(square: number, x: number, y: number, mass: number): void {
    const whole = this.mass[square]! + mass;
    if (whole === mass) {
      // The first mass keeps its exact position: with a rounding error, the node would strongly repel itself.
      this.x[square] = x;
      this.y[square] = y;
      this.mass[square] = mass;
      return;
    }
    this.x[square] = (this.x[square]! * this.mass[square]! + x * mass) / whole;
    this.y[square] = (this.y[square]! * this.mass[square]! + y * mass) / whole;
    this.mass[square] = whole;
  }
}

/** Moves nodes step by step. */
export class ForceLayout {
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #mass: Float64Array;
  readonly #neighbours: Neighbours;
  readonly #forceX: Float64Array;
  readonly #forceY: Float64Array;
  readonly #beforeX: Float64Array;
  readonly #beforeY: Float64Array;
  readonly #gravity: number;
  readonly #squares: Squares;
  readonly #stack = new Uint32Array(4 * MAX_DEPTH + 8);
  #speed = 1;

  constructor(neighbours: Neighbours, begin: Positions) {
    const nodes = begin.x.length;
    // The width to which the initial positions are stretched.
    const scale = SPACE * Math.sqrt(nodes + 1);
    this.#neighbours = neighbours;
    const { start } = neighbours;
    this.#mass = Float64Array.from({ length: nodes }, (_, node) => start[node + 1]! - start[node]! + 1);
    const stretch = scale / (spanOf(begin) || 1);
    this.#x = Float64Array.from(begin.x, (one) => one * stretch);
    this.#y = Float64Array.from(begin.y, (one) => one * stretch);
    [this.#forceX, this.#forceY] = [new Float64Array(nodes), new Float64Array(nodes)];
    [this.#beforeX, this.#beforeY] = [new Float64Array(nodes), new Float64Array(nodes)];
    // Gravity is chosen such that at half the width, it would equal the repulsion of all other nodes united in the
    // centre.
    const whole = this.#mass.reduce((sum, one) => sum + one, 0);
    this.#gravity = (REPULSION * whole) / (scale / 2) ** 2;
    this.#squares = new Squares(16 * nodes + 64);
  }

  get positions(): Positions {
    return { x: Float32Array.from(this.#x), y: Float32Array.from(this.#y) };
  }

  /**
   * The repulsion on a node at its current position, computed with the tree of squares. Tests compare it with the exact
   * sum over all nodes.
   */
  repulsionOn(node: number): readonly [number, number] {
    this.#plant();
    this.#forceX[node] = 0;
    this.#forceY[node] = 0;
    this.#repel(node);
    return [this.#forceX[node]!, this.#forceY[node]!];
  }

  step(): void {
    const nodes = this.#x.length;
    this.#plant();
    for (let node = 0; node < nodes; node++) {
      this.#beforeX[node] = this.#forceX[node]!;
      this.#beforeY[node] = this.#forceY[node]!;
      this.#forceX[node] = 0;
      this.#forceY[node] = 0;
      this.#repel(node);
      this.#attract(node);
    }
    this.#move();
  }

  #attract(node: number): void {
    const { start, ends } = this.#neighbours;
    const [x, y, mass] = [this.#x[node]!, this.#y[node]!, this.#mass[node]!];
    for (let index = start[node]!; index < start[node + 1]!; index++) {
      this.#forceX[node]! += this.#x[ends[index]!]! - x;
      this.#forceY[node]! += this.#y[ends[index]!]! - y;
    }
    this.#forceX[node]! -= this.#gravity * mass * x;
    this.#forceY[node]! -= this.#gravity * mass * y;
  }

  /** Builds the tree of squares. */
  #plant(): void {
    const squares = this.#squares;
    squares.count = 0;
    const [left, top, side] = boundsOf(this.#x, this.#y);
    squares.add(left, top, side);
    for (let node = 0; node < this.#x.length; node++) this.#insert(node);
  }

  #insert(node: number): void {
    const squares = this.#squares;
    const [x, y, mass] = [this.#x[node]!, this.#y[node]!, this.#mass[node]!];
    let square = 0;
    for (let depth = 0; ; depth++) {
      const isEmpty = squares.mass[square] === 0;
      const [beforeX, beforeY, before] = [squares.x[square]!, squares.y[square]!, squares.mass[square]!];
      squares.weigh(square, x, y, mass);
      if (isEmpty && squares.child[square] === 0) return;
      if (squares.child[square] === 0) {
        if (depth >= MAX_DEPTH || squares.isFull) return;
        // The node that was alone in this square moves one level down.
        squares.split(square);
        squares.weigh(squares.childAt(square, beforeX, beforeY), beforeX, beforeY, before);
      }
      square = squares.childAt(square, x, y);
    }
  }

  #repel(node: number): void {
    const squares = this.#squares;
    const stack = this.#stack;
    const [x, y, mass] = [this.#x[node]!, this.#y[node]!, this.#mass[node]!];
    let height = 0;
    stack[height++] = 0;
    let [forceX, forceY] = [0, 0];
    while (height > 0) {
      const square = stack[--height]!;
      const whole = squares.mass[square]!;
      if (whole === 0) continue;
      const dx = x - squares.x[square]!;
      const dy = y - squares.y[square]!;
      const distance2 = dx * dx + dy * dy;
      const child = squares.child[square]!;
      const side = squares.side[square]!;
      if (child !== 0 && side * side > THETA * THETA * distance2) {
        for (let one = 0; one < 4; one++) stack[height++] = child + one;
      } else if (distance2 > MIN_DISTANCE2) {
        const force = (REPULSION * mass * whole) / distance2;
        forceX += force * dx;
        forceY += force * dy;
      }
    }
    this.#forceX[node]! += forceX;
    this.#forceY[node]! += forceY;
  }

  #move(): void {
    const nodes = this.#x.length;
    let [swinging, traction] = [0, 0];
    const swing = (node: number): number =>
      Math.hypot(this.#forceX[node]! - this.#beforeX[node]!, this.#forceY[node]! - this.#beforeY[node]!);
    for (let node = 0; node < nodes; node++) {
      const pull = Math.hypot(
        this.#forceX[node]! + this.#beforeX[node]!,
        this.#forceY[node]! + this.#beforeY[node]!,
      );
      swinging += this.#mass[node]! * swing(node);
      traction += (this.#mass[node]! * pull) / 2;
    }
    const wanted = (TOLERANCE * TOLERANCE * traction) / (swinging || 1);
    this.#speed = Math.min(wanted, this.#speed * 1.5);
    for (let node = 0; node < nodes; node++) {
      const factor = this.#speed / (1 + this.#speed * Math.sqrt(this.#mass[node]! * swing(node)));
      this.#x[node]! += this.#forceX[node]! * factor;
      this.#y[node]! += this.#forceY[node]! * factor;
    }
  }
}

function boundsOf(x: ArrayLike<number>, y: ArrayLike<number>): [number, number, number] {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let node = 0; node < x.length; node++) {
    left = Math.min(left, x[node]!);
    right = Math.max(right, x[node]!);
    top = Math.min(top, y[node]!);
    bottom = Math.max(bottom, y[node]!);
  }
  if (x.length === 0) return [0, 0, 1];
  return [left, top, Math.max(right - left, bottom - top, 1e-9) * 1.000001];
}

const spanOf = ({ x, y }: Positions): number => boundsOf(x, y)[2];
