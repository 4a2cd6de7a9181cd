/**
 * One seed gives one history, whoever does the work: searches in this thread, in one worker or in three,
 * onions in this thread or in another. Several payments are under way at once, and each begins at its own
 * moment.
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hmacSha256 } from '../../src/bolt/hashes.ts';
import { RouteEngine } from '../../src/engine/engine.ts';
import { seededRandom } from '../../src/gossip/random.ts';
import type { LayerBook } from '../../src/layers/layer-book.ts';
import { msat } from '../../src/model/msat.ts';
import { InlineOnions, type OnionBuilder, OnionPool } from '../../src/network/onions/onion-builder.ts';
import type { Payment } from '../../src/payments/payment.ts';
import { keysendRequest, SimulatedNode } from './simulated-node.ts';

const PAYMENTS = 60;
const SEED = 5;

/** Counts the jobs that it has been given. */
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

/** Bytes that depend only on their place in the row. */
function drawnBytes(): (length: number) => Uint8Array {
  let drawn = 0;
  return (length) => {
    const key = new Uint8Array(4);
    new DataView(key.buffer).setUint32(0, drawn++);
    return Uint8Array.from(hmacSha256(key, new Uint8Array(1)).subarray(0, length));
  };
}

/**
 * All events of the network, and the outcome of the payments. With `workers` 0 the searches run in this
 * thread.
 */
async function historyWith(workers: number, builder: OnionBuilder) {
  const onions = new CountedOnions(builder);
  let engine: RouteEngine | undefined;
  const routes = (book: LayerBook): RouteEngine => {
    engine = new RouteEngine({ book, workers });
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
  const told = payments.map(({ status, attempts }) => `${status} ${attempts.length}`);
  return { pendingAttempts, digest, outcomes: createHash('sha256').update(told.join()).digest('hex'), told };
}

async function payAll(node: SimulatedNode): Promise<Payment[]> {
  const random = seededRandom(SEED, 1);
  const destinations = node.destinations();
  const paying: Promise<Payment>[] = [];
  while (paying.length < PAYMENTS) {
    if (random() < 0.3) {
      const destination = destinations[Math.floor(random() * destinations.length)]!;
      const amountMsat = msat(10n ** BigInt(3 + Math.floor(random() * 6)));
      const kind = random() < 0.5 ? 'keysend' : 'xkeysend';
      const seed = BigInt(paying.length);
      paying.push(
        node.payments.pay(keysendRequest(destination, { kind, amountMsat, maxfeeMsat: amountMsat, seed })),
      );
    }
    await node.pass();
  }
  return node.until(Promise.all(paying));
}

test('the history of a seed does not depend on how many workers there are', async () => {
  const alone = await historyWith(0, new InlineOnions());
  expect(alone.pendingAttempts).toBe(0);
  expect(alone.told.filter((told) => told.startsWith('complete')).length).toBeGreaterThan(PAYMENTS / 2);
  expect(alone.told.some((told) => !told.endsWith(' 1'))).toBe(true);
  expect(await historyWith(1, new InlineOnions())).toEqual(alone);
  expect(await historyWith(3, new InlineOnions())).toEqual(alone);
  expect(await historyWith(2, new OnionPool())).toEqual(alone);
});
