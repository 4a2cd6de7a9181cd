/**
 * Parses an untrusted reply of a solver on another machine. The result has all members of its type, with the right
 * types. Its contents may still be false (answer-check.ts).
 */

import {
  type ForeignShape,
  integerIn,
  listOf,
  mapOf,
  oneOf,
  textUpTo,
  tupleOf,
  unionOf,
  unsigned64,
} from '../../model/foreign-shape.ts';
import { REFUSALS, type RefusalRow } from '../../model/refusals.ts';
import type { RouteReply } from './messages.ts';
import { NODE_ID_DIGITS, type PackedAnswer, unpackAnswer } from './packed.ts';

/** Maximum number of elements of any list in a reply: more than the longest cut or the maximum number of parts. */
const MAX_ELEMENTS = 1_000;
const MAX_AMOUNT_MSAT = 2n ** 63n;
const NODE_ID = new RegExp(`^0[23][0-9a-f]{${NODE_ID_DIGITS - 2}}$`);
const NODE_IDS = new RegExp(`^(?:0[23][0-9a-f]{${NODE_ID_DIGITS - 2}})+$`);

const text = textUpTo(1_000);
const integer = integerIn(0, Number.MAX_SAFE_INTEGER);
const amount: ForeignShape = (value) => typeof value === 'bigint' && value >= 0n && value < MAX_AMOUNT_MSAT;
const nodeId: ForeignShape = (value) => typeof value === 'string' && NODE_ID.test(value);
const scid = unsigned64;
const shortListOf = (shape: ForeignShape): ForeignShape => listOf(shape, MAX_ELEMENTS);

const direction = mapOf({ shortChannelId: scid, direction: oneOf(0, 1) });
const hop = mapOf({
  shortChannelIdDir: direction,
  nodeIdIn: nodeId,
  nodeIdOut: nodeId,
  amountInMsat: amount,
  amountOutMsat: amount,
  cltvIn: integer,
  cltvOut: integer,
});
const route = mapOf({
  probabilityPpm: integer,
  amountMsat: amount,
  finalCltv: integer,
  path: shortListOf(hop),
});
const unfinished = mapOf({ costMsat: amount, leastCostMsat: amount });
const answer = mapOf({
  probabilityPpm: integer,
  routes: shortListOf(route),
  'unfinished?': unfinished,
});

/** The same in list form (packed.ts). */
const packedHops = shortListOf(tupleOf(scid, oneOf(0, 1), amount, amount, integer, integer));
const packedRoute: ForeignShape = (value) => {
  if (!Array.isArray(value)) return false;
  const [probabilityPpm, amountMsat, finalCltv, nodeIds, hops] = value as readonly unknown[];
  if (!integer(probabilityPpm) || !amount(amountMsat) || !integer(finalCltv) || !packedHops(hops))
    return false;
  // Nodes are checked together, because a test of each takes longer than all other checks.
  const nodes = (hops as readonly unknown[]).length + 1;
  return typeof nodeIds === 'string' && nodeIds.length === nodes * NODE_ID_DIGITS && NODE_IDS.test(nodeIds);
};

const DISABLED = {
  fee: {},
  disabled: { 'layer?': text },
  neverEnabled: { layer: text },
  nodeDisabled: { side: oneOf('head', 'tail'), node: nodeId, layer: text },
};
const directionFault = unionOf({
  ...DISABLED,
  noGossip: {},
  capacity: { limitMsat: amount, 'layer?': text },
  htlcMaximum: { limitMsat: amount },
  htlcMinimum: { limitMsat: amount },
  constraint: {
    limitMsat: amount,
    'known?': mapOf({ layer: text, maximumMsat: amount }),
    reservedMsat: amount,
  },
});
const shortage = unionOf({
  total: { totalMsat: amount },
  known: { limitMsat: amount, layers: shortListOf(text) },
  gossip: { announced: integer, announcedMsat: amount, totalMsat: amount },
  disabled: {
    enabled: integer,
    enabledMsat: amount,
    totalMsat: amount,
    disabled: shortListOf(mapOf({ of: direction, fault: unionOf(DISABLED) })),
  },
  usable: { limitMsat: amount, layers: shortListOf(text) },
});
const FACTS = { amount, count: integer };
const end = oneOf('source', 'destination');

/** The members of each purely numeric refusal, by the refusal's name. */
const numeric = Object.fromEntries(
  Object.entries(REFUSALS).flatMap(([name, { facts }]: [string, RefusalRow]) =>
    facts === undefined
      ? []
      : [[name, Object.fromEntries(Object.entries(facts).map(([fact, type]) => [fact, FACTS[type]]))]],
  ),
);
const binding = unionOf({
  ...numeric,
  unknownNode: { end, node: nodeId },
  endCapacity: { end, channels: shortListOf(direction), shortage },
  direction: {
    of: direction,
    amountMsat: amount,
    fault: directionFault,
    path: shortListOf(scid),
    cut: shortListOf(direction),
  },
  capacity: { amountMsat: amount, path: shortListOf(scid), cut: shortListOf(direction) },
  deduction: { of: direction, amountMsat: amount, leastMsat: amount, htlcMinimumMsat: amount },
  deadline: { 'waited?': oneOf('inQueue', 'forWorker') },
});
const remedy = mapOf({
  'amountMsat?': amount,
  'maxfeeMsat?': amount,
  'maxdelay?': integer,
  'finalCltv?': integer,
  'maxparts?': integer,
  'minimal?': oneOf(false),
});
const noRoute = mapOf({ binding, 'remedy?': remedy });

const REPLIES: readonly ForeignShape[] = [
  mapOf({ answer }),
  mapOf({ noRoute }),
  mapOf({ stale: oneOf(true) }),
  mapOf({ outdated: oneOf(true) }),
];

/**
 * The reply, if the value is a valid unpacked reply: an answer as lists, or a map as for `readReply`.
 */
export function readPackedReply(value: unknown): RouteReply | undefined {
  if (!Array.isArray(value)) return readReply(value);
  const [probabilityPpm, gap, ...routes] = value as readonly unknown[];
  const isAnswer =
    integer(probabilityPpm) &&
    (gap === null || unfinished(gap)) &&
    routes.length <= MAX_ELEMENTS &&
    routes.every(packedRoute);
  return isAnswer ? { answer: unpackAnswer(value as unknown as PackedAnswer) } : undefined;
}

/**
 * The reply, if the value is a valid one. A fault of the solver's search is treated as no reply, so the search runs
 * elsewhere.
 */
export function readReply(value: unknown): RouteReply | undefined {
  return REPLIES.some((shape) => shape(value)) ? (value as RouteReply) : undefined;
}
