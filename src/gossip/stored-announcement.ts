/**
 * A node_announcement (BOLT 7) stored as bytes. Its fields are decoded only on access, since most are never read.
 *
 *     2 type | 64 signature | 2 length + features | 4 timestamp | 33 node id | 3 color | 32 alias
 *     | 2 length + addresses
 */
import type { AnnouncedNode } from '../model/channel-graph.ts';

const FEATURES_LENGTH_AT = 66;
/** Offsets of the fields after the features. */
const AFTER_FEATURES = { timestamp: 0, nodeId: 4, color: 37, alias: 40, addressesLength: 72, addresses: 74 };

/** A node's announcement, whose fields are read from its bytes at each access. */
export class StoredAnnouncement implements AnnouncedNode {
  /** The whole message, including its type. */
  readonly message: Uint8Array;
  private readonly featuresEnd: number;
  private readonly addressesEnd: number;

  constructor(message: Uint8Array, featuresEnd: number, addressesEnd: number) {
    this.message = message;
    this.featuresEnd = featuresEnd;
    this.addressesEnd = addressesEnd;
  }

  get timestamp(): number {
    return viewOf(this.message).getUint32(this.featuresEnd + AFTER_FEATURES.timestamp);
  }

  /** Offset of the 33 bytes of the node id in `message`. */
  get nodeIdAt(): number {
    return this.featuresEnd + AFTER_FEATURES.nodeId;
  }

  get features(): Uint8Array {
    return this.message.subarray(FEATURES_LENGTH_AT + 2, this.featuresEnd);
  }

  get color(): Uint8Array {
    const { color, alias } = AFTER_FEATURES;
    return this.message.subarray(this.featuresEnd + color, this.featuresEnd + alias);
  }

  get alias(): Uint8Array {
    const { alias, addressesLength } = AFTER_FEATURES;
    return this.message.subarray(this.featuresEnd + alias, this.featuresEnd + addressesLength);
  }

  get addresses(): Uint8Array {
    return this.message.subarray(this.featuresEnd + AFTER_FEATURES.addresses, this.addressesEnd);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The announcement in a message. Keeps a reference to the bytes. `undefined` if the message is cut short. */
export function parseNodeAnnouncement(message: Uint8Array): StoredAnnouncement | undefined {
  const view = viewOf(message);
  if (message.length < FEATURES_LENGTH_AT + 2) return undefined;
  const featuresEnd = FEATURES_LENGTH_AT + 2 + view.getUint16(FEATURES_LENGTH_AT);
  if (featuresEnd + AFTER_FEATURES.addresses > message.length) return undefined;
  const addressesLength = view.getUint16(featuresEnd + AFTER_FEATURES.addressesLength);
  const addressesEnd = featuresEnd + AFTER_FEATURES.addresses + addressesLength;
  return addressesEnd > message.length
    ? undefined
    : new StoredAnnouncement(message, featuresEnd, addressesEnd);
}
