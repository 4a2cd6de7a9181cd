/** Parameter types of the payment commands, with the error texts that their clients know. */
import { fromHex } from '../../bolt/bytes.ts';
import { KEYSEND_PREIMAGE_TYPE } from '../../bolt/onion/payload.ts';
import type { TlvRecord } from '../../bolt/tlv.ts';
import { FulguriteError } from '../../model/errors.ts';
import { parseMsat, U64_MAX } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { ShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { OwnNode } from '../../network/several/index.ts';
import type { HintHop } from '../../payments/payment.ts';
import type { JsonToken } from '../../rpc/json-token.ts';
import {
  BadToken,
  nodeId,
  type ParamType,
  shortChannelId,
  shortChannelIdDir,
  textType,
  unsignedInteger,
} from '../../rpc/param-types.ts';
import { refusedParameter, shown } from '../../rpc/params.ts';
import type { NodeParamType } from '../context.ts';

const U32_MAX = 2 ** 32 - 1;
/** A number of seconds or blocks, as payment commands accept it. */
export const count = unsignedInteger('u32', 'should be an integer', U32_MAX);

const MAX_KEY_CHARACTERS = 256;
/** A key that the caller chooses for a payment. Repeating the request with the same key never pays twice. */
export const idempotencyKey = textType(
  'string',
  `should be a string of 1 to ${MAX_KEY_CHARACTERS} characters`,
  { type: 'string', minLength: 1, maxLength: MAX_KEY_CHARACTERS },
  (text) => (text.length >= 1 && text.length <= MAX_KEY_CHARACTERS ? text : undefined),
);

const MAX_LABEL_CHARACTERS = 4096;
/** A label of the given type. Its length is limited, because every list repeats it. */
export const labelOf = (type: ParamType<string>): ParamType<string> => ({
  ...type,
  parse(token, context) {
    const text = type.parse(token, context);
    if (text.length <= MAX_LABEL_CHARACTERS) return text;
    throw new BadToken(`should have at most ${MAX_LABEL_CHARACTERS} characters`, token);
  },
});

/** The name of an existing layer; the handler receives the name. */
export const existingLayer: NodeParamType<string> = {
  name: 'layer',
  schema: { type: 'string' },
  parse(token, { layers }) {
    if (token.kind !== 'string') throw new BadToken('should be a string', token);
    if (layers.layerIdByName(token.text) === undefined) {
      const message = 'Failed: layers: unknown layer: invalid token (see logs for details)';
      const data = { parameter: 'layers', reason: 'unknown layer', value: token.text.slice(0, 1000) };
      throw new FulguriteError('invalidParams', message, data);
    }
    return token.text;
  },
};

/** The name of one of our nodes; the handler receives the node. */
export const ourNode: NodeParamType<OwnNode> = {
  name: 'string',
  schema: { type: 'string', maxLength: 32 },
  parse(token, { payments }) {
    if (token.kind !== 'string') throw new BadToken('should be a string', token);
    const nodes = payments?.purse?.nodes;
    if (nodes === undefined)
      throw new BadToken('there is only one node: start with several --node options', token);
    const node = nodes.byName(token.text);
    if (node !== undefined) return node;
    throw new BadToken(`should be one of our nodes: ${nodes.list.map(({ name }) => name).join(', ')}`, token);
  },
};

/** A node, or one direction of a channel. */
export const excluded: ParamType<NodeId | ShortChannelIdDir> = {
  name: 'node id or short_channel_id_dir',
  schema: { type: 'string' },
  parse(token, context) {
    try {
      const isChannel = token.text.includes('x');
      return isChannel ? shortChannelIdDir.parse(token, context) : nodeId.parse(token, context);
    } catch (error) {
      if (!(error instanceof BadToken)) throw error;
      throw new BadToken('should be short_channel_id_dir or node_id', token);
    }
  },
};

const QUOTE_ID = /^[0-9a-f]{32}$/;
/** The id of a quote. */
export const quoteId = textType(
  'string',
  'should be the id of a quote: 32 hex digits',
  { type: 'string', pattern: QUOTE_ID.source },
  (text) => (QUOTE_ID.test(text) ? text : undefined),
);

/** TLV types of the final payload that the commands set themselves, so callers may not set them. */
const RESERVED: ReadonlySet<bigint> = new Set([2n, 4n, 6n, 8n, 10n, 12n, 16n, 18n, KEYSEND_PREIMAGE_TYPE]);

/**
 * Extra TLV fields for the recipient: an object that maps types to values in hex. The result is in increasing order of
 * type (BOLT 1).
 */
export const extraTlvs: ParamType<readonly TlvRecord[]> = {
  name: 'object',
  schema: { type: 'object', additionalProperties: { type: 'string', pattern: '^([0-9a-fA-F]{2})*$' } },
  kind: 'object',
  parse(token) {
    if (token.kind !== 'object') {
      throw tlvFault(
        `Could not decode the TLV object from extratlvs: "${shown(token.text)}" is not a valid JSON object.`,
      );
    }
    const records = new Map<bigint, Uint8Array>();
    for (const { key, value } of token.members()) {
      const type = tlvType(key);
      if (records.has(type)) throw tlvFault(`"${shown(key)}" is given more than once.`);
      records.set(type, tlvValue(key, value));
    }
    return [...records].map(([type, value]) => ({ type, value })).sort((a, b) => (a.type < b.type ? -1 : 1));
  },
};

function tlvType(key: string): bigint {
  const type = /^\d{1,64}$/.test(key) ? BigInt(key) : undefined;
  if (type === undefined || type > U64_MAX)
    throw tlvFault(`"${shown(key)}" is not a valid numeric TLV type.`);
  if (RESERVED.has(type)) throw tlvFault(`"${shown(key)}" is a TLV type that this command sets itself.`);
  return type;
}

function tlvValue(key: string, value: JsonToken): Uint8Array {
  const text = value.kind === 'string' || value.kind === 'number' ? value.text : undefined;
  if (text === undefined || text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) {
    throw tlvFault(`"${shown(key)}" is not a valid hex encoded TLV value.`);
  }
  return fromHex(text);
}

const tlvFault = (message: string): FulguriteError => refusedParameter('extratlvs', message);

const MAX_HINTS = 100;
const MAX_HOPS = 100;

/** Route hints: arrays of hops. Each hop is a channel that leaves node `id`. Empty hints are dropped. */
export const routeHints: ParamType<readonly (readonly HintHop[])[]> = {
  name: 'array of arrays of hops',
  schema: { type: 'array', items: { type: 'array', items: { type: 'object' } } },
  kind: 'array',
  parse(token) {
    if (token.kind !== 'array')
      throw hintFault(`Routehint array routehints ("${shown(token.text)}") is not an array`);
    const hints = token.elements();
    if (hints.length > MAX_HINTS) throw hintFault(`routehints has more than ${MAX_HINTS} hints`);
    return hints.map(parseHint).filter((hint) => hint.length > 0);
  },
};

function parseHint(token: JsonToken, index: number): HintHop[] {
  if (token.kind !== 'array') {
    throw hintFault(`Routehint routehints[${index}] ("${shown(token.text)}") is not an array of hop objects`);
  }
  const hops = token.elements();
  if (hops.length > MAX_HOPS) throw hintFault(`routehints[${index}] has more than ${MAX_HOPS} hops`);
  return hops.map((hop, at) => parseHop(hop, `routehints[${index}][${at}]`));
}

function parseHop(token: JsonToken, place: string): HintHop {
  let read = '{';
  const fail = (detail: string): never => {
    throw hintFault(`Error parsing routehint ${place}: Parsing '${read}': ${detail}`);
  };
  if (token.kind !== 'object') return fail(`token is not an object: ${shown(token.raw)}`);
  const members = token.membersByName();
  const member = <T>(name: string, parse: (token: JsonToken) => T | undefined, type: string): T => {
    read += `${name}:`;
    const value = members.get(name);
    if (value === undefined) return fail(`object does not have member ${name}`);
    read += '%';
    const parsed = parse(value);
    if (parsed === undefined) return fail(`${type} could not parse ${shown(value.raw)}`);
    read += ',';
    return parsed;
  };
  return {
    nodeId: member('id', attempt(nodeId), 'json_to_node_id'),
    shortChannelId: member('scid', attempt(shortChannelId), 'json_to_short_channel_id'),
    feeBaseMsat: member('feebase', smallMsat, 'json_to_u32'),
    feeProportionalMillionths: member('feeprop', unsigned(U32_MAX), 'json_to_u32'),
    cltvExpiryDelta: member('expirydelta', unsigned(2 ** 16 - 1), 'json_to_u16'),
  };
}

const attempt =
  <T>(type: ParamType<T>) =>
  (token: JsonToken): T | undefined => {
    try {
      return type.parse(token, undefined);
    } catch (error) {
      if (error instanceof BadToken) return undefined;
      throw error;
    }
  };

const unsigned =
  (maximum: number) =>
  ({ text }: JsonToken): number | undefined =>
    /^\d{1,10}$/.test(text) && Number(text) <= maximum ? Number(text) : undefined;

/** A base fee in msat, which has 32 bits on the wire. */
const smallMsat = ({ text }: JsonToken): HintHop['feeBaseMsat'] | undefined => {
  const amount = parseMsat(text);
  return amount !== undefined && amount <= BigInt(U32_MAX) ? amount : undefined;
};

const hintFault = (message: string): FulguriteError => refusedParameter('routehints', message);
