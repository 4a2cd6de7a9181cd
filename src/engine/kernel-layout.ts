/**
 * Where fields lie in the kernel's records: byte offsets, and the bits of their flags.
 *
 * Only the kernel declares them (each name is a constant in assembly/) and exports them as globals. The host
 * reads them when it makes an instance. So the two sides cannot disagree.
 */

const FIELDS = [
  // Header of a graph region: pointers to the columns (assembly/graph/graph.ts).
  'R_NODE_IDS',
  'R_SCIDS',
  'R_CAPACITY',
  'R_NODE1',
  'R_NODE2',
  'R_POLICY_FLAGS',
  'R_HTLC_MIN',
  'R_HTLC_MAX',
  'R_BASE',
  'R_PPM',
  'R_CLTV',
  // Record of a direction, and its flags (assembly/graph/graph.ts).
  'A_TAIL',
  'A_BASE',
  'A_PPM',
  'A_CLTV',
  'A_FLAGS',
  'A_HTLC_MIN',
  'A_HTLC_MAX',
  'A_MIN',
  'A_MAX',
  'A_SLOT',
  'A_FACTOR',
  'FLAG_KNOWN',
  'FLAG_ENABLED',
  'NODE_ID_BYTES',
  // What a layer says of a channel (assembly/overlay/layers.ts).
  'C_CREATED',
  'C_UPDATE',
  'C_BOUNDS',
  'C_HELD',
  'U_MASK',
  'U_ENABLED',
  'U_HTLC_MIN',
  'U_HTLC_MAX',
  'U_BASE',
  'U_PPM',
  'U_CLTV',
  'MASK_ENABLED',
  'MASK_HTLC_MIN',
  'MASK_HTLC_MAX',
  'MASK_BASE',
  'MASK_PPM',
  'MASK_CLTV',
  'B_MIN',
  'B_MAX',
  'B_NEXT',
  'T_SHIFT',
  'T_LOW',
  'T_HIGH',
  'H_RESERVED',
  'H_EXTRA_HTLC',
  // Part of an answer (assembly/solve/parts.ts).
  'P_AMOUNT',
  'P_HOPS',
  'P_ARCS',
] as const;

/** The name of a field or flag, as assembly/ declares it. */
export type KernelField = (typeof FIELDS)[number];

/** Byte offset of each field in its record, or the value of each flag bit. */
export type KernelLayout = Readonly<Record<KernelField, number>>;

/** The globals of an instance that declare its layout. */
export type LayoutExports = Readonly<Record<KernelField, { readonly value: number }>>;

/**
 * Reads the layout that an instance declares.
 * @throws Error when a field is missing: the kernel was built from other sources than the host.
 */
export function kernelLayout(exports: LayoutExports): KernelLayout {
  const read = (field: KernelField): [KernelField, number] => {
    const value: unknown = exports[field]?.value;
    if (typeof value !== 'number') throw new Error(`the kernel declares no ${field}: build it again`);
    return [field, value];
  };
  return Object.fromEntries(FIELDS.map(read)) as Record<KernelField, number>;
}
