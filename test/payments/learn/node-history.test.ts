/** What is learned from the history of the node's own payments. */
import { expect, test } from 'vitest';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeHistory, SeenLimit } from '../../../src/model/node-history.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import { takeNodeHistory } from '../../../src/payments/learn/node-history.ts';
import { OddsModel } from '../../../src/payments/learn/odds-model.ts';
import { tinyGraph } from '../../reference/tiny-graph.ts';

const NOW_S = 1_000_000;
const { graph } = tinyGraph(['A-B cap=100000sat']);
const REFUSED: SeenLimit = {
  shortChannelId: graph.shortChannelIds[0] as ShortChannelId,
  direction: 0,
  maximumMsat: msat(4_999_999n),
  timestamp: NOW_S - 60,
};
const historyWith = (limits: readonly SeenLimit[]): NodeHistory => ({
  limits,
  answers: [],
  xpayRecords: new Uint8Array(),
});

test('a history without bounds creates no layer', () => {
  const book = new LayerBook(() => NOW_S);
  const target = { book, graph, model: undefined };
  expect(takeNodeHistory(historyWith([]), target)).toEqual({ bounds: 0, unknown: 0, answers: 0 });
  expect(book.layer('nodehistory')).toBeUndefined();

  expect(takeNodeHistory(historyWith([REFUSED]), target).bounds).toBe(1);
  expect(book.layer('nodehistory')).toBeDefined();

  // Once the layer exists, an import without bounds empties it.
  expect(takeNodeHistory(historyWith([]), target).bounds).toBe(0);
  expect(book.layer('nodehistory')!.records).toHaveLength(0);
});

test('a history without answers leaves no time up to which it was learned', () => {
  const model = new OddsModel(() => NOW_S);
  expect(model.learnHistory([])).toBe(0);
  expect(model.state()).not.toHaveProperty('historyUntilS');
  expect(model.revision).toBe(0);
});
