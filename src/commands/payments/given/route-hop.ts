/**
 * Hops of a route as `getroute` answers them and as `sendpay` and `sendonion` take them: the node at the far end, the
 * channel that leads there, and the amount and the blocks that are left when the HTLC arrives.
 */
import type { RouteHop } from '../../../engine/question/route.ts';
import type { Msat } from '../../../model/msat.ts';
import type { NodeId } from '../../../model/node-id.ts';
import { directionFrom, formatShortChannelId, type ShortChannelId } from '../../../model/short-channel-id.ts';
import type { JsonToken } from '../../../rpc/json-token.ts';
import {
  arrayOf,
  BadToken,
  nodeId,
  type ParamType,
  positiveMsat,
  shortChannelId,
  unsignedInteger,
} from '../../../rpc/param-types.ts';

/** One hop of a route that the caller gives. */
export interface GivenHop {
  readonly nodeId: NodeId;
  /** Undefined only for the first hop of an onion, which the node may choose. */
  readonly channel: ShortChannelId | undefined;
  readonly amountMsat: Msat;
  readonly delay: number;
}

/** Maximum hops of a route. No onion has room for more. */
const MAX_HOPS = 27;
/** A year and a half of blocks. A longer delay is a mistake. */
const MAX_DELAY = 80_000;
/** Blocks that an HTLC has left. */
export const delayType = unsignedInteger('u32', 'is not a valid delay', MAX_DELAY);

/** An object of `id`, `channel`, `amount_msat` and `delay`. Other members are ignored, as in Core Lightning. */
export const routeHop: ParamType<GivenHop> = {
  name: 'route hop',
  schema: {
    type: 'object',
    required: ['id', 'amount_msat', 'delay'],
    properties: {
      id: nodeId.schema,
      channel: shortChannelId.schema,
      amount_msat: positiveMsat.schema,
      delay: delayType.schema,
    },
  },
  kind: 'object',
  parse(token) {
    if (token.kind !== 'object') throw new BadToken('should be an object', token);
    const members = new Map(token.members().map(({ key, value }) => [key, value] as const));
    const channel = members.get('channel');
    return {
      nodeId: memberOf(token, members, 'id', nodeId),
      channel: channel && memberOf(token, members, 'channel', shortChannelId),
      amountMsat: memberOf(token, members, 'amount_msat', positiveMsat),
      delay: memberOf(token, members, 'delay', delayType),
    };
  },
};

/** A whole route, from our own channel to the recipient. */
export const routeHops: ParamType<readonly GivenHop[]> = {
  ...arrayOf(routeHop, MAX_HOPS),
  parse(token, context) {
    const hops = arrayOf(routeHop, MAX_HOPS).parse(token, context);
    if (hops.length === 0) throw new BadToken('should have at least one hop', token);
    if (hops.some(({ channel }) => channel === undefined)) {
      throw new BadToken("'channel' is required for each hop", token);
    }
    return hops;
  },
};

function memberOf<T>(
  hop: JsonToken,
  members: ReadonlyMap<string, JsonToken>,
  name: string,
  type: ParamType<T>,
): T {
  const token = members.get(name);
  if (token === undefined) throw new BadToken(`'${name}' is required`, hop);
  try {
    return type.parse(token, undefined);
  } catch (error) {
    if (error instanceof BadToken) throw new BadToken(`'${name}' ${error.reason}`, hop);
    throw error;
  }
}

/** The hops as the engine knows them. @param from the node at which they begin */
export function asPath(hops: readonly GivenHop[], from: NodeId): RouteHop[] {
  let [nodeIdIn, amountInMsat, cltvIn] = [from, hops[0]!.amountMsat, hops[0]!.delay];
  return hops.map(({ nodeId: nodeIdOut, channel, amountMsat, delay }) => {
    const shortChannelIdDir = { shortChannelId: channel!, direction: directionFrom(nodeIdIn, nodeIdOut) };
    const amounts = { amountInMsat, amountOutMsat: amountMsat, cltvIn, cltvOut: delay };
    const hop = { shortChannelIdDir, nodeIdIn, nodeIdOut, ...amounts };
    [nodeIdIn, amountInMsat, cltvIn] = [nodeIdOut, amountMsat, delay];
    return hop;
  });
}

/** One hop as `getroute` answers it. */
export const hopJson = ({ nodeIdOut, shortChannelIdDir, amountOutMsat, cltvOut }: RouteHop): object => ({
  id: nodeIdOut,
  channel: formatShortChannelId(shortChannelIdDir.shortChannelId),
  direction: shortChannelIdDir.direction,
  amount_msat: amountOutMsat,
  delay: cltvOut,
  style: 'tlv',
});
