/** Maximum sizes of answers. */

/** Maximum number of hops of a part. An onion has room for that many payloads, unless the recipient's is large. */
export const MAX_HOPS: u32 = 20;
/** Maximum number of parts of an answer. */
export const MAX_PARTS: u32 = 128;
