/**
 * Payments over blinded paths in a simulated network. Every hop decrypts the recipient's data for it and
 * enforces the limits in it. No hop reveals more than BOLT 4 allows.
 *
 *     we ──▶ A ──▶ B ══▶ C        blinded from B on; A to B and B to C charge 1000 msat + 100 ppm and 40 blocks
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { readAttribution } from '../../../src/bolt/onion/attribution.ts';
import { createBlindedPath } from '../../../src/bolt/onion/blinded-path.ts';
import { type EncryptedData, encodeEncryptedData } from '../../../src/bolt/onion/encrypted-data.ts';
import type { HopPayload } from '../../../src/bolt/onion/payload.ts';
import { createOnion } from '../../../src/bolt/onion/sphinx.ts';
import { snapshotNodePrivateKey } from '../../../src/gossip/node-keys.ts';
import { msat } from '../../../src/model/msat.ts';
import { nodeIdToBytes } from '../../../src/model/node-id.ts';
import { failureSecrets, onionHops } from '../../../src/network/onions/htlc-onion.ts';
import type { BlindedEnd } from '../../../src/network/port.ts';
import {
  makeTicket,
  type TicketTerms,
  ticketPreimage,
} from '../../../src/network/simulated/own/payment-ticket.ts';
import { A, B, BC, C, fee, type Line, line, routeTo, START_HEIGHT } from './line.ts';
import { type BuiltAttempt, readFailure, secretOf } from './payer.ts';

const AMOUNT = 1_000_000n;
const FINAL_DELTA = 18;
const RELAY = { feeBaseMsat: 1000, feeProportionalMillionths: 100, cltvExpiryDelta: 40 };
const KEY_C = snapshotNodePrivateKey(2);
/** Limits that no HTLC of these tests exceeds. */
const OPEN = { maxCltvExpiry: START_HEIGHT + 1000, htlcMinimumMsat: msat(1n) };

let world: Line;
beforeEach(() => {
  world = line();
});

interface Changes {
  /** The recipient's data for B, for C, and for dummy hops to C in between. */
  readonly forB?: Partial<EncryptedData>;
  readonly forC?: Partial<EncryptedData>;
  readonly dummies?: readonly EncryptedData[];
  readonly ticket?: Partial<TicketTerms>;
  readonly final?: Partial<HopPayload>;
  /** Changes to the HTLC that arrives at the introduction node. */
  readonly lessMsat?: bigint;
  readonly moreBlocks?: number;
  /** Whether C is its own introduction node. */
  readonly isAlone?: boolean;
  readonly alter?: (end: BlindedEnd) => BlindedEnd;
}

let count = 0;
function attempt(changes: Changes = {}): BuiltAttempt {
  const { forB, forC, dummies = [], final, lessMsat = 0n, moreBlocks = 0, isAlone = false } = changes;
  const terms: TicketTerms = {
    ...{ form: 'bolt12', amountMsat: msat(AMOUNT), minFinalCltvExpiryDelta: FINAL_DELTA },
    expiresAt: BigInt(Math.floor(world.simulation.nowMs / 1000)) + 60n,
    ...changes.ticket,
  };
  const ticket = makeTicket(KEY_C, terms, new Uint8Array(9));
  const preimage = ticketPreimage(KEY_C, ticket);
  const data: readonly (readonly [string, EncryptedData])[] = [
    ...(isAlone
      ? []
      : [[B, { shortChannelId: BC, paymentRelay: RELAY, paymentConstraints: OPEN, ...forB }] as const]),
    ...dummies.map((dummy) => [C, dummy] as const),
    [C, { pathId: ticket, paymentConstraints: OPEN, ...forC }],
  ];
  const path = createBlindedPath(
    data.map(([id, one]) => ({ nodeId: nodeIdToBytes(id as typeof B), data: encodeEncryptedData(one) })),
    secretOf(`path ${count}`),
  );
  const arriving = isAlone ? AMOUNT : AMOUNT + fee(AMOUNT) - lessMsat;
  const finalDelta = FINAL_DELTA + 1 + moreBlocks + (isAlone ? 0 : RELAY.cltvExpiryDelta);
  const route = routeTo(world, isAlone ? C : B, arriving, finalDelta);
  const end = {
    ...{ firstPathKey: path.firstPathKey, hops: path.hops, amountMsat: msat(AMOUNT) },
    cltvExpiry: world.simulation.height + 1,
  };
  const htlc = {
    path: route.map((hop) => ({ ...hop, amountMsat: msat(hop.amountMsat) })),
    finalPayload: { totalAmountMsat: msat(AMOUNT), ...final },
    blindedEnd: changes.alter?.(end) ?? end,
    sessionKey: secretOf(`session ${count}`),
  };
  const paymentHash = sha256(preimage);
  const { packet } = createOnion(onionHops(htlc), {
    sessionKey: htlc.sessionKey,
    associatedData: paymentHash,
  });
  const first = htlc.path[0]!;
  const part = { groupId: 1n, partId: 1 };
  const offer = { ...first, ...part, paymentHash, onion: packet, attemptId: `blinded ${count++}` };
  return { offer, preimage, sharedSecrets: failureSecrets(htlc) };
}

async function end(built: BuiltAttempt): Promise<string> {
  const outcome = world.port.sendHtlc(built.offer);
  world.simulation.runUntilIdle();
  const ended = await outcome;
  if (ended.status === 'settled') return 'settled';
  const failed = readFailure(built, ended);
  return failed === undefined ? 'unreadable' : `${failed.hop} ${failed.failure.name}`;
}

describe('a blinded path', () => {
  test('carries a payment, even through hops that lead to the recipient itself', async () => {
    expect(await end(attempt())).toBe('settled');
    const self = { nextNodeId: nodeIdToBytes(C), paymentConstraints: OPEN };
    const free = { feeBaseMsat: 0, feeProportionalMillionths: 0, cltvExpiryDelta: 0 };
    const dummies = [1, 2, 3].map(() => ({ ...self, paymentRelay: free }));
    expect(await end(attempt({ dummies, ticket: { expiresAt: 4_000_000_000n } }))).toBe('settled');
    expect(await end(attempt({ isAlone: true, ticket: { minFinalCltvExpiryDelta: 17 } }))).toBe('settled');
    expect(world.simulation.checkConservation()).toEqual([]);
  });

  test('returns attribution data of the introduction node and those before it only', async () => {
    world = line({ attributionShare: 1, latencyMs: { least: 100, most: 100 }, jitterMs: 0 });
    const built = attempt();
    const sent = world.port.sendHtlc(built.offer);
    world.simulation.runUntilIdle();
    const outcome = await sent;
    const attribution = outcome.status === 'settled' ? outcome.attribution! : new Uint8Array(0);
    // Each hop takes 100 ms in each direction. C, inside the path, reports nothing.
    const read = readAttribution(built.sharedSecrets, attribution);
    expect(read).toEqual({ holdTimesMs: [400, 200], brokenIndex: 2 });
  });

  test('may name the next node instead of a channel', async () => {
    const forB = { shortChannelId: undefined, nextNodeId: nodeIdToBytes(C) };
    expect(await end(attempt({ forB }))).toBe('settled');
  });

  // Nodes count from 0, the first after us. So A is 0, and B, the introduction node, is 1.
  test.each<[string, Changes]>([
    [
      'an HTLC that expires later than B may accept',
      { forB: { paymentConstraints: { ...OPEN, maxCltvExpiry: START_HEIGHT } } },
    ],
    [
      'one smaller than B may accept',
      { forB: { paymentConstraints: { ...OPEN, htlcMinimumMsat: msat(AMOUNT * 2n) } } },
    ],
    [
      'one that expires later than C may accept',
      { forC: { paymentConstraints: { ...OPEN, maxCltvExpiry: START_HEIGHT } } },
    ],
    ['an unknown feature', { forB: { allowedFeatures: Uint8Array.of(1) } }],
    ['no relay', { forB: { paymentRelay: undefined } }],
    ['nowhere to go', { forB: { shortChannelId: undefined } }],
    [
      'a node that is not a neighbour',
      { forB: { shortChannelId: undefined, nextNodeId: new Uint8Array(33).fill(2) } },
    ],
    ['less than the path charges', { lessMsat: 2n }],
    ['a fee below that of the channel', { forB: { paymentRelay: { ...RELAY, feeBaseMsat: 999 } } }],
    ['a delay below that of the channel', { forB: { paymentRelay: { ...RELAY, cltvExpiryDelta: 39 } } }],
    ['a secret that C did not write', { forC: { pathId: new Uint8Array(32) } }],
    ['no secret at all', { forC: { pathId: undefined } }],
    ['an invoice that has expired', { ticket: { expiresAt: 1n } }],
    ['too few blocks for C', { ticket: { minFinalCltvExpiryDelta: FINAL_DELTA + 2 } }],
    ['a total below the amount', { final: { totalAmountMsat: msat(AMOUNT - 1n) } }],
    ['a total above twice the amount', { final: { totalAmountMsat: msat(2n * AMOUNT + 1n) } }],
    [
      'data for another node',
      {
        alter: (blinded) => ({
          ...blinded,
          hops: [
            { ...blinded.hops[0]!, encryptedRecipientData: blinded.hops[1]!.encryptedRecipientData },
            ...blinded.hops.slice(1),
          ],
        }),
      },
    ],
    [
      'data for another node at the last hop',
      {
        alter: (blinded) => ({
          ...blinded,
          hops: [
            blinded.hops[0]!,
            { ...blinded.hops[1]!, encryptedRecipientData: blinded.hops[0]!.encryptedRecipientData },
          ],
        }),
      },
    ],
    ['another path key', { alter: (blinded) => ({ ...blinded, firstPathKey: nodeIdToBytes(A) }) }],
    ['a field that is not for blinded hops', { final: { paymentMetadata: Uint8Array.of(1) } }],
  ])('with %s is refused by its introduction node without details', async (_, changes) => {
    expect(await end(attempt(changes))).toBe('1 invalid_onion_blinding');
    expect(world.simulation.checkConservation()).toEqual([]);
  });

  test('of only the recipient lets the recipient report the reason', async () => {
    expect(await end(attempt({ isAlone: true, ticket: { expiresAt: 1n } }))).toBe(
      '2 incorrect_or_unknown_payment_details',
    );
    expect(
      await end(attempt({ isAlone: true, forC: { paymentConstraints: { ...OPEN, maxCltvExpiry: 1 } } })),
    ).toBe('2 invalid_onion_blinding');
  });

  test('does not reveal that a channel inside it is empty', async () => {
    world.simulation.setBalance({ shortChannelId: BC, direction: B < C ? 0 : 1 }, 0n);
    expect(await end(attempt())).toBe('1 invalid_onion_blinding');
  });

  test('pays an invoice only once', async () => {
    const built = attempt();
    expect(await end(built)).toBe('settled');
    expect(world.simulation.stats().repeatedPayments).toBe(0);
    // The same payment again is refused, since an invoice is paid only once.
    expect(await end(attempt())).toBe('1 invalid_onion_blinding');
    expect(world.simulation.stats().repeatedPayments).toBe(1);
  });
});
