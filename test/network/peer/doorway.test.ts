/** Which connection is closed when a new one arrives: by room, address and usefulness. */
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

/** Lets `count` connections into a room one after the other. `hostOf` gives the address of each. */
function crowd(doorway: Doorway, room: RoomName, count: number, hostOf: (i: number) => string): Stranger[] {
  return Array.from({ length: count }, (_, i) => new Stranger(doorway, hostOf(i), i).enter(room));
}

const ownAddress = (i: number): string => `1.2.${i >> 8}.${i & 255}`;
const staying = (guests: readonly Stranger[]): number => guests.filter(({ hasGone }) => !hasGone).length;

describe.each(['silent', 'spoken', 'peers'] as const)('the room %s', (room) => {
  const { most, mostPerAddress } = INBOUND_ROOMS[room];

  it('lets every connection in, but holds no more than its maximum', () => {
    const doorway = new Doorway();
    const guests = crowd(doorway, room, most + 50, ownAddress);
    expect(staying(guests)).toBe(most);
    expect(guests.at(-1)!.hasGone).toBe(false);
  });

  it.each([
    ['one address', () => '5.6.7.8'],
    ['one address, partly in its IPv6 form', (i: number) => (i % 2 === 0 ? '::ffff:5.6.7.8' : '5.6.7.8')],
    ['one /64', (i: number) => `2606:4700:1:2::${(i + 1).toString(16)}`],
  ])('limits a storm from %s to its share, and closes no other connection', (_, hostOf) => {
    const doorway = new Doorway();
    const honest = crowd(doorway, room, most - mostPerAddress, ownAddress);
    const storm = crowd(doorway, room, 1000, hostOf);
    expect([staying(honest), staying(storm)]).toEqual([honest.length, mostPerAddress]);
  });

  it('when full, closes a connection from the address with the most connections', () => {
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

  it('allows many connections from a proxy on this machine', () => {
    const doorway = new Doorway();
    const guests = crowd(doorway, room, most, (i) => (i % 2 === 0 ? '127.0.0.1' : '::1'));
    expect(staying(guests)).toBe(most);
  });
});

describe('connections of different rooms', () => {
  it('a connection that has spoken is not closed for silent ones', () => {
    const doorway = new Doorway();
    const slow = new Stranger(doorway, '127.0.0.1').enter('silent').enter('spoken');
    crowd(doorway, 'silent', 20_000, () => '127.0.0.1');
    expect(slow.hasGone).toBe(false);
    const peer = slow.enter('peers');
    crowd(doorway, 'spoken', 20_000, () => '127.0.0.1');
    expect(peer.hasGone).toBe(false);
  });

  it('the peer that was useful longest ago is closed, at any position', () => {
    const { most } = INBOUND_ROOMS.peers;
    const doorway = new Doorway();
    const peers = crowd(doorway, 'peers', most, ownAddress);
    peers[0]!.usefulAt = 1e6;
    new Stranger(doorway, '9.9.9.9', 2e6).enter('peers');
    expect(peers.filter(({ hasGone }) => hasGone)).toEqual([peers[1]]);
  });
});
