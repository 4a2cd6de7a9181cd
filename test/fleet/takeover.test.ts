/**
 * Payment engines of two daemons that share a journal and a Lightning node, in virtual time. One is killed or
 * paused at the worst moment, and the other takes its payment over.
 *
 *     we ── L2 ── L3 ── L4            both daemons send over our channel to L2
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { deferred } from '../../src/model/deferred.ts';
import { msatFromSat } from '../../src/model/msat.ts';
import { InProcessPort } from '../../src/network/simulated/in-process-port.ts';
import type { Simulation } from '../../src/network/simulated/simulation.ts';
import type { Payment } from '../../src/payments/payment.ts';
import { PaymentEngine } from '../../src/payments/payment-engine.ts';
import { OutcomeUnknownHere } from '../../src/store/payment-leases.ts';
import { InProcessEngine, InProcessKernel } from '../payments/in-process-engine.ts';
import { L3, lineNode } from '../payments/line-graph.ts';
import { keysendRequest, type SimulatedNode } from '../payments/simulation/simulated-node.ts';
import { portsOn } from './ports-on.ts';
import { type JournalOfDaemon, LEASE_MS, SharedJournal } from './shared-journal.ts';

interface Daemon {
  readonly engine: PaymentEngine;
  readonly port: InProcessPort;
  readonly store: JournalOfDaemon;
  readonly book: LayerBook;
  readonly routes: InProcessEngine;
}

let node: SimulatedNode;
let journal: SharedJournal;
let newPort: () => Simulation;
const daemons: Daemon[] = [];

beforeEach(() => {
  node = lineNode();
  journal = new SharedJournal(node);
  newPort = portsOn(node.simulation);
});
afterEach(async () => {
  for (const { engine, port } of daemons.splice(0)) {
    await engine.close();
    await port.close();
  }
  await node.destroy();
});

async function daemon(name: string, repeatsSends = true): Promise<Daemon> {
  const book = new LayerBook(() => Math.floor(node.nowMs() / 1000));
  const port = new InProcessPort(newPort());
  Object.defineProperty(port, 'capabilities', { value: { ...port.capabilities, repeatsSends } });
  const store = journal.of(name);
  const routes = new InProcessEngine(book, new InProcessKernel(node.graph));
  const engine = new PaymentEngine({
    network: port,
    engine: routes,
    book,
    graph: () => node.graph,
    repository: store,
    clock: node,
  });
  await engine.start();
  const made = { engine, port, store, book, routes };
  daemons.push(made);
  return made;
}

const request = (idempotencyKey?: string) =>
  keysendRequest(L3, {
    amountMsat: msatFromSat(1_000),
    maxfeeMsat: msatFromSat(100),
    useShadow: false,
    idempotencyKey,
  });

/**
 * Pauses the daemon when it is about to send, until the returned function is called. By default it has already checked
 * for the last time that it may send.
 */
function standStillBeforeSending(
  { port, store }: Daemon,
  { checksAfterwards = false } = {},
): {
  readonly isReady: () => boolean;
  readonly wake: () => void;
} {
  const send = port.send.bind(port);
  let goOn: (() => void) | undefined;
  port.send = (htlc, mayLeave = () => true) => {
    store.isPaused = true;
    return new Promise((resolve, reject) => {
      goOn = () => {
        if (!checksAfterwards || mayLeave()) send(htlc).then(resolve, reject);
        else reject(new Error('not sent'));
      };
    });
  };
  return {
    isReady: () => goOn !== undefined,
    wake() {
      store.isPaused = false;
      goOn!();
    },
  };
}

async function passUntil(isDone: () => boolean): Promise<void> {
  for (let steps = 0; !isDone(); steps++) {
    if (steps > 100_000) throw new Error('the condition was never met');
    await node.pass();
  }
}

async function pass(ms: number): Promise<void> {
  const end = node.nowMs() + ms;
  await passUntil(() => node.nowMs() > end);
}

/** Pauses the daemon when its first attempt is on disk, until the returned function is called. */
function standStillWhenWritten({ store }: Daemon): ReturnType<typeof standStillBeforeSending> {
  const durable = store.durable.bind(store);
  const woken = deferred();
  let isReady = false;
  store.durable = async (owner) => {
    await durable(owner);
    if (journal.attempts.size === 0 || isReady) return;
    store.isPaused = true;
    isReady = true;
    await woken.promise;
  };
  return {
    isReady: () => isReady,
    wake() {
      store.isPaused = false;
      woken.resolve();
    },
  };
}

/**
 * Does what the manual tells callers to do: repeats the request with the same key as long as the outcome is
 * unknown.
 */
async function outcomeFrom({ engine }: Daemon, asked = request('a key')): Promise<Payment> {
  for (;;) {
    try {
      return await engine.pay(asked);
    } catch (error) {
      if (!(error instanceof OutcomeUnknownHere)) throw error;
    }
  }
}

const onlyRow = () => journal.payments.values().next().value!;
const balanceMsat = () => node.simulation.ownChannels().channels[0]!.spendableMsat;
const settled = () => [...journal.attempts.values()].filter(({ status }) => status === 'settled').length;

test('an owner that is paused before it sends: its attempt is sent for it, and it sends nothing more', async () => {
  const a = await daemon('a');
  const still = standStillBeforeSending(a);
  const before = balanceMsat();
  const answerOfA = outcomeFrom(a);
  await passUntil(still.isReady);
  const b = await daemon('b');
  await passUntil(() => onlyRow().status === 'complete');
  expect(b.engine.takeovers).toEqual({ takenOver: 1, lost: 0 });
  still.wake();
  const told = await node.until(answerOfA);
  expect([told.status, told.attempts.length, settled()]).toEqual(['complete', 1, 1]);
  expect(a.engine.takeovers).toEqual({ takenOver: 0, lost: 1 });
  expect(node.simulation.stats().repeatedPayments).toBe(0);
  const [{ amountSentMsat }] = told.attempts as [Payment['attempts'][number]];
  await passUntil(() => before - balanceMsat() === amountSentMsat);
  for (const { book } of [a, b]) {
    await passUntil(() => [...book.reservations()].length === 0);
    expect([...book.layers()].map(({ name }) => name)).not.toContain('keysend-1');
  }
});

test('an owner that is paused after it sent: the daemon that takes over gets the outcome', async () => {
  const a = await daemon('a');
  const answerOfA = outcomeFrom(a);
  await passUntil(() => node.simulation.stats().pendingAttempts === 1);
  a.store.isPaused = true;
  a.store.isReachable = false;
  const b = await daemon('b');
  await passUntil(() => onlyRow().status === 'complete');
  expect([b.engine.takeovers.takenOver, onlyRow().preimage !== undefined]).toEqual([1, true]);
  a.store.isPaused = false;
  a.store.isReachable = true;
  expect((await node.until(answerOfA)).status).toBe('complete');
  expect(node.simulation.stats().repeatedPayments).toBe(0);
});

test.each([
  ['without an idempotency key it makes no new attempt', undefined, 'interrupted'],
  ['with one it looks for another route', 'a key', 'noRoute'],
])('a payment that fails after a takeover: %s', async (_, key, obstacle) => {
  const a = await daemon('a');
  const still = standStillBeforeSending(a);
  const large = { ...request(key), amountMsat: msatFromSat(600_000), maxfeeMsat: msatFromSat(10_000) };
  const answerOfA = a.engine.pay(large).catch(() => undefined);
  await passUntil(still.isReady);
  const b = await daemon('b');
  let searches = 0;
  const getroutes = b.routes.getroutes.bind(b.routes);
  b.routes.getroutes = (...asked) => {
    searches++;
    return getroutes(...asked);
  };
  await passUntil(() => onlyRow().status === 'failed');
  still.wake();
  await node.until(answerOfA);
  const { status, failure, attempts } = (await b.engine.journal.paymentAt(1))!;
  expect([status, attempts.length]).toEqual(['failed', 1]);
  expect(failure).toMatchObject({ obstacle });
  expect(searches > 0).toBe(key !== undefined);
  if (key !== undefined) expect((await node.until(outcomeFrom(a, large))).failure).toEqual(failure);
});

test('if the network cannot repeat sends, a takeover waits for the action of the first owner', async () => {
  const a = await daemon('a', false);
  const still = standStillBeforeSending(a);
  const answerOfA = outcomeFrom(a);
  await passUntil(still.isReady);
  const b = await daemon('b', false);
  const end = node.nowMs() + 20 * LEASE_MS;
  await passUntil(() => node.nowMs() > end);
  // The network does not know the attempt, but that proves nothing.
  expect([b.engine.takeovers.takenOver, onlyRow().status]).toEqual([1, 'pending']);
  still.wake();
  await passUntil(() => onlyRow().status === 'complete');
  expect((await node.until(answerOfA)).status).toBe('complete');
  expect(settled()).toBe(1);
});

test('if the network cannot repeat sends, a takeover goes on once the first owner has started again', async () => {
  const a = await daemon('a', false);
  const still = standStillBeforeSending(a);
  const asked = { ...request('a key'), retryForS: 3_600 };
  void a.engine.pay(asked).catch(() => undefined);
  await passUntil(still.isReady);
  const b = await daemon('b', false);
  neverLeftIfUnknown(b);
  await pass(20 * LEASE_MS);
  expect([b.engine.takeovers.takenOver, onlyRow().status, journal.attempts.size]).toEqual([1, 'pending', 1]);
  // A different daemon proves nothing about the first one.
  await daemon('c', false);
  await pass(20 * LEASE_MS);
  expect([onlyRow().status, journal.attempts.size]).toEqual(['pending', 1]);
  // The process of the first run has ended, so it never sends.
  const again = await daemon('a', false);
  expect((await node.until(outcomeFrom(again, asked))).status).toBe('complete');
  expect([...journal.attempts.values()].map(({ status }) => status)).toEqual(['failed', 'settled']);
});

test.each([
  ['just before it sends', (a: Daemon) => standStillBeforeSending(a, { checksAfterwards: true })],
  ['when its attempt is on disk', standStillWhenWritten],
])(
  'a retired daemon that was only paused, %s: others go on at once, and it never sends',
  async (_, pause) => {
    const a = await daemon('a', false);
    const still = pause(a);
    const asked = { ...request('a key'), retryForS: 3_600 };
    const answerOfA = a.engine.pay(asked).catch((error) => error);
    await passUntil(still.isReady);
    const b = await daemon('b', false);
    neverLeftIfUnknown(b);
    await pass(20 * LEASE_MS);
    expect([b.engine.takeovers.takenOver, onlyRow().status, journal.attempts.size]).toEqual([
      1,
      'pending',
      1,
    ]);
    journal.retire('a');
    const retiredAtMs = node.nowMs();
    await passUntil(() => onlyRow().status === 'complete');
    expect(node.nowMs() - retiredAtMs).toBeLessThan(10_000);
    await pass(LEASE_MS);
    const before = balanceMsat();
    still.wake();
    await pass(20 * LEASE_MS);
    expect([balanceMsat(), node.simulation.stats().repeatedPayments]).toEqual([before, 0]);
    // It does not write for another payment either.
    const second = a.engine.pay(request('another key')).catch((error) => error);
    await pass(20 * LEASE_MS);
    expect([journal.payments.size, journal.attempts.size]).toEqual([1, 2]);
    await a.engine.close();
    await Promise.all([answerOfA, second]);
  },
);

test('if the network cannot repeat sends, a payment fails once its HTLC would have expired and can no longer leave', async () => {
  const a = await daemon('a', false);
  const still = standStillBeforeSending(a);
  void a.engine.pay(request()).catch(() => undefined);
  await passUntil(still.isReady);
  await daemon('b', false);
  const { height } = [...journal.attempts.values()][0]!;
  node.simulation.setHeight(height + 20);
  const end = node.nowMs() + 20 * LEASE_MS;
  await passUntil(() => node.nowMs() > end);
  expect(onlyRow().status).toBe('pending');
  node.simulation.setHeight(height + 1_000);
  await passUntil(() => onlyRow().status === 'failed');
});

test('without the rule of takeover, such a payment is reported as failed although it is paid', async () => {
  const a = await daemon('a');
  const still = standStillBeforeSending(a);
  void a.engine.pay(request()).catch(() => undefined);
  await passUntil(still.isReady);
  const b = await daemon('b');
  // Breaks the rule: treats "unknown" as proof that the attempt never left, and does not send it again.
  neverLeftIfUnknown(b);
  Object.defineProperty(b.port, 'blockHeight', { value: () => 1_000_000 });
  await passUntil(() => onlyRow().status === 'failed');
  const before = balanceMsat();
  still.wake();
  await passUntil(() => balanceMsat() < before && node.simulation.stats().pendingAttempts === 0);
  expect(onlyRow().status).toBe('failed');
});

const NEVER_LEFT = { status: 'neverLeft' } as const;

/** Makes the daemon's network report that an HTLC never left if the network does not know it. */
function neverLeftIfUnknown({ port }: Daemon): void {
  const outcomes = port.outcomes.bind(port);
  port.outcomes = async (keys) =>
    new Map(
      [...(await outcomes(keys))].map(([id, state]) => [id, state.status === 'unknown' ? NEVER_LEFT : state]),
    );
}

test('a key that a different daemon uses: the second request follows the first payment', async () => {
  const [a, b] = [await daemon('a'), await daemon('b')];
  const first = a.engine.pay(request('key'));
  await passUntil(() => journal.payments.size === 1);
  const second = b.engine.pay(request('key'));
  const [one, two] = await node.until(Promise.all([first, second]));
  expect([one.status, two.status, two.id]).toEqual(['complete', 'complete', one.id]);
  expect(settled()).toBe(1);
});

test('a key that two daemons use at the same moment: one pays, and the other follows', async () => {
  const [a, b] = [await daemon('a'), await daemon('b')];
  const both = await node.until(Promise.all([a.engine.pay(request('key')), b.engine.pay(request('key'))]));
  expect(both.map(({ status }) => status)).toEqual(['complete', 'complete']);
  expect(both[0]!.id).toBe(both[1]!.id);
  expect([journal.payments.size, settled()]).toEqual([1, 1]);
  await expect(
    node.until(b.engine.pay({ ...request('key'), amountMsat: msatFromSat(2_000) })),
  ).rejects.toMatchObject({ reason: { kind: 'otherRequest', differing: ['amountMsat'] } });
});

test('no attempt begins if our ownership has not been confirmed for half a lease', async () => {
  const a = await daemon('a');
  Object.defineProperty(a.store, 'confirmedMsAgo', { configurable: true, value: LEASE_MS / 2 + 1 });
  const answer = outcomeFrom(a);
  const end = node.nowMs() + 3 * LEASE_MS;
  await passUntil(() => node.nowMs() > end);
  expect(journal.attempts.size).toBe(0);
  Object.defineProperty(a.store, 'confirmedMsAgo', { configurable: true, value: 0 });
  expect((await node.until(answer)).status).toBe('complete');
});

test('a failure is not reported before it is written, because a different daemon may be sending the attempt again', async () => {
  const a = await daemon('a');
  const large = {
    ...request(),
    amountMsat: msatFromSat(600_000),
    maxfeeMsat: msatFromSat(10_000),
    retryForS: 0,
  };
  let isTold = false;
  const answer = outcomeFrom(a, large).finally(() => {
    isTold = true;
  });
  await passUntil(() => node.simulation.stats().pendingAttempts === 1);
  a.store.isReachable = false;
  const end = node.nowMs() + LEASE_MS / 2;
  await passUntil(() => node.nowMs() > end);
  expect(isTold).toBe(false);
  a.store.isReachable = true;
  expect((await node.until(answer)).status).toBe('failed');
  expect(onlyRow().status).toBe('failed');
});

test('a caller gets an error while the store is silent, and later the outcome with the same key', async () => {
  const a = await daemon('a');
  // The payment fails, and a failure is reported only after it is written. A success is reported at once.
  const large = {
    ...request('key'),
    amountMsat: msatFromSat(600_000),
    maxfeeMsat: msatFromSat(10_000),
    retryForS: 0,
  };
  const answer = a.engine.pay(large);
  await passUntil(() => node.simulation.stats().pendingAttempts === 1);
  a.store.isReachable = false;
  const beganMs = node.nowMs();
  await expect(node.until(answer)).rejects.toMatchObject({
    name: 'storeFailed',
    data: { reason: 'outcomeAway', status: 'pending', idempotency_key: 'key' },
  });
  // The caller waits half a lease, and then until the next check.
  expect(node.nowMs() - beganMs).toBeLessThanOrEqual(LEASE_MS / 2 + LEASE_MS / 10);
  a.store.isReachable = true;
  expect((await node.until(a.engine.pay(large))).status).toBe('failed');
  expect(node.simulation.stats().repeatedPayments).toBe(0);
});

test('a caller does not wait for a payment of a node that has no daemon left', async () => {
  const [a, b] = [await daemon('a'), await daemon('b')];
  void a.engine.pay(request('key')).catch(() => undefined);
  await passUntil(() => journal.payments.size === 1);
  a.store.isPaused = true;
  // No daemon of the owner's Lightning node is left to take the payment over.
  b.store.claim = async () => [];
  Object.assign(b.store, { isAbandoned: async () => true });
  await expect(node.until(b.engine.pay(request('key')))).rejects.toMatchObject({
    data: { reason: 'outcomeAway', why: 'noDaemon' },
  });
});
