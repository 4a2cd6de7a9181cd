/**
 * Payments rely on the promises of the network port. The network here is a test double. Virtual time, on this
 * line:
 *
 *     we ──5,000,000 sat── L2 ──1,000,000 sat── L3
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decodeFailure } from '../../src/bolt/onion/failure.ts';
import { failureText } from '../../src/commands/payments/books/attempt-words.ts';
import { msatFromSat } from '../../src/model/msat.ts';
import type {
  HtlcKey,
  HtlcOutcome,
  HtlcState,
  OutcomeListener,
  OutgoingHtlc,
  TakenHtlc,
} from '../../src/network/port.ts';
import type { Payment, PaymentRequest } from '../../src/payments/payment.ts';
import { collected } from '../collected.ts';
import { PortDouble } from '../network/port-double.ts';
import { until } from '../until.ts';
import { L3, lineNode } from './line-graph.ts';
import { keysendRequest, OWN_ID, type SimulatedNode, turn } from './simulation/simulated-node.ts';

/** Accepts every HTLC, keeps its secrets until the test reports an outcome, and records the calls. */
class NetworkDouble extends PortDouble {
  override readonly capabilities;
  readonly sent: OutgoingHtlc[] = [];
  readonly asked: (readonly HtlcKey[])[] = [];
  /** The state that the network reports for every HTLC. */
  state: HtlcState = { status: 'unknown' };
  /** The revision that `send` returns. Undefined if the connection is lost. */
  takenAt: number | undefined = 1;
  readonly #told = new Set<OutcomeListener>();

  constructor(repeatsSends: boolean) {
    super(OWN_ID);
    const none = { onionMessages: false, connects: false, disconnects: false };
    this.capabilities = { ...none, pays: true, repeatsSends };
  }

  override async send(htlc: OutgoingHtlc): Promise<TakenHtlc> {
    this.sent.push(htlc);
    if (this.takenAt === undefined) throw new Error('the connection is lost');
    return { channelsRevision: this.takenAt };
  }

  override onOutcome(listener: OutcomeListener): () => void {
    this.#told.add(listener);
    return () => void this.#told.delete(listener);
  }

  override async outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>> {
    this.asked.push(keys);
    return new Map(keys.map(({ attemptId }) => [attemptId, this.state]));
  }

  tell(attemptId: string, outcome: HtlcOutcome): void {
    for (const listener of this.#told) listener(attemptId, outcome);
  }
}

const HOUR_MS = 3_600_000;
const preimage = new Uint8Array(32).fill(5);
const REFUSED: HtlcOutcome = { status: 'refused', failureCode: 0x400f, reason: 'no' };

let network: NetworkDouble;
let node: SimulatedNode;
afterEach(() => node.destroy());

/** A node on top of the double. Its channel is reported as the simulation would report it. */
function open(repeatsSends: boolean): void {
  network = new NetworkDouble(repeatsSends);
  node = lineNode({ engine: { network } });
  network.setChannels(node.simulation.ownChannels().channels);
}

const turns = async (count = 20): Promise<void> => {
  for (let n = 0; n < count; n++) await turn();
};
const stored = async (): Promise<Payment[]> => {
  await node.payments.journal.written();
  return collected(node.payments.journal.payments());
};
const reserved = (): number => [...node.book.reservations()].length;
const request = (more: Partial<PaymentRequest> = {}): PaymentRequest =>
  keysendRequest(L3, { useShadow: false, retryForS: 0, ...more });

async function pass(ms: number): Promise<void> {
  const end = node.nowMs() + ms;
  for (let steps = 0; node.nowMs() < end && steps < 100_000; steps++) await node.pass();
  expect(node.nowMs(), 'there are no more timers').toBeGreaterThanOrEqual(end);
}

/**
 * Begins payments, ends the process as soon as the network has their attempts, and starts a new process.
 */
async function killedAndStartedAgain(payments = 1): Promise<void> {
  for (let n = 0; n < payments; n++) node.payments.pay(request()).catch(() => undefined);
  await until(() => network.sent.length >= payments);
  await turns();
  await node.crash();
  await node.open();
}

describe('a network that cannot be asked to send again', () => {
  beforeEach(() => open(false));

  test.each<[string, HtlcState, string, string]>([
    ['it never left', { status: 'neverLeft' }, 'failed', 'failed'],
    ['it has settled', { status: 'settled', preimage }, 'complete', 'settled'],
  ])(
    'and does not know an HTLC after a restart: nothing changes for hours, until it reports that %s',
    async (_what, state, paymentStatus, attemptStatus) => {
      await killedAndStartedAgain();
      await pass(5 * HOUR_MS);
      const before = network.asked.length;
      expect(before).toBeGreaterThan(5 * 60 - 10);
      expect(await stored()).toMatchObject([{ status: 'pending', attempts: [{ status: 'sent' }] }]);
      expect([network.sent.length, reserved()]).toEqual([1, 2]);
      network.state = state;
      while ([...node.payments.live()].length > 0) await node.pass();
      const [payment] = await stored();
      expect([payment!.status, payment!.attempts.map(({ status }) => status)]).toEqual([
        paymentStatus,
        [attemptStatus],
      ]);
      expect([network.sent.length, network.asked.length, reserved()]).toEqual([1, before + 1, 0]);
      if (attemptStatus === 'failed')
        expect(failureText(payment!.attempts[0]!.failure!)).toMatch(/not sent/i);
    },
  );

  test.each<[string, HtlcOutcome, string]>([
    ['settles', { status: 'settled', preimage }, 'complete'],
    ['is refused', REFUSED, 'failed'],
  ])(
    'and loses the connection while sending: the caller waits, and gets the true outcome when the HTLC %s',
    async (_what, outcome, status) => {
      network.takenAt = undefined;
      let isAnswered = false;
      const paid = node.payments.pay(request()).finally(() => {
        isAnswered = true;
      });
      await turns();
      await pass(HOUR_MS);
      expect([isAnswered, network.sent.length, reserved()]).toEqual([false, 1, 2]);
      network.tell(network.sent[0]!.attemptId, outcome);
      expect(await node.until(paid)).toMatchObject({ status, attempts: [{}] });
      expect([network.sent.length, reserved()]).toEqual([1, 0]);
    },
  );
});

test('an HTLC that never left, because the connection was lost, is sent again over the only route', async () => {
  open(false);
  network.takenAt = undefined;
  network.state = { status: 'neverLeft' };
  const paid = node.payments.pay(request({ retryForS: 60 }));
  await until(() => network.sent.length > 0);
  network.takenAt = 1;
  for (let steps = 0; network.sent.length === 1 && steps < 1_000; steps++) await node.pass();
  expect(network.sent).toHaveLength(2);
  const [first, second] = network.sent;
  expect(second!.path).toEqual(first!.path);
  expect([second!.groupId, second!.partId]).toEqual([first!.groupId, first!.partId + 1]);
  network.tell(second!.attemptId, { status: 'settled', preimage });
  expect(await node.until(paid)).toMatchObject({
    status: 'complete',
    attempts: [{ status: 'failed', failure: { notSent: { kind: 'stopped' } } }, { status: 'settled' }],
  });
});

describe('a network that can be asked to send again', () => {
  test('receives the same HTLC again if it does not know it after a restart', async () => {
    open(true);
    await killedAndStartedAgain();
    await turns();
    expect(network.sent).toHaveLength(2);
    expect(network.sent[1]).toEqual(network.sent[0]);
  });
});

describe('the reservation of the first hop ends', () => {
  const channels = () => node.simulation.ownChannels().channels;

  /** The double's report before the send has revision 1. Reports from revision 3 include the HTLC. */
  async function taken(): Promise<{ paid: Promise<Payment>; id: string }> {
    open(true);
    network.takenAt = 3;
    const paid = node.payments.pay(request());
    await until(() => network.sent.length > 0);
    await turns();
    expect(reserved()).toBe(2);
    return { paid, id: network.sent[0]!.attemptId };
  }

  test('with a report of its revision, not earlier; other reservations end with the outcome', async () => {
    const { paid, id } = await taken();
    network.setChannels(channels());
    expect(reserved()).toBe(2);
    network.setChannels(channels());
    expect(reserved()).toBe(1);
    network.tell(id, { status: 'settled', preimage });
    await node.until(paid);
    expect(reserved()).toBe(0);
  });

  test('with the report of its revision, even if the HTLC settles before that report arrives', async () => {
    const { paid, id } = await taken();
    network.tell(id, { status: 'settled', preimage });
    expect((await node.until(paid)).status).toBe('complete');
    expect(reserved()).toBe(1);
    network.setChannels(channels());
    expect(reserved()).toBe(1);
    network.setChannels(channels());
    expect(reserved()).toBe(0);
  });

  test('at once if the HTLC fails', async () => {
    const { paid, id } = await taken();
    network.tell(id, REFUSED);
    expect((await node.until(paid)).status).toBe('failed');
    expect(reserved()).toBe(0);
  });
});

describe('an outcome', () => {
  test('decoded by the node yields the same lesson as an encrypted one', async () => {
    // L2 has 590,000 sat towards L3, so it fails an HTLC of 600,000 sat.
    const much = request({ amountMsat: msatFromSat(600_000), maxfeeMsat: msatFromSat(10_000) });
    node = lineNode();
    const encrypted = (await node.pay(much)).attempts[0]!;
    await node.destroy();
    const { rawMessage, erringIndex } = encrypted.failure!;
    open(true);
    const paid = node.payments.pay(much);
    await until(() => network.sent.length > 0);
    const failure = decodeFailure(rawMessage!);
    network.tell(network.sent[0]!.attemptId, { status: 'decoded', sourceIndex: erringIndex!, failure });
    const decoded = (await node.until(paid)).attempts[0]!;
    expect(encrypted.learned.length).toBeGreaterThan(0);
    expect(decoded.learned).toEqual(encrypted.learned);
    expect({ ...decoded.failure, rawMessage }).toEqual(encrypted.failure);
  });

  test('reported twice, or of an unknown HTLC, changes nothing', async () => {
    open(true);
    const paid = node.payments.pay(request());
    await until(() => network.sent.length > 0);
    const id = network.sent[0]!.attemptId;
    network.tell('0'.repeat(32), REFUSED);
    expect(await stored()).toMatchObject([{ status: 'pending', attempts: [{ status: 'sent' }] }]);
    network.tell(id, { status: 'settled', preimage });
    network.tell(id, REFUSED);
    const payment = await node.until(paid);
    network.tell(id, REFUSED);
    network.tell(id, { status: 'settled', preimage });
    await turns();
    expect(await stored()).toEqual([payment]);
    expect(payment).toMatchObject({ status: 'complete', attempts: [{ status: 'settled' }] });
  });
});

test('a restart queries the network once, for all open HTLCs', async () => {
  open(false);
  await killedAndStartedAgain(5);
  await turns();
  expect(network.asked.map((keys) => keys.map(({ attemptId }) => attemptId).sort())).toEqual([
    network.sent.map(({ attemptId }) => attemptId).sort(),
  ]);
});
