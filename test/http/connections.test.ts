/** The limits on connections, exactly: the last permitted connection is admitted, and the next one is not. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { ConnectionGuard } from '../../src/http/connections.ts';
import { DEFAULT_HTTP_LIMITS } from '../../src/http/limits.ts';

const limits = { ...DEFAULT_HTTP_LIMITS, maxConnections: 3, maxPerAddress: 2 };
let port = 0;

afterEach(() => {
  vi.restoreAllMocks();
});

/** A connection of which the guard sees the address and the end. */
class Connection extends EventEmitter {
  readonly remotePort = ++port;
  readonly remoteAddress: string;
  writableLength = 0;
  bytesWritten = 0;
  isDestroyed = false;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }

  get socket(): Socket {
    return this as unknown as Socket;
  }
}

/** Admits connections from these addresses. @returns whether each was closed */
function closed(guard: ConnectionGuard, addresses: readonly string[]): boolean[] {
  const all = addresses.map((address) => new Connection(address));
  for (const each of all) guard.admit(each.socket);
  return all.map(({ isDestroyed }) => isDestroyed);
}

test('an address may have as many connections as its limit, and this machine more', () => {
  const [far, near] = ['192.0.2.1', '127.0.0.1'];
  expect(closed(new ConnectionGuard(limits, () => undefined), [far, far, far])).toEqual([false, false, true]);
  expect(closed(new ConnectionGuard(limits, () => undefined), [near, near, near])).toEqual([
    false,
    false,
    false,
  ]);
});

test('a closed connection makes room for another one from its address', () => {
  const guard = new ConnectionGuard(limits, () => undefined);
  const first = new Connection('192.0.2.1');
  guard.admit(first.socket);
  expect(closed(guard, ['192.0.2.1'])).toEqual([false]);
  first.destroy();
  expect(closed(guard, ['192.0.2.1', '192.0.2.1'])).toEqual([false, true]);
});

test('beyond the total, the longest idle connection is closed, or the new one if none is idle', () => {
  const said: string[] = [];
  const guard = new ConnectionGuard(limits, (message) => said.push(message));
  const [busy, idle, another, more, last] = [1, 2, 3, 4, 5].map((n) => new Connection(`192.0.2.${n}`));
  for (const each of [busy, idle, another]) guard.admit(each!.socket);
  const end = guard.begin(busy!.socket);
  expect([busy, idle, another].map((each) => each!.isDestroyed)).toEqual([false, false, false]);
  guard.admit(more!.socket);
  expect([busy, idle, another, more].map((each) => each!.isDestroyed)).toEqual([false, true, false, false]);
  guard.begin(another!.socket);
  guard.begin(more!.socket);
  guard.admit(last!.socket);
  expect(last!.isDestroyed).toBe(true);
  end();
  const next = new Connection('192.0.2.6');
  guard.admit(next.socket);
  expect([busy, next].map((each) => each!.isDestroyed)).toEqual([true, false]);
  // The others were closed within ten seconds of this line.
  expect(said).toEqual(['too many connections: closed 1, the last from 192.0.2.2']);
});

test('a client that has closed its side is dropped after half a minute without its answers', () => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const guard = new ConnectionGuard(limits, () => undefined);
  const [ended, open] = [new Connection('192.0.2.1'), new Connection('192.0.2.2')];
  for (const { socket } of [ended, open]) guard.watch(socket);
  ended.emit('end');
  nowMs = limits.halfOpenMs - 1;
  guard.dropStalled();
  expect(ended.isDestroyed).toBe(false);
  nowMs++;
  guard.dropStalled();
  expect([ended.isDestroyed, open.isDestroyed]).toEqual([true, false]);
});

test('a client is dropped when it has read nothing of its answers for a minute', () => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const guard = new ConnectionGuard(limits, () => undefined);
  const [stalled, slow, idle] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((one) => new Connection(one));
  for (const each of [stalled, slow, idle]) guard.watch(each!.socket);
  for (const each of [stalled, slow]) each!.writableLength = 1000;
  guard.dropStalled();
  nowMs = limits.stalledMs - 1;
  slow!.writableLength--;
  guard.dropStalled();
  expect(stalled!.isDestroyed).toBe(false);
  nowMs++;
  guard.dropStalled();
  expect([stalled, slow, idle].map((each) => each!.isDestroyed)).toEqual([true, false, false]);
});
