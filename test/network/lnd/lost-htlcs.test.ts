/**
 * The proof that an HTLC is on no channel, and the look-up of an attempt in LND's payments. If either is wrong, a payment
 * is sent twice.
 */
import { expect, test, vi } from 'vitest';
import { HTLC_STATUS, type HtlcAttempt, type LndPayment } from '../../../src/network/lnd/answers.ts';
import { LostHtlcs, type LostHtlcsOptions } from '../../../src/network/lnd/lost-htlcs.ts';
import type { LndConnection } from '../../../src/network/lnd/node-link.ts';
import { attemptIn, type LookupOptions, stateOf } from '../../../src/network/lnd/payment-lookup.ts';
import type { HtlcKey } from '../../../src/network/port.ts';

const { succeeded, inFlight, failed } = HTLC_STATUS;
const KEY = {
  attemptId: 'a',
  paymentHash: new Uint8Array(32),
  path: [{ shortChannelId: 5n, amountMsat: 1000n, cltvExpiry: 100 }],
} as unknown as HtlcKey;
const HASH = '00'.repeat(32);
/** Failures of the HTLC that is sent as proof: by the peer, and by our own node. */
const [BY_PEER, BY_US] = [1, 0].map((failure_source_index) => ({
  failure: { code: 1, failure_source_index },
}));

interface Made {
  /** The hashes that the channels list, in the first listing and in all later ones. */
  readonly listings?: readonly [string[], string[]];
  readonly answer?: object;
  readonly minimumMsat?: bigint;
}

function subject({ listings = [[], []], answer = BY_PEER!, minimumMsat = 1n }: Made = {}) {
  let looks = 0;
  const order: string[] = [];
  const call = vi.fn(async (_: string, __: object) => {
    order.push('proof');
    return answer;
  });
  const channel = {
    shortChannelId: 5n,
    usable: true,
    peerId: '02',
    localPolicy: { htlcMinimumMsat: minimumMsat },
  };
  const channels = {
    lookedAgain: async () => void looks++,
    get pendingHashes() {
      return new Set(listings[Math.min(looks, 2) - 1]);
    },
    report: { channels: [channel] },
  };
  const timing = { fenceMs: 0, firstDoubtMs: 0, callMs: 1000 };
  const log = { info: () => undefined };
  const options = { link: { call }, channels, height: () => 100, timing, log } as unknown as LostHtlcsOptions;
  const connectionOf = (isOpen = true): LndConnection =>
    ({ isOpen, fence: async () => void order.push('fence') }) as unknown as LndConnection;
  return { lost: new LostHtlcs(options), call, order, connectionOf };
}

test('an HTLC is lost if the peer has answered a later one, offered after all earlier requests', async () => {
  const { lost, order, connectionOf } = subject();
  expect(await lost.isLost(KEY, connectionOf())).toBe(true);
  expect(order).toEqual(['fence', 'proof']);
});

test.each<[string, Made]>([
  ['on a channel', { listings: [[HASH], [HASH]] }],
  ['on a channel once the peer has answered', { listings: [[], [HASH]] }],
  ['followed by an HTLC that our own node failed', { answer: BY_US! }],
  ['followed by an HTLC without an answer', { answer: { failure: null } }],
])('an HTLC is not lost if it is %s', async (_, made) => {
  const { lost, connectionOf } = subject(made);
  expect(await lost.isLost(KEY, connectionOf())).toBe(false);
});

test('each connection needs its own proof, which has at least the minimum amount of the channel', async () => {
  const { lost, call, connectionOf } = subject({ minimumMsat: 5000n });
  const first = connectionOf();
  for (const connection of [first, first, connectionOf()]) await lost.isLost(KEY, connection);
  expect(call).toHaveBeenCalledTimes(2);
  expect(call.mock.calls[0]![1]).toMatchObject({ route: { total_amt_msat: '5000', total_time_lock: 140 } });
  await lost.isLost(KEY, connectionOf(false));
  expect(await lost.isLost(KEY, connectionOf(false))).toBe(false);
});

const attempt = (status: number, total_time_lock = 100): HtlcAttempt =>
  ({
    status,
    failure: null,
    route: { total_time_lock, total_amt_msat: '1000', hops: [{ chan_id: '5' }] },
  }) as never;

test.each([
  ['settled before in flight', [inFlight, failed, succeeded], succeeded],
  ['in flight before failed', [failed, inFlight], inFlight],
])('of attempts that look the same, one counts: %s', (_, statuses, expected) => {
  const htlcs = statuses.map((status) => attempt(status));
  expect(attemptIn({ htlcs } as unknown as LndPayment, KEY)?.status).toBe(expected);
});

test('an attempt with a different expiry is not ours', () => {
  expect(attemptIn({ htlcs: [attempt(failed, 101)] } as unknown as LndPayment, KEY)).toBeUndefined();
});

test('an HTLC that LND does not know never left only if LND reports the same after the fence', async () => {
  let htlcs: HtlcAttempt[] = [];
  const link = {
    stream: (_: string, __: object, onMessage: (payment: object) => void) => {
      setImmediate(() => onMessage({ htlcs }));
      return () => undefined;
    },
  };
  // While requests before the fence are processed, the HTLC arrives.
  const fence = async (): Promise<void> => {
    htlcs = [attempt(failed)];
  };
  const connection = { fence } as unknown as LndConnection;
  const options = { link, timeoutMs: 1000 } as unknown as LookupOptions;
  expect(await stateOf(options, connection, KEY)).toMatchObject({ status: 'failed' });
});
