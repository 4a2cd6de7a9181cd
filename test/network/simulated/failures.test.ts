/**
 * In each test, one check of a forwarding or final node fails, and the payer decodes the returned failure.
 */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { FAILURES, type FailureFields, type FailureName } from '../../../src/bolt/onion/failure.ts';
import { unwrapFailurePacket } from '../../../src/bolt/onion/failure-packet.ts';
import { type HopPayload, KEYSEND_PREIMAGE_TYPE } from '../../../src/bolt/onion/payload.ts';
import {
  decodeChannelUpdate,
  directionOf,
  isDisabled,
  verifyChannelUpdate,
} from '../../../src/bolt/peer/gossip-messages.ts';
import { msat } from '../../../src/model/msat.ts';
import { nodeIdToBytes } from '../../../src/model/node-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import type { HtlcOutcome } from '../../../src/network/port.ts';
import type { SimulationOptions } from '../../../src/network/simulated/index.ts';
import {
  A,
  A_TO_B,
  AB,
  B,
  BC,
  C,
  CAPACITY,
  directionFrom,
  type Line,
  line,
  routeTo,
  START_HEIGHT,
} from './line.ts';
import { type BuiltAttempt, buildAttempt, type RouteHop, readFailure, secretOf } from './payer.ts';

const AMOUNT = 10_000_000n;

async function send({ port, simulation }: Line, attempt: BuiltAttempt): Promise<HtlcOutcome> {
  const sent = port.sendHtlc(attempt.offer);
  expect(simulation.runUntilIdle()).toBe(true);
  expect(simulation.checkConservation()).toEqual([]);
  return sent;
}

interface Case {
  readonly name: FailureName;
  readonly when: string;
  /** Index of the node that reports the failure. */
  readonly hop: number;
  readonly fields?: FailureFields;
  readonly hasUpdate?: boolean;
  readonly options?: Partial<SimulationOptions>;
  readonly prepare?: (network: Line) => void;
  readonly route?: (route: RouteHop[]) => RouteHop[];
  readonly final?: Partial<HopPayload>;
  readonly alter?: (payload: HopPayload, hop: number) => HopPayload;
}

/** Changes the amounts or expiries that arrive at this hop and at later hops. */
function from(hop: number, change: (hop: RouteHop) => Partial<RouteHop>): (route: RouteHop[]) => RouteHop[] {
  return (route) => route.map((step, at) => (at >= hop ? { ...step, ...change(step) } : step));
}

// Amounts of the route to C: A receives 10,004,000 msat, B 10,002,000, C 10,000,000. Expiries: height + 122, + 82, + 42.
const CASES: readonly Case[] = [
  {
    name: 'unknown_next_peer',
    when: 'the channel does not exist',
    hop: 0,
    alter: (payload, hop) => (hop === 0 ? { ...payload, shortChannelId: shortChannelId(1, 2, 3) } : payload),
  },
  {
    name: 'unknown_next_peer',
    when: 'the channel belongs to other nodes',
    hop: 0,
    alter: (payload, hop) => (hop === 0 ? { ...payload, shortChannelId: BC } : payload),
  },
  {
    name: 'channel_disabled',
    when: 'the direction is disabled',
    hop: 0,
    hasUpdate: true,
    fields: { disabledFlags: 0 },
    prepare: ({ simulation }) => simulation.setPolicy(A_TO_B, { enabled: false }),
  },
  {
    name: 'expiry_too_soon',
    when: 'one block is left',
    hop: 0,
    hasUpdate: true,
    route: from(0, ({ cltvExpiry }) => ({ cltvExpiry: cltvExpiry - 81 })),
  },
  {
    name: 'expiry_too_far',
    when: '2017 blocks are left',
    hop: 0,
    route: from(0, ({ cltvExpiry }) => ({ cltvExpiry: cltvExpiry + 1935 })),
  },
  {
    name: 'incorrect_cltv_expiry',
    when: 'a node gets 39 blocks instead of 40',
    hop: 0,
    hasUpdate: true,
    fields: { cltvExpiry: START_HEIGHT + 83 },
    route: from(1, ({ cltvExpiry }) => ({ cltvExpiry: cltvExpiry + 1 })),
  },
  {
    name: 'fee_insufficient',
    when: 'a node gets 1 msat less than its fee',
    hop: 1,
    hasUpdate: true,
    fields: { htlcMsat: msat(10_002_000) },
    route: from(2, ({ amountMsat }) => ({ amountMsat: amountMsat + 1n })),
  },
  {
    name: 'amount_below_minimum',
    when: 'the amount is 1 msat below the minimum',
    hop: 0,
    hasUpdate: true,
    fields: { htlcMsat: msat(10_002_000) },
    prepare: ({ simulation }) => simulation.setPolicy(A_TO_B, { htlcMinimumMsat: msat(10_002_001) }),
  },
  {
    name: 'temporary_channel_failure',
    when: 'the amount exceeds the maximum',
    hop: 0,
    hasUpdate: true,
    prepare: ({ simulation }) => simulation.setPolicy(A_TO_B, { htlcMaximumMsat: msat(10_001_999) }),
  },
  {
    name: 'temporary_channel_failure',
    when: 'the balance is 1 msat short',
    hop: 0,
    hasUpdate: true,
    prepare: ({ simulation }) => simulation.setBalance(A_TO_B, 10_001_999n),
  },
  {
    name: 'temporary_channel_failure',
    when: 'the next node is offline',
    hop: 1,
    hasUpdate: true,
    prepare: ({ simulation }) => simulation.setTrait(C, 'offline', true),
  },
  {
    name: 'permanent_channel_failure',
    when: 'the next node lets the HTLC expire',
    hop: 0,
    prepare: ({ simulation }) => simulation.setTrait(B, 'unresponsive', true),
  },
  {
    name: 'invalid_onion_payload',
    when: 'the payload of a forwarding node lacks the channel',
    hop: 1,
    fields: { tlvType: 6n, offset: 0 },
    alter: (payload, hop) => (hop === 1 ? { ...payload, shortChannelId: undefined } : payload),
  },
  {
    name: 'invalid_onion_payload',
    when: 'a forwarding node finds an unknown even record',
    hop: 0,
    // The fields of types 2, 4 and 6 before this one take 2 + 3, 2 + 3 and 2 + 8 bytes.
    fields: { tlvType: 70_000n, offset: 20 },
    alter: (payload, hop) =>
      hop === 0 ? { ...payload, customRecords: [{ type: 70_000n, value: new Uint8Array(1) }] } : payload,
  },
  {
    name: 'invalid_onion_payload',
    when: 'the recipient accepts no keysends',
    hop: 2,
    fields: { tlvType: KEYSEND_PREIMAGE_TYPE, offset: 10 },
    prepare: ({ simulation }) => simulation.setTrait(C, 'takesKeysend', false),
  },
  {
    name: 'final_incorrect_htlc_amount',
    when: 'less arrives than the payload says',
    hop: 2,
    fields: { htlcMsat: msat(AMOUNT) },
    final: { amtToForwardMsat: msat(AMOUNT + 1n) },
  },
  {
    name: 'final_incorrect_cltv_expiry',
    when: 'the HTLC expires before the payload says',
    hop: 2,
    fields: { cltvExpiry: START_HEIGHT + 42 },
    final: { outgoingCltvValue: START_HEIGHT + 43 },
  },
  {
    name: 'incorrect_or_unknown_payment_details',
    when: 'the recipient sees the chain 25 blocks ahead',
    hop: 2,
    fields: { htlcMsat: msat(AMOUNT), height: START_HEIGHT + 25 },
    prepare: ({ simulation }) => simulation.setHeightOffset(C, 25),
  },
  {
    name: 'incorrect_or_unknown_payment_details',
    when: 'the payment hash is unknown',
    hop: 2,
    fields: { htlcMsat: msat(AMOUNT), height: START_HEIGHT },
    alter: (payload, hop) => (hop === 2 ? { ...payload, keysendPreimage: undefined } : payload),
  },
  {
    name: 'incorrect_or_unknown_payment_details',
    when: 'the keysend has a different preimage',
    hop: 2,
    fields: { htlcMsat: msat(AMOUNT), height: START_HEIGHT },
    alter: (payload, hop) => (hop === 2 ? { ...payload, keysendPreimage: secretOf('other') } : payload),
  },
  {
    name: 'mpp_timeout',
    when: 'half of a payment never arrives',
    hop: 2,
    final: { paymentData: { paymentSecret: secretOf('set'), totalMsat: msat(2n * AMOUNT) } },
  },
];

describe('a failure', () => {
  test.each(CASES)('$name: $when', async (one) => {
    const network = line(one.options);
    one.prepare?.(network);
    const route = (one.route ?? ((same) => same))(routeTo(network, C, AMOUNT));
    const attempt = buildAttempt('failing', route, one.final, one.alter);
    const balances = [A_TO_B, { shortChannelId: BC, direction: directionFrom(B, C) }];
    const before = balances.map((direction) => network.simulation.balanceMsat(direction));
    const read = readFailure(attempt, await send(network, attempt));
    expect(read?.hop).toBe(one.hop);
    expect(read?.failure.name).toBe(one.name);
    expect(read?.failure.isComplete).toBe(true);
    const { channelUpdate, ...fields }: FailureFields = read?.failure.fields ?? {};
    expect(fields).toEqual(one.fields ?? {});
    expect(channelUpdate !== undefined).toBe(one.hasUpdate === true);
    if (one.name === 'permanent_channel_failure') return;
    expect(balances.map((direction) => network.simulation.balanceMsat(direction))).toEqual(before);
  });

  test('carries the policy in force, signed if the option is set', async () => {
    const network = line({ signedUpdates: true });
    network.simulation.setPolicy(A_TO_B, { enabled: false, feeBaseMsat: 7, cltvExpiryDelta: 99 });
    const attempt = buildAttempt('signed', routeTo(network, C, AMOUNT));
    const read = readFailure(attempt, await send(network, attempt));
    const bytes = read?.failure.fields.channelUpdate as Uint8Array;
    expect(verifyChannelUpdate(bytes, nodeIdToBytes(A))).toBe(true);
    const update = decodeChannelUpdate(bytes);
    expect([update.shortChannelId, directionOf(update), isDisabled(update)]).toEqual([
      AB,
      A_TO_B.direction,
      true,
    ]);
    expect([update.feeBaseMsat, update.feeProportionalMillionths, update.cltvExpiryDelta]).toEqual([
      7, 100, 99,
    ]);
  });

  test.each([
    ['invalid_onion_version', (onion: Uint8Array) => onion.fill(1, 0, 1)],
    ['invalid_onion_hmac', (onion: Uint8Array) => onion.fill(0, 1365)],
    ['invalid_onion_key', (onion: Uint8Array) => onion.fill(5, 1, 2)],
  ] as const)('%s by the first node reaches us unencrypted', async (name, damage) => {
    const network = line();
    const attempt = buildAttempt('damaged', routeTo(network, C, AMOUNT));
    const onion = damage(attempt.offer.onion.slice());
    const outcome = await send(network, { ...attempt, offer: { ...attempt.offer, onion } });
    expect(outcome).toMatchObject({ status: 'refused', failureCode: FAILURES[name].code });
  });

  test('by a node that cannot read its onion is reported by the previous node', async () => {
    const network = line();
    const { sharedSecrets, ...attempt } = buildAttempt('wrong hash', routeTo(network, C, AMOUNT));
    // An onion is bound to the payment hash. With a different hash, not even the first node can read it.
    const offer = { ...attempt.offer, paymentHash: sha256(Buffer.from('another')) };
    expect(await send(network, { ...attempt, sharedSecrets, offer })).toMatchObject({
      status: 'refused',
      failureCode: FAILURES.invalid_onion_hmac.code,
    });
    // The onion reaches a node other than the intended one: B gets what only C can read.
    const swapped = buildAttempt('swapped', from(1, () => ({ nodeId: C }))(routeTo(network, B, AMOUNT)));
    const read = readFailure(swapped, await send(network, swapped));
    expect([read?.hop, read?.failure.name]).toEqual([0, 'invalid_onion_hmac']);
    expect(read?.failure.fields.sha256OfOnion?.length).toBe(32);
  });

  test('that a node corrupts on the way back is unreadable; attribution data shows where', async () => {
    const network = line();
    for (const node of [A, B, C]) network.simulation.setTrait(node, 'attributes', true);
    network.simulation.setTrait(C, 'takesKeysend', false);
    network.simulation.setTrait(B, 'garbles', true);
    const attempt = buildAttempt('garbled', routeTo(network, C, AMOUNT));
    const outcome = await send(network, attempt);
    expect(readFailure(attempt, outcome)).toBeUndefined();
    expect(outcome.status === 'failed' && outcome.attribution?.length).toBe(920);
    const { packet, attribution } = outcome as Extract<HtlcOutcome, { status: 'failed' }>;
    const returned = unwrapFailurePacket(attempt.sharedSecrets, packet, attribution);
    // B (index 1) attests the packet that it forwarded, which differs from the packet that C attests. So the
    // pair B, C is suspect.
    expect(returned.suspectIndex).toBe(2);
    expect(returned.holdTimesMs.length).toBe(2);
  });

  test('by our own node: no such channel, too little, too much, expired, peer offline', async () => {
    const network = line();
    const attempt = buildAttempt('own', routeTo(network, C, AMOUNT));
    const refused = async (change: Partial<typeof attempt.offer>, id: string) => {
      const outcome = await send(network, {
        ...attempt,
        offer: { ...attempt.offer, attemptId: id, ...change },
      });
      return outcome.status === 'refused' ? outcome.failureCode : outcome.status;
    };
    const spendable = network.port.ownChannels().channels[0]?.spendableMsat as bigint;
    // The peer requires a reserve of 1 % of a million sat.
    expect(spendable).toBe((CAPACITY * 99n) / 100n);
    expect(await refused({ shortChannelId: AB }, '1')).toBe(FAILURES.unknown_next_peer.code);
    expect(await refused({ amountMsat: msat(0) }, '2')).toBe(FAILURES.temporary_channel_failure.code);
    expect(await refused({ amountMsat: msat(spendable + 1n) }, '3')).toBe(
      FAILURES.temporary_channel_failure.code,
    );
    expect(await refused({ cltvExpiry: START_HEIGHT }, '4')).toBe(FAILURES.temporary_channel_failure.code);
    network.simulation.setTrait(A, 'offline', true);
    expect(network.port.ownChannels().channels[0]?.usable).toBe(false);
    expect(await refused({}, '5')).toBe(FAILURES.unknown_next_peer.code);
  });
});
