/** `createonion`: builds the onion that `sendonion` sends. */
import { readLength } from '../../../bolt/bigsize.ts';
import { ByteReader, fromHex, toHex } from '../../../bolt/bytes.ts';
import {
  createOnion,
  MAX_ONION_HOPS,
  type OnionHop,
  PAYMENT_AREA_BYTES,
  randomSessionKey,
} from '../../../bolt/onion/sphinx.ts';
import { WireError } from '../../../bolt/wire-error.ts';
import { nodeIdToBytes } from '../../../model/node-id.ts';
import { randomBytes } from '../../../model/random-bytes.ts';
import { field, optional, required, withDefault } from '../../../rpc/command.ts';
import type { JsonToken } from '../../../rpc/json-token.ts';
import { BadToken, hash, integer, nodeId, type ParamType } from '../../../rpc/param-types.ts';
import { badParameter, refuse } from '../../../rpc/params.ts';
import { defineCommand } from '../../context.ts';
import { hexBytes } from './hex-bytes.ts';
import { memberValue } from './route-hop.ts';

/** Maximum size of the payload area, in bytes. Onion messages may be larger than payment onions. */
const MAX_AREA_BYTES = 32_768;
const MAX_DATA_BYTES = 1024;

const payloadType = hexBytes(MAX_AREA_BYTES);

const HOP_SCHEMA = {
  type: 'object',
  required: ['pubkey', 'payload'],
  properties: { pubkey: nodeId.schema, payload: payloadType.schema },
} as const;

/** Objects with `pubkey` and `payload`. The payload is the TLV stream with its length prefix, in hex. */
const onionHops: ParamType<readonly OnionHop[]> = {
  name: 'array of onion hops',
  schema: { type: 'array', items: HOP_SCHEMA, maxItems: MAX_ONION_HOPS },
  kind: 'array',
  parse(token) {
    if (token.kind !== 'array') throw new BadToken('should be an array of hops', token);
    const hops = token.elements();
    if (hops.length === 0) refuse('hops', 'At least one hop must be specified.');
    if (hops.length > MAX_ONION_HOPS) throw new BadToken(`should have at most ${MAX_ONION_HOPS} hops`, token);
    return hops.map(onionHop);
  },
};

function onionHop(hop: JsonToken, index: number): OnionHop {
  const members = hop.membersByName();
  const [pubkey, payload] = ['pubkey', 'payload'].map(
    (name) => members.get(name) ?? refuse('hops', `Hop ${index} does not have a ${name}`),
  ) as [JsonToken, JsonToken];
  const nodeIdBytes = nodeIdToBytes(memberValue(pubkey, nodeId, 'should be a pubkey'));
  const stream = withoutLength(memberValue(payload, payloadType, 'should be hex'));
  if (stream === undefined) refuse('hops', `hops[${index}] payload is not prefixed with length!`);
  return { nodeId: nodeIdBytes, payload: stream };
}

/** The bytes without their length prefix. Undefined if the prefix is wrong. */
function withoutLength(bytes: Uint8Array): Uint8Array | undefined {
  try {
    const reader = new ByteReader(bytes);
    const length = readLength(reader);
    return length === reader.remaining ? reader.take(length) : undefined;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return undefined;
  }
}

/** Matches Core Lightning's command. */
export const createonion = defineCommand({
  name: 'createonion',
  summary: 'Build an onion for `sendonion`.',
  description:
    'Builds the BOLT 4 packet for the first hop, and returns the secret shared with each hop, which decrypts a ' +
    'returned failure. Nothing is sent. Never use a session key twice.',
  category: 'utility',
  readOnly: true,
  params: {
    hops: required(onionHops, 'Objects with pubkey and payload, from the first hop to the recipient.'),
    assocdata: required(
      hexBytes(MAX_DATA_BYTES),
      'The data that the packet commits to, in hex: the payment hash.',
    ),
    session_key: optional(hash, 'Session key for the packet. Default: random.'),
    onion_size: withDefault(
      integer(0, MAX_AREA_BYTES),
      PAYMENT_AREA_BYTES,
      "Size of the packet's payload area, in bytes. Each payload also takes its length prefix and a 32-byte HMAC.",
    ),
  },
  result: {
    onion: field('string', 'The packet, in hex.'),
    shared_secrets: field('array', 'One secret per hop.'),
  },
  handler({ hops, assocdata, session_key, onion_size }) {
    const sessionKey = session_key === undefined ? randomSessionKey(randomBytes) : fromHex(session_key);
    try {
      const options = { sessionKey, associatedData: assocdata, areaBytes: onion_size };
      const { packet, sharedSecrets } = createOnion(hops, options);
      return { onion: toHex(packet), shared_secrets: sharedSecrets.map((secret) => toHex(secret)) };
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw badParameter(
        'hops',
        error.reason === 'tooLong' ? 'exceed the maximum onion packet size' : error.message,
      );
    }
  },
});
