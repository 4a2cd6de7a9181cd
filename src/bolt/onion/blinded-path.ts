/**
 * Blinded paths (BOLT 4, "Route Blinding"): a recipient hides itself and the last nodes before it.
 *
 * With e_0 random, the path keys E_i, the secrets ss_i = ECDH(k_i, E_i) (shared-secrets.ts) and node i's public key
 * N_i = k_i G:
 *
 *     B_i = HMAC("blinded_node_id", ss_i) N_i        the blinded id of node i
 *     rho_i = HMAC("rho", ss_i)                      encrypts the data for node i
 */

import type { ShortChannelId, ShortChannelIdDir } from '../../model/short-channel-id.ts';
import { ByteReader, ByteWriter } from '../bytes.ts';
import type { ValueCoding } from '../coding.ts';
import { readPoint, readRecurringPoint } from '../coding.ts';
import { type Curve, curve as fastest, POINT_BYTES } from '../crypto/curve.ts';
import { openBox, sealBox, sha256 } from '../crypto/hashes.ts';
import { WireError } from '../wire-error.ts';
import { onionKey } from './onion-key.ts';
import { OwnPathSecrets } from './own-path-secrets.ts';
import { deriveSharedSecrets } from './shared-secrets.ts';

/** Bytes of an encoded channel direction: the direction, and the short channel id. */
const DIRECTION_BYTES = 9;

/** One hop of a blinded path: its blinded key, and the data that only the node itself can decrypt (BOLT 4). */
export interface BlindedHop {
  readonly blindedNodeId: Uint8Array;
  readonly encryptedRecipientData: Uint8Array;
}

/** A blinded path in the form used in offers, invoices and onion messages (BOLT 4, "Route Blinding"). */
export interface BlindedPath {
  /** The introduction node: its id, or one end of a channel (direction 0 stands for the node with the smaller id). */
  readonly firstNode: Uint8Array | ShortChannelIdDir;
  readonly firstPathKey: Uint8Array;
  readonly hops: readonly BlindedHop[];
}

/** One node of a new path. */
export interface PathNode {
  readonly nodeId: Uint8Array;
  /** The encoded `encrypted_data_tlv` for this node. */
  readonly data: Uint8Array;
  /**
   * The node's secret key k_i, if the maker of the path knows it. The resulting path is the same, but takes less time
   * to make, because only multiples of G are needed.
   */
  readonly secretKey?: Uint8Array | undefined;
  /** Whether this is our own node, at the end of a path for one message to us. Its `secretKey` must be given. */
  readonly isOurs?: boolean;
}

const ownSecrets = new OwnPathSecrets();

/** A hop of a path whose blinded id has not been computed: a node's id, and the secret shared with the node. */
export interface UnblindedHop {
  readonly nodeId: Uint8Array;
  readonly secret: Uint8Array;
  readonly encryptedRecipientData: Uint8Array;
}

/** A path whose blinded ids have not been computed. */
export interface UnblindedPath {
  readonly firstPathKey: Uint8Array;
  readonly hops: readonly UnblindedHop[];
}

/**
 * Makes the path. `sessionKey` is e_0, a fresh random secret key.
 * @throws WireError when there is no node, CurveError when a node id is not a point.
 */
export function createBlindedPath(
  nodes: readonly PathNode[],
  sessionKey: Uint8Array,
  curve: Curve = fastest,
): BlindedPath {
  return blinded(createUnblindedPath(nodes, sessionKey, curve), nodes, curve);
}

/** Computes the blinded ids of a path made of these nodes. */
export function blinded(
  { firstPathKey, hops }: UnblindedPath,
  nodes: readonly PathNode[],
  curve: Curve = fastest,
): BlindedPath {
  return {
    firstNode: nodes[0]!.nodeId,
    firstPathKey,
    hops: hops.map(({ nodeId, secret, encryptedRecipientData }, i) => {
      const nodeKey = nodes[i]!.secretKey;
      const blindedNodeId =
        nodeKey === undefined
          ? curve.pointMultiply(nodeId, blindingFactor(secret))
          : curve.publicKey(blindedSecretKey(nodeKey, secret, curve));
      return { blindedNodeId, encryptedRecipientData };
    }),
  };
}

/**
 * Makes the path without blinded ids. Messages that the maker of the path sends over it do not contain them.
 * @throws as `createBlindedPath`
 */
export function createUnblindedPath(
  nodes: readonly PathNode[],
  sessionKey: Uint8Array,
  curve: Curve = fastest,
): UnblindedPath {
  if (nodes.length === 0) throw new WireError('fields', 'a blinded path needs a node');
  const secretWith = (index: number, ephemeralKey: Uint8Array): Uint8Array => {
    const { nodeId, secretKey } = nodes[index]!;
    return secretKey === undefined
      ? curve.ecdh(nodeId, ephemeralKey)
      : sha256(curve.publicKey(curve.secretKeyMultiply(ephemeralKey, secretKey)));
  };
  const { firstKey, secrets, lastSecretKey } = deriveSharedSecrets(
    nodes.length,
    sessionKey,
    secretWith,
    curve,
  );
  const end = nodes.at(-1)!;
  if (end.isOurs === true) {
    const pathKey = nodes.length === 1 ? firstKey : curve.publicKey(lastSecretKey);
    ownSecrets.keep(pathKey, end.secretKey!, secrets.at(-1)!);
  }
  const hops = nodes.map(({ nodeId, data }, i) => ({
    nodeId,
    secret: secrets[i]!,
    encryptedRecipientData: sealRecipientData(secrets[i]!, data),
  }));
  return { firstPathKey: firstKey, hops };
}

/** ss_i: the secret that a node shares with the maker of the path, from its key and the path key that it received. */
export function pathSecret(secretKey: Uint8Array, pathKey: Uint8Array, curve: Curve = fastest): Uint8Array {
  return ownSecrets.take(pathKey, secretKey) ?? curve.ecdh(pathKey, secretKey);
}

/** The scalar by which a node's id is multiplied to get its blinded id. */
export function blindingFactor(secret: Uint8Array): Uint8Array {
  return onionKey('blinded_node_id', secret);
}

/** The secret key of the node's blinded id, for peeling onions encrypted to that id. */
export function blindedSecretKey(
  secretKey: Uint8Array,
  secret: Uint8Array,
  curve: Curve = fastest,
): Uint8Array {
  return curve.secretKeyMultiply(secretKey, blindingFactor(secret));
}

/** Encrypts the encoded `encrypted_data_tlv` for the node with which the secret is shared. */
export function sealRecipientData(secret: Uint8Array, data: Uint8Array): Uint8Array {
  return sealBox(onionKey('rho', secret), data);
}

/**
 * Decrypts the node's encoded `encrypted_data_tlv`.
 * @throws WireError `decryption` when it was not made for this node and path key.
 */
export function openRecipientData(secret: Uint8Array, encryptedRecipientData: Uint8Array): Uint8Array {
  return openBox(onionKey('rho', secret), encryptedRecipientData);
}

/** E_{i+1}: the path key for the next node, unless the node's data contains a different one. */
export function nextPathKey(pathKey: Uint8Array, secret: Uint8Array, curve: Curve = fastest): Uint8Array {
  return curve.pointMultiply(pathKey, sha256(pathKey, secret));
}

/** One or several paths in one value: `blinded_path` of BOLT 4, repeated as in BOLT 12. */
export const blindedPaths: ValueCoding<readonly BlindedPath[]> = {
  encode(paths) {
    const writer = new ByteWriter(paths.reduce((sum, path) => sum + pathBytes(path), 0));
    for (const path of paths) writeBlindedPath(writer, path);
    return writer.finish();
  },
  decode(bytes) {
    const reader = new ByteReader(bytes);
    const paths: BlindedPath[] = [];
    while (reader.remaining > 0) paths.push(readBlindedPath(reader));
    return paths;
  },
};

/** The coding of a `blinded_path` on the wire (BOLT 4). Decoding throws `WireError`. */
export const blindedPath: ValueCoding<BlindedPath> = {
  encode: (path) => blindedPaths.encode([path]),
  decode(bytes) {
    const reader = new ByteReader(bytes);
    const path = readBlindedPath(reader);
    reader.end();
    return path;
  },
};

/** The encoded length of a path. */
function pathBytes({ firstNode, hops }: BlindedPath): number {
  let bytes = (firstNode instanceof Uint8Array ? POINT_BYTES : DIRECTION_BYTES) + POINT_BYTES + 1;
  for (const { encryptedRecipientData } of hops) bytes += POINT_BYTES + 2 + encryptedRecipientData.length;
  return bytes;
}

function writeBlindedPath(writer: ByteWriter, { firstNode, firstPathKey, hops }: BlindedPath): void {
  if (firstNode instanceof Uint8Array) writer.put(firstNode);
  else writer.u8(firstNode.direction).u64(firstNode.shortChannelId);
  writer.put(firstPathKey).u8(hops.length);
  for (const { blindedNodeId, encryptedRecipientData } of hops) {
    writer.put(blindedNodeId).u16(encryptedRecipientData.length).put(encryptedRecipientData);
  }
}

/**
 * Reads a path. A path without hops is well-formed, but the checks of messages, offers, requests and invoices refuse
 * it.
 */
function readBlindedPath(reader: ByteReader): BlindedPath {
  const firstNode = readFirstNode(reader);
  const firstPathKey = readPoint(reader);
  const count = reader.u8();
  const hops: BlindedHop[] = [];
  for (let i = 0; i < count; i++) {
    const blindedNodeId = readPoint(reader);
    hops.push({ blindedNodeId, encryptedRecipientData: reader.take(reader.u16()) });
  }
  return { firstNode, firstPathKey, hops };
}

/** Reads a `sciddir_or_pubkey` (BOLT 1): either the byte 00 or 01 followed by a short channel id, or a point. */
function readFirstNode(reader: ByteReader): Uint8Array | ShortChannelIdDir {
  const direction = reader.bytes[reader.offset];
  if (direction !== 0 && direction !== 1) return readRecurringPoint(reader);
  reader.u8();
  return { shortChannelId: reader.u64() as ShortChannelId, direction };
}
