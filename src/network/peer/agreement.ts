/**
 * Decides which announced channels to accept without a chain source. A channel's signatures prove only that someone
 * made four keys, which costs nothing. Only the chain proves that the channel exists. So without a chain source we rely
 * on peers. Each peer that announces a channel votes for it:
 *
 *     a peer that the operator keeps connected (`--connect`)   is trusted: its vote is enough
 *     a peer that we connected to for another reason           three such peers, in different networks, must send
 *                                                              the same announcement
 *     a peer that connected to us                              has no vote, because anyone can connect to us as often
 *                                                              as they like
 *
 * For each peer, only digests of announcements are kept, and a bounded number of them.
 */

import { sha256 } from '../../bolt/crypto/hashes.ts';
import type { NodeId } from '../../model/node-id.ts';
import { networkOf } from '../../model/public-address.ts';
import { AGREEING_PEERS, MAX_VOTERS, MAX_VOTES_PER_PEER } from './limits.ts';

/** The facts that determine whether a peer's vote counts. */
export interface Witness {
  readonly nodeId: NodeId;
  /** The peer's IP address. */
  readonly host: string;
  readonly isOutgoing: boolean;
  /** Whether the operator configured the peer. */
  readonly isTrusted: boolean;
}

interface Voter {
  readonly network: string;
  readonly votes: Set<string>;
}

/** Offset of the signed part of a channel_announcement, after the type and four signatures. */
const SIGNED_AT = 2 + 4 * 64;
const DIGEST_BYTES = 16;

/** Counts which peers have announced a channel, and reports when enough of them agree. */
export class Agreement {
  private readonly voters = new Map<Witness, Voter>();

  /** Whether this peer may vote. */
  hasSay({ isOutgoing, isTrusted }: Witness): boolean {
    return isOutgoing || isTrusted;
  }

  /** Counts a peer's vote for an announcement. @returns whether the channel is accepted now. */
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

  /** Forgets a disconnected peer and its votes. */
  forget(witness: Witness): void {
    this.voters.delete(witness);
  }

  private voterFor(witness: Witness): Voter | undefined {
    const known = this.voters.get(witness);
    if (known !== undefined || !witness.isOutgoing || this.voters.size >= MAX_VOTERS) return known;
    // Addresses that are not public belong to the operator's own network. There, each node counts as a separate
    // network.
    const voter = { network: networkOf(witness.host) ?? witness.nodeId, votes: new Set<string>() };
    this.voters.set(witness, voter);
    return voter;
  }
}
