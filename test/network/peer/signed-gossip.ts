/**
 * A made-up network with real keys and signatures. Its nodes form a ring, and further channels cross it until there
 * are enough.
 *
 *     node i ---- node i+1 (a ring of all), node i ---- node i+2, ...
 */

import { compareBytes } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import * as messages from '../../../src/bolt/peer/gossip-messages.ts';
import { msat } from '../../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes } from '../../../src/model/node-id.ts';
import { type ShortChannelId, shortChannelId } from '../../../src/model/short-channel-id.ts';

/** The id of the node with this key. */
export function nodeIdOf(secretKey: Uint8Array): NodeId {
  return nodeIdFromBytes(curve.publicKey(secretKey));
}

export interface SignedChannel {
  readonly shortChannelId: ShortChannelId;
  /** Keys of the nodes, the key for the smaller id first. */
  readonly keys: readonly [Uint8Array, Uint8Array];
  readonly announcement: Uint8Array;
}

export class SignedNetwork {
  readonly channels: readonly SignedChannel[];
  private readonly chainHash: Uint8Array;
  private readonly keys: readonly Uint8Array[];
  private readonly timestamp: number;

  /** @param timestamp the timestamp of all messages, in seconds since 1970 */
  constructor(options: { nodes: number; channels: number; chainHash: Uint8Array; timestamp: number }) {
    const { nodes, channels, chainHash, timestamp } = options;
    this.chainHash = chainHash;
    this.timestamp = timestamp;
    this.keys = Array.from({ length: nodes }, (_, i) => sha256(Uint8Array.of(7, i >> 8, i & 255)));
    this.channels = Array.from({ length: channels }, (_, i) => {
      const step = 1 + Math.floor(i / nodes);
      return this.channel(shortChannelId(100 + i, 1, 0), i % nodes, (i + step) % nodes);
    });
  }

  /** An announcement by the same two nodes and keys, with a different short channel id. */
  reannounced({ keys }: SignedChannel, scid: ShortChannelId): Uint8Array {
    return this.announce(scid, keys);
  }

  /** The update of one direction. `given` replaces some of the usual terms. */
  update(
    { shortChannelId: scid, keys }: SignedChannel,
    given: Partial<messages.UpdateTerms> = {},
  ): Uint8Array {
    const terms: messages.UpdateTerms = {
      chainHash: this.chainHash,
      shortChannelId: scid,
      timestamp: this.timestamp,
      direction: 0,
      isDisabled: false,
      cltvExpiryDelta: 40,
      htlcMinimumMsat: msat(1n),
      feeBaseMsat: 1000,
      feeProportionalMillionths: 10,
      htlcMaximumMsat: msat(500_000_000n),
      ...given,
    };
    return messages.createChannelUpdate(terms, keys[terms.direction]);
  }

  node(key: Uint8Array): Uint8Array {
    return messages.createNodeAnnouncement(
      {
        features: Uint8Array.of(0x80, 0, 0, 0, 0),
        timestamp: this.timestamp,
        nodeId: curve.publicKey(key),
        rgbColor: new Uint8Array(3),
        alias: key,
        addresses: new Uint8Array(0),
      },
      key,
    );
  }

  /** The announcement of a channel and both its updates. */
  about(channel: SignedChannel): Uint8Array[] {
    return [channel.announcement, this.update(channel), this.update(channel, { direction: 1 })];
  }

  /** All messages: each channel before its updates, nodes last. */
  messages(): Uint8Array[] {
    return [
      ...this.channels.flatMap((channel) => this.about(channel)),
      ...this.keys.map((key) => this.node(key)),
    ];
  }

  private channel(scid: ShortChannelId, a: number, b: number): SignedChannel {
    const [first, second] = [this.keys[a]!, this.keys[b]!];
    const isAscending = compareBytes(curve.publicKey(first), curve.publicKey(second)) < 0;
    const keys = isAscending ? ([first, second] as const) : ([second, first] as const);
    return { shortChannelId: scid, keys, announcement: this.announce(scid, keys) };
  }

  private announce(scid: ShortChannelId, keys: readonly [Uint8Array, Uint8Array]): Uint8Array {
    // Funding keys differ between channels and between the ends of a channel.
    const [bitcoin1, bitcoin2] = keys.map((key) => sha256(key, keys[0], keys[1])) as [Uint8Array, Uint8Array];
    return messages.createChannelAnnouncement(
      {
        features: new Uint8Array(0),
        chainHash: this.chainHash,
        shortChannelId: scid,
        nodeId1: curve.publicKey(keys[0]),
        nodeId2: curve.publicKey(keys[1]),
        bitcoinKey1: curve.publicKey(bitcoin1),
        bitcoinKey2: curve.publicKey(bitcoin2),
      },
      { node1: keys[0], node2: keys[1], bitcoin1, bitcoin2 },
    );
  }
}
