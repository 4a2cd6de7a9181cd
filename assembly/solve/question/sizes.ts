/** How many parts an answer has at most, and how many hops a part. */

/** Channels that an onion has room for. */
export const MAX_HOPS: u32 = 20;
/** Parts of an answer at most. */
export const MAX_PARTS: u32 = 128;
