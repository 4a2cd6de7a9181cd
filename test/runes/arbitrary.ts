/** Random restrictions, and requests that meet them more often than by chance. */
import fc from 'fast-check';
import type { Alternative, Condition, Restriction } from '../../src/runes/restriction.ts';

const CONDITIONS: readonly Condition[] = ['!', '=', '/', '^', '$', '~', '<', '>', '{', '}', '#'];
const FIELDS = ['method', 'time', 'id', 'pnum', 'pnamea', 'pnamea_b', 'pnameab', 'parr0', 'parr1', 'f é_1'];

/**
 * Values with all characters that need an escape, with several bytes in UTF-8, and with lengths around a
 * block.
 */
export const value = fc.oneof(
  fc.constantFrom('', 'list', 'listpays', '1', '-5', '12', '9223372036854775807', '9223372036854775808'),
  fc.string({ unit: fc.constantFrom('a', '\\', '|', '&', '=', 'é', '€', '𝄞', '-', '_', '1'), maxLength: 80 }),
);

const alternative: fc.Arbitrary<Alternative> = fc.record({
  field: fc.constantFrom(...FIELDS),
  condition: fc.constantFrom(...CONDITIONS),
  value,
});

export const restriction: fc.Arbitrary<Restriction> = fc.array(alternative, { minLength: 1, maxLength: 3 });
export const restrictions: fc.Arbitrary<Restriction[]> = fc.array(restriction, { maxLength: 4 });

/** A request as JSON: method, parameters by name or by position. */
export const request = fc.record({
  method: fc.constantFrom(undefined, 'list', 'listpays', 'keysend', 'a|b'),
  params: fc.oneof(
    fc.constant(undefined),
    fc.array(fc.oneof(fc.constant(null), fc.integer(), value), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'a_b', 'c'), fc.oneof(fc.constant(null), fc.integer(), value)),
  ),
});
