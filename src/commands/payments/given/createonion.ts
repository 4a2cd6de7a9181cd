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
import {
  arrayOf,
  BadToken,
  hash,
  nodeId,
  type ParamType,
  unsignedInteger,
} from '../../../rpc/param-types.ts';
import { badParameter } from '../../../rpc/params.ts';
import { defineCommand } from '../../context.ts';
import { hexBytes } from './hex-bytes.ts';

/** Maximum bytes of the payloads together. Onion messages may be larger than onions of payments. */
const MAX_AREA_BYTES = 32_768;
const MAX_DATA_BYTES = 1024;

const payloadType = hexBytes(MAX_AREA_BYTES);

/** An object of `pubkey` and `payload`: the TLV stream in hex, behind its length. */
const onionHop: ParamType<OnionHop> = {
  name: 'onion hop',
  schema: {
    type: 'object',
    required: ['pubkey', 'payload'],
    properties: { pubkey: nodeId.schema, payload: payloadType.schema },
  },
  kind: 'object',
  parse(token) {
    if (token.kind !== 'object') throw new BadToken('should be an object', token);
    const members = new Map(token.members().map(({ key, value }) => [key, value] as const));
    const [pubkey, payload] = [members.get('pubkey'), members.get('payload')];
    if (pubkey === undefined || payload === undefined) {
      throw new BadToken('should be an object of pubkey and payload', token);
    }
    const bytes = payloadType.parse(payload, undefined);
    return { nodeId: nodeIdToBytes(nodeId.parse(pubkey, undefined)), payload: withoutLength(bytes, payload) };
  },
};

function withoutLength(bytes: Uint8Array, token: Parameters<typeof payloadType.parse>[0]): Uint8Array {
  try {
    const reader = new ByteReader(bytes);
    const length = readLength(reader);
    if (length === reader.remaining) return reader.take(length);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  }
  throw new BadToken('payload is not prefixed with length!', token);
}

/** As Core Lightning's command. */
export const createonion = defineCommand({
  name: 'createonion',
  summary: 'Build an onion for `sendonion`.',
  description:
    'Builds the packet of BOLT 4 for the first hop, and returns the secret shared with each hop: they decrypt the failure ' +
    'that comes back. Nothing is sent. A session key must not be used twice.',
  category: 'utility',
  readOnly: true,
  params: {
    hops: required(
      arrayOf(onionHop, MAX_ONION_HOPS),
      'Objects of pubkey and payload, from the first hop to the recipient.',
    ),
    assocdata: required(hexBytes(MAX_DATA_BYTES), 'What the packet is bound to, in hex: the payment hash.'),
    session_key: optional(hash, 'Secret key that the packet is made with. Default: random.'),
    onion_size: withDefault(
      unsignedInteger('u32', `should be an integer of at most ${MAX_AREA_BYTES}`, MAX_AREA_BYTES),
      PAYMENT_AREA_BYTES,
      'Bytes of all payloads together.',
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
