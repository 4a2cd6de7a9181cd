/**
 * The failure that a failed payment reports to its caller: which of several failures, with which code and
 * text.
 */
import { Packr } from 'msgpackr/pack';
import { describe, expect, test } from 'vitest';
import { encodeFailure, FAILURES, type FailureName } from '../../src/bolt/onion/failure.ts';
import { routingFailureData } from '../../src/commands/payments/books/attempt-json.ts';
import { failureInWords, paymentError, paymentFailure } from '../../src/commands/payments/failure-words.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { type Msat, msat } from '../../src/model/msat.ts';
import type { RefusalCause } from '../../src/network/port.ts';
import type {
  Attempt,
  AttemptFailure,
  NoRouteInWords,
  Obstacle,
  Payment,
  PaymentKind,
} from '../../src/payments/payment.ts';
import { L2, L2_L3, L3, leaving } from '../payments/line-graph.ts';
import { keysendRequest, OWN_ID } from '../payments/simulation/simulated-node.ts';

/** A failure with its text stored, as in journals of earlier versions. */
const said = (failcodename: FailureName, isFinal: boolean): AttemptFailure & { message: string } => ({
  rawMessage: Uint8Array.of(1, 2),
  failcode: FAILURES[failcodename].code,
  failcodename,
  erringIndex: isFinal ? 2 : 1,
  erringNode: isFinal ? L3 : L2,
  erringChannel: isFinal ? undefined : leaving(L2, L3, L2_L3),
  isFinal,
  message: `failed: ${failcodename}`,
});
const RECIPIENT = said('incorrect_or_unknown_payment_details', true);
/** The recipient reports that its chain is at height 4. Attempts here are planned at height 1. */
const AHEAD: AttemptFailure = {
  ...said('incorrect_or_unknown_payment_details', true),
  rawMessage: encodeFailure('incorrect_or_unknown_payment_details', { htlcMsat: msat(1), height: 4 }),
};
/** The recipient reports a height that we had already reached. */
const LEVEL: AttemptFailure = {
  ...AHEAD,
  rawMessage: encodeFailure('incorrect_or_unknown_payment_details', { htlcMsat: msat(1), height: 1 }),
};
const NODE = said('fee_insufficient', false);
const OTHER_NODE = said('temporary_channel_failure', false);
/** The failure as the node behind us reports it, without the bytes that it received. */
const BAD_PAYLOAD: AttemptFailure = { ...said('invalid_onion_payload', true), rawMessage: undefined };
const WAITED = said('mpp_timeout', true);
const LOCAL: AttemptFailure = {
  ...said('temporary_node_failure', false),
  rawMessage: undefined,
  erringIndex: 0,
  erringNode: OWN_ID,
};
const UNREADABLE: AttemptFailure = {
  ...LOCAL,
  failcode: undefined,
  failcodename: undefined,
  erringIndex: undefined,
  erringNode: undefined,
  erringChannel: undefined,
};

const attempt = (failure: AttemptFailure, id: number): Attempt => ({
  id: String(id),
  createdIndex: id,
  partId: id,
  path: [],
  amountMsat: msat(1),
  amountSentMsat: msat(1),
  probabilityPpm: 1,
  height: 1,
  partOfSeveral: false,
  sessionKey: new Uint8Array(32),
  createdAtMs: 0,
  status: 'failed',
  completedAtMs: 1,
  updatedIndex: id,
  failure,
  learned: ['this'],
});

const payment = (kind: PaymentKind, failures: readonly AttemptFailure[]): Payment => ({
  id: '1',
  createdIndex: 1,
  request: keysendRequest(L3, { kind }),
  paymentHash: new Uint8Array(32),
  preimage: new Uint8Array(32),
  groupId: 0n,
  paymentSecret: undefined,
  totalMsat: 1n as Msat,
  createdAtMs: 0,
  attempts: failures.map(attempt),
  status: 'failed',
  completedAtMs: 1,
  failure: undefined,
});

const NO_ROUTE: NoRouteInWords = {
  error: 'sourceCapacity',
  message: 'Too little',
  data: { binding: { kind: 'x' } },
};
const UNKNOWN: NoRouteInWords = {
  error: 'routeNotFound',
  message: 'no',
  data: { binding: { kind: 'unknown_node', end: 'destination' } },
};
const CHANNELLESS: NoRouteInWords = {
  ...UNKNOWN,
  data: { binding: { kind: 'unknown_node', end: 'source' } },
};
const DEAR: NoRouteInWords = { error: 'routeTooExpensive', message: 'dear', data: { fee: 1n } };

function told(
  kind: PaymentKind,
  failures: readonly AttemptFailure[],
  obstacle: Obstacle,
  noRoute?: NoRouteInWords,
) {
  const { error, message, data } = paymentFailure(payment(kind, failures), obstacle, noRoute);
  return { code: new FulguriteError(error, message).code, message, data: data! };
}

describe('a recipient with a longer chain', () => {
  const WORDS = 'the recipient is at block height 4, but we are at 1';

  // A node that accepts keysends may refuse a second HTLC with the hash of the first, and its error is then
  // misleading.
  test.each<[PaymentKind, AttemptFailure[], Obstacle]>([
    ['keysend', [AHEAD], 'outOfTime'],
    ['keysend', [AHEAD, BAD_PAYLOAD], 'recipientRefused'],
    ['xkeysend', [AHEAD, NODE, BAD_PAYLOAD], 'recipientRefused'],
    ['xpay', [AHEAD], 'outOfTime'],
    ['pay', [AHEAD, LEVEL], 'recipientRefused'],
  ])('%s: %#', (kind, failures, obstacle) => {
    const { code, message, data } = told(kind, failures, obstacle);
    expect(code).toBe(203);
    expect(message).toContain(WORDS);
    expect(message).not.toMatch(/keysend|know invoice/);
    expect(data).toMatchObject({ recipient_height: 4, own_height: 1 });
  });

  test('a height that we had already reached explains nothing', () => {
    const { message, data } = told('xpay', [LEVEL], 'recipientRefused');
    expect(message).toContain("doesn't know invoice");
    expect(data).not.toHaveProperty('own_height');
  });
});

test('a recipient that refuses the payload of a keysend in several parts usually accepts only one', () => {
  const split = payment('xkeysend', [BAD_PAYLOAD, BAD_PAYLOAD]);
  const attempts = split.attempts.map((one) => ({ ...one, partOfSeveral: true }));
  const { message } = paymentFailure({ ...split, attempts }, 'recipientRefused', undefined);
  expect(message).toBe(
    'Destination reported invalid_onion_payload (without saying in which field; most recipients refuse keysends in several parts)',
  );
});

describe('the code', () => {
  test.each<[PaymentKind, AttemptFailure[], Obstacle, NoRouteInWords | undefined, number, string]>([
    ['keysend', [RECIPIENT], 'recipientRefused', undefined, 203, RECIPIENT.message],
    [
      'keysend',
      [said('final_incorrect_htlc_amount', true)],
      'noRoute',
      NO_ROUTE,
      203,
      'failed: final_incorrect',
    ],
    ['keysend', [RECIPIENT], 'outOfTime', undefined, 203, RECIPIENT.message],
    ['keysend', [BAD_PAYLOAD], 'recipientRefused', undefined, 203, 'payload, without saying in which field'],
    [
      'xkeysend',
      [BAD_PAYLOAD],
      'recipientRefused',
      undefined,
      203,
      'payload (without saying in which field)',
    ],
    ['keysend', [RECIPIENT], 'interrupted', undefined, 203, RECIPIENT.message],
    ['keysend', [NODE], 'noRoute', NO_ROUTE, 205, 'Too little'],
    ['keysend', [], 'noRoute', UNKNOWN, 205, `Unknown destination ${L3}`],
    ['keysend', [], 'noRoute', CHANNELLESS, 205, 'We have no channel to pay over'],
    ['keysend', [NODE], 'noRoute', DEAR, 206, 'dear'],
    ['keysend', [WAITED, WAITED], 'outOfTime', undefined, 210, 'Timed out after 2 attempts: see `paystatus`'],
    ['keysend', [NODE], 'outOfAttempts', undefined, 210, 'Gave up after 1 attempt: see `paystatus`'],
    ['keysend', [NODE], 'interrupted', undefined, -1, 'The service was stopped'],
    ['xkeysend', [RECIPIENT], 'recipientRefused', undefined, 203, "Destination said it doesn't know invoice"],
    ['xkeysend', [], 'noRoute', NO_ROUTE, 215, 'Failed: Too little'],
    ['xkeysend', [], 'noRoute', UNKNOWN, 205, `Failed: Unknown destination node ${L3}`],
    ['xkeysend', [], 'noRoute', CHANNELLESS, 205, 'Failed: We have no channel to pay over'],
    ['xkeysend', [NODE], 'noRoute', NO_ROUTE, 209, 'Failed after 1 attempts. We got fee_insufficient: this.'],
    [
      'xkeysend',
      [UNREADABLE],
      'outOfTime',
      undefined,
      209,
      'Timed out after 1 attempts. We got an unreadable',
    ],
    ['xkeysend', [WAITED], 'outOfAttempts', undefined, 209, 'Gave up after 1 attempts. We got mpp_timeout'],
    ['xkeysend', [NODE], 'interrupted', undefined, -1, 'The service was stopped'],
  ])('%s after %o, %s, %o: %i', (kind, failures, obstacle, noRoute, code, message) => {
    const error = told(kind, failures, obstacle, noRoute);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(error.data.attempts).toHaveLength(failures.length);
    if (code !== 203 && noRoute !== undefined) expect(error.data).toMatchObject(noRoute.data);
  });
});

describe('the failure reported', () => {
  test.each([
    ['the recipient’s word before all', [NODE, RECIPIENT, OTHER_NODE, UNREADABLE], RECIPIENT],
    ['a node’s before our own', [NODE, LOCAL, UNREADABLE], NODE],
    ['our own before what nobody can read', [LOCAL, UNREADABLE], LOCAL],
    ['of equals the latest', [NODE, OTHER_NODE, LOCAL], OTHER_NODE],
  ])('%s', (_rule, failures, best) => {
    const { data } = told('keysend', failures, 'outOfTime');
    expect(data).toMatchObject(routingFailureData(best));
  });

  test('has only the members that are known', () => {
    const members = (failure: AttemptFailure) => Object.keys(routingFailureData(failure)).sort();
    const all = [
      'erring_channel',
      'erring_direction',
      'erring_index',
      'erring_node',
      'failcode',
      'failcodename',
    ];
    expect(members(NODE)).toEqual([...all, 'raw_message']);
    expect(members(LOCAL)).toEqual(all);
    expect(members(RECIPIENT)).toEqual([
      'erring_index',
      'erring_node',
      'failcode',
      'failcodename',
      'raw_message',
    ]);
    expect(members({ ...NODE, failcodename: undefined })).not.toContain('failcodename');
    expect(members(UNREADABLE)).toEqual([]);
  });

  test('includes the last fifty attempts', () => {
    const { data } = told(
      'keysend',
      Array.from({ length: 60 }, () => NODE),
      'outOfAttempts',
    );
    const attempts = data.attempts as { partid: number }[];
    expect([attempts.length, attempts[0]!.partid]).toEqual([50, 10]);
  });
});

describe('a payment refused by our own node', () => {
  const refused = (reason: string, cause?: RefusalCause): AttemptFailure => ({
    ...LOCAL,
    notSent: { kind: 'byNode', reason, ...(cause !== undefined && { cause }) },
  });

  // A channel's refusal is not the node's refusal: it does not end the payment, and the payment's error does
  // not quote it.
  test.each([
    [[refused('no peers', 'nodeAway')], -32006, 'Nothing more was sent: no peers'],
    [[refused('too large', 'declined')], 214, 'too large'],
    [
      [refused('first', 'nodeAway'), refused('last', 'declined'), refused('full', 'balance'), NODE],
      214,
      'last',
    ],
    [[refused('last', 'declined'), refused('gone', 'nodeAway')], -32006, 'Nothing more was sent: gone'],
    [[refused('for whatever reason')], 214, 'The attached node declined the payment'],
    [[], 214, 'The attached node declined the payment'],
  ])('%#: reports the last refusal of the node', (failures, code, message) => {
    expect(told('keysend', failures, 'ownNodeRefused')).toMatchObject({
      code,
      message: expect.stringMatching(new RegExp(`^${message}( \\(our channel .* said: |$)`)),
    });
  });
});

describe('a failure from the journal', () => {
  /** The failure after the journal has serialised and deserialised it. */
  const stored = <T>(value: T): T => {
    const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });
    return packr.unpack(packr.pack(value)) as T;
  };

  test.each<[PaymentKind, Obstacle, NoRouteInWords | undefined]>([
    ['keysend', 'noRoute', UNKNOWN],
    ['keysend', 'outOfTime', undefined],
    ['xkeysend', 'noRoute', DEAR],
    ['xkeysend', 'interrupted', undefined],
  ])('of %s by %s has the same text as when it happened', (kind, obstacle, noRoute) => {
    const failed = payment(kind, [NODE, OTHER_NODE]);
    const failure = stored({ obstacle, ...(noRoute && { noRoute }) });
    expect(failureInWords({ ...failed, failure })).toEqual(paymentFailure(failed, obstacle, noRoute));
  });

  test('of an earlier version has the stored text', () => {
    const failure = stored({
      error: 'routeNotFound',
      message: 'Unknown destination',
      data: { binding: { kind: 'unknown_node', end: 'destination' }, attempts: [] },
    } as const);
    expect(failureInWords({ ...payment('keysend', []), failure })).toEqual(failure);
    expect(paymentError({ ...payment('keysend', []), failure })).toMatchObject({
      code: 205,
      message: 'Unknown destination',
      data: failure.data,
    });
  });
});
