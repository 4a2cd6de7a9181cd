/**
 * The handshake of the transport (BOLT 8): Noise_XK over secp256k1, ChaCha20-Poly1305 and SHA-256.
 *
 *     act one    initiator -> responder   50 bytes   0 || ephemeral key || tag
 *     act two    responder -> initiator   50 bytes   0 || ephemeral key || tag
 *     act three  initiator -> responder   66 bytes   0 || encrypted static key (49) || tag
 *
 * h is the hash of the transcript so far, ck the chaining key. Each act mixes one more shared secret into ck. An object
 * serves one handshake; call its acts in order, each of them once. Bytes that fail authentication throw `WireError`;
 * the connection must then be closed without an answer.
 */

import { randomBytes } from 'node:crypto';
import { concatBytes } from '../bytes.ts';
import { WireError } from '../wire-error.ts';
import { curve, POINT_BYTES } from './curve.ts';
import { hkdfTwoKeys, openBox, sealBox, sha256 } from './hashes.ts';

/** Length of the handshake's first message in bytes (BOLT 8). */
export const ACT_ONE_BYTES = 50;

/** Length of the handshake's second message in bytes (BOLT 8). */
export const ACT_TWO_BYTES = 50;

/** Length of the handshake's third message in bytes (BOLT 8). */
export const ACT_THREE_BYTES = 66;

const VERSION = 0;
const TAG_BYTES = 16;
const NOTHING = new Uint8Array(0);
const PROTOCOL = ascii('Noise_XK_secp256k1_ChaChaPoly_SHA256');
const PROLOGUE = ascii('lightning');
const FIRST_NONCE = new Uint8Array(12);
/** Nonce for the second use of act two's key: 32 bits of zero, then 1 in little-endian. */
const SECOND_NONCE = Uint8Array.of(0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);

/** The keys of both directions after the handshake, with which `transport.ts` encrypts messages. */
export interface TransportKeys {
  readonly sendKey: Uint8Array;
  readonly receiveKey: Uint8Array;
  readonly chainingKey: Uint8Array;
}

/** A fresh ephemeral secret key. */
export function randomSecretKey(): Uint8Array {
  for (;;) {
    const key = new Uint8Array(randomBytes(32));
    if (curve.isSecretKey(key)) return key;
  }
}

/** The transcript hash and chaining key that both sides carry forward (Noise: SymmetricState). */
class Transcript {
  private hash: Uint8Array;
  private chainingKey: Uint8Array;

  constructor(responderId: Uint8Array) {
    this.chainingKey = sha256(PROTOCOL);
    this.hash = sha256(sha256(this.chainingKey, PROLOGUE), responderId);
  }

  mixHash(bytes: Uint8Array): void {
    this.hash = sha256(this.hash, bytes);
  }

  /** Mixes a shared secret into ck. @returns the temporary key of this act. */
  mixKey(secret: Uint8Array): Uint8Array {
    const [chainingKey, temporaryKey] = hkdfTwoKeys(this.chainingKey, secret);
    this.chainingKey = chainingKey;
    return temporaryKey;
  }

  seal(key: Uint8Array, plaintext: Uint8Array, nonce = FIRST_NONCE): Uint8Array {
    const box = sealBox(key, plaintext, nonce, this.hash);
    this.mixHash(box);
    return box;
  }

  open(key: Uint8Array, box: Uint8Array, nonce = FIRST_NONCE): Uint8Array {
    const plaintext = openBox(key, box, nonce, this.hash);
    this.mixHash(box);
    return plaintext;
  }

  /** Derives the keys of both directions. The initiator's sending key comes first. */
  split(): { first: Uint8Array; second: Uint8Array; chainingKey: Uint8Array } {
    const [first, second] = hkdfTwoKeys(this.chainingKey, NOTHING);
    return { first, second, chainingKey: this.chainingKey };
  }
}

/** The connecting side. It knows the responder's node id in advance. */
export class NoiseInitiator {
  private readonly secretKey: Uint8Array;
  private readonly ephemeralKey: Uint8Array;
  private readonly responderId: Uint8Array;
  private readonly transcript: Transcript;

  /** @throws WireError when the responder's id is not a point. */
  constructor(secretKey: Uint8Array, responderId: Uint8Array, ephemeralKey = randomSecretKey()) {
    if (!curve.isPoint(responderId))
      throw new WireError('invalid', 'the node id is not a point on the curve');
    this.secretKey = secretKey;
    this.ephemeralKey = ephemeralKey;
    this.responderId = responderId;
    this.transcript = new Transcript(responderId);
  }

  actOne(): Uint8Array {
    return sendEphemeral(this.transcript, this.ephemeralKey, this.responderId).act;
  }

  /** Processes act two. @returns act three, and the keys for the transport. @throws WireError */
  actTwo(act: Uint8Array): { readonly actThree: Uint8Array; readonly keys: TransportKeys } {
    const { transcript } = this;
    const { ephemeral, key } = receiveEphemeral(transcript, act, this.ephemeralKey);
    const sealedId = transcript.seal(key, curve.publicKey(this.secretKey), SECOND_NONCE);
    const lastKey = transcript.mixKey(curve.ecdh(ephemeral, this.secretKey));
    const tag = transcript.seal(lastKey, NOTHING);
    const { first, second, chainingKey } = transcript.split();
    return {
      actThree: concatBytes(Uint8Array.of(VERSION), sealedId, tag),
      keys: { sendKey: first, receiveKey: second, chainingKey },
    };
  }
}

/** The listening side. It learns in act three who connects. */
export class NoiseResponder {
  private readonly secretKey: Uint8Array;
  private readonly ephemeralKey: Uint8Array;
  private readonly transcript: Transcript;
  private actTwoKey: Uint8Array = NOTHING;

  constructor(secretKey: Uint8Array, ephemeralKey = randomSecretKey()) {
    this.secretKey = secretKey;
    this.ephemeralKey = ephemeralKey;
    this.transcript = new Transcript(curve.publicKey(secretKey));
  }

  /** Processes act one. @returns act two. @throws WireError */
  actOne(act: Uint8Array): Uint8Array {
    const { transcript } = this;
    const { ephemeral } = receiveEphemeral(transcript, act, this.secretKey);
    const sent = sendEphemeral(transcript, this.ephemeralKey, ephemeral);
    this.actTwoKey = sent.key;
    return sent.act;
  }

  /**
   * Processes act three.
   * @returns the id of the node that connected, and the keys for the transport.
   * @throws WireError
   */
  actThree(act: Uint8Array): { readonly initiatorId: Uint8Array; readonly keys: TransportKeys } {
    requireForm(act, ACT_THREE_BYTES);
    const { transcript } = this;
    const idEnd = 1 + POINT_BYTES + TAG_BYTES;
    const initiatorId = transcript.open(this.actTwoKey, act.subarray(1, idEnd), SECOND_NONCE);
    const lastKey = transcript.mixKey(curve.ecdh(initiatorId, this.ephemeralKey));
    transcript.open(lastKey, act.subarray(idEnd));
    const { first, second, chainingKey } = transcript.split();
    return { initiatorId, keys: { sendKey: second, receiveKey: first, chainingKey } };
  }
}

/**
 * Makes act one or two: our ephemeral key, and a tag that proves that we have the secret shared with the owner of the
 * public key `to`.
 */
function sendEphemeral(
  transcript: Transcript,
  ephemeralKey: Uint8Array,
  to: Uint8Array,
): { readonly act: Uint8Array; readonly key: Uint8Array } {
  const ephemeral = curve.publicKey(ephemeralKey);
  transcript.mixHash(ephemeral);
  const key = transcript.mixKey(curve.ecdh(to, ephemeralKey));
  const tag = transcript.seal(key, NOTHING);
  return { act: concatBytes(Uint8Array.of(VERSION), ephemeral, tag), key };
}

/** Processes act one or two. `secretKey` belongs to the public key for which the sender made the act. */
function receiveEphemeral(
  transcript: Transcript,
  act: Uint8Array,
  secretKey: Uint8Array,
): { readonly ephemeral: Uint8Array; readonly key: Uint8Array } {
  requireForm(act, ACT_ONE_BYTES);
  const ephemeral = act.subarray(1, 1 + POINT_BYTES);
  transcript.mixHash(ephemeral);
  const key = transcript.mixKey(curve.ecdh(ephemeral, secretKey));
  transcript.open(key, act.subarray(1 + POINT_BYTES));
  return { ephemeral, key };
}

function requireForm(act: Uint8Array, length: number): void {
  if (act.length !== length) throw new WireError('truncated', `an act of ${length} bytes expected`);
  if (act[0] !== VERSION) throw new WireError('invalid', `handshake version ${act[0]}, not ${VERSION}`);
}

function ascii(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'latin1'));
}
