/**
 * The parameter that the reservation commands share: amounts on channel directions, written like the hops of a route.
 */
import type { ReservationRequest } from '../../layers/reservations.ts';
import type { JsonToken } from '../../rpc/json-token.ts';
import { BadToken, msat, type ParamType, shortChannelIdDir } from '../../rpc/param-types.ts';
import type { NodeContext, NodeParamType } from '../context.ts';

/**
 * A path to reserve: objects with short_channel_id_dir, amount_msat and an optional layer. Other members are ignored,
 * so that hops of a route can be passed unchanged.
 */
export const reservationPath: NodeParamType<readonly ReservationRequest[]> = {
  name: 'array of reservations',
  schema: {
    type: 'array',
    items: {
      type: 'object',
      required: ['short_channel_id_dir', 'amount_msat'],
      properties: {
        short_channel_id_dir: shortChannelIdDir.schema,
        amount_msat: msat.schema,
        layer: { type: 'string' },
      },
    },
  },
  kind: 'array',
  parse(token, context) {
    if (token.kind !== 'array') throw new BadToken('should be an array', token);
    return token.elements().map((element) => reservationOf(element, context));
  },
};

function reservationOf(element: JsonToken, context: NodeContext): ReservationRequest {
  if (element.kind !== 'object') throw new BadToken("Parsing '{': object expected", element);
  const members = new Map<string, JsonToken>();
  for (const { key, value } of element.members()) {
    if (value.kind !== 'null' && !members.has(key)) members.set(key, value);
  }
  const of = memberOf(element, members, 'short_channel_id_dir', shortChannelIdDir, '{');
  const amountMsat = memberOf(element, members, 'amount_msat', msat, '{short_channel_id_dir:%,');
  const name = members.get('layer');
  if (name === undefined) return { shortChannelIdDir: of, amountMsat };
  const layer = context.layers.layer(name.text);
  if (layer === undefined) throw new BadToken('Unknown layer', element);
  return { shortChannelIdDir: of, amountMsat, layer };
}

/** Reads a required member. `before` is the part of the element read so far, shown in error texts. */
function memberOf<T>(
  element: JsonToken,
  members: ReadonlyMap<string, JsonToken>,
  name: string,
  type: ParamType<T>,
  before: string,
): T {
  const token = members.get(name);
  if (token === undefined) {
    throw new BadToken(`Parsing '${before}${name}:': object does not have member ${name}`, element);
  }
  try {
    return type.parse(token, undefined);
  } catch (error) {
    if (!(error instanceof BadToken)) throw error;
    throw new BadToken(`Parsing '${before}${name}:%': ${error.reason}`, element);
  }
}
