/** Maximum sizes of answers. */

/** Maximum number of hops of a part: as many as fit in an onion. */
export const MAX_HOPS: u32 = 20;
/** Maximum number of parts of an answer. */
export const MAX_PARTS: u32 = 128;
