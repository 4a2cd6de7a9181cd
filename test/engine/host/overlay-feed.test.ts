/**
 * The feed stays small and loses nothing, even if no worker reads it for a long time or a worker lags far
 * behind.
 */
import { describe, expect, it } from 'vitest';
import { LayerFeed } from '../../../src/engine/host/layer-feed.ts';
import { decodeChanges } from '../../../src/engine/question/messages.ts';
import type { LayerDelta } from '../../../src/engine/question/route-request.ts';
import { GLOBAL_LAYER_ID, LayerBook } from '../../../src/layers/layer-book.ts';
import { ODDS_LENGTH } from '../../../src/layers/learned-odds.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';

function fed(): { book: LayerBook; feed: LayerFeed } {
  const book = new LayerBook(() => 1);
  return { book, feed: new LayerFeed(book) };
}

const of = (channel: number) => ({ shortChannelId: shortChannelId(channel, 1, 1), direction: 0 as const });
const NODE = `02${'11'.repeat(32)}` as NodeId;
const changesIn = (delta: LayerDelta) => delta.chunks.flatMap((chunk) => decodeChanges(chunk));

it('a cell is sent only once, even if it changed several times', () => {
  const { book, feed } = fed();
  const layer = book.createLayer('a', false);
  const start = feed.since(-1);
  for (let i = 0; i < 100; i++) book.informChannel(layer, of(1), msat(BigInt(i)), 'unconstrained');
  expect(changesIn(feed.since(start.to))).toMatchObject([['channel', layer.id, of(1).shortChannelId, {}]]);
});

it('the removal of a layer is reported only if the layer was reported', () => {
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

it('the removal of layers that are older than the feed is reported', () => {
  const book = new LayerBook(() => 1);
  const layer = book.createLayer('stored', false);
  book.updateChannel(layer, of(1), { enabled: false });
  const feed = new LayerFeed(book);
  const { to } = feed.since(-1);
  book.removeLayer(layer);
  expect(changesIn(feed.since(to))).toEqual([['removed', layer.id]]);
});

describe('layers that no query has named', () => {
  it('are not sent, and changes of them are not recorded', () => {
    const { book, feed } = fed();
    const [named, other] = [book.createLayer('named', false), book.createLayer('other', false)];
    for (const layer of [named, other]) book.updateChannel(layer, of(1), { enabled: false });
    const start = feed.since(-1, [named.id]);
    expect(changesIn(start)).toMatchObject([['channel', named.id, of(1).shortChannelId, {}]]);
    for (let channel = 2; channel < 25_000; channel++)
      book.updateChannel(other, of(channel), { enabled: false });
    book.disableNode(other, NODE);
    expect(feed.since(start.to, [named.id])).toEqual({ from: start.to, to: start.to, chunks: [] });
    book.removeLayer(other);
    expect(changesIn(feed.since(start.to, [named.id]))).toEqual([]);
  });

  it('are sent whole to every worker once a query names them', () => {
    const { book, feed } = fed();
    const [named, other] = [book.createLayer('named', false), book.createLayer('other', false)];
    book.updateChannel(other, of(1), { enabled: false });
    book.disableNode(other, NODE);
    const { to } = feed.since(-1, [named.id]);
    const whole = [
      ['channel', other.id, of(1).shortChannelId, {}],
      ['node', other.id, NODE, { disabled: true }],
    ];
    const delta = feed.since(to, [named.id, other.id]);
    expect(changesIn(delta)).toMatchObject(whole);
    // Another worker, whose query does not name it, and a new one.
    expect(changesIn(feed.since(to, [named.id]))).toMatchObject(whole);
    expect(changesIn(feed.since(-1, []))).toMatchObject(whole);
    book.updateChannel(other, of(2), { enabled: false });
    expect(changesIn(feed.since(delta.to, []))).toMatchObject([
      ['channel', other.id, of(2).shortChannelId, {}],
    ]);
  });

  it('include the learned odds', () => {
    const { book, feed } = fed();
    book.learned.setOdds(new Float32Array(ODDS_LENGTH));
    const { to, chunks } = feed.since(-1, []);
    expect(chunks).toEqual([]);
    const sent = changesIn(feed.since(to, [book.learned.id]));
    expect(sent.map(([kind, layerId]) => [kind, layerId])).toEqual([['odds', book.learned.id]]);
  });

  it('do not include global reservations, which apply to every query', () => {
    const { book, feed } = fed();
    book.reserve([{ shortChannelIdDir: of(1), amountMsat: msat(1n) }], 'test');
    expect(changesIn(feed.since(-1, []))).toMatchObject([
      ['channel', GLOBAL_LAYER_ID, of(1).shortChannelId, {}],
    ]);
  });
});

it('recorded changes are compacted when there are many, even if no worker reads them', () => {
  const { book, feed } = fed();
  const layer = book.createLayer('a', false);
  book.updateChannel(layer, of(0), { enabled: true });
  const { to } = feed.since(-1);
  for (let channel = 0; channel < 25_000; channel++)
    book.updateChannel(layer, of(channel), { enabled: false });
  expect(feed.head - to).toBe(2);
  const delta = feed.since(to);
  expect(delta.chunks).toHaveLength(3);
  expect(changesIn(delta)).toHaveLength(25_000);
});

it('a worker starts over if the chunks that it needs are gone', () => {
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
