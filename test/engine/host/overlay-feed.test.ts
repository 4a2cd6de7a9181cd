/**
 * The feed stays small and loses nothing, even if no worker reads it for a long time or a worker lags far
 * behind.
 */
import { expect, it } from 'vitest';
import { LayerFeed } from '../../../src/engine/host/layer-feed.ts';
import { decodeChanges } from '../../../src/engine/question/messages.ts';
import type { LayerDelta } from '../../../src/engine/question/route-request.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { msat } from '../../../src/model/msat.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';

function fed(): { book: LayerBook; feed: LayerFeed } {
  const book = new LayerBook(() => 1);
  return { book, feed: new LayerFeed(book) };
}

const of = (channel: number) => ({ shortChannelId: shortChannelId(channel, 1, 1), direction: 0 as const });
const changesIn = (delta: LayerDelta) => delta.chunks.flatMap((chunk) => decodeChanges(chunk));

it('sends a cell only once, even if it changed several times', () => {
  const { book, feed } = fed();
  const layer = book.createLayer('a', false);
  const start = feed.since(-1);
  for (let i = 0; i < 100; i++) book.informChannel(layer, of(1), msat(BigInt(i)), 'unconstrained');
  expect(changesIn(feed.since(start.to))).toMatchObject([['channel', layer.id, of(1).shortChannelId, {}]]);
});

it('reports the removal of a layer only if it has reported the layer', () => {
  const { book, feed } = fed();
  const told = book.createLayer('told', false);
  book.updateChannel(told, of(1), { enabled: false });
  const { to } = feed.since(-1);
  for (let i = 0; i < 100; i++) {
    const layer = book.createLayer('short-lived', false);
    book.updateChannel(layer, of(1), { enabled: false });
    book.removeLayer(layer);
  }
  book.removeLayer(told);
  expect(changesIn(feed.since(to))).toEqual([['removed', told.id]]);
});

it('reports the removal of layers that existed before it', () => {
  const book = new LayerBook(() => 1);
  const layer = book.createLayer('stored', false);
  book.updateChannel(layer, of(1), { enabled: false });
  const feed = new LayerFeed(book);
  const { to } = feed.since(-1);
  book.removeLayer(layer);
  expect(changesIn(feed.since(to))).toEqual([['removed', layer.id]]);
});

it('compacts its notes when there are many, even if they are not read', () => {
  const { book, feed } = fed();
  const layer = book.createLayer('a', false);
  const { to } = feed.since(-1);
  for (let channel = 0; channel < 25_000; channel++)
    book.updateChannel(layer, of(channel), { enabled: false });
  expect(feed.head - to).toBe(2);
  const delta = feed.since(to);
  expect(delta.chunks).toHaveLength(3);
  expect(changesIn(delta)).toHaveLength(25_000);
});

it('lets a worker start over if the chunks that it needs are gone', () => {
  const { book, feed } = fed();
  const layer = book.createLayer('a', false);
  const { to } = feed.since(-1);
  book.updateChannel(layer, of(1), { enabled: false });
  book.updateChannel(layer, of(2), { enabled: false });
  feed.trim(feed.since(to).to);
  const delta = feed.since(to);
  expect(delta).toMatchObject({ from: -1, to: feed.head });
  expect(changesIn(delta)).toHaveLength(2);
});
