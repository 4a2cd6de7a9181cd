/**
 * Seeded random numbers for synthetic networks: sfc32 (PractRand's small fast counter), seeded through splitmix32. Fast
 * and reproducible, but not cryptographically secure.
 */

/**
 * Returns a generator of uniform numbers in [0, 1) with 32 bits each. @param stream number of an independent sequence
 * with the same seed
 */
export function seededRandom(seed: bigint | number, stream: number): () => number {
  const seed64 = BigInt.asUintN(64, BigInt(seed));
  let state = Number(seed64 & 0xffff_ffffn) ^ Math.imul(stream, 0x9e37_79b9);
  const next = (): number => {
    state = (state + 0x9e37_79b9) | 0;
    let h = Math.imul(state ^ (state >>> 16), 0x21f0_aaad);
    h = Math.imul(h ^ (h >>> 15), 0x735a_2d97);
    return h ^ (h >>> 15);
  };
  let a = next();
  let b = next() ^ Number(seed64 >> 32n);
  let c = next();
  let counter = 1;
  const random = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 0x1_0000_0000;
  };
  for (let warmUp = 0; warmUp < 16; warmUp++) random();
  return random;
}
