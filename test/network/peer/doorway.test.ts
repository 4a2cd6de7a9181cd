/** Which connection is closed when a new one comes: by room, address and use. */
import { describe, expect, it } from 'vitest';
import { Doorway, type Guest, type RoomName } from '../../../src/network/peer/doorway.ts';
import { INBOUND_ROOMS } from '../../../src/network/peer/limits.ts';

class Stranger implements Guest {
  readonly host: string;
  usefulAt: number;
  hasGone = false;
  private readonly doorway: Doorway;
  constructor(doorway: Doorway, host: string, usefulAt = 0) {
    this.doorway = doorway;
    this.host = host;
    this.usefulAt = usefulAt;
  }
  enter(room: RoomName): this {
    this.doorway.enter(room, this);
    return this;
  }
  close(): void {
    this.hasGone = true;
    this.doorway.forget(this);
  }
}

/** `count` connections enter a room one after the other, from one address or each from its own. */
function crowd(doorway: Doorway, room: RoomName, count: number, hostOf: (i: number) => string): Stranger[] {
  return Array.from({ length: count }, (_, i) => new Stranger(doorway, hostOf(i), i).enter(room));
}

const ownAddress = (i: number): string => `1.2.${i >> 8}.${i & 255}`;
const staying = (guests: readonly Stranger[]): number => guests.filter(({ hasGone }) => !hasGone).length;

describe.each(['silent', 'spoken', 'peers'] as const)('the room %s', (room) => {
  const { most, mostPerAddress } = INBOUND_ROOMS[room];

  it('lets everybody in, and holds no more than it may', () => {
    const doorway = new Doorway();
    const guests = crowd(doorway, room, most + 50, ownAddress);
    expect(staying(guests)).toBe(most);
    expect(guests.at(-1)!.hasGone).toBe(false);
  });

  it.each([
    ['one address', () => '5.6.7.8'],
    ['one address in IPv6 clothes', (i: number) => (i % 2 === 0 ? '::ffff:5.6.7.8' : '5.6.7.8')],
    ['one /64', (i: number) => `2606:4700:1:2::${(i + 1).toString(16)}`],
  ])('a storm from %s takes its share and nobody else’s place', (_, hostOf) => {
    const doorway = new Doorway();
    const honest = crowd(doorway, room, most - mostPerAddress, ownAddress);
    const storm = crowd(doorway, room, 1000, hostOf);
    expect([staying(honest), staying(storm)]).toEqual([honest.length, mostPerAddress]);
  });

  it('when it is full, a connection from the address with the most of them goes', () => {
    const doorway = new Doorway();
    const honest = crowd(doorway, room, most - mostPerAddress, ownAddress);
    const many = crowd(doorway, room, mostPerAddress, () => '5.6.7.8');
    const late = new Stranger(doorway, '9.9.9.9', 5).enter(room);
    expect([staying(honest), staying(many), late.hasGone]).toEqual([
      honest.length,
      mostPerAddress - 1,
      false,
    ]);
    expect(many[0]!.hasGone).toBe(true);
  });

  it('a proxy on this machine may bring many', () => {
    const doorway = new Doorway();
    const guests = crowd(doorway, room, most, (i) => (i % 2 === 0 ? '127.0.0.1' : '::1'));
    expect(staying(guests)).toBe(most);
  });
});

describe('connections of one room against those of another', () => {
  it('a connection that has spoken is safe from those that have not', () => {
    const doorway = new Doorway();
    const slow = new Stranger(doorway, '127.0.0.1').enter('silent').enter('spoken');
    crowd(doorway, 'silent', 20_000, () => '127.0.0.1');
    expect(slow.hasGone).toBe(false);
    const peer = slow.enter('peers');
    crowd(doorway, 'spoken', 20_000, () => '127.0.0.1');
    expect(peer.hasGone).toBe(false);
  });

  it('the peer goes that was of no use for the longest time, wherever it stands', () => {
    const { most } = INBOUND_ROOMS.peers;
    const doorway = new Doorway();
    const peers = crowd(doorway, 'peers', most, ownAddress);
    peers[0]!.usefulAt = 1e6;
    new Stranger(doorway, '9.9.9.9', 2e6).enter('peers');
    expect(peers.filter(({ hasGone }) => hasGone)).toEqual([peers[1]]);
  });
});
