/**
 * Checks untrusted records of the log: a copy on the bus, or a row written by another release. Accepted records have
 * all members of their type. Kinds of records unknown to this release are accepted, and ignored when applied.
 */

import {
  anyOf,
  bytesOf,
  type ForeignShape,
  integerIn,
  oneOf,
  openMapOf,
  textUpTo,
  tupleOf,
  unsigned64,
} from '../../../model/foreign-shape.ts';
import { NODE_ID_BYTES } from '../../../model/node-id.ts';

const MAX_TEXT = 1_000_000;
const MAX_BYTES = 1 << 24;
const U32 = 2 ** 32 - 1;

const any: ForeignShape = () => true;
const text = textUpTo(MAX_TEXT);
const number = integerIn(0, Number.MAX_SAFE_INTEGER);
const bytes = bytesOf(0, MAX_BYTES);
const direction = oneOf(0, 1);
const bias = integerIn(-100, 100);
const orNull = (shape: ForeignShape): ForeignShape => anyOf(oneOf(null, undefined), shape);
const nodeId: ForeignShape = (value) => typeof value === 'string' && /^0[23][0-9a-f]{64}$/.test(value);
const layer = anyOf(number, text);
const ofDirection = { shortChannelId: unsigned64, direction };
const isNodeIds: ForeignShape = (value) => {
  if (!bytes(value) || (value as Uint8Array).length % NODE_ID_BYTES !== 0) return false;
  const ids = value as Uint8Array;
  for (let at = 0; at < ids.length; at += NODE_ID_BYTES) if (ids[at] !== 2 && ids[at] !== 3) return false;
  return true;
};

const MUTATIONS = new Map<string, ForeignShape>(
  Object.entries({
    createChannel: openMapOf({
      shortChannelId: unsigned64,
      node1: nodeId,
      node2: nodeId,
      capacityMsat: unsigned64,
    }),
    updateChannel: openMapOf({
      ...ofDirection,
      update: openMapOf({
        'enabled?': oneOf(true, false),
        'htlcMinimumMsat?': unsigned64,
        'htlcMaximumMsat?': unsigned64,
        'feeBaseMsat?': unsigned64,
        'feeProportionalMillionths?': integerIn(0, U32),
        'cltvExpiryDelta?': integerIn(0, U32),
      }),
    }),
    removeChannelUpdate: openMapOf(ofDirection),
    inform: openMapOf({
      ...ofDirection,
      kind: oneOf('minimum', 'maximum', 'impression'),
      amountMsat: unsigned64,
      timestamp: number,
    }),
    biasChannel: openMapOf({ ...ofDirection, bias, 'description?': text, timestamp: number }),
    biasNode: openMapOf({
      node: nodeId,
      inBias: bias,
      outBias: bias,
      'description?': text,
      timestamp: number,
    }),
    disableNode: openMapOf({ node: nodeId }),
    age: openMapOf({ cutoff: (value) => typeof value === 'bigint' }),
  }),
);

const isMutation: ForeignShape = (value) => {
  const type = (value as { readonly type?: unknown } | null)?.type;
  return typeof type === 'string' && (MUTATIONS.get(type)?.(value) ?? true);
};

const RECORDS = new Map<string, ForeignShape>(
  Object.entries({
    create: tupleOf(any, text),
    change: tupleOf(any, layer, isMutation),
    remove: tupleOf(any, layer),
    import: tupleOf(any, text, oneOf('begun', 'whole')),
    layer: tupleOf(any, number, text),
    next: tupleOf(any, number),
    nodes: tupleOf(any, isNodeIds),
    channel: tupleOf(any, unsigned64, number, number, unsigned64, orNull(bytes)),
    // Fee base, fee rate, delay, time, and both flags are plain numbers (graph-records.ts).
    policy: tupleOf(
      ...[any, unsigned64, direction, oneOf(true, false), unsigned64, unsigned64],
      ...[number, number, number, number, number, number],
    ),
    closed: tupleOf(any, unsigned64),
    dying: tupleOf(any, unsigned64),
    said: tupleOf(any, number, number, bytes, bytes, bytes, bytes),
    whole: tupleOf(any),
  }),
);

/** Whether this is a record that can be applied. */
export const isLogRecord: ForeignShape = (value) => {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return false;
  return RECORDS.get(value[0])?.(value) ?? true;
};
