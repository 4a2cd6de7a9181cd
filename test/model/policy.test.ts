import { describe, expect, it } from 'vitest';
import { U64_MAX } from '../../src/model/msat.ts';
import { forwardingFeeMsat, proportionalMsat } from '../../src/model/policy.ts';

describe('the fee for crossing a direction', () => {
  // The "Routing Example" in "HTLC Fees" of BOLT 7. B→C asks for 200 msat + 2000 millionths, C→D for 300 +
  // 3000, A→B for 100 + 1000, each for a delivered amount of 4,999,999 msat.
  it.each([
    [{ feeBaseMsat: 200, feeProportionalMillionths: 2000 }, 10_199n],
    [{ feeBaseMsat: 300, feeProportionalMillionths: 3000 }, 15_299n],
    [{ feeBaseMsat: 100n, feeProportionalMillionths: 1000 }, 5_099n],
  ])('%o', (terms, feeMsat) => {
    expect(forwardingFeeMsat(terms, 4_999_999n)).toBe(feeMsat);
  });

  it('rounds the proportional part down, and only that part', () => {
    const terms = { feeBaseMsat: 1, feeProportionalMillionths: 1 };
    expect(forwardingFeeMsat(terms, 999_999n)).toBe(1n);
    expect(forwardingFeeMsat(terms, 1_000_000n)).toBe(2n);
    expect(proportionalMsat(1_999_999n, 1n)).toBe(1n);
  });

  it('is exact beyond 64 bits', () => {
    const terms = { feeBaseMsat: U64_MAX, feeProportionalMillionths: 0xffff_ffff };
    expect(forwardingFeeMsat(terms, U64_MAX)).toBe(U64_MAX + (U64_MAX * 4_294_967_295n) / 1_000_000n);
  });
});
