/**
 * The reaction to every failure code of BOLT 4, from every position on a route that can send it.
 *
 *     us --0--> A --1--> B --2--> C        1,000,000 msat arrive; 1 and 2 cost 1,000 msat and 40 blocks each
 */
import { describe, expect, test } from 'vitest';
import {
  decodeFailure,
  encodeFailure,
  FAILURES,
  type Failure,
  type FailureName,
} from '../../../src/bolt/onion/failure.ts';
import { encodeChannelUpdate } from '../../../src/bolt/peer/gossip-messages.ts';
import type { RouteHop } from '../../../src/engine/question/route.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import {
  judgeFailure,
  judgeRefusal,
  judgeUnreadable,
  type Lesson,
} from '../../../src/payments/learn/lesson.ts';

const node = (n: number): NodeId => `02${String(n).repeat(64)}` as NodeId;
const [US, A, B, C] = [node(1), node(2), node(3), node(4)];
const hop = (
  n: number,
  from: NodeId,
  to: NodeId,
  amountIn: bigint,
  amountOut: bigint,
  cltv: number,
): RouteHop => ({
  shortChannelIdDir: { shortChannelId: shortChannelId(n, 1, 0), direction: 0 },
  nodeIdIn: from,
  nodeIdOut: to,
  amountInMsat: msat(amountIn),
  amountOutMsat: msat(amountOut),
  cltvIn: cltv + (n === 0 ? 0 : 40),
  cltvOut: cltv,
});
const PATH = [
  hop(0, US, A, 1_002_000n, 1_002_000n, 122),
  hop(1, A, B, 1_002_000n, 1_001_000n, 82),
  hop(2, B, C, 1_001_000n, 1_000_000n, 42),
];
const [, AB, BC] = PATH.map(({ shortChannelIdDir }) => shortChannelIdDir);
const HEIGHT = 800;

const FIELDS = {
  sha256OfOnion: new Uint8Array(32),
  htlcMsat: msat(1),
  cltvExpiry: 900,
  height: HEIGHT,
  disabledFlags: 0,
  tlvType: 5n,
  offset: 0,
};
const failing = (name: FailureName, more: object = {}): Failure =>
  decodeFailure(encodeFailure(name, { ...FIELDS, ...more } as never));
const circumstances = (severalParts: boolean) => ({ height: HEIGHT, severalParts, isBlinded: false });
/** The policy of B's channel to C, as reported by B. */
const fromB = (name: FailureName, more: object = {}) =>
  judgeFailure(PATH, 2, failing(name, more), circumstances(false));
const fromC = (name: FailureName, more: object = {}, severalParts = false) =>
  judgeFailure(PATH, 3, failing(name, more), circumstances(severalParts));

const carriedToB: Lesson = { kind: 'carried', of: AB!, amountMsat: msat(1_001_000n) };
const carriedToC: Lesson = { kind: 'carried', of: BC!, amountMsat: msat(1_000_000n) };
const avoidBC: Lesson = { kind: 'avoidDirection', of: BC! };
const avoidB: Lesson = { kind: 'avoidNode', node: B };

const TERMS = { minimum: 0n, maximum: 2_000_000n, base: 1_000, ppm: 0, cltv: 40, disabled: false };
function update(terms: Partial<typeof TERMS>, scid = shortChannelId(2, 1, 0)): Uint8Array {
  const { minimum, maximum, base, ppm, cltv, disabled } = { ...TERMS, ...terms };
  return encodeChannelUpdate({
    signature: new Uint8Array(64),
    chainHash: new Uint8Array(32),
    shortChannelId: scid,
    timestamp: 1,
    messageFlags: 1,
    channelFlags: disabled ? 2 : 0,
    cltvExpiryDelta: cltv,
    htlcMinimumMsat: msat(minimum),
    feeBaseMsat: base,
    feeProportionalMillionths: ppm,
    htlcMaximumMsat: msat(maximum),
    extra: new Uint8Array(0),
  });
}
const policy = (terms: Partial<typeof TERMS>): Lesson => {
  const { minimum, maximum, base, ppm, cltv, disabled } = { ...TERMS, ...terms };
  return {
    kind: 'policy',
    of: BC!,
    policy: {
      htlcMinimumMsat: msat(minimum),
      htlcMaximumMsat: msat(maximum),
      feeBaseMsat: msat(base),
      feeProportionalMillionths: ppm,
      cltvExpiryDelta: cltv,
      enabled: !disabled,
    },
  };
};

describe('a forwarding node fails an HTLC with', () => {
  const reactions: Readonly<Record<FailureName, Lesson>> = {
    temporary_node_failure: avoidB,
    permanent_node_failure: avoidB,
    required_node_feature_missing: avoidB,
    // C is the recipient, so the onion was damaged before it reached C.
    invalid_onion_version: avoidBC,
    invalid_onion_hmac: avoidBC,
    invalid_onion_key: avoidBC,
    invalid_onion_blinding: avoidBC,
    invalid_onion_payload: avoidB,
    temporary_channel_failure: { kind: 'blocked', of: BC!, amountMsat: msat(1_000_000n) },
    permanent_channel_failure: avoidBC,
    required_channel_feature_missing: avoidBC,
    unknown_next_peer: avoidBC,
    channel_disabled: avoidBC,
    amount_below_minimum: { kind: 'minimum', of: BC!, minimumMsat: msat(1_000_001n) },
    fee_insufficient: avoidBC,
    incorrect_cltv_expiry: avoidBC,
    expiry_too_soon: avoidBC,
    expiry_too_far: avoidB,
    incorrect_or_unknown_payment_details: avoidB,
    final_incorrect_cltv_expiry: avoidB,
    final_incorrect_htlc_amount: avoidB,
    mpp_timeout: avoidB,
  };

  test.each(Object.entries(reactions))('%s, without an update', (name, lesson) => {
    expect(fromB(name as FailureName)).toEqual({
      lessons: [carriedToB, lesson],
      isHopeless: false,
      awaitHeight: undefined,
    });
  });

  test('any code of BOLT 4, each of which has a reaction', () => {
    expect(Object.keys(reactions).sort()).toEqual(Object.keys(FAILURES).sort());
  });

  const told: readonly (readonly [FailureName, Partial<typeof TERMS>, Lesson])[] = [
    ['fee_insufficient', { base: 1_500 }, policy({ base: 1_500 })],
    ['fee_insufficient', {}, avoidBC],
    ['incorrect_cltv_expiry', { cltv: 60 }, policy({ cltv: 60 })],
    ['expiry_too_soon', { cltv: 60 }, policy({ cltv: 60 })],
    ['amount_below_minimum', { minimum: 1_500_000n }, policy({ minimum: 1_500_000n })],
    ['temporary_channel_failure', { maximum: 900_000n }, policy({ maximum: 900_000n })],
    ['temporary_channel_failure', { disabled: true }, policy({ disabled: true })],
  ];
  test.each(told)('%s and an update %o', (name, terms, lesson) => {
    const channelUpdate = update(terms);
    expect(fromB(name, { channelUpdate }).lessons).toEqual([carriedToB, lesson]);
  });

  const unexplained: readonly (readonly [FailureName, Partial<typeof TERMS>])[] = [
    ['amount_below_minimum', { minimum: 1_000_000n }],
    ['temporary_channel_failure', { maximum: 1_000_000n }],
    ['temporary_channel_failure', { minimum: 1_000_000n }],
  ];
  test.each(unexplained)('%s and an update %o that permits exactly this amount', (name, terms) => {
    const channelUpdate = update(terms);
    expect(fromB(name, { channelUpdate }).lessons).toEqual([carriedToB, reactions[name]]);
  });

  test('an update about a different channel, which is ignored', () => {
    const channelUpdate = update({ base: 9_000 }, shortChannelId(7, 7, 7));
    expect(fromB('fee_insufficient', { channelUpdate }).lessons).toEqual([carriedToB, avoidBC]);
  });

  test('a BADONION code about the second-to-last node, which is then avoided', () => {
    const judgement = judgeFailure(PATH, 1, failing('invalid_onion_hmac'), circumstances(false));
    expect(judgement.lessons).toEqual([avoidB]);
  });

  test('a code that BOLT 4 does not define, whose flag bits then decide', () => {
    const unknown = (code: number) =>
      judgeFailure(
        PATH,
        2,
        { code, name: undefined, fields: {}, isComplete: true, tlvs: [] },
        circumstances(false),
      ).lessons[1];
    expect(unknown(0x2000 | 99)).toEqual(avoidB);
    expect(unknown(0x4000 | 99)).toEqual(avoidBC);
    expect(unknown(0x1000 | 99)).toEqual(avoidBC);
    expect(unknown(99)).toEqual(avoidBC);
  });
});

describe('the recipient fails an HTLC with', () => {
  const final: readonly FailureName[] = [
    'incorrect_or_unknown_payment_details',
    'invalid_onion_payload',
    'temporary_node_failure',
    'permanent_node_failure',
    'required_node_feature_missing',
    'expiry_too_soon',
    'mpp_timeout',
  ];
  test.each(final)('%s, after which retries are hopeless', (name) => {
    expect(fromC(name)).toEqual({
      lessons: [carriedToB, carriedToC],
      isHopeless: true,
      awaitHeight: undefined,
    });
  });

  test('a greater height than ours, which is worth waiting for', () => {
    const judgement = fromC('incorrect_or_unknown_payment_details', { height: HEIGHT + 3 });
    expect(judgement).toMatchObject({ isHopeless: false, awaitHeight: HEIGHT + 3 });
  });

  test.each(['final_incorrect_cltv_expiry', 'final_incorrect_htlc_amount'] as const)(
    '%s, caused by the last forwarding node',
    (name) => {
      expect(fromC(name)).toMatchObject({ isHopeless: false, lessons: [carriedToB, carriedToC, avoidBC] });
    },
  );

  test('mpp_timeout of several parts, which is not the recipient’s fault', () => {
    expect(fromC('mpp_timeout', {}, true)).toMatchObject({ isHopeless: false });
  });
});

test('a refusal by our own channel is temporary or permanent', () => {
  const of = PATH[0]!.shortChannelIdDir;
  expect(judgeRefusal(PATH, true).lessons).toEqual([{ kind: 'refused', of, amountMsat: msat(1_002_000n) }]);
  expect(judgeRefusal(PATH, false).lessons).toEqual([{ kind: 'avoidDirection', of }]);
});

test('an unreadable failure is blamed on the suspected node, or on a random channel that is not ours', () => {
  const blamed = (suspect: number | undefined, draw: number) =>
    (judgeUnreadable(PATH, suspect, draw).lessons[0] as { of: unknown }).of;
  expect(blamed(1, 0)).toEqual(AB);
  expect([0, 0.49, 0.5, 0.99].map((draw) => blamed(undefined, draw))).toEqual([AB, AB, BC, BC]);
  expect(judgeUnreadable(PATH.slice(0, 1), undefined, 0.9).lessons).toMatchObject([{ kind: 'suspected' }]);
});

test('a failure at the introduction node is one of the blinded path; one before it is of that node’s channel', () => {
  const blinded = { ...circumstances(false), isBlinded: true };
  const lessonsAt = (index: number) =>
    judgeFailure(PATH, index, failing('unknown_next_peer'), blinded).lessons;
  expect(lessonsAt(1)).toEqual([{ kind: 'avoidDirection', of: AB }]);
  expect(lessonsAt(2)).toEqual([carriedToB, { kind: 'blocked', of: BC, amountMsat: msat(1_000_000n) }]);
});
