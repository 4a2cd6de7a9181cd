/** The stream of events: numbers, resumption, figures, and listeners that fail. Time is virtual. */
import { beforeEach, describe, expect, it } from 'vitest';
import { EventRing } from '../../src/events/event-ring.ts';
import { type EventBody, EventStream, type Figures, type NodeEvent } from '../../src/events/index.ts';
import { ManualClock } from './manual-clock.ts';

const layer = (changes: number): EventBody => ({
  type: 'layer',
  status: 'changed',
  name: 'a',
  isPersistent: false,
  changes,
});
const changesOf = (events: readonly NodeEvent[]) =>
  events.map((event) => (event.type === 'layer' ? event.changes : event.type));

let clock: ManualClock;
let faults: unknown[];
let asked: number;
let stream: EventStream;

beforeEach(() => {
  clock = new ManualClock(1_000);
  faults = [];
  asked = 0;
  stream = open(clock);
});

function open(at: ManualClock): EventStream {
  return new EventStream({
    clock: at,
    figures: () => ({ workers: ++asked }) as Figures,
    onFault: (error) => void faults.push(error),
    kept: 4,
  });
}

describe('the stream', () => {
  it('numbers events and passes them to each listener, in order', () => {
    const heard: NodeEvent[] = [];
    const stop = stream.listen((event) => heard.push(event));
    stream.publish(layer(1));
    clock.pass(5);
    stream.publish(layer(2));
    stop();
    stream.publish(layer(3));
    expect(heard.map(({ id, atMs }) => [id, atMs])).toEqual([
      [1_000_001, 1_000],
      [1_000_002, 1_005],
    ]);
    expect(changesOf(heard)).toEqual([1, 2]);
  });

  it('removes a listener that throws, and reports it; the others still receive events', () => {
    const heard: NodeEvent[] = [];
    stream.listen(() => {
      throw new Error('a defect');
    });
    stream.listen((event) => heard.push(event));
    stream.publish(layer(1));
    stream.publish(layer(2));
    expect(changesOf(heard)).toEqual([1, 2]);
    expect(faults).toEqual([new Error('a defect')]);
  });
});

describe('a follower', () => {
  it('receives new events, and resumes at its last event', () => {
    const heard: NodeEvent[] = [];
    const first = stream.follow((event) => heard.push(event));
    expect([first.missed, first.isComplete]).toEqual([[], true]);
    stream.publish(layer(1));
    first.stop();
    stream.publish(layer(2));
    stream.publish(layer(3));
    const second = stream.follow((event) => heard.push(event), heard.at(-1)!.id);
    expect([changesOf(second.missed), second.isComplete]).toEqual([[2, 3], true]);
    stream.publish(layer(4));
    expect(changesOf(heard)).toEqual([1, 4]);
  });

  it('is notified if events are missing: too old, or of a different run', () => {
    const { lastId } = stream.follow(() => undefined);
    for (let n = 1; n <= 5; n++) stream.publish(layer(n));
    const outcome = (id: number) => {
      const { missed, isComplete } = stream.follow(() => undefined, id);
      return [changesOf(missed), isComplete];
    };
    // Four events are kept, so the first of five is gone.
    expect(outcome(lastId)).toEqual([[], false]);
    expect(outcome(lastId + 1)).toEqual([[2, 3, 4, 5], true]);
    expect(outcome(lastId + 5)).toEqual([[], true]);
    // A number that was never assigned: the clock was set back, or the number is invalid.
    expect(outcome(lastId + 6)).toEqual([[], false]);
    // The next run begins one millisecond later.
    clock.pass(1);
    stream = open(clock);
    expect(outcome(lastId + 5)).toEqual([[], false]);
  });

  it('gets figures once a second, which are collected only for followers, and not kept', () => {
    clock.pass(5_000);
    expect(asked).toBe(0);
    const heard: NodeEvent[] = [];
    const start = stream.follow((event) => heard.push(event));
    const other = stream.follow(() => undefined);
    clock.pass(2_500);
    expect(heard).toMatchObject([
      { type: 'stats', figures: { workers: 1 } },
      { type: 'stats', figures: { workers: 2 } },
    ]);
    expect(stream.follow(() => undefined, start.lastId).missed).toEqual([]);
    expect(clock.timers).toBe(1);
    start.stop();
    start.stop();
    clock.pass(1_000);
    expect(asked).toBe(3);
    other.stop();
    stream.close();
    expect(clock.timers).toBe(0);
  });
});

it('a ring finds the events after any id, as a plain list does', () => {
  const ring = new EventRing(0, 7);
  const all: NodeEvent[] = [];
  for (let id = 1; id <= 40; id += 3) {
    const event: NodeEvent = { id, atMs: 0, ...layer(id) };
    all.push(event);
    ring.add(event);
    const kept = all.slice(-7);
    expect(ring.size).toBe(kept.length);
    for (let after = 0; after <= 41; after++) {
      expect(ring.after(after)).toEqual(kept.filter((one) => one.id > after));
      const lost = all.filter((one) => one.id > after && !kept.includes(one));
      expect(ring.isCompleteAfter(after)).toBe(lost.length === 0);
    }
  }
});
