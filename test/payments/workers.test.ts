/**
 * The same seed gives the same history for any division of work: searches in this thread or in one to three
 * workers, onions in this thread or in a second one. Several payments are in progress at once, and each begins
 * at a different moment.
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hmacSha256 } from '../../src/bolt/crypto/hashes.ts';
import { RouteEngine } from '../../src/engine/host/engine.ts';
import { seededRandom } from '../../src/gossip/random.ts';
import type { LayerBook } from '../../src/layers/layer-book.ts';
import { msat } from '../../src/model/msat.ts';
import { InlineOnions, type OnionBuilder } from '../../src/network/onions/onion-builder.ts';
import { OnionPool } from '../../src/network/onions/onion-pool.ts';
import type { Payment } from '../../src/payments/payment.ts';
import { binomialRange } from '../statistics.ts';
import { leastSentMsat } from './simulation/all-seeing.ts';
import { keysendRequest, SimulatedNode } from './simulation/simulated-node.ts';

const PAYMENTS = 60;
const SEED = 5;
/**
 * The maximum share of failures among the payments that a payer who knows every balance could have made when
 * they began. A hop holds one HTLC in 50 for five minutes, longer than a payment retries, and a path has
 * three or four hops: at most 8 in 100. At most 4 in 100 fail because other payments hold the money.
 */
const UNLUCKY = 0.12;

/** An onion builder that counts its jobs. */
class CountedOnions implements OnionBuilder {
  pending = 0;
  readonly #onions: OnionBuilder;

  constructor(onions: OnionBuilder) {
    this.#onions = onions;
  }

  async build(order: Parameters<OnionBuilder['build']>[0]): ReturnType<OnionBuilder['build']> {
    this.pending++;
    try {
      return await this.#onions.build(order);
    } finally {
      this.pending--;
    }
  }

  close(): Promise<void> {
    return this.#onions.close();
  }
}

/**
 * Returns answers in the order of the requests. When two payments search at once, several workers may finish
 * in either order, depending on real time. The payment that is answered first sends first and draws the next
 * random bytes. Only a fixed order makes the history independent of the number of workers.
 */
class OrderedEngine extends RouteEngine {
  #last: Promise<unknown> = Promise.resolve();

  override getroutes(...asked: Parameters<RouteEngine['getroutes']>): ReturnType<RouteEngine['getroutes']> {
    const answer = super.getroutes(...asked);
    const inOrder = Promise.allSettled([answer, this.#last]).then(() => answer);
    this.#last = inOrder;
    return inOrder;
  }
}

/** Bytes that depend only on their position in the sequence. */
function drawnBytes(): (length: number) => Uint8Array {
  let drawn = 0;
  return (length) => {
    const key = new Uint8Array(4);
    new DataView(key.buffer).setUint32(0, drawn++);
    return Uint8Array.from(hmacSha256(key, new Uint8Array(1)).subarray(0, length));
  };
}

/**
 * Returns all events of the network and the outcomes of the payments. With 0 `workers`, searches run in this
 * thread.
 */
async function historyWith(workers: number, builder: OnionBuilder) {
  const onions = new CountedOnions(builder);
  let engine: RouteEngine | undefined;
  const routes = (book: LayerBook): RouteEngine => {
    engine = new OrderedEngine({ book, workers });
    return engine;
  };
  const isBusy = (): boolean =>
    onions.pending > 0 || (engine !== undefined && engine.stats.running + engine.stats.queued > 0);
  const node = new SimulatedNode({
    simulation: { seed: SEED, faults: { garbledFailures: 0.05, stuckHtlcs: 0.02, unreportedPolicies: 0.1 } },
    onions,
    engine: { randomBytes: drawnBytes() },
    isBusy,
    ...(workers > 0 && { routes }),
  });
  engine?.publish(node.graph);
  const payments = await payAll(node);
  const { pendingAttempts } = node.simulation.stats();
  const digest = node.simulation.logDigest();
  await node.destroy();
  await engine?.close();
  await onions.close();
  const told = payments.map(({ payment: { status, attempts } }) => `${status} ${attempts.length}`);
  const outcomes = createHash('sha256').update(told.join()).digest('hex');
  const payable = payments.filter(({ isPayable, payment }) => isPayable && !isRefused(payment));
  const missed = payable.filter(({ payment }) => payment.status !== 'complete').length;
  return { pendingAttempts, digest, outcomes, told, payable: payable.length, missed };
}

/** Whether the recipient refused the payment, as recipients without keysend support do. */
const isRefused = ({ failure }: Payment): boolean =>
  failure !== undefined && 'obstacle' in failure && failure.obstacle === 'recipientRefused';

/** A payment, and whether a payer who knows every balance could have made it when it began. */
interface Paid {
  readonly payment: Payment;
  readonly isPayable: boolean;
}

async function payAll(node: SimulatedNode): Promise<Paid[]> {
  const random = seededRandom(SEED, 1);
  const destinations = node.destinations();
  const paying: Promise<Paid>[] = [];
  while (paying.length < PAYMENTS) {
    if (random() < 0.3) {
      const destination = destinations[Math.floor(random() * destinations.length)]!;
      const amountMsat = msat(10n ** BigInt(3 + Math.floor(random() * 6)));
      const kind = random() < 0.5 ? 'keysend' : 'xkeysend';
      const seed = BigInt(paying.length);
      const isPayable = leastSentMsat(node, destination, amountMsat, 2n * amountMsat) !== undefined;
      const request = keysendRequest(destination, { kind, amountMsat, maxfeeMsat: amountMsat, seed });
      paying.push(node.payments.pay(request).then((payment) => ({ payment, isPayable })));
    }
    await node.pass();
  }
  return node.until(Promise.all(paying));
}

test('the history of a seed does not depend on the number of workers', async () => {
  const alone = await historyWith(0, new InlineOnions());
  expect(alone.pendingAttempts).toBe(0);
  expect(alone.payable, `seed ${SEED}`).toBeGreaterThan(0);
  expect(alone.missed, `of ${alone.payable}, seed ${SEED}`).toBeLessThanOrEqual(
    binomialRange(alone.payable, UNLUCKY).most,
  );
  expect(alone.told.some((told) => !told.endsWith(' 1'))).toBe(true);
  expect(await historyWith(1, new InlineOnions())).toEqual(alone);
  expect(await historyWith(3, new InlineOnions())).toEqual(alone);
  expect(await historyWith(2, new OnionPool())).toEqual(alone);
});
