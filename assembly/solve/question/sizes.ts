/** Maximum sizes of answers. */

/** Maximum hops of a part: the room in an onion. */
export const MAX_HOPS: u32 = 20;
/** Maximum parts of an answer. */
export const MAX_PARTS: u32 = 128;
