/**
 * Hops of a route as `getroute` returns them and as `sendpay` and `sendonion` accept them: the node at the far end, the
 * channel that leads there, and the amount and blocks left when the HTLC arrives.
 */
import type { RouteHop } from '../../../engine/question/route.ts';
import type { Msat } from '../../../model/msat.ts';
import type { NodeId } from '../../../model/node-id.ts';
import { directionFrom, formatShortChannelId, type ShortChannelId } from '../../../model/short-channel-id.ts';
import type { JsonToken } from '../../../rpc/json-token.ts';
import {
  arrayOf,
  BadToken,
  integer,
  nodeId,
  type ParamType,
  positiveMsat,
  shortChannelId,
  shortChannelIdDir,
} from '../../../rpc/param-types.ts';
import { refuse } from '../../../rpc/params.ts';

/** A hop of a route given by the caller. */
export interface GivenHop {
  readonly nodeId: NodeId;
  readonly channel: ShortChannelId;
  readonly amountMsat: Msat;
  readonly delay: number;
}

/** Maximum number of hops of a route. An onion has no room for more. */
const MAX_HOPS = 27;
/** Maximum delay: the blocks of a year and a half. A longer delay must be a mistake. */
const MAX_DELAY = 80_000;
const u32 = integer(0, 2 ** 32 - 1, 'should be an integer');
const delayRange = integer(0, MAX_DELAY);
/** Number of blocks that an HTLC has left. Other values than integers are refused in Core Lightning's words. */
export const delayType: ParamType<number> = {
  ...delayRange,
  parse(token, context) {
    u32.parse(token, context);
    return delayRange.parse(token, context);
  },
};

/**
 * A member: its name in a path of `getroutes`, its name in a route of `getroute`, and the error text for a bad value.
 * If both names are present, the first is used, because a path also has an `amount_msat` with a different meaning: the
 * amount that enters the hop.
 */
type HopMember = readonly [inPath: string, inRoute: string, bad: string];

const MEMBERS = {
  channel: ['short_channel_id_dir', 'channel', 'bad short_channel_id'],
  node: ['node_id_out', 'id', 'bad node_id'],
  amount: ['amount_out_msat', 'amount_msat', 'bad amount'],
  delay: ['cltv_out', 'delay', 'bad cltv_out/delay'],
} as const satisfies Record<string, HopMember>;

/** A channel, with or without its direction. The direction is not needed, because the node ids determine it. */
const channelOrDirection: ParamType<ShortChannelId> = {
  ...shortChannelId,
  parse: (token, context) =>
    token.text.includes('/')
      ? shortChannelIdDir.parse(token, context).shortChannelId
      : shortChannelId.parse(token, context),
};

/** A hop of a route, with the members of `getroute` or of a path of `getroutes`. Other members are ignored. */
const routeHop: ParamType<GivenHop> = {
  name: 'route hop',
  schema: {
    type: 'object',
    properties: {
      ...{ id: nodeId.schema, node_id_out: nodeId.schema },
      ...{ channel: shortChannelId.schema, short_channel_id_dir: shortChannelIdDir.schema },
      ...{ amount_msat: positiveMsat.schema, amount_out_msat: positiveMsat.schema },
      ...{ delay: delayType.schema, cltv_out: delayType.schema },
    },
  },
  kind: 'object',
  parse(token) {
    const members = token.membersByName();
    const channel = eitherOf(token, members, MEMBERS.channel, channelOrDirection);
    return {
      channel,
      nodeId: eitherOf(token, members, MEMBERS.node, nodeId),
      amountMsat: eitherOf(token, members, MEMBERS.amount, positiveMsat),
      delay: eitherOf(token, members, MEMBERS.delay, delayType),
    };
  },
};

/** A whole route, from our own channel to the recipient. */
export const routeHops: ParamType<readonly GivenHop[]> = {
  ...arrayOf(routeHop, MAX_HOPS),
  parse(token, context) {
    if (token.kind !== 'array') throw new BadToken('must be an array', token);
    const hops = arrayOf(routeHop, MAX_HOPS).parse(token, context);
    if (hops.length === 0) throw new BadToken('should have at least one hop', token);
    return hops;
  },
};

/** The first hop of an onion, given by its node, by one of our channels to it, or by both. */
export interface FirstHop {
  readonly nodeId: NodeId | undefined;
  readonly channel: ShortChannelId | undefined;
  readonly amountMsat: Msat;
  readonly delay: number;
}

/** An object with `id` or `channel` (or both), `amount_msat` and `delay`. */
export const firstHop: ParamType<FirstHop> = {
  name: 'first hop',
  schema: {
    type: 'object',
    required: ['amount_msat', 'delay'],
    properties: {
      id: nodeId.schema,
      channel: shortChannelId.schema,
      amount_msat: positiveMsat.schema,
      delay: delayType.schema,
    },
  },
  kind: 'object',
  parse(token) {
    const members = token.membersByName();
    const [id, channel] = [members.get('id'), members.get('channel')];
    if (id === undefined && channel === undefined) {
      refuse('first_hop', "Either 'id' or 'channel' is required for a route_hop");
    }
    const [amount, delay] = ['amount_msat', 'delay'].map((name) => {
      return members.get(name) ?? refuse('first_hop', `'${name}' is required`);
    }) as [JsonToken, JsonToken];
    return {
      nodeId: id && memberValue(id, nodeId, 'should be a node_id'),
      channel: channel && memberValue(channel, shortChannelId, 'should be a short_channel_id'),
      amountMsat: memberValue(amount, positiveMsat, 'should be a valid amount_msat'),
      delay: memberValue(delay, delayType, 'should be a positive, non-zero, number'),
    };
  },
};

type HopMembers = ReadonlyMap<string, JsonToken>;

function eitherOf<T>(
  hop: JsonToken,
  members: HopMembers,
  [inPath, inRoute, bad]: HopMember,
  type: ParamType<T>,
): T {
  const token = members.get(inPath) ?? members.get(inRoute);
  if (token === undefined) throw new BadToken(`must have either ${inPath} or ${inRoute}`, hop);
  return memberValue(token, type, bad);
}

/** The value of a member. @throws BadToken with Core Lightning's words for this member */
export function memberValue<T>(token: JsonToken, type: ParamType<T>, bad: string): T {
  try {
    return type.parse(token, undefined);
  } catch (error) {
    if (error instanceof BadToken) throw new BadToken(bad, token);
    throw error;
  }
}

/** The hops in the engine's form. @param from the node where the route begins */
export function asPath(hops: readonly GivenHop[], from: NodeId): RouteHop[] {
  let [nodeIdIn, amountInMsat, cltvIn] = [from, hops[0]!.amountMsat, hops[0]!.delay];
  return hops.map(({ nodeId: nodeIdOut, channel, amountMsat, delay }) => {
    const shortChannelIdDir = { shortChannelId: channel, direction: directionFrom(nodeIdIn, nodeIdOut) };
    const amounts = { amountInMsat, amountOutMsat: amountMsat, cltvIn, cltvOut: delay };
    const hop = { shortChannelIdDir, nodeIdIn, nodeIdOut, ...amounts };
    [nodeIdIn, amountInMsat, cltvIn] = [nodeIdOut, amountMsat, delay];
    return hop;
  });
}

/** A hop as `getroute` returns it. */
export const hopJson = ({ nodeIdOut, shortChannelIdDir, amountOutMsat, cltvOut }: RouteHop) => ({
  id: nodeIdOut,
  channel: formatShortChannelId(shortChannelIdDir.shortChannelId),
  direction: shortChannelIdDir.direction,
  amount_msat: amountOutMsat,
  delay: cltvOut,
  style: 'tlv' as const,
});
