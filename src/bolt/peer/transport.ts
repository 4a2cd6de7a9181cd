/**
 * Messages on an established connection (BOLT 8, "Lightning Message Specification"):
 *
 *     frame = seal(u16 length) (18 bytes) || seal(message) (length + 16 bytes)
 *
 * A key is used 1000 times, that is, for 500 frames, and then replaced by a key derived from it. Each direction has its
 * own key, nonce and chaining key.
 */

import { concatBytes } from '../bytes.ts';
import { hkdfTwoKeys, openBox, sealBox } from '../crypto/hashes.ts';
import type { TransportKeys } from '../crypto/noise.ts';
import { WireError } from '../wire-error.ts';

/** Longest message. Its length is a u16 (BOLT 8). */
export const MAX_MESSAGE_BYTES = 65535;
/** Bytes of the encrypted length in front of each message. */
export const FRAME_HEAD_BYTES = 18;

/** Length of the tag that authenticates each sealed piece. */
export const FRAME_TAG_BYTES = 16;

const BOXES_PER_KEY = 1000;

/** One direction: key, counter, and the chaining key for deriving the next key. */
class CipherState {
  private key: Uint8Array;
  private chainingKey: Uint8Array;
  private used = 0;
  private readonly nonce = new Uint8Array(12);

  constructor(key: Uint8Array, chainingKey: Uint8Array) {
    this.key = key;
    this.chainingKey = chainingKey;
  }

  seal(plaintext: Uint8Array): Uint8Array {
    const box = sealBox(this.key, plaintext, this.nonce);
    this.advance();
    return box;
  }

  /** Decrypts. @throws WireError `decryption`. The connection must then be closed. */
  open(box: Uint8Array): Uint8Array {
    const plaintext = openBox(this.key, box, this.nonce);
    this.advance();
    return plaintext;
  }

  /**
   * Increments the nonce (32 zero bits, then 64 bits little-endian), and replaces the key after 1000 uses. So only two
   * bytes of the nonce are ever nonzero.
   */
  private advance(): void {
    this.used++;
    if (this.used === BOXES_PER_KEY) {
      [this.chainingKey, this.key] = hkdfTwoKeys(this.chainingKey, this.key);
      this.used = 0;
    }
    this.nonce[4] = this.used & 0xff;
    this.nonce[5] = this.used >> 8;
  }
}

/** Both directions of a connection. Frames are sealed and opened in wire order. */
export class Transport {
  private readonly sending: CipherState;
  private readonly receiving: CipherState;

  constructor({ sendKey, receiveKey, chainingKey }: TransportKeys) {
    this.sending = new CipherState(sendKey, chainingKey);
    this.receiving = new CipherState(receiveKey, chainingKey);
  }

  /** Encrypts a message as a frame. @throws WireError `tooLong` above 65535 bytes. */
  seal(message: Uint8Array): Uint8Array {
    if (message.length > MAX_MESSAGE_BYTES) {
      throw new WireError('tooLong', `a message of ${message.length} bytes is too long`);
    }
    const head = this.sending.seal(Uint8Array.of(message.length >> 8, message.length & 0xff));
    return concatBytes(head, this.sending.seal(message));
  }

  /** Decrypts the length of the message that follows. @throws WireError */
  openLength(head: Uint8Array): number {
    const length = this.receiving.open(head);
    return ((length[0] as number) << 8) | (length[1] as number);
  }

  /** Decrypts a message. `box` has the length that the head contained, plus the tag. @throws WireError */
  openMessage(box: Uint8Array): Uint8Array {
    return this.receiving.open(box);
  }
}
