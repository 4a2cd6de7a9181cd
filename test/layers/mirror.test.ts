/**
 * The kernel's workers keep a copy of the cells. They read a cell again whenever the book notifies them of
 * it. These tests show that such a copy is always complete. They also show that reservations behave like a
 * plain list of records.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Layer } from '../../src/layers/layer.ts';
import { GLOBAL_LAYER_ID, type LayerBook } from '../../src/layers/layer-book.ts';
import type { ReservationRequest } from '../../src/layers/reservations.ts';
import { msat } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import { type Direction, type ShortChannelId, shortChannelId } from '../../src/model/short-channel-id.ts';
import { toldBy } from '../in-words.ts';
import { act, clockedBook, randomFrom } from '../store/layer-actions.ts';

/** Cells by layer and channel or node, kept up to date by notifications alone. */
class Mirror {
  readonly cells = new Map<string, unknown>();
  readonly #book: LayerBook;
  readonly #dirty = new Map<string, () => unknown>();

  constructor(book: LayerBook) {
    this.#book = book;
    book.subscribe({
      channelChanged: (id, channel) =>
        void this.#dirty.set(`${id} ${channel}`, () => this.#book.channelCell(id, channel)),
      nodeChanged: (id, node) => void this.#dirty.set(`${id} ${node}`, () => this.#book.nodeCell(id, node)),
      layerRemoved: (id) => {
        for (const map of [this.cells, this.#dirty]) {
          for (const key of map.keys()) if (key.startsWith(`${id} `)) map.delete(key);
        }
      },
    });
  }

  refresh(): void {
    for (const [key, read] of this.#dirty) {
      const cell = read();
      if (cell === undefined) this.cells.delete(key);
      else this.cells.set(key, cell);
    }
    this.#dirty.clear();
  }
}

function allCells(book: LayerBook): Map<string, unknown> {
  const cells = new Map<string, unknown>();
  for (const id of book.layerIds()) {
    const { channelIds, nodeIds } = book.cells(id);
    for (const channel of channelIds) cells.set(`${id} ${channel}`, book.channelCell(id, channel));
    for (const node of nodeIds) cells.set(`${id} ${node}`, book.nodeCell(id, node));
  }
  return cells;
}

type Element = readonly [channel: number, direction: Direction, amount: number, layer: number];

const element: fc.Arbitrary<Element> = fc.tuple(
  fc.integer({ min: 1, max: 2 }),
  fc.constantFrom<Direction>(0, 1),
  fc.integer({ min: 0, max: 2 }),
  fc.integer({ min: 0, max: 2 }),
);

function requestOf(book: LayerBook, [channel, direction, amount, at]: Element): ReservationRequest {
  const layer = [...book.layers()][at - 1];
  const shortChannelIdDir = { shortChannelId: shortChannelId(channel, 1, 1), direction };
  return { shortChannelIdDir, amountMsat: msat(amount), ...(layer !== undefined && { layer }) };
}

test('a mirror kept by notifications equals the book', () => {
  const step = fc.record({ reserve: fc.array(element, { maxLength: 3 }), release: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), fc.array(step, { maxLength: 120 }), (seed, steps) => {
      const { book, at } = clockedBook();
      const mirror = new Mirror(book);
      const random = randomFrom(seed);
      steps.forEach(({ reserve, release }, index) => {
        act(book, at, index, random);
        const path = reserve.map((one) => requestOf(book, one));
        book.reserve(path, 'a');
        if (release) book.unreserve(path.slice(1));
        if (index % 4 === 0) mirror.refresh();
      });
      mirror.refresh();
      expect(mirror.cells).toEqual(allCells(book));
    }),
    { numRuns: 60 },
  );
});

test('reservations are a multiset that changes one path at a time', () => {
  const step = fc.record({ path: fc.array(element, { maxLength: 4 }), release: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { book } = clockedBook();
      const layers: (Layer | undefined)[] = [
        undefined,
        book.createLayer('1', false),
        book.createLayer('2', false),
      ];
      let model: string[] = [];
      for (const { path, release } of steps) {
        const request = path.map((one) => requestOf(book, one));
        if (!release) {
          book.reserve(request, 'a');
          model.push(...path.map(String));
          continue;
        }
        const rest = [...model];
        const found = path.every((one) => {
          const index = rest.indexOf(String(one));
          if (index >= 0) rest.splice(index, 1);
          return index >= 0;
        });
        if (found) model = rest;
        if (found) book.unreserve(request);
        else expect(toldBy(() => book.unreserve(request))).toThrow('Unknown reservation');
      }
      const held = layers.flatMap((layer, index) =>
        [...book.reservations(layer)].map(({ shortChannelIdDir: of, amountMsat }) =>
          String([of.shortChannelId >> 40n, of.direction, amountMsat, index]),
        ),
      );
      expect(held.sort()).toEqual([...model].sort());
      const sum = (block: number, direction: Direction) =>
        model
          .map((one) => one.split(',').map(Number))
          .reduce(
            (total, [b, d, amount = 0, layer]) =>
              total + (b === block && d === direction && layer === 0 ? BigInt(amount) : 0n),
            0n,
          );
      for (const block of [1, 2]) {
        const cell = book.channelCell(GLOBAL_LAYER_ID, shortChannelId(block, 1, 1));
        expect(cell?.reservedMsat ?? [0n, 0n]).toEqual([sum(block, 0), sum(block, 1)]);
      }
    }),
    { numRuns: 200 },
  );
});

test('reading the cell of an unknown node or channel leaves no trace', () => {
  const { book } = clockedBook();
  const layer = book.createLayer('a', false);
  expect(book.channelCell(layer.id, 5n as ShortChannelId)).toBeUndefined();
  expect(book.nodeCell(layer.id, '' as NodeId)).toBeUndefined();
  expect(book.nodeCell(999, '' as NodeId)).toBeUndefined();
  expect(allCells(book)).toEqual(new Map());
});
