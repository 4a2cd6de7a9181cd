/**
 * The network on an LND node, tested with a stand-in for LND on a simulated network. The tests cover what the
 * network reports about HTLCs when they settle or fail, and when LND refuses, hangs, dies, loses connections
 * or answers late. They also cover what the network guarantees about HTLCs.
 *
 *     we ── LND ── A ── B ── C
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toHex } from '../../../src/bolt/bytes.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { msat } from '../../../src/model/msat.ts';
import { parseNodeId } from '../../../src/model/node-id.ts';
import { PAYMENT_STATUS } from '../../../src/network/lnd/answers.ts';
import { STATUS } from '../../../src/network/lnd/client/calls.ts';
import type { HtlcOutcome, OutgoingHtlc } from '../../../src/network/port.ts';
import { A, AB, B, C, START_HEIGHT } from '../../lnd/line-lnd.ts';
import { statusOf } from '../../lnd/payment-table.ts';
import { LND_RELEASES } from '../../lnd/stand-in.ts';
import { until } from '../../until.ts';
import { type BesideLnd, besideLnd, keysendTo, QUICK, type Sent } from './beside-stand-in.ts';

let all: BesideLnd;
beforeEach(async () => {
  all = await besideLnd();
});
afterEach(() => all.end());

const toldOf = ({ htlc }: Sent): HtlcOutcome | undefined =>
  all.told.find(([attemptId]) => attemptId === htlc.attemptId)?.[1];

/** Sends an HTLC, and waits for its outcome. */
async function outcomeOf(sent: Sent): Promise<HtlcOutcome> {
  await all.network.send(sent.htlc);
  await until(() => toldOf(sent) !== undefined);
  return toldOf(sent)!;
}

const statusInLnd = (hash: string): number | undefined => {
  const row = all.node.payment(hash);
  return row && statusOf(row);
};

describe.each(LND_RELEASES)('beside LND %s', (release) => {
  beforeEach(async () => {
    await all.end();
    all = await besideLnd({ release });
  });

  test('a keysend settles, and LND has one payment with one attempt', async () => {
    const sent = keysendTo(all);
    expect(await outcomeOf(sent)).toEqual({ status: 'settled', preimage: sent.preimage });
    expect(all.node.payment(sent.hash)).toMatchObject({ valueMsat: 5_000n, attempts: [{ status: 1 }] });
    expect(all.network.nodeBehind()).toMatchObject({ version: `${release} commit=v${release}` });
  });

  test('an HTLC counts as accepted once a channel report includes it', async () => {
    all.node.channeld.hold(true);
    const sent = keysendTo(all);
    const { channelsRevision } = await all.network.send(sent.htlc);
    await until(() => all.network.ownChannels().revision >= channelsRevision);
    const [channel] = all.network.ownChannels().channels;
    expect(all.simulation.ownChannels().channels[0]!.spendableMsat).toBeLessThanOrEqual(
      channel!.spendableMsat,
    );
    all.node.channeld.hold(false);
    await until(() => toldOf(sent) !== undefined);
    expect(toldOf(sent)).toMatchObject({ status: 'settled' });
  });

  test('an HTLC in flight while LND restarts is reported when it ends', async () => {
    all.node.channeld.hold(true);
    const sent = keysendTo(all);
    await all.network.send(sent.htlc);
    all.node.kill();
    await all.node.start();
    all.node.channeld.hold(false);
    await until(() => toldOf(sent) !== undefined);
    expect(toldOf(sent)).toEqual({ status: 'settled', preimage: sent.preimage });
  });
});

describe('a preimage that does not match the hash proves nothing', () => {
  /** Sends an HTLC that LND keeps in flight, and makes LND show a wrong preimage once it settles. */
  async function sendToLiar(): Promise<Sent> {
    all.node.channeld.hold(true);
    const sent = keysendTo(all);
    await all.network.send(sent.htlc);
    const [attempt] = all.node.payment(sent.hash)!.attempts;
    Object.defineProperty(attempt!, 'preimage', {
      get: () => new Uint8Array(32).fill(1),
      set: () => undefined,
    });
    return sent;
  }

  test.each([
    { when: 'in the answer to the call', restarts: false },
    { when: 'in the payment that we follow after a restart of LND', restarts: true },
  ])('$when', async ({ restarts }) => {
    const sent = await sendToLiar();
    if (restarts) {
      all.node.kill();
      await all.node.start();
    }
    let lookups = 0;
    all.node.beforeCall = (path) => {
      if (path.endsWith('/TrackPaymentV2')) lookups++;
    };
    if (restarts) await until(() => lookups >= 2);
    all.node.channeld.hold(false);
    // The adapter keeps asking, because a correct preimage would still prove the payment.
    const before = lookups;
    await until(() => lookups > before + 2);
    expect(statusInLnd(sent.hash)).toBe(2);
    expect(toldOf(sent)).toBeUndefined();
    await expect(all.network.outcomes([sent.htlc])).rejects.toThrow('does not match the hash');
  });
});

test('an HTLC that may no longer leave when LND can be called is refused, and LND has no payment', async () => {
  const sent = keysendTo(all);
  await all.network.send(sent.htlc, () => false);
  expect(toldOf(sent)).toMatchObject({ status: 'refused', cause: 'neverLeft' });
  expect(all.node.payment(sent.hash)).toBeUndefined();
});

describe('a failure is reported in the form of BOLT 4', () => {
  test('by a channel on the route, with its update', async () => {
    all.simulation.setBalance({ shortChannelId: AB, direction: A < B ? 0 : 1 }, msat(1_000n));
    const outcome = await outcomeOf(keysendTo(all));
    expect(outcome).toMatchObject({
      status: 'decoded',
      sourceIndex: 1,
      failure: { name: 'temporary_channel_failure' },
    });
  });

  test('by the recipient, which does not know the hash, with its height', async () => {
    const finalPayload = { paymentData: { paymentSecret: new Uint8Array(32), totalMsat: msat(5_000n) } };
    const outcome = await outcomeOf(keysendTo(all, { finalPayload }));
    expect(outcome).toMatchObject({
      status: 'decoded',
      sourceIndex: 2,
      failure: {
        name: 'incorrect_or_unknown_payment_details',
        fields: { height: START_HEIGHT },
      },
    });
  });

  test('for too little fee, with the amount and the update', async () => {
    all.simulation.setPolicy({ shortChannelId: AB, direction: A < B ? 0 : 1 }, { feeBaseMsat: 5_000 });
    const outcome = await outcomeOf(keysendTo(all));
    if (outcome.status !== 'decoded') throw new Error(outcome.status);
    expect(outcome.failure).toMatchObject({ name: 'fee_insufficient', fields: { htlcMsat: 6_000n } });
    expect(outcome.failure.fields.channelUpdate!.length).toBeGreaterThan(128);
  });

  test('by our own channel, unknown or without enough balance, as a refusal with its cause', async () => {
    const path = (first: bigint): OutgoingHtlc['path'] => {
      const { htlc } = keysendTo(all);
      return [{ ...htlc.path[0]!, shortChannelId: first as typeof AB }, htlc.path[1]!];
    };
    expect(await outcomeOf(keysendTo(all, { path: path(77n) }))).toMatchObject({
      status: 'refused',
      cause: 'peerAway',
    });
    const tooMuch = keysendTo(all).htlc.path.map((hop) => ({ ...hop, amountMsat: msat(2_000_000_000n) }));
    expect(await outcomeOf(keysendTo(all, { path: tooMuch }))).toMatchObject({
      status: 'refused',
      cause: 'balance',
    });
  });
});

describe('parts of one payment', () => {
  const secret = new Uint8Array(32).fill(8);
  /** Parts of 5,000 msat to B, each with the total of all parts. */
  const partsOf = (count: number, more: Partial<OutgoingHtlc> = {}): Sent[] => {
    const preimage = new Uint8Array(32).fill(0xab);
    preimage[0] = parts++;
    const paymentHash = sha256(preimage);
    return Array.from({ length: count }, (_, index) => ({
      ...keysendTo(all, {
        paymentHash,
        partId: index + 1,
        isPartOfSeveral: true,
        finalPayload: { paymentData: { paymentSecret: secret, totalMsat: msat(5_000n * BigInt(count)) } },
        ...more,
      }),
      preimage,
    }));
  };
  let parts = 1;

  test('settle together', async () => {
    const both = partsOf(2);
    all.simulation.addInvoice(B, {
      preimage: both[0]!.preimage,
      paymentSecret: secret,
      amountMsat: msat(10_000n),
    } as never);
    await Promise.all(both.map(({ htlc }) => all.network.send(htlc)));
    await until(() => both.every((sent) => toldOf(sent) !== undefined));
    expect(both.map(toldOf)).toEqual(both.map(({ preimage }) => ({ status: 'settled', preimage })));
    expect(statusInLnd(both[0]!.hash)).toBe(PAYMENT_STATUS.succeeded);
  });

  test('that all failed are ended in LND, which would otherwise consider them in flight forever', async () => {
    all.simulation.setBalance({ shortChannelId: AB, direction: A < B ? 0 : 1 }, msat(1_000n));
    const [first, second] = partsOf(2);
    await Promise.all([outcomeOf(first!), outcomeOf(second!)]);
    const { hash } = first!;
    // If this part had not been ended, LND would report `IN_FLIGHT`, and refuse any other payment with this hash.
    await until(() => statusInLnd(hash) === PAYMENT_STATUS.failed);
    const requests = all.node.called('SendToRouteV2') as { skip_temp_err: boolean }[];
    expect(requests.map(({ skip_temp_err }) => skip_temp_err)).toEqual([true, true, false]);
    // The attempt that ends the payment fails inside LND. Its fields do not contradict those of the parts.
    expect(all.node.payment(hash)!.attempts.at(-1)).toMatchObject({
      failure: { failure_source_index: 0, code: 18 },
    });
  });

  test('may be followed by a new part, which restarts the payment', async () => {
    const hop = { shortChannelId: AB, direction: A < B ? 0 : 1 } as const;
    all.simulation.setBalance(hop, msat(1_000n));
    const [first] = partsOf(1);
    await outcomeOf(first!);
    await until(() => statusInLnd(first!.hash) === PAYMENT_STATUS.failed);
    all.simulation.setBalance(hop, msat(500_000_000n));
    const again = {
      ...first!,
      htlc: { ...first!.htlc, attemptId: 'ff'.repeat(16), partId: 2 },
    };
    all.simulation.addInvoice(B, {
      preimage: again.preimage,
      paymentSecret: secret,
      amountMsat: msat(5_000n),
    } as never);
    expect(await outcomeOf(again)).toEqual({ status: 'settled', preimage: again.preimage });
  });

  test('are ended early when the service stops', async () => {
    await all.end();
    all = await besideLnd({}, { ...QUICK, openSetMs: 60_000 });
    all.simulation.setBalance({ shortChannelId: AB, direction: A < B ? 0 : 1 }, msat(1_000n));
    const [only] = partsOf(1);
    await outcomeOf(only!);
    expect(statusInLnd(only!.hash)).toBe(PAYMENT_STATUS.inFlight);
    await all.network.close();
    expect(statusInLnd(only!.hash)).toBe(PAYMENT_STATUS.failed);
  });

  test('beyond the total are refused before they leave, with LND’s text', async () => {
    all.node.channeld.hold(true);
    const [first, ...others] = partsOf(2);
    const total = { paymentData: { paymentSecret: secret, totalMsat: msat(5_000n) } };
    await all.network.send({ ...first!.htlc, finalPayload: total });
    const second = { ...others[0]!, htlc: { ...others[0]!.htlc, finalPayload: total } };
    expect(await outcomeOf(second)).toMatchObject({
      status: 'refused',
      cause: 'declined',
      reason: expect.stringContaining('attempted value exceeds payment amount'),
    });
    all.node.channeld.hold(false);
    await until(() => toldOf(first!) !== undefined);
  });
});

describe('a refusal by LND is reported as a refusal, and nothing leaves', () => {
  test('for a hash that LND is paying or has paid', async () => {
    all.node.channeld.hold(true);
    const first = keysendTo(all);
    await all.network.send(first.htlc);
    const twice = { ...first, htlc: { ...first.htlc, attemptId: 'aa'.repeat(16) } };
    expect(await outcomeOf(twice)).toMatchObject({
      status: 'refused',
      cause: 'underWayElsewhere',
      reason: 'payment is in transition',
    });
    all.node.channeld.hold(false);
    await until(() => toldOf(first) !== undefined);
    const later = { ...first, htlc: { ...first.htlc, attemptId: 'bb'.repeat(16) } };
    expect(await outcomeOf(later)).toMatchObject({
      status: 'refused',
      cause: 'paidElsewhere',
      reason: 'invoice is already paid',
    });
    expect(all.node.payment(first.hash)!.attempts).toHaveLength(1);
  });

  test('for a macaroon that does not permit payments, with the name of the permission', async () => {
    const [[macaroon]] = [...all.node.permissions] as [[string, unknown]];
    all.node.permissions.set(
      macaroon,
      new Set(['/lnrpc.Lightning/GetInfo', '/lnrpc.Lightning/ListChannels']),
    );
    expect(await outcomeOf(keysendTo(all))).toMatchObject({
      status: 'refused',
      cause: 'declined',
      reason: expect.stringContaining('uri:/routerrpc.Router/SendToRouteV2'),
    });
  });

  test('for a custom record with a low type, and for a blinded total at the wrong place', async () => {
    const ask = (route: object): Promise<unknown> =>
      all.link.callForever('SendToRouteV2', { payment_hash: new Uint8Array(32), route }).then(
        () => 'taken',
        (error) => [error.status, error.message],
      );
    const hop = { chan_id: '1', pub_key: A, amt_to_forward_msat: '1000', expiry: START_HEIGHT };
    const low = { ...hop, custom_records: { 65535: Uint8Array.of(1) } };
    expect(await ask({ hops: [low] })).toEqual([
      STATUS.unknown,
      'no custom records with types below 65536 allowed',
    ]);
    expect(await ask({ hops: [{ ...hop, total_amt_msat: '5' }] })).toEqual([
      STATUS.unknown,
      'encrypted data should be present if blinded total amount is provided',
    ]);
  });
});

describe('after a lost answer', () => {
  test('an HTLC that left is found by its path, and its outcome is reported', async () => {
    all.node.channeld.hold(true);
    const sent = keysendTo(all);
    await all.network.send(sent.htlc);
    all.node.kill();
    await all.node.start();
    await until(() => all.logged.some((line) => line.includes('LND is back')));
    const states = await all.network.outcomes([sent.htlc]);
    expect(states.get(sent.htlc.attemptId)).toEqual({ status: 'pending' });
    all.node.channeld.hold(false);
    await until(() => toldOf(sent) !== undefined);
    expect(toldOf(sent)).toEqual({ status: 'settled', preimage: sent.preimage });
  });

  test('an HTLC that LND does not know never left, once the fence has passed', async () => {
    const states = await all.network.outcomes([keysendTo(all).htlc]);
    expect([...states.values()]).toEqual([{ status: 'neverLeft' }]);
  });

  test('an HTLC that LND recorded but never sent is proven to be on no channel', async () => {
    all.node.losesNext = true;
    const sent = keysendTo(all);
    const sending = all.network.send(sent.htlc).catch((error: Error) => error.message);
    await until(() => all.node.payment(sent.hash) !== undefined);
    all.node.kill();
    await all.node.start();
    expect(await sending).not.toHaveProperty('channelsRevision');
    await until(() => all.logged.some((line) => line.includes('LND is back')));
    const states = await all.network.outcomes([sent.htlc]);
    expect(states.get(sent.htlc.attemptId)).toEqual({ status: 'neverLeft' });
    // The second call sent an HTLC of the minimum amount. The peer answered it, which proves that the first HTLC
    // never left.
    expect(all.node.called('SendToRouteV2')).toHaveLength(2);
  });

  test('the proof that an HTLC is on no channel is repeated if the channel is briefly unusable', async () => {
    all.node.losesNext = true;
    const sent = keysendTo(all);
    const sending = all.network.send(sent.htlc).catch(() => undefined);
    await until(() => all.node.payment(sent.hash) !== undefined);
    all.node.kill();
    await all.node.start();
    await sending;
    await until(() => all.logged.some((line) => line.includes('LND is back')));
    all.node.channelMembers = { active: false };
    all.node.beforeCall = () => {
      if (all.logged.some((line) => line.includes('it cannot be used'))) all.node.channelMembers = {};
    };
    const states = await all.network.outcomes([sent.htlc]);
    expect(states.get(sent.htlc.attemptId)).toEqual({ status: 'neverLeft' });
    expect(all.node.channelMembers).toEqual({});
  });

  test('a route search waits for the balance of a failed HTLC to return', async () => {
    await all.end();
    all = await besideLnd({}, { ...QUICK, refreshMs: 60_000, returnMs: 60_000 });
    all.simulation.setBalance({ shortChannelId: AB, direction: A < B ? 0 : 1 }, msat(1_000n));
    const spendable = (): bigint => all.network.ownChannels().channels[0]!.spendableMsat;
    const before = spendable();
    const sent = keysendTo(all);
    const htlc = { incoming: false, amount: '6', hash_lock: Buffer.from(sent.hash, 'hex') };
    const pending_htlcs = [{ ...htlc, expiration_height: START_HEIGHT + 60, htlc_index: '0' }];
    let looks = 0;
    // LND has reported the failure, but lists the HTLC three more times.
    all.node.beforeCall = (path) => {
      if (!path.endsWith('ListChannels') || toldOf(sent) === undefined) return;
      all.node.channelMembers = ++looks <= 3 ? { local_balance: '7', pending_htlcs } : {};
    };
    expect(await outcomeOf(sent)).toMatchObject({ status: 'decoded' });
    await all.network.refreshed();
    expect(looks).toBeGreaterThan(3);
    expect(spendable()).toBe(before);
  });

  test('attempts that a later start with the same hash removed had failed', async () => {
    all.simulation.setBalance({ shortChannelId: AB, direction: A < B ? 0 : 1 }, msat(1_000n));
    const sent = keysendTo(all);
    expect(await outcomeOf(sent)).toMatchObject({ status: 'decoded' });
    all.node.payment(sent.hash)!.attempts = [];
    const states = await all.network.outcomes([sent.htlc]);
    expect(states.get(sent.htlc.attemptId)).toEqual({ status: 'neverLeft' });
  });

  test('a late answer is reported as the outcome, once', async () => {
    let release: (() => void) | undefined;
    all.node.beforeCall = (path) =>
      path.endsWith('SendToRouteV2') ? new Promise((done) => (release = () => done(undefined))) : undefined;
    const sent = keysendTo(all);
    const sending = all.network.send(sent.htlc);
    await until(() => release !== undefined);
    expect(all.told).toEqual([]);
    all.node.beforeCall = () => undefined;
    release!();
    await sending;
    await until(() => toldOf(sent) !== undefined);
    expect(all.told).toHaveLength(1);
  });
});

describe('streams that end', () => {
  test('are reopened with the connection, and payments continue', async () => {
    all.node.endStreams();
    await until(() => all.logged.some((line) => line.includes('LND is back')));
    const sent = keysendTo(all);
    expect(await outcomeOf(sent)).toMatchObject({ status: 'settled' });
    all.node.channeld.mineTo(START_HEIGHT + 3);
    await until(() => all.network.blockHeight() === START_HEIGHT + 3);
  });

  test('are reopened individually while the connection lasts', async () => {
    all.node.endStreams('state');
    all.node.channeld.mineTo(START_HEIGHT + 2);
    await until(() => all.network.blockHeight() === START_HEIGHT + 2);
    // Polling also yields the height, but only a stream yields the events of the node's channels.
    const before = all.network.ownChannels().revision;
    const sent = keysendTo(all);
    expect(await outcomeOf(sent)).toMatchObject({ status: 'settled' });
    await until(() => all.network.ownChannels().revision > before);
    expect(all.logged.filter((line) => line.includes('LND is back'))).toEqual([]);
  });

  test('that end because LND is away lead to quick refusals, with a problem text that explains what to do', async () => {
    all.node.kill();
    await until(() => all.network.nodeBehind().problem?.includes('LND is unreachable') === true);
    expect(await outcomeOf(keysendTo(all))).toMatchObject({ status: 'refused', cause: 'nodeAway' });
    await all.node.start();
    await until(() => all.network.nodeBehind().problem === undefined);
  });
});

describe('a custom (asset) channel', () => {
  test('is not used for payments, and is listed with the reason', async () => {
    all.node.channelMembers = { custom_channel_data: Buffer.from('{"assets":[]}') };
    await until(() => all.network.ownChannels().channels.length === 0);
    const [row] = await all.network.ownChannelRecords();
    expect(row).toMatchObject({
      usable: false,
      asShown: { status: ['An asset channel: not used for payments.'] },
    });
  });
});

describe('balances that do not fit the graph', () => {
  test('are taken from LND: a channel has the capacity of its row, and no balance is negative', async () => {
    all.node.channelMembers = { local_balance: '5', remote_balance: '0', capacity: '5' };
    await until(() => all.network.ownChannels().channels[0]?.capacityMsat === 5_000n);
    expect(all.network.ownChannels().channels[0]!.spendableMsat).toBe(0n);
  });
});

test('LND connects peers, and errors have LND’s text', async () => {
  await expect(all.network.connect(parseNodeId(A)!)).resolves.toMatchObject({ nodeId: A, connected: true });
  await expect(all.network.connect(parseNodeId(C)!, ['127.0.0.1:9735'])).rejects.toMatchObject({
    name: 'connectFailed',
    message: expect.stringContaining('connection refused'),
  });
  expect(await all.network.disconnect(parseNodeId(C)!)).toBe(false);
  expect(toHex(all.network.identity.chainHash)).toMatch(/^6fe28c0a/);
});
