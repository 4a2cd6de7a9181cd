/**
 * The work of a process until it is killed: random but repeatable changes to a store. Every change that may
 * have been acknowledged to a client is reported.
 */
import type { Store } from '../../../src/store/store.ts';
import { act as changeLayer, clockedBook, randomFrom } from '../layer-actions.ts';
import { act as changeOffer } from '../offer-actions.ts';

/** Makes `steps` changes. `acknowledge` receives the number of changes on disk. */
export type Work = (
  store: Store,
  seed: number,
  steps: number,
  acknowledge: (done: number) => void,
) => Promise<void>;

/**
 * Whether the answer to this step is awaited. One to three changes are awaited together, like pipelined
 * requests.
 */
export const isAwaited = (step: number): boolean => step % 3 === 2 || step % 5 === 0;

const workOnLayers: Work = async (store, seed, steps, acknowledge) => {
  const { book, at } = clockedBook();
  await store.layers.attach(book);
  const random = randomFrom(seed);
  for (let step = 0; step < steps; step++) {
    changeLayer(book, at, step, random);
    if (!isAwaited(step)) continue;
    await store.committer.durable();
    acknowledge(step + 1);
  }
};

const workOnOffers: Work = async (store, seed, steps, acknowledge) => {
  const random = randomFrom(seed);
  for (let step = 0; step < steps; step++) {
    changeOffer(store.offers, step, random);
    if (!isAwaited(step)) continue;
    await store.offers.durable();
    acknowledge(step + 1);
  }
};

export const WORK = { layers: workOnLayers, offers: workOnOffers } as const;
