/**
 * The data that a new worker receives: all layers, in chunks of at most 10,000 cells of channels and nodes.
 */
import { expect, it } from 'vitest';
import { LayerFeed } from '../../../src/engine/host/layer-feed.ts';
import { decodeChanges } from '../../../src/engine/question/messages.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';

const MAX_CELLS = 10_000;

const nodeOf = (index: number): NodeId => `02${index.toString(16).padStart(64, '0')}` as NodeId;

it('cells of nodes fill chunks as cells of channels do, so that the size of chunks is limited', () => {
  const book = new LayerBook();
  // A channel and 9,999 nodes, then a channel and 15,000 nodes: 25,001 cells.
  for (const [name, nodes] of [
    ['first', 9_999],
    ['second', 15_000],
  ] as const) {
    const layer = book.createLayer(name, false);
    book.createChannel(layer, nodeOf(1), nodeOf(2), 1n as ShortChannelId, msat(1_000n));
    for (let index = 0; index < nodes; index++) book.disableNode(layer, nodeOf(index));
  }
  const feed = new LayerFeed(book);
  const sizes = feed.since(-1).chunks.map((chunk) => decodeChanges(chunk).length);
  expect(sizes).toEqual([MAX_CELLS, MAX_CELLS, 25_001 - 2 * MAX_CELLS]);
  feed.close();
});
