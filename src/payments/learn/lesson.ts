/**
 * What a failed attempt teaches. Pure functions derive lessons from the failure, with one rule per failure code.
 *
 * Nodes of a route are numbered by hops: node 0 is our own, node k is reached after k hops, and node `path.length` is
 * the recipient. If node k reports a failure, hops 0 … k−1 carried the HTLC, and the channel in question is hop k,
 * which leaves node k. A BADONION code is about the node after the one that reports it (BOLT 4, "Failure Messages",
 * "Receiving Failure Codes").
 *
 * A lesson is *shared* if it is a fact about liquidity, true for every payer for a while. It is *private* to the
 * payment if it is a node's claim, or a suspicion. In particular, a `channel_update` from a failure must not be used or
 * shown beyond the payment, because a node could use it to recognise payers. Each rule for the failure of a forwarding
 * node excludes the failed route from the next search. A failure of the recipient may instead end the payment, or state
 * what to wait for.
 */
import type { Failure, FailureName } from '../../bolt/onion/failure.ts';
import { isBadOnion, isNodeFailure, isPermanent, isUpdate } from '../../bolt/onion/failure.ts';
import type { ChannelUpdate } from '../../bolt/peer/gossip-messages.ts';
import { directionOf, embeddedChannelUpdate, isDisabled } from '../../bolt/peer/gossip-messages.ts';
import type { RouteHop } from '../../engine/question/route.ts';
import type { Bounds } from '../../layers/bounds-fold.ts';
import { type Msat, msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import { forwardingFeeMsat, type Policy } from '../../model/policy.ts';
import type { ShortChannelIdDir } from '../../model/short-channel-id.ts';

/** The bounds of a direction in the shared layer, just before and just after the lesson was learned. */
export interface BoundsChange {
  readonly before: Bounds;
  readonly after: Bounds;
}

/** A fact about the liquidity of a direction, true for every payer for a while. */
interface SharedLesson {
  readonly of: ShortChannelIdDir;
  readonly amountMsat: Msat;
  /** Absent until the lesson is learned, for channels known only to the payment, and in journals of older releases. */
  readonly bounds?: BoundsChange;
}

/** One lesson of a failed attempt. `Learning` writes it to a layer for later searches. */
export type Lesson =
  /** Shared: the direction had room for the amount. */
  | ({ readonly kind: 'carried' } & SharedLesson)
  /** Shared: the direction had no room for the amount. */
  | ({ readonly kind: 'blocked' } & SharedLesson)
  /** Private: our own channel temporarily refused the amount, although its balance may suffice. */
  | { readonly kind: 'refused'; readonly of: ShortChannelIdDir; readonly amountMsat: Msat }
  /** Private: the direction's current terms, as stated by its node. */
  | { readonly kind: 'policy'; readonly of: ShortChannelIdDir; readonly policy: Policy }
  /** Private: the direction accepts no smaller amount. */
  | { readonly kind: 'minimum'; readonly of: ShortChannelIdDir; readonly minimumMsat: Msat }
  /** Private: the direction may be at fault. It is used only if no other route is left. */
  | { readonly kind: 'suspected'; readonly of: ShortChannelIdDir }
  /** Private: the direction must not be used again. */
  | { readonly kind: 'avoidDirection'; readonly of: ShortChannelIdDir }
  /** Private: no route may pass the node again. */
  | { readonly kind: 'avoidNode'; readonly node: NodeId };

/** What an attempt taught: a lesson from its failure, or (shared) the amount that it moved across a direction. */
export type Learned =
  | Lesson
  | { readonly kind: 'delivered'; readonly of: ShortChannelIdDir; readonly amountMsat: Msat };

/**
 * The consequences of a failure for its payment: lessons for the next search, and whether another search makes sense.
 */
export interface Judgement {
  readonly lessons: readonly Lesson[];
  /** The recipient will not accept this payment over any route. */
  readonly isHopeless: boolean;
  /** Our own node refuses this payment, or all payments at the moment. */
  readonly isDeclined?: boolean;
  /**
   * The recipient's chain is longer than ours. The recipient may accept the payment once our chain reaches this height.
   */
  readonly awaitHeight: number | undefined;
}

interface Scene {
  readonly path: readonly RouteHop[];
  readonly index: number;
  readonly failure: Failure;
  /** The hop that leaves the reporting node. */
  readonly hop: RouteHop;
  readonly update: ChannelUpdate | undefined;
}

/** What is needed, besides the attempt's route, to judge its failure. */
export interface AttemptCircumstances {
  /** The chain height that the attempt assumed, in blocks. */
  readonly height: number;
  /** Whether the recipient expects more than one part. */
  readonly severalParts: boolean;
  /** Whether the last hop of the route represents a blinded path. */
  readonly isBlinded: boolean;
}

type Rule = (scene: Scene) => readonly Lesson[];

const avoidHop: Rule = ({ hop }) => [{ kind: 'avoidDirection', of: hop.shortChannelIdDir }];
const avoidReporter: Rule = ({ hop }) => [{ kind: 'avoidNode', node: hop.nodeIdIn }];

/** The next node could not read its onion. Either the next node or the reporting node damaged it. */
const avoidNext: Rule = (scene) =>
  scene.index + 1 < scene.path.length ? [{ kind: 'avoidNode', node: scene.hop.nodeIdOut }] : avoidHop(scene);

/**
 * The failure happened inside a blinded path, whose nodes must not reveal more (BOLT 4, "Route Blinding"). Lack of
 * liquidity is the most likely reason, so a smaller amount may still get through.
 */
const blockedInside: Rule = ({ hop }) => [
  { kind: 'blocked', of: hop.shortChannelIdDir, amountMsat: hop.amountOutMsat },
];

/**
 * The node claims that the attempt did not meet its terms. If the terms in the failure demand more than the attempt
 * offered, we believe them. Otherwise the node contradicts itself, and its channel is avoided.
 */
const believeTerms: Rule = (scene) => {
  const { hop, update } = scene;
  if (update === undefined || meets(hop, update)) return avoidHop(scene);
  return [{ kind: 'policy', of: hop.shortChannelIdDir, policy: statedPolicy(update) }];
};

const tooSmall: Rule = (scene) => {
  const { hop, update } = scene;
  if (update !== undefined && update.htlcMinimumMsat > hop.amountOutMsat) return believeTerms(scene);
  const minimumMsat = msat(hop.amountOutMsat + 1n);
  return [{ kind: 'minimum', of: hop.shortChannelIdDir, minimumMsat }];
};

/** The channel had no room for the HTLC. Unless the policy in the failure explains that, the balance was too small. */
const noRoom: Rule = ({ hop, update }) => {
  const of = hop.shortChannelIdDir;
  if (update !== undefined && (isDisabled(update) || update.htlcMaximumMsat < hop.amountOutMsat)) {
    return [{ kind: 'policy', of, policy: statedPolicy(update) }];
  }
  const blocked: Lesson = { kind: 'blocked', of, amountMsat: hop.amountOutMsat };
  if (update === undefined || meets(hop, update)) return [blocked];
  return [blocked, { kind: 'policy', of, policy: statedPolicy(update) }];
};

/** What each failure code teaches when a forwarding node reports it. */
export const RULES_ON_THE_WAY: Readonly<Record<FailureName, Rule>> = {
  temporary_node_failure: avoidReporter,
  permanent_node_failure: avoidReporter,
  required_node_feature_missing: avoidReporter,
  invalid_onion_version: avoidNext,
  invalid_onion_hmac: avoidNext,
  invalid_onion_key: avoidNext,
  invalid_onion_blinding: avoidNext,
  invalid_onion_payload: avoidReporter,
  temporary_channel_failure: noRoom,
  permanent_channel_failure: avoidHop,
  required_channel_feature_missing: avoidHop,
  unknown_next_peer: avoidHop,
  channel_disabled: avoidHop,
  amount_below_minimum: tooSmall,
  fee_insufficient: believeTerms,
  incorrect_cltv_expiry: believeTerms,
  expiry_too_soon: believeTerms,
  expiry_too_far: avoidReporter,
  // Only the recipient may report the failures below. A forwarding node that reports one of them is not trusted.
  incorrect_or_unknown_payment_details: avoidReporter,
  final_incorrect_cltv_expiry: avoidReporter,
  final_incorrect_htlc_amount: avoidReporter,
  mpp_timeout: avoidReporter,
};

/** The rule for a code that BOLT 4 does not define, chosen by the flags in the code (BADONION, PERM, NODE). */
function ruleForUnknown(code: number): Rule {
  if (isBadOnion(code)) return avoidNext;
  if (isNodeFailure(code)) return avoidReporter;
  return isUpdate(code) ? believeTerms : avoidHop;
}

/** Codes from the recipient that do not refuse the payment permanently, because the route was at fault. */
const NOT_THE_RECIPIENTS_FAULT: ReadonlySet<FailureName> = new Set([
  'final_incorrect_cltv_expiry',
  'final_incorrect_htlc_amount',
]);

const hopeless = (lessons: readonly Lesson[]): Judgement => ({
  lessons,
  isHopeless: true,
  awaitHeight: undefined,
});
const hopeful = (lessons: readonly Lesson[], awaitHeight?: number): Judgement => ({
  lessons,
  isHopeless: false,
  awaitHeight,
});

/**
 * Judges a failure reported by node `index` (1 … path.length). If the route ends in a blinded path, its last hop
 * represents that path, and the node before this hop is the introduction node.
 */
export function judgeFailure(
  path: readonly RouteHop[],
  index: number,
  failure: Failure,
  circumstances: AttemptCircumstances,
): Judgement {
  const carried = path.slice(1, index).map(carriedBy);
  if (index >= path.length) return judgeRecipient(path, failure, circumstances, carried);
  const hop = path[index]!;
  const scene: Scene = { path, index, failure, hop, update: updateOf(failure, hop) };
  if (circumstances.isBlinded && index === path.length - 1) {
    return hopeful([...carried, ...blockedInside(scene)]);
  }
  const rule = failure.name === undefined ? ruleForUnknown(failure.code) : RULES_ON_THE_WAY[failure.name];
  return hopeful([...carried, ...rule(scene)]);
}

function judgeRecipient(
  path: readonly RouteHop[],
  failure: Failure,
  { height, severalParts, isBlinded }: AttemptCircumstances,
  carried: readonly Lesson[],
): Judgement {
  const { name, code, fields } = failure;
  // The recipient of a blinded path may report to us only if it is also the introduction node. Then the hop before the
  // blinded path is the real channel to the recipient.
  const last = (isBlinded ? path.at(-2) : undefined) ?? path.at(-1)!;
  if (name === 'incorrect_or_unknown_payment_details' && (fields.height ?? 0) > height) {
    return hopeful(carried, fields.height);
  }
  if (name === 'mpp_timeout' && severalParts) return hopeful(carried);
  const blameTheWay =
    name === undefined ? !isPermanent(code) && !isNodeFailure(code) : NOT_THE_RECIPIENTS_FAULT.has(name);
  if (blameTheWay && path.length > 1) {
    return hopeful([...carried, { kind: 'avoidDirection', of: last.shortChannelIdDir }]);
  }
  return hopeless(carried);
}

/** Judges a refusal by our own channel. @param isTemporary whether the channel may accept a smaller amount */
export function judgeRefusal(path: readonly RouteHop[], isTemporary: boolean): Judgement {
  const { shortChannelIdDir: of, amountOutMsat: amountMsat } = path[0]!;
  return hopeful([isTemporary ? { kind: 'refused', of, amountMsat } : { kind: 'avoidDirection', of }]);
}

/**
 * Judges a failure packet without a valid HMAC of any node, which means that some node damaged it. The suspect is a
 * guess, and may have the only channel to the recipient, so its channel is only suspected rather than disabled.
 * @param suspectIndex the node identified by attribution data, counted from 1
 * @param draw a number in [0, 1) that selects the suspect when nothing identifies one.
 */
export function judgeUnreadable(
  path: readonly RouteHop[],
  suspectIndex: number | undefined,
  draw: number,
): Judgement {
  // Our own channel is probably innocent, so it is suspected only if the route has no other channel.
  const guess = path.length === 1 ? 0 : 1 + Math.floor(draw * (path.length - 1));
  const index = suspectIndex === undefined ? guess : Math.min(suspectIndex, path.length - 1);
  return hopeful([{ kind: 'suspected', of: path[index]!.shortChannelIdDir }]);
}

/**
 * The lesson that a hop carried the HTLC. Not needed for our own channels, because the network reports their balances.
 */
export function carriedBy(hop: RouteHop): Lesson {
  return { kind: 'carried', of: hop.shortChannelIdDir, amountMsat: hop.amountOutMsat };
}

/** The `channel_update` in a failure, if it is about this hop's channel. */
function updateOf(failure: Failure, hop: RouteHop): ChannelUpdate | undefined {
  const bytes = failure.fields.channelUpdate;
  const update = bytes === undefined || bytes.length === 0 ? undefined : embeddedChannelUpdate(bytes);
  if (update === undefined) return undefined;
  const { shortChannelId, direction } = hop.shortChannelIdDir;
  return update.shortChannelId === shortChannelId && directionOf(update) === direction ? update : undefined;
}

/** Whether the amounts and delays at this hop satisfy the stated terms. */
function meets(hop: RouteHop, update: ChannelUpdate): boolean {
  const feeMsat = forwardingFeeMsat(update, hop.amountOutMsat);
  return (
    !isDisabled(update) &&
    hop.amountInMsat - hop.amountOutMsat >= feeMsat &&
    hop.cltvIn - hop.cltvOut >= update.cltvExpiryDelta &&
    hop.amountOutMsat >= update.htlcMinimumMsat &&
    hop.amountOutMsat <= update.htlcMaximumMsat
  );
}

const statedPolicy = (update: ChannelUpdate): Policy => ({
  htlcMinimumMsat: update.htlcMinimumMsat,
  htlcMaximumMsat: update.htlcMaximumMsat,
  feeBaseMsat: msat(update.feeBaseMsat),
  feeProportionalMillionths: update.feeProportionalMillionths,
  cltvExpiryDelta: update.cltvExpiryDelta,
  enabled: !isDisabled(update),
});
