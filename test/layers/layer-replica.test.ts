/**
 * Copies of a layer book that follow one log. For any changes in any interleaving, the copies end up equal to
 * each other, to a copy that read only the log, and to one that started from a snapshot.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LayerRecord, LayerReplica, type LoggedBatch } from '../../src/layers/layer-replica.ts';
import { LayerRefused } from '../../src/layers/refusal.ts';
import { msat } from '../../src/model/msat.ts';
import { parseShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import { act, clockedBook, randomFrom, snapshot } from '../store/layer-actions.ts';

const OF = parseShortChannelIdDir('1x1x1/0')!;

/** The log: batches, each with the number of the copy that wrote it. */
type Log = { readonly by: number; readonly records: readonly LayerRecord[] }[];

/** A book, its replica, and the records that it has not yet put in the log. */
function newCopy(number: number, log: Log) {
  const { book, at } = clockedBook();
  let waiting: LayerRecord[] = [];
  let position = 0;
  const replica = new LayerReplica(book, (record) => void waiting.push(record));
  book.journalTo(replica);
  return {
    book,
    at,
    replica,
    /** Puts at most `most` records in the log, in one batch. */
    commit(most = Number.POSITIVE_INFINITY): void {
      const records = waiting.slice(0, most);
      waiting = waiting.slice(records.length);
      if (records.length > 0) log.push({ by: number, records });
    },
    /** Applies the next batches of the log. */
    read(most = Number.POSITIVE_INFINITY): void {
      const next = log.slice(position, position + most);
      position += next.length;
      replica.apply(next.map(({ by, records }): LoggedBatch => ({ isOwn: by === number, records })));
    },
  };
}

test('copies end up equal for any changes in any interleaving', () => {
  const step = fc.record({
    copy: fc.integer({ min: 0, max: 2 }),
    deed: fc.constantFrom('act', 'act', 'act', 'commit', 'read', 'snapshot'),
    most: fc.integer({ min: 1, max: 4 }),
  });
  const runs = fc.property(
    fc.integer({ min: 1, max: 2 ** 31 }),
    fc.array(step, { maxLength: 150 }),
    (seed, steps) => {
      const random = randomFrom(seed);
      const log: Log = [];
      const copies = [0, 1, 2].map((number) => newCopy(number, log));
      steps.forEach(({ copy, deed, most }, index) => {
        const { book, at, replica, commit, read } = copies[copy]!;
        if (deed === 'act') act(book, at, index, random);
        else if (deed === 'commit') commit(most);
        else if (deed === 'read') read(most);
        else replica.snapshot();
      });
      for (const { commit } of copies) commit();
      for (const { read } of copies) read();

      const follower = newCopy(9, log);
      follower.read();
      const wanted = snapshot(follower.book);
      for (const { book } of copies) expect(snapshot(book)).toBe(wanted);
      const begun = newCopy(9, []);
      begun.replica.restart(copies[0]!.replica.snapshot());
      expect(snapshot(begun.book)).toBe(wanted);
      expect(begun.replica.snapshot()).toEqual(copies[1]!.replica.snapshot());
    },
  );
  fc.assert(runs, { numRuns: 300 });
});

test('of two copies that create the same layer at once, the first in the log wins, and the additions of both are kept', () => {
  const log: Log = [];
  const [one, other] = [newCopy(1, log), newCopy(2, log)];
  one.book.informChannel(one.book.createLayer('x', true), OF, msat(5), 'unconstrained');
  other.book.informChannel(other.book.createLayer('x', true), OF, msat(9), 'constrained');
  other.commit();
  one.commit();
  for (const copy of [one, other]) copy.read();
  const kinds = [one, other].map(({ book }) => [...book.layer('x')!.records].map(({ kind }) => kind));
  // The other copy's record is first in the log, so it comes first in both lists.
  expect(kinds).toEqual([
    ['maximum', 'minimum'],
    ['maximum', 'minimum'],
  ]);
});

test('a layer created again under its name is a new layer: changes meant for the old one are lost', () => {
  const log: Log = [];
  const [one, other] = [newCopy(1, log), newCopy(2, log)];
  one.book.createLayer('x', true);
  one.commit();
  for (const copy of [one, other]) copy.read();
  other.book.informChannel(other.book.layer('x')!, OF, msat(5), 'unconstrained');
  one.book.removeLayer(one.book.layer('x')!);
  one.book.createLayer('x', true);
  one.commit();
  other.commit();
  for (const copy of [one, other]) copy.read();
  for (const { book } of [one, other]) expect([...book.layer('x')!.records]).toEqual([]);
});

test('our own change applies at once, and still applies when changes of others come before it in the log', () => {
  const log: Log = [];
  const [one, other] = [newCopy(1, log), newCopy(2, log)];
  one.book.createLayer('x', true);
  one.commit();
  for (const copy of [one, other]) copy.read();
  other.book.biasChannel(other.book.layer('x')!, OF, { bias: 7, relative: false, description: undefined });
  one.book.biasChannel(one.book.layer('x')!, OF, { bias: 3, relative: false, description: undefined });
  one.commit();
  other.read();
  expect(other.book.layer('x')!.channelBias(OF.shortChannelId, OF.direction)!.bias).toBe(7);
  expect(other.replica.pendingLessons('x')).toBeUndefined();
  other.commit();
  for (const copy of [one, other]) copy.read();
  expect(one.book.layer('x')!.channelBias(OF.shortChannelId, OF.direction)!.bias).toBe(7);
  expect(other.replica.pendingLessons('x')).toEqual([]);
});

test('lessons that are not in the log yet can be distinguished within their layer; other changes cannot', () => {
  const log: Log = [];
  const one = newCopy(1, log);
  expect(one.replica.pendingLessons('x')).toBeUndefined();
  one.book.createLayer('x', true);
  expect(one.replica.pendingLessons('x')).toBeUndefined();
  one.commit();
  one.read();
  const layer = one.book.layer('x')!;
  one.book.informChannel(layer, OF, msat(5n), 'constrained');
  one.book.informChannel(layer, OF, msat(3n), 'succeeded');
  expect(one.replica.pendingLessons('x')).toMatchObject([{ kind: 'maximum' }, { kind: 'impression' }]);
  one.book.biasChannel(layer, OF, { bias: 7, relative: false, description: undefined });
  expect(one.replica.pendingLessons('x')).toBeUndefined();
});

test('a layer that only one daemon has is replaced by a shared one of the same name', () => {
  const log: Log = [];
  const [one, other] = [newCopy(1, log), newCopy(2, log)];
  const passing = other.book.createLayer('x', false);
  one.book.createLayer('x', true);
  one.commit();
  other.read();
  expect(other.book.layer('x')!.persistent).toBe(true);
  expect(() => other.book.informChannel(passing, OF, msat(1), 'succeeded')).toThrow(LayerRefused);
});

test('subscribers that follow the notifications hold the same cells as the book', () => {
  const log: Log = [];
  const [one, other] = [newCopy(1, log), newCopy(2, log)];
  const held = new Map<string, unknown>();
  other.book.subscribe({
    channelChanged: (layer, channel) =>
      held.set(`${layer}:${channel}`, other.book.channelCell(layer, channel)),
    nodeChanged: (layer, node) => held.set(`${layer}:${node}`, other.book.nodeCell(layer, node)),
    layerRemoved: (layer) => {
      for (const key of held.keys()) if (key.startsWith(`${layer}:`)) held.delete(key);
    },
  });
  const random = randomFrom(11);
  for (let step = 0; step < 400; step++) {
    const copy = random(2) === 0 ? one : other;
    act(copy.book, copy.at, step, random);
    if (random(3) === 0) copy.commit(3);
    if (random(3) === 0) copy.read(2);
  }
  for (const copy of [one, other]) copy.commit();
  for (const copy of [one, other]) copy.read();
  // Subscribers read cells when they next publish, so the last notification counts.
  for (const [key, cell] of held) if (cell === undefined) held.delete(key);
  const wanted = new Map<string, unknown>();
  for (const { id } of other.book.layers()) {
    for (const channel of other.book.cells(id).channelIds)
      wanted.set(`${id}:${channel}`, other.book.channelCell(id, channel));
    for (const node of other.book.cells(id).nodeIds)
      wanted.set(`${id}:${node}`, other.book.nodeCell(id, node));
  }
  expect(new Map([...held].sort())).toEqual(new Map([...wanted].sort()));
});
