/**
 * The policies of our channels, ours and the peer's, as the node reports them (`GetChanInfo`). Lists of channels do not
 * contain them, so they are requested once, and again after a while or when the node's graph has changed.
 */
import { msat } from '../../../model/msat.ts';
import type { NodeId } from '../../../model/node-id.ts';
import type { PolicyTerms } from '../../../model/policy.ts';
import type { ShortChannelId } from '../../../model/short-channel-id.ts';
import type { ChannelEdge, RoutingPolicy } from '../answers.ts';
import { LndError } from '../client/calls.ts';
import type { LndLink } from '../node-link.ts';
import type { ChannelPolicies } from '../own-channels.ts';

/** Milliseconds after which a policy is requested again. */
const AGE_MS = 60_000;
/** Maximum number of concurrent requests. */
const AT_ONCE = 16;

const NONE: ChannelPolicies = { localPolicy: undefined, remotePolicy: undefined };

interface KnownPolicies {
  readonly policies: ChannelPolicies;
  readonly askedAtMs: number;
}

/** Holds the policies of our channels. */
export class ChannelPoliciesBook {
  readonly #link: LndLink;
  readonly #known = new Map<ShortChannelId, KnownPolicies>();

  constructor(link: LndLink) {
    this.#link = link;
  }

  of(shortChannelId: ShortChannelId): ChannelPolicies {
    return this.#known.get(shortChannelId)?.policies ?? NONE;
  }

  /** Marks the policies of a channel as outdated. @returns false if they were never requested */
  outdated(shortChannelId: ShortChannelId): boolean {
    const known = this.#known.get(shortChannelId);
    if (known !== undefined)
      this.#known.set(shortChannelId, { ...known, askedAtMs: Number.NEGATIVE_INFINITY });
    return known !== undefined;
  }

  /** Requests the policies that are unknown or too old. @throws FulguriteError nodeAway */
  async learn(shortChannelIds: readonly ShortChannelId[]): Promise<void> {
    const nowMs = performance.now();
    const old = shortChannelIds.filter(
      (one) => !(nowMs - (this.#known.get(one)?.askedAtMs ?? Number.NEGATIVE_INFINITY) < AGE_MS),
    );
    for (let at = 0; at < old.length; at += AT_ONCE) {
      await Promise.all(old.slice(at, at + AT_ONCE).map((one) => this.#ask(one)));
    }
  }

  async #ask(shortChannelId: ShortChannelId): Promise<void> {
    const askedAtMs = performance.now();
    try {
      const edge = await this.#link.call<ChannelEdge>('GetChanInfo', { chan_id: String(shortChannelId) });
      this.#known.set(shortChannelId, { policies: policiesOf(edge, this.#link.facts.nodeId), askedAtMs });
    } catch (error) {
      // The node reports no policies for a channel outside its graph. Policies that it reported earlier are kept.
      if (!(error instanceof LndError)) throw error;
      this.#known.set(shortChannelId, { policies: this.of(shortChannelId), askedAtMs });
    }
  }
}

function policiesOf({ node1_pub, node1_policy, node2_policy }: ChannelEdge, ourId: NodeId): ChannelPolicies {
  const [ours, theirs] = node1_pub === ourId ? [node1_policy, node2_policy] : [node2_policy, node1_policy];
  return { localPolicy: termsOf(ours), remotePolicy: termsOf(theirs) };
}

function termsOf(policy: RoutingPolicy | null): PolicyTerms | undefined {
  if (policy === null) return undefined;
  return {
    htlcMinimumMsat: msat(BigInt(policy.min_htlc)),
    htlcMaximumMsat: msat(BigInt(policy.max_htlc_msat)),
    feeBaseMsat: msat(BigInt(policy.fee_base_msat)),
    feeProportionalMillionths: Number(policy.fee_rate_milli_msat),
    cltvExpiryDelta: policy.time_lock_delta,
  };
}
