/**
 * Who may stay of those that connected to us. Room is limited, and strangers come for free: so whoever is new is
 * let in, and the one goes whose loss costs least. There are three rooms, and nobody is pushed out of one by
 * those who have come less far:
 *
 *     silent   has said nothing yet. An honest peer speaks as soon as it is connected: the oldest goes
 *     spoken   has sent the first act of the handshake, which costs its sender something: the oldest goes
 *     peers    has ended the handshake: the one goes that has been of no use for the longest time; its messages
 *              and its news are of use, and so is being new
 *
 * In each room one address (of IPv6 a /64, which is what a single customer gets) has a bounded share, within which
 * its connections replace each other; when the room is full, one goes of the address that has most. Private and
 * loopback addresses have no such share, since a proxy or Tor may stand there for many.
 */

import { isIPv4 } from 'node:net';
import { INBOUND_ROOMS } from './limits.ts';
import { ipv6Prefix, isPublicAddress, plainAddress } from './public-address.ts';

/** A connection of a stranger, as far as the doorway needs it. */
export interface Guest {
  /** The IP address of its end. */
  readonly host: string;
  /** When it was last of use; of a monotonic clock. */
  readonly usefulAt: number;
  close(reason: string): void;
}

/** The name of one of the rooms for inbound connections. */
export type RoomName = keyof typeof INBOUND_ROOMS;

/** Decides which inbound connections stay when there are too many. */
export class Doorway {
  private readonly rooms = {
    silent: new Room('silent'),
    spoken: new Room('spoken'),
    peers: new Room('peers'),
  };

  /** A guest comes this far; another one may be closed for it. */
  enter(name: RoomName, guest: Guest): void {
    this.forget(guest);
    const room = this.rooms[name];
    const others = room.add(guest).filter((one) => one !== guest);
    const leaving = name === 'peers' ? leastUseful(others) : others[0];
    leaving?.close('others are waiting, and this connection was used least');
  }

  /** A connection has ended. */
  forget(guest: Guest): void {
    for (const room of Object.values(this.rooms)) room.remove(guest);
  }
}

/** Guests in the order in which they came, each with what counts as its address. */
class Room {
  private readonly most: number;
  private readonly mostPerAddress: number;
  private readonly addressOf = new Map<Guest, string>();
  private readonly byAddress = new Map<string, Set<Guest>>();

  constructor(name: RoomName) {
    const { most, mostPerAddress } = INBOUND_ROOMS[name];
    this.most = most;
    this.mostPerAddress = mostPerAddress;
  }

  /** Those of whom one has to go now, the oldest first: of the newcomer's address, or of those with most. */
  add(guest: Guest): Guest[] {
    const address = countedAddress(guest.host);
    const neighbours = this.byAddress.get(address) ?? new Set();
    neighbours.add(guest);
    this.byAddress.set(address, neighbours);
    this.addressOf.set(guest, address);
    if (address !== LOCAL && neighbours.size > this.mostPerAddress) return [...neighbours];
    if (this.addressOf.size <= this.most) return [];
    let largest = 0;
    for (const { size } of this.byAddress.values()) largest = Math.max(largest, size);
    return [...this.addressOf.keys()].filter(
      (one) => this.byAddress.get(this.addressOf.get(one)!)!.size === largest,
    );
  }

  remove(guest: Guest): void {
    const address = this.addressOf.get(guest);
    if (address === undefined) return;
    this.addressOf.delete(guest);
    const neighbours = this.byAddress.get(address)!;
    neighbours.delete(guest);
    if (neighbours.size === 0) this.byAddress.delete(address);
  }
}

function leastUseful([first, ...rest]: readonly Guest[]): Guest | undefined {
  return rest.reduce((least, one) => (least && one.usefulAt >= least.usefulAt ? least : one), first);
}

/** What stands for all addresses that are not public. */
const LOCAL = 'local';

/** What counts as one address. */
function countedAddress(host: string): string {
  const address = plainAddress(host);
  if (!isPublicAddress(address)) return LOCAL;
  return isIPv4(address) ? address : ipv6Prefix(address, 4);
}
