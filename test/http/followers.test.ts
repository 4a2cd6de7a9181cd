/** Clients that follow events: what each of them gets, and when it is disconnected. */
import { afterEach, expect, test, vi } from 'vitest';
import { Feed, type SourceEvent } from '../../src/http/feed.ts';
import { Followers } from '../../src/http/followers.ts';

const event = (id: number, characters = 1): SourceEvent => ({
  ...{ id, name: 'x', subject: undefined },
  text: () => 'x'.repeat(characters),
});
const told = (id: number, characters?: number) => {
  const { name, text } = event(id, characters);
  return { id, name, text: text() };
};

afterEach(() => vi.useRealTimers());

test('a client gets each event once, and none that it has seen', async () => {
  const followers = new Followers(() => undefined);
  const reader = followers.add([], 5).getReader();
  followers.tell([told(5), told(6)]);
  followers.tell([told(6), told(7)]);
  followers.close();
  let text = '';
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += new TextDecoder().decode(read.value);
  }
  expect(text.match(/^id: \d+\nevent/gm)).toEqual(['id: 6\nevent', 'id: 7\nevent']);
});

test('a client that does not read is disconnected once 2 MiB wait, and others are not', () => {
  vi.useFakeTimers();
  const onGone = vi.fn();
  const followers = new Followers(onGone);
  followers.add([], 0);
  followers.tell([told(1, 2 ** 20)]);
  followers.add([], 1);
  expect([followers.size, onGone.mock.calls.length]).toEqual([2, 0]);
  followers.tell([told(2, 2 ** 20)]);
  expect([followers.size, onGone.mock.calls.length]).toEqual([1, 1]);
  followers.close();
  followers.tell([]);
  expect([followers.size, vi.getTimerCount()]).toEqual([0, 0]);
});

test('events are collected while a client follows', () => {
  const stop = vi.fn();
  const follow = vi.fn(() => ({ missed: [], isComplete: true, lastId: 1, stop: () => undefined }));
  follow.mockReturnValueOnce({ missed: [], isComplete: true, lastId: 1, stop });
  const feed = new Feed({ follow }, () => undefined);
  feed.start(undefined);
  feed.start(undefined);
  feed.leave();
  expect(stop).not.toHaveBeenCalled();
  feed.leave();
  expect(stop).toHaveBeenCalledTimes(1);
});

test('a client that missed more than 512 KiB of events must reload its lists', () => {
  const start = (...missed: SourceEvent[]) =>
    new Feed(
      { follow: () => ({ missed, isComplete: true, lastId: 2, stop: () => undefined }) },
      () => undefined,
    ).start(0);
  const half = 256 * 1024;
  expect(start(event(1, half), event(2, half)).missed).toEqual([told(1, half), told(2, half)]);
  expect(start(event(1, half), event(2, half + 1)).missed).toBeUndefined();
});
