/** The kernel's arithmetic, compared with plain definitions, in the release and the debug build. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSharedKernel, instantiate } from '../../src/engine/solver/kernel-memory.ts';
import { AMOUNT_CAP_MSAT } from '../../src/layers/bounds-fold.ts';

/** The maximum amount, which is the same in the kernel and in the host. */
const LIMIT = AMOUNT_CAP_MSAT;
const U32 = 0xffff_ffff;

describe.each(['release', 'debug'] as const)('numbers, %s build', (build) => {
  const kernel = instantiate(createSharedKernel(build));
  const amount = fc.oneof(
    fc.bigInt(0n, 10_000_000n),
    fc.bigInt(0n, 2_100_000_000_000_000_000n),
    fc.bigInt(0n, LIMIT),
  );
  const base = fc.oneof(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 0, max: U32 }));
  const ppm = fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 0, max: U32 }));
  const fee = (x: bigint, b: number, p: number): bigint => BigInt(b) + (x * BigInt(p)) / 1_000_000n;

  it('charges base + floor(amount * ppm / 10^6), saturating', () => {
    fc.assert(
      fc.property(amount, base, ppm, (x, b, p) => {
        const exact = fee(x, b, p);
        // Above the limit, the kernel guarantees only that the result is too large; its value may be wrong.
        if (exact < LIMIT) expect(kernel.feeMsat(x, b, p)).toBe(exact);
        else expect(kernel.feeMsat(x, b, p)).toBe(LIMIT);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never adds an amount and its fee beyond 63 bits', () => {
    expect(LIMIT).toBe(2n ** 62n - 1n);
    expect(kernel.feeMsat(LIMIT, U32, U32)).toBe(LIMIT);
    expect(LIMIT + kernel.feeMsat(LIMIT, U32, U32)).toBeLessThan(2n ** 63n);
  });

  it('finds the largest amount that fits a total together with its fee', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 1n << 60n), base, ppm, (total, b, p) => {
        const y = kernel.beforeFee(total, b, p);
        if (y > 0n) expect(y + fee(y, b, p)).toBeLessThanOrEqual(total);
        if (total >= BigInt(b)) expect(y + 1n + fee(y + 1n, b, p)).toBeGreaterThan(total);
        else expect(y).toBe(0n);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has logarithm, exponential and −ln(1 − q) to nine digits', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-300, max: 1e300, noNaN: true }),
        fc.double({ min: -8, max: 8, noNaN: true }),
        fc.double({ min: 0, max: 1 - 1e-12, noNaN: true }),
        (x, y, q) => {
          expect(Math.abs(kernel.ln(x) - Math.log(x))).toBeLessThanOrEqual(
            1e-9 * Math.max(1, Math.abs(Math.log(x))),
          );
          expect(Math.abs(kernel.exp(y) / Math.exp(y) - 1)).toBeLessThanOrEqual(1e-8);
          const exact = -Math.log1p(-q);
          expect(Math.abs(kernel.negLogComplement(q) - exact)).toBeLessThanOrEqual(1e-8 * exact);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('draws keyed noise that is even, bounded and reproducible', () => {
    let sum = 0;
    const count = 20_000;
    for (let key = 0n; key < count; key++) {
      const draw = kernel.keyedUniform(7n, key);
      expect(draw).toBeGreaterThanOrEqual(-1);
      expect(draw).toBeLessThan(1);
      expect(kernel.keyedUniform(7n, key)).toBe(draw);
      sum += draw;
    }
    // Standard error of the mean of 20,000 uniforms on [−1, 1) is 0.0041; five standard errors leave ample
    // margin.
    expect(Math.abs(sum / count)).toBeLessThan(0.0205);
  });
});

it('the kernel holds no data segment, which every new instance would write over the shared memory', async () => {
  const { readFileSync } = await import('node:fs');
  for (const build of ['kernel.wasm', 'kernel.debug.wasm']) {
    const bytes = readFileSync(new URL(`../../build/${build}`, import.meta.url));
    expect(sectionIds(bytes)).not.toContain(DATA_SECTION);
  }
});

/** WebAssembly core specification, 5.5.2: sections are id (byte), size (LEB128), content. */
const DATA_SECTION = 11;

function sectionIds(bytes: Uint8Array): number[] {
  const ids: number[] = [];
  let at = 8;
  while (at < bytes.length) {
    ids.push(bytes[at++]!);
    let size = 0;
    let shift = 0;
    for (;;) {
      const byte = bytes[at++]!;
      size |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
      shift += 7;
    }
    at += size;
  }
  return ids;
}
