/**
 * Which channels are believed where no chain can be asked. A channel's signatures prove that somebody made four
 * keys, which costs nothing; only the chain proves that there is money. So without it we go by what peers say:
 *
 *     a peer that the operator keeps connected (`--connect`)   is trusted: its word is enough
 *     a peer that we connected to for another reason           three of them, in different networks, must tell
 *                                                              the same announcement
 *     a peer that connected to us                              has no say, since it can come as often as it likes
 *
 * Of a peer's votes only digests are kept, and a bounded number.
 */

import { sha256 } from '../../bolt/hashes.ts';
import type { NodeId } from '../../model/node-id.ts';
import { AGREEING_PEERS, MAX_VOTERS, MAX_VOTES_PER_PEER } from './limits.ts';
import { networkOf } from './public-address.ts';

/** A peer as far as its word matters. */
export interface Witness {
  readonly nodeId: NodeId;
  /** IP address of its end. */
  readonly host: string;
  readonly isOutgoing: boolean;
  /** Named by the operator. */
  readonly isTrusted: boolean;
}

interface Voter {
  readonly network: string;
  readonly votes: Set<string>;
}

/** What a channel_announcement signs begins behind the type and four signatures. */
const SIGNED_AT = 2 + 4 * 64;
const DIGEST_BYTES = 16;

/** Counts which peers have announced a channel, and says when enough of them agree. */
export class Agreement {
  private readonly voters = new Map<Witness, Voter>();

  /** Whether the peer's word counts at all. */
  hasSay({ isOutgoing, isTrusted }: Witness): boolean {
    return isOutgoing || isTrusted;
  }

  /** Takes a peer's word for an announcement. @returns whether the channel is believed now. */
  vote(witness: Witness, announcement: Uint8Array): boolean {
    if (witness.isTrusted) return true;
    const voter = this.voterFor(witness);
    if (voter === undefined) return false;
    const digest = Buffer.from(sha256(announcement.subarray(SIGNED_AT)).subarray(0, DIGEST_BYTES)).toString(
      'latin1',
    );
    if (voter.votes.size < MAX_VOTES_PER_PEER) voter.votes.add(digest);
    const networks = new Set<string>();
    for (const { network, votes } of this.voters.values()) if (votes.has(digest)) networks.add(network);
    return networks.size >= AGREEING_PEERS;
  }

  /** A peer is gone, and its votes with it. */
  forget(witness: Witness): void {
    this.voters.delete(witness);
  }

  private voterFor(witness: Witness): Voter | undefined {
    const known = this.voters.get(witness);
    if (known !== undefined || !witness.isOutgoing || this.voters.size >= MAX_VOTERS) return known;
    // Addresses that are not public are the operator's own: there each node counts.
    const voter = { network: networkOf(witness.host) ?? witness.nodeId, votes: new Set<string>() };
    this.voters.set(witness, voter);
    return voter;
  }
}
