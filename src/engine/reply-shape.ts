/**
 * Reads a reply of a solver on another machine, which may be anything. What comes out has every member that its type
 * promises, with the right type. It may still be false (answer-check.ts).
 */
import { NODE_ID_BYTES } from '../model/node-id.ts';
import type { RouteReply } from './messages.ts';

/** A check of one value. */
type ReplyShape = (value: unknown) => boolean;

/** Maximum elements of any list in a reply: more than the longest cut or the most parts. */
const MAX_ELEMENTS = 1_000;
const MAX_TEXT = 1_000;
const MAX_AMOUNT_MSAT = 2n ** 63n;
const NODE_ID = new RegExp(`^0[23][0-9a-f]{${2 * NODE_ID_BYTES - 2}}$`);

const text: ReplyShape = (value) => typeof value === 'string' && value.length <= MAX_TEXT;
const integer: ReplyShape = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const amount: ReplyShape = (value) => typeof value === 'bigint' && value >= 0n && value < MAX_AMOUNT_MSAT;
const nodeId: ReplyShape = (value) => typeof value === 'string' && NODE_ID.test(value);
const scid: ReplyShape = (value) => typeof value === 'bigint' && BigInt.asUintN(64, value) === value;
const oneOf =
  (...values: readonly unknown[]): ReplyShape =>
  (value) =>
    values.includes(value);

const listOf =
  (shape: ReplyShape): ReplyShape =>
  (value) =>
    Array.isArray(value) && value.length <= MAX_ELEMENTS && value.every(shape);

/** A map with these members. Names that end in `?` may be absent. Members that are not named are not allowed. */
function mapOf(members: Readonly<Record<string, ReplyShape>>): ReplyShape {
  const named = Object.entries(members).map(([name, shape]) => {
    const isOptional = name.endsWith('?');
    return { name: isOptional ? name.slice(0, -1) : name, shape, isOptional };
  });
  const known = new Set(named.map(({ name }) => name));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const map = value as Readonly<Record<string, unknown>>;
    if (Object.keys(map).some((name) => !known.has(name))) return false;
    return named.every(({ name, shape, isOptional }) =>
      map[name] === undefined ? isOptional : shape(map[name]),
    );
  };
}

/** A map whose `kind` names its other members. */
function unionOf(kinds: Readonly<Record<string, Readonly<Record<string, ReplyShape>>>>): ReplyShape {
  const shapes = new Map(
    Object.entries(kinds).map(([kind, members]) => [kind, mapOf({ kind: oneOf(kind), ...members })]),
  );
  return (value) => {
    const kind = (value as { readonly kind?: unknown } | null)?.kind;
    return typeof kind === 'string' && shapes.get(kind)?.(value) === true;
  };
}

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
const route = mapOf({ probabilityPpm: integer, amountMsat: amount, finalCltv: integer, path: listOf(hop) });
const answer = mapOf({
  probabilityPpm: integer,
  routes: listOf(route),
  'unfinished?': mapOf({ costMsat: amount, leastCostMsat: amount }),
});

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
  known: { limitMsat: amount, layers: listOf(text) },
  gossip: { announced: integer, announcedMsat: amount, totalMsat: amount },
  disabled: {
    enabled: integer,
    enabledMsat: amount,
    totalMsat: amount,
    disabled: listOf(mapOf({ of: direction, fault: unionOf(DISABLED) })),
  },
  usable: { limitMsat: amount, layers: listOf(text) },
});
const end = oneOf('source', 'destination');
const binding = unionOf({
  unknownNode: { end, node: nodeId },
  feeLimit: { maxfeeMsat: amount },
  delayLimit: { maxdelay: integer },
  partsLimit: { maxparts: integer, needed: integer },
  hopLimit: { maxhops: integer },
  endCapacity: { end, channels: listOf(direction), shortage },
  unconnected: {},
  direction: {
    of: direction,
    amountMsat: amount,
    fault: directionFault,
    path: listOf(scid),
    cut: listOf(direction),
  },
  capacity: { amountMsat: amount, path: listOf(scid), cut: listOf(direction) },
  deduction: { of: direction, amountMsat: amount, leastMsat: amount, htlcMinimumMsat: amount },
  effort: {},
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

const REPLIES: readonly ReplyShape[] = [
  mapOf({ answer }),
  mapOf({ noRoute }),
  mapOf({ stale: oneOf(true) }),
  mapOf({ outdated: oneOf(true) }),
];

/** The reply, if it is one. A fault of the solver's search counts as none: the search is made elsewhere. */
export function readReply(value: unknown): RouteReply | undefined {
  return REPLIES.some((shape) => shape(value)) ? (value as RouteReply) : undefined;
}
