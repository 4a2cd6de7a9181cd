/**
 * The content of the disk if writing stops after a given step, as in a power failure, for each step. After
 * every step, the disk must have both an attempt's outcome and its effect on the payment, or neither. A store
 * that writes them one after the other must fail this check.
 */
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import type { NetworkPort } from '../../src/network/port.ts';
import { Journal } from '../../src/payments/books/journal.ts';
import { PaymentEngine } from '../../src/payments/payment-engine.ts';
import type { PaymentRepository } from '../../src/store/payment-repository.ts';
import { Store } from '../../src/store/store.ts';
import { collected } from '../collected.ts';
import { MEMORY, temporaryDirectory } from '../rpc/support.ts';
import { randomFrom } from '../store/layer-actions.ts';
import { until } from '../until.ts';
import { contradictions, type JournaledPayment } from './crash/contradictions.ts';
import { LedgerNetwork, RECIPIENT, TwoHopRoutes } from './crash/ledger-network.ts';
import { keysendRequest, turn } from './simulation/simulated-node.ts';

const directory = temporaryDirectory(MEMORY);
afterAll(() => directory.remove());

const PAYMENTS = 4;
type Planted = (repository: PaymentRepository) => PaymentRepository;

interface Frozen {
  readonly payments: readonly JournaledPayment[];
  /** Whether all payments had ended before the writes stopped. */
  readonly isComplete: boolean;
}

/**
 * The content of the disk after `steps` write steps. The seed is fixed, so each run has the same ids and
 * outcomes.
 */
async function frozenAfter(steps: number, planted: Planted = (repository) => repository): Promise<Frozen> {
  const path = join(directory.path, `${planted.name}-${steps}.sqlite`);
  let taken = Number.NEGATIVE_INFINITY;
  const onStep = (): void => {
    if (++taken > steps) throw new Error('the power is off');
  };
  const store = new Store(path, { onStep });
  const book = new LayerBook();
  await store.layers.attach(book);
  const random = randomFrom(5);
  const payments = new PaymentEngine({
    network: new LedgerNetwork(`${path}.ledger`) as unknown as NetworkPort,
    engine: new TwoHopRoutes(),
    book,
    graph: () => new ChannelGraph(),
    repository: planted(store.payments),
    randomBytes: (length) => Uint8Array.from({ length }, () => random(256)),
  });
  await payments.start();
  await store.payments.durable();
  taken = 0;
  let answered = 0;
  for (let n = 0; n < PAYMENTS; n++) {
    const request = keysendRequest(RECIPIENT, { useShadow: false, randomize: false });
    payments
      .pay(request)
      .finally(() => answered++)
      .catch(() => undefined);
  }
  await until(() => taken >= steps || answered === PAYMENTS);
  const isComplete = taken < steps;
  await payments.close();
  store.committer.close();
  store.database.close();
  return { payments: await read(path), isComplete };
}

async function read(path: string): Promise<JournaledPayment[]> {
  const store = new Store(path);
  const journal = new Journal(store.payments);
  await journal.open();
  const payments = await collected(journal.payments());
  store.close();
  return payments.map(({ createdIndex, status, attempts }) => ({
    label: `payment ${createdIndex}`,
    status,
    attempts: attempts.map((attempt) => attempt.status),
  }));
}

/** The contradictions after any of the steps, and the number of steps. */
async function judged(planted?: Planted): Promise<{ wrong: string[]; steps: number }> {
  const wrong: string[] = [];
  for (let steps = 1; ; steps++) {
    const { payments, isComplete } = await frozenAfter(steps, planted);
    wrong.push(...contradictions(payments));
    if (isComplete) return { wrong, steps };
    expect(steps).toBeLessThan(200);
  }
}

/** A repository with a defect: it writes the row of a payment one turn after the rows of its attempts. */
function split(repository: PaymentRepository): PaymentRepository {
  return {
    put(owner, payment, attempts) {
      const isNew = attempts.some(({ status }) => status === 'sent');
      repository.put(owner, isNew ? payment : undefined, attempts);
      if (payment !== undefined && !isNew) turn().then(() => repository.put(owner, payment, []));
    },
    durable: (owner) => repository.durable(owner),
    whenWritten: (callback) => repository.whenWritten(callback),
    lastIndexes: () => repository.lastIndexes(),
    lastPlace: () => repository.lastPlace!(),
    recorded: (...question) => repository.recorded(...question),
    recordedBefore: (...question) => repository.recordedBefore(...question),
    unfinished: () => repository.unfinished(),
    payments: (filter) => repository.payments(filter),
    attempts: (...question) => repository.attempts(...question),
    outlines: (...question) => repository.outlines(...question),
    remove: (...what) => repository.remove(...what),
    freeKey: (index) => repository.freeKey(index),
    spentKey: (key) => repository.spentKey(key),
  };
}

test('an outcome and its effect on the payment are either both on disk or both missing, after every step', async () => {
  const { wrong, steps } = await judged();
  expect(wrong).toEqual([]);
  // The transaction of the first attempts already has five steps: begin, two rows, commit and committed.
  expect(steps).toBeGreaterThan(5);
});

test('the check fails for a store that writes an outcome and its effect one after the other', async () => {
  const { wrong } = await judged(split);
  expect(wrong.join('\n')).toMatch(/a settled attempt in a pending payment/);
});
