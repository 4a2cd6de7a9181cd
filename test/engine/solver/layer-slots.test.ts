/** A solver's copy of learned odds: a new table replaces the old one in the same memory, and searches use it at once. */
import { expect, test } from 'vitest';
import { encode, type LayerChange } from '../../../src/engine/question/messages.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { LayerSlots } from '../../../src/engine/solver/layer-slots.ts';
import { findRoute } from '../../../src/engine/solver/solve-route.ts';
import { ODDS_CELLS, oddsTable } from '../../../src/layers/learned-odds.ts';
import { msatFromSat } from '../../../src/model/msat.ts';
import { nodeId, tinyGraph } from '../../reference/tiny-graph.ts';

const LAYER = 7;

/** Odds with which a direction passes all of its capacity with probability `atAll`. */
function oddsChange(atAll: number): LayerChange {
  const table = oddsTable(0, () =>
    Float64Array.from({ length: ODDS_CELLS + 1 }, (_, cell) => 1 - ((1 - atAll) * cell) / ODDS_CELLS),
  );
  return ['odds', LAYER, new Uint8Array(table.buffer)];
}

class Copy {
  readonly #kernel = Kernel.inProcess(tinyGraph(['A-B', 'B-C']).graph);
  readonly #slots = new LayerSlots(this.#kernel);
  #at = -1;

  /** Applies the change, and searches under the layer. */
  after(change: LayerChange) {
    const delta = { from: this.#at, to: ++this.#at, chunks: [encode([change])] };
    expect(this.#kernel.reading(() => this.#slots.apply(delta))).toBe(true);
    const layers = this.#slots.resolve([LAYER], ['learned']);
    const answer = findRoute(this.#kernel, {
      ...{ source: nodeId(0), destination: nodeId(2), amountMsat: msatFromSat(500_000) },
      ...{ maxfeeMsat: msatFromSat(5_000), finalCltv: 18, maxdelay: 2016, maxparts: 1, maxhops: 20 },
      ...{ includeFees: false, ...layers },
    });
    expect(answer?.routes).toHaveLength(1);
    return { odds: layers.odds, cost: this.#kernel.answerCost };
  }
}

test('a changed table is used by the next search, and takes no further memory', () => {
  const copy = new Copy();
  const [good, poor, none, again] = [
    oddsChange(0.8),
    oddsChange(0.4),
    ['odds', LAYER, null] as const,
    oddsChange(0.8),
  ].map((change) => copy.after(change));
  expect(poor!.cost).toBe(new Copy().after(oddsChange(0.4)).cost);
  expect(poor!.cost).toBeGreaterThan(1.5 * good!.cost);
  expect(again!.cost).toBe(good!.cost);
  expect(poor!.odds).toBe(good!.odds);
  expect(none!.odds).toBeUndefined();
});
