import { expect, it } from 'vitest';
import { addMsat, msat, U64_MAX } from '../../src/model/msat.ts';
import { MAX_PAYABLE_MSAT, requirePayable, usableFeeLimit } from '../../src/payments/plan/limits.ts';
import { toldBy } from '../in-words.ts';

it('more than all bitcoin is refused as a parameter error', () => {
  expect(() => requirePayable(MAX_PAYABLE_MSAT)).not.toThrow();
  expect(toldBy(() => requirePayable(msat(MAX_PAYABLE_MSAT + 1n)))).toThrow(
    expect.objectContaining({ code: -32602, data: { parameter: 'amount_msat', reason: expect.any(String) } }),
  );
});

it('fee limits are capped, so that the sum of amount, fee and shadow stays within 64 bits', () => {
  expect(usableFeeLimit(msat(7n))).toBe(7n);
  expect(usableFeeLimit(msat(U64_MAX))).toBe(MAX_PAYABLE_MSAT);
  expect(() => addMsat(addMsat(MAX_PAYABLE_MSAT, MAX_PAYABLE_MSAT), MAX_PAYABLE_MSAT)).not.toThrow();
});
