/** A failure read from the journal means the same as when it arrived, so that a payment can be continued. */
import { describe, expect, test } from 'vitest';
import { decodeFailure, encodeFailure, FAILURES, type FailureName } from '../../../src/bolt/onion/failure.ts';
import { encodeChannelUpdate } from '../../../src/bolt/peer/gossip-messages.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import type { RefusalCause } from '../../../src/network/port.ts';
import { judgeAgain, readFailure } from '../../../src/payments/learn/attempt-failure.ts';
import type { Attempt } from '../../../src/payments/payment.ts';
import type { AttemptOutcome } from '../../../src/payments/send/outgoing-htlc.ts';

const node = (n: number): NodeId => `02${String(n).repeat(64)}` as NodeId;
/** us --0--> node 2 --1--> node 3 --2--> node 4 */
const path = [0, 1, 2].map((n) => ({
  shortChannelIdDir: { shortChannelId: shortChannelId(n, 1, 0), direction: 0 as const },
  nodeIdIn: node(n + 1),
  nodeIdOut: node(n + 2),
  amountInMsat: msat(1_000_000n),
  amountOutMsat: msat(1_000_000n),
  cltvIn: 100,
  cltvOut: 60,
}));
const attempt = { path, height: 800 } as unknown as Attempt;
const channelUpdate = encodeChannelUpdate({
  ...{
    signature: new Uint8Array(64),
    chainHash: new Uint8Array(32),
    shortChannelId: shortChannelId(2, 1, 0),
  },
  ...{ timestamp: 1, messageFlags: 1, channelFlags: 0, cltvExpiryDelta: 80, extra: new Uint8Array(0) },
  ...{ htlcMinimumMsat: msat(0), htlcMaximumMsat: msat(2_000_000) },
  ...{ feeBaseMsat: 1_000, feeProportionalMillionths: 0 },
});
const FIELDS = {
  ...{ sha256OfOnion: new Uint8Array(32), htlcMsat: msat(1), cltvExpiry: 900, height: 900 },
  ...{ disabledFlags: 0, tlvType: 5n, offset: 0, channelUpdate },
};

/** Compares the lesson drawn on arrival with the lesson drawn from the journal. */
function expectSame(
  outcome: Exclude<AttemptOutcome, { status: 'settled' }>,
  {
    severalParts = false,
    isBlinded = false,
    rawMessage,
  }: Partial<Record<'severalParts' | 'isBlinded', boolean>> & {
    rawMessage?: Uint8Array;
  },
): void {
  const draw = 0.4;
  const blindedHops = isBlinded ? 3 : undefined;
  const { failure, judgement } = readFailure(attempt, outcome, {
    ...{ secrets: () => [], severalParts, blindedHops, draw },
  });
  const journaled = rawMessage === undefined ? failure : { ...failure, rawMessage };
  expect(judgeAgain(attempt, journaled, { severalParts, isBlinded, draw })).toEqual(judgement);
}

describe.each(Object.keys(FAILURES) as FailureName[])('%s', (name) => {
  const rawMessage = encodeFailure(name, FIELDS as never);
  const failure = decodeFailure(rawMessage);

  test.each([
    { severalParts: false, isBlinded: false },
    { severalParts: true, isBlinded: false },
    { severalParts: false, isBlinded: true },
  ])('from every node, %o', (circumstances) => {
    for (const sourceIndex of [1, 2, 3])
      expectSame({ status: 'decoded', sourceIndex, failure }, { ...circumstances, rawMessage });
  });
});

test('a code without its message, as some nodes report it', () => {
  const failure = {
    code: FAILURES.mpp_timeout.code,
    name: 'mpp_timeout',
    fields: {},
    isComplete: false,
    tlvs: [],
  };
  for (const severalParts of [false, true])
    expectSame({ status: 'decoded', sourceIndex: 3, failure: failure as never }, { severalParts });
});

test('a failure that cannot be read', () => {
  expectSame({ status: 'failed', packet: new Uint8Array(292) }, {});
});

const CAUSES: readonly (RefusalCause | undefined)[] = [
  ...([
    'balance',
    'peerAway',
    'nodeAway',
    'declined',
    'paidElsewhere',
    'underWayElsewhere',
    'neverLeft',
  ] as const),
  undefined,
];

test.each(CAUSES)('a refusal by our own node: %s', (cause) => {
  for (const name of [
    'temporary_channel_failure',
    'temporary_node_failure',
    'permanent_channel_failure',
  ] as const) {
    const failureCode = FAILURES[name].code;
    expectSame({ status: 'refused', failureCode, reason: 'no', ...(cause && { cause }) }, {});
  }
});

test.each(['concluded', 'stopped'] as const)('an attempt that never left: %s', (kind) => {
  expectSame({ status: 'neverLeft', why: { kind } }, {});
});
