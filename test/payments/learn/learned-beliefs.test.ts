/** How lessons of attempts enter the layer `auto.learned`, and fade there. */
import { describe, expect, it } from 'vitest';
import { applyFold } from '../../../src/layers/bounds-fold.ts';
import { directionKey } from '../../../src/layers/cell.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { burdenLevel } from '../../../src/layers/learned-odds.ts';
import { msat } from '../../../src/model/msat.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import { LearnedBeliefs, NATS_PER_SECOND } from '../../../src/payments/learn/learned-beliefs.ts';
import { SHARED_LAYER } from '../../../src/payments/learn/learning.ts';
import { type KnownHop, OddsModel, type OddsState } from '../../../src/payments/learn/odds-model.ts';
import type { AttemptTime } from '../../../src/payments/learn/settle-times.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';

const CAPACITY = 1_000_000_000n;

function subject(state?: OddsState) {
  let now = 1_000_000;
  const { graph } = tinyGraph(['A-B', 'B-C']);
  const book = new LayerBook(() => now);
  const model = new OddsModel(() => now, state);
  const beliefs = new LearnedBeliefs({ model, book, graph: () => graph });
  const of = { shortChannelId: graph.shortChannelIds[0]! as ShortChannelId, direction: 0 } as const;
  const bounds = () => {
    beliefs.refresh();
    const fold = book.learned.channelCell(of.shortChannelId)?.bounds[0] ?? [];
    return applyFold(fold, { minMsat: 0n, maxMsat: CAPACITY }, CAPACITY);
  };
  const wait = (seconds: number): void => {
    now += seconds;
  };
  return { graph, book, model, beliefs, of, bounds, wait };
}

/** A round trip without reports of hold times. */
const tookS = (roundTripS: number): AttemptTime => ({ roundTripS, holdTimesS: [], waited: false });

const hopTo = (name: string): KnownHop => ({
  to: nodeNamed(name),
  isOwn: false,
  least: 0,
  most: 1,
  amount: 0.01,
  ofClass: 1,
  ageS: 0,
});

describe('the layer of learned beliefs', () => {
  it('has the learned bounds, which fade with their half-life until nothing is known', () => {
    const { book, model, of, bounds, wait } = subject();
    expect(bounds()).toEqual({ minMsat: 0n, maxMsat: CAPACITY });
    const shared = book.createLayer(SHARED_LAYER, false);
    book.informChannel(shared, of, msat(200_000_000n), 'unconstrained');
    book.informChannel(shared, of, msat(600_000_001n), 'constrained');
    expect(bounds()).toEqual({ minMsat: 200_000_000n, maxMsat: 600_000_000n });
    // Nodes with one or two channels carry a quarter of the usual traffic, so bounds live four times as long.
    wait(Math.round(4 * model.halfLifeS));
    const { minMsat, maxMsat } = bounds();
    expect(Number(minMsat)).toBeCloseTo(100_000_000, -6);
    expect(Number(maxMsat)).toBeCloseTo(800_000_000, -6);
    book.age(shared, 10n ** 12n);
    expect(bounds()).toEqual({ minMsat: 0n, maxMsat: CAPACITY });
  });

  it('has bounds again if they faded only because the clock was ahead for a while', () => {
    const { book, of, bounds, wait } = subject();
    const shared = book.createLayer(SHARED_LAYER, false);
    book.informChannel(shared, of, msat(200_000_000n), 'unconstrained');
    const known = { minMsat: 200_000_000n, maxMsat: CAPACITY };
    expect(bounds()).toEqual(known);
    const YEAR_S = 365 * 86_400;
    wait(YEAR_S);
    expect(bounds()).toEqual({ minMsat: 0n, maxMsat: CAPACITY });
    wait(-YEAR_S);
    expect(bounds()).toEqual(known);
  });

  it('shows the amount that a channel can still pass after a payment, and does not treat it as nearly empty', () => {
    const { book, model, of, bounds } = subject();
    // These outcomes teach the model that half of all channels can carry nearly nothing, and the others nearly
    // everything.
    for (let n = 0; n < 400; n++)
      model.observe(
        [{ ...hopTo('B'), amount: n % 4 < 2 ? 0.02 : 0.98 }],
        n % 2 === 0 ? { kind: 'arrived' } : { kind: 'failed', index: 0, blames: 'hop' },
      );
    const shared = book.createLayer(SHARED_LAYER, false);
    book.informChannel(shared, of, msat(100_000_000n), 'unconstrained');
    book.informChannel(shared, of, msat(100_000_000n), 'succeeded');
    const { minMsat, maxMsat } = bounds();
    // Its node may keep a reserve of 1 %.
    expect(maxMsat).toBeGreaterThan(888_000_000n);
    expect(maxMsat).toBeLessThanOrEqual(900_000_000n);
    expect(Number(minMsat)).toBeGreaterThan(300_000_000);
  });

  it('does not promise that what came in can go back, since part of it may be the reserve', () => {
    const { book, of, bounds } = subject();
    const shared = book.createLayer(SHARED_LAYER, false);
    const opposite = { ...of, direction: of.direction === 0 ? 1 : 0 } as const;
    book.informChannel(shared, opposite, msat(100_000_000n), 'succeeded');
    expect(bounds().minMsat).toBe(90_000_000n);
  });

  it('reads channels again when the shared layer is removed, but not when a payment removes its own layer', () => {
    const { graph, book, model, of } = subject();
    let reads = 0;
    const counted = () => {
      reads++;
      return graph;
    };
    const beliefs = new LearnedBeliefs({ model, book, graph: counted });
    const shared = book.createLayer(SHARED_LAYER, false);
    book.informChannel(shared, of, msat(200_000_000n), 'unconstrained');
    beliefs.refresh();
    reads = 0;
    book.removeLayer(book.createLayer('payment-1', false));
    beliefs.refresh();
    expect(reads).toBe(0);
    expect(book.learned.channelCell(of.shortChannelId)).toBeDefined();
    book.removeLayer(shared);
    beliefs.refresh();
    expect(reads).toBeGreaterThan(0);
    expect(book.learned.channelCell(of.shortChannelId)).toBeUndefined();
  });

  it('keeps bounds unchanged for some minutes, so that kernels need not receive every channel every minute', () => {
    const { book, model, of, bounds, wait } = subject();
    const shared = book.createLayer(SHARED_LAYER, false);
    book.informChannel(shared, of, msat(200_000_000n), 'unconstrained');
    const first = bounds();
    let changes = 0;
    book.subscribe({
      channelChanged: () => void changes++,
      nodeChanged: () => undefined,
      layerRemoved: () => undefined,
    });
    // A sixteenth of a half-life rounds to no change. The traffic here is a quarter of the usual.
    const seconds = Math.floor((4 * model.halfLifeS) / 16) - 1;
    for (let minute = 0; minute < 10; minute++) {
      wait(Math.floor(seconds / 10));
      expect(bounds()).toEqual(first);
    }
    expect(changes).toBe(0);
    wait(seconds);
    expect(bounds()).not.toEqual(first);
  });

  it('examines a channel only when its bounds change, and removes it when nothing is left of them', () => {
    const { graph, book, model, of, wait } = subject();
    let reads = 0;
    const counted = () => {
      reads++;
      return graph;
    };
    const beliefs = new LearnedBeliefs({ model, book, graph: counted });
    const shared = book.createLayer(SHARED_LAYER, false);
    book.informChannel(shared, of, msat(200_000_000n), 'unconstrained');
    beliefs.refresh();
    const readsEach = reads;
    let changes = 0;
    book.subscribe({
      channelChanged: () => void changes++,
      nodeChanged: () => undefined,
      layerRemoved: () => undefined,
    });
    reads = 0;
    // Five half-lives, at a quarter of the usual traffic, in 400 steps.
    for (let step = 0; step < 400; step++) {
      wait(Math.ceil((4 * 5 * model.halfLifeS) / 400));
      beliefs.refresh();
    }
    expect(changes).toBe(12);
    expect(reads).toBeLessThanOrEqual(12 * readsEach);
    expect(book.learned.channelCell(of.shortChannelId)).toBeUndefined();
  });

  it('follows a channel through a splice', () => {
    const { graph, book, model, of, bounds, wait } = subject();
    const shared = book.createLayer(SHARED_LAYER, false);
    book.informChannel(shared, of, msat(200_000_000n), 'unconstrained');
    book.informChannel(shared, of, msat(600_000_001n), 'constrained');
    expect(bounds()).toEqual({ minMsat: 200_000_000n, maxMsat: 600_000_000n });
    wait(Math.round((4 * model.halfLifeS) / 8));
    const to = graph.shortChannelIds[1]! as ShortChannelId;
    book.followSplice({
      from: of.shortChannelId,
      to,
      oldCapacityMsat: CAPACITY,
      newCapacityMsat: 2n * CAPACITY,
    });
    bounds();
    const fold = book.learned.channelCell(to)?.bounds[0] ?? [];
    const { minMsat, maxMsat } = applyFold(fold, { minMsat: 0n, maxMsat: CAPACITY }, CAPACITY);
    // The records keep their timestamps, so the knowledge has faded by an eighth of a half-life.
    expect(Number(minMsat)).toBeCloseTo(200_000_000 * 0.5 ** (1 / 8), -6);
    expect(maxMsat).toBe(CAPACITY);
  });

  it('penalizes a node that does not answer, and less so with time', () => {
    const { book, model, beliefs, wait } = subject();
    beliefs.refresh();
    const burden = () => {
      beliefs.refresh();
      return book.learned.nodeCell(nodeNamed('C'))?.burden ?? 0;
    };
    expect(burden()).toBe(0);
    for (let n = 0; n < 4; n++)
      model.observe([hopTo('B'), hopTo('C')], { kind: 'failed', index: 1, blames: 'hop' });
    const at = burden();
    expect(at).toBe(burdenLevel(model.burden(nodeNamed('C'))));
    expect(at).toBeGreaterThan(burdenLevel(model.usualBurden) + 3);
    wait(4 * 3600);
    expect(burden()).toBeLessThan(at);
  });

  it('makes a slow node costlier, by the price of a second', () => {
    const { graph, book, model, beliefs } = subject();
    const levels = (): number[] => {
      beliefs.refresh();
      return ['B', 'C'].map((name) => book.learned.nodeCell(nodeNamed(name))?.burden ?? 0);
    };
    for (let n = 0; n < 20; n++) {
      model.observe([hopTo('B')], { kind: 'arrived' }, tookS(0.3));
      model.observe([hopTo('B'), hopTo('C')], { kind: 'arrived' }, tookS(10));
    }
    const [fast, slow] = levels();
    const nats = model.burden(nodeNamed('C')) + NATS_PER_SECOND * model.excessSeconds(nodeNamed('C'));
    expect(slow).toBe(burdenLevel(nats));
    expect(model.excessSeconds(nodeNamed('C'))).toBeGreaterThan(3);
    expect(slow).toBeGreaterThan(fast! + 3);
    const free = new LearnedBeliefs({ model, book, graph: () => graph, natsPerSecond: 0 });
    for (const name of ['B', 'C']) model.observe([hopTo(name)], { kind: 'arrived' }, tookS(5));
    free.refresh();
    expect(book.learned.nodeCell(nodeNamed('C'))?.burden).toBe(burdenLevel(model.burden(nodeNamed('C'))));
    free.close();
  });

  it('avoids for a long time a direction that did not keep its terms', () => {
    const { book, model, beliefs, of, wait } = subject();
    const bias = () => {
      beliefs.refresh();
      return book.learned.channelCell(of.shortChannelId)?.bias ?? [0, 0];
    };
    expect(bias()).toEqual([0, 0]);
    const direction = directionKey(of.shortChannelId, 0);
    model.observe([{ ...hopTo('B'), direction }], { kind: 'failed', index: 0, blames: 'terms' });
    expect(bias()).toEqual([-30, 0]);
    const shared = book.createLayer(SHARED_LAYER, false);
    book.informChannel(shared, of, msat(200_000_000n), 'unconstrained');
    expect(bias()).toEqual([-30, 0]);
    wait(48 * 3600);
    expect(bias()).toEqual([0, 0]);
  });

  it('avoids directions that broke their terms before a restart or an import', () => {
    const before = subject();
    const direction = directionKey(before.of.shortChannelId, 0);
    before.model.observe([{ ...hopTo('B'), direction }], { kind: 'failed', index: 0, blames: 'terms' });
    const state = before.model.state();
    const { book, beliefs, model, of } = subject(state);
    const bias = () => {
      beliefs.refresh();
      return book.learned.channelCell(of.shortChannelId)?.bias ?? [0, 0];
    };
    expect(bias()).toEqual([-30, 0]);
    model.replace({ ...state, terms: [] });
    expect(bias()).toEqual([0, 0]);
    model.replace(state);
    expect(bias()).toEqual([-30, 0]);
  });

  it('provides odds from the first refresh until it is closed', () => {
    const { book, beliefs, bounds } = subject();
    expect(book.learned.odds).toBeUndefined();
    bounds();
    expect(book.learned.odds?.[0]).toBeGreaterThan(0);
    beliefs.close();
    expect(book.learned.odds).toBeUndefined();
    expect([...book.learned.channelIds(), ...book.learned.nodeIds()]).toEqual([]);
  });

  it('forgets bounds when the shared layer is removed', () => {
    const { book, of, bounds } = subject();
    const shared = book.createLayer(SHARED_LAYER, false);
    book.informChannel(shared, of, msat(200_000_000n), 'unconstrained');
    expect(bounds().minMsat).toBe(200_000_000n);
    book.removeLayer(shared);
    expect(bounds().minMsat).toBe(0n);
  });
});
