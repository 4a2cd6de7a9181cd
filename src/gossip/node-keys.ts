/**
 * Keys of the nodes of compressed snapshots and of simulated networks. Node i has the private key LE64(i) followed by
 * 24 bytes of 1, read as a big-endian scalar. So the private keys are public.
 *
 * All ids of a network are computed together. The scalar is B + b0*2^248 + b1*2^240 + b2*2^232 …, where B is the value
 * of the 24 bytes of 1, and b0, b1, … are the bytes of i from the least significant. So the points of 256 consecutive
 * nodes are one point plus a table of multiples of 2^248 * G. All affine additions of a batch share one inversion
 * (Montgomery's trick). This takes about six multiplications modulo p per id, instead of about four thousand. The build
 * stores the ids of a network of the main network's size (stored-node-ids.ts).
 *
 *     lambda = (y2 - y1) / (x2 - x1),  x3 = lambda^2 - x1 - x2,  y3 = lambda * (x1 - x3) - y1
 */
import { type AffinePoint, Point } from '@noble/secp256k1';
import { NODE_ID_BYTES } from '../model/node-id.ts';
import { MAX_NODES } from '../model/node-table.ts';
import { storedNodeIds } from './stored-node-ids.ts';

const P = 0xffffffff_ffffffff_ffffffff_ffffffff_ffffffff_ffffffff_fffffffe_fffffc2fn;
const BLOCK = 256;

const mod = (value: bigint): bigint => {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
};

/** Private key of node `index`: LE64(index), then 24 bytes of 1. */
export function snapshotNodePrivateKey(index: number): Uint8Array {
  if (!(Number.isSafeInteger(index) && index >= 0)) throw new RangeError(`not a node index: ${index}`);
  const key = new Uint8Array(32).fill(1);
  new DataView(key.buffer).setBigUint64(0, BigInt(index), true);
  return key;
}

/**
 * Ids of nodes 0 … count - 1, 33 bytes each, in a new array. @throws RangeError for more than 2^24 nodes
 */
export function snapshotNodeIds(count: number): Uint8Array {
  if (!(Number.isSafeInteger(count) && count >= 0 && count <= MAX_NODES)) {
    throw new RangeError(`not a number of nodes: ${count}`);
  }
  return storedNodeIds(count) ?? computedNodeIds(count);
}

/** As `snapshotNodeIds`, but computes all ids. */
export function computedNodeIds(count: number): Uint8Array {
  const ids = new Uint8Array(count * NODE_ID_BYTES);
  const generators = keyGenerators();
  const lowTable = multiplesOf(generators.byte0, Math.min(BLOCK, count));
  const blocks = Math.ceil(count / BLOCK);
  const middleTable = multiplesOf(generators.byte1, Math.min(BLOCK, blocks));
  for (let super_ = 0; super_ * BLOCK < blocks; super_++) {
    const base = generators.base.add(generators.byte2.multiplyUnsafe(BigInt(super_))).toAffine();
    const bases = addToEach(base, middleTable);
    for (let block = 0; block < bases.length && super_ * BLOCK + block < blocks; block++) {
      const first = (super_ * BLOCK + block) * BLOCK;
      const points = addToEach(bases[block]!, lowTable);
      for (let i = 0; i < points.length && first + i < count; i++) {
        writeCompressed(points[i]!, ids, (first + i) * NODE_ID_BYTES);
      }
    }
  }
  return ids;
}

/** The point of key 0, and the points to add when one of the three lowest bytes of the index increases by 1. */
function keyGenerators(): { base: Point; byte0: Point; byte1: Point; byte2: Point } {
  let power = Point.BASE;
  let base = Point.ZERO;
  let byte1 = power;
  let byte2 = power;
  for (let bit = 0; bit < 248; bit++) {
    if (bit % 8 === 0 && bit < 192) base = base.add(power);
    if (bit === 232) byte2 = power;
    if (bit === 240) byte1 = power;
    power = power.double();
  }
  return { base, byte0: power, byte1, byte2 };
}

/** The affine multiples 1·point … (count - 1)·point. Multiple k is at index k - 1. */
function multiplesOf(point: Point, count: number): AffinePoint[] {
  const multiples = [point.toAffine()];
  let top = point;
  while (multiples.length < count - 1) {
    // Given the multiples 1 … k, adding k·point to 1 … k - 1 gives the multiples k + 1 … 2k - 1, and doubling k·point
    // gives 2k.
    const k = multiples[multiples.length - 1]!;
    const further = addToEach(k, multiples.slice(0, -1)).slice(1);
    top = top.double();
    multiples.push(...further, top.toAffine());
  }
  return multiples.slice(0, Math.max(0, count - 1));
}

/** Computes base, base + table[0], base + table[1], …, with one inversion for all additions. */
function addToEach(base: AffinePoint, table: readonly AffinePoint[]): AffinePoint[] {
  const inverses = invertAll(table.map((point) => point.x - base.x));
  const sums = [base];
  for (let i = 0; i < table.length; i++) {
    const lambda = ((table[i]!.y - base.y) * inverses[i]!) % P;
    const x = mod(lambda * lambda - base.x - table[i]!.x);
    sums.push({ x, y: mod(lambda * (base.x - x) - base.y) });
  }
  return sums;
}

/** Inverses modulo p. @throws RangeError if a value is 0 modulo p */
function invertAll(values: readonly bigint[]): bigint[] {
  const prefixes: bigint[] = [];
  let product = 1n;
  for (const value of values) {
    prefixes.push(product);
    product = (product * value) % P;
  }
  if (product === 0n) throw new RangeError('no inverse of zero');
  let inverse = invert(product);
  const inverses = new Array<bigint>(values.length);
  for (let i = values.length - 1; i >= 0; i--) {
    inverses[i] = (inverse * prefixes[i]!) % P;
    inverse = (inverse * values[i]!) % P;
  }
  return inverses;
}

/** Inverse modulo p by the extended Euclidean algorithm. */
function invert(value: bigint): bigint {
  let [a, b] = [mod(value), P];
  let [x, u] = [1n, 0n];
  while (a > 1n) {
    const quotient = b / a;
    [a, b] = [b - quotient * a, a];
    [x, u] = [u - quotient * x, x];
    if (a === 0n) throw new RangeError('no inverse of zero');
  }
  return mod(x);
}

function writeCompressed(point: AffinePoint, target: Uint8Array, offset: number): void {
  target[offset] = point.y % 2n === 0n ? 2 : 3;
  const view = new DataView(target.buffer, target.byteOffset + offset + 1, 32);
  for (let word = 0; word < 4; word++) {
    view.setBigUint64(word * 8, (point.x >> BigInt(192 - word * 64)) & 0xffff_ffff_ffff_ffffn);
  }
}
