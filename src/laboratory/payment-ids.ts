/**
 * Ranges of payment ids. Ids also determine draws and the order of simultaneous events, so ranges must not overlap.
 * Traffic starts at 0. Each of the other ranges has room for 2^28 payments.
 */

/** Id of the first jamming payment. */
export const FIRST_JAMMING_ID = 0x4000_0000;
/** Id of the first payment of an operator. */
export const FIRST_OPERATOR_ID = 0x5000_0000;
/** Id of the first probe. */
export const FIRST_PROBE_ID = 0x6000_0000;
