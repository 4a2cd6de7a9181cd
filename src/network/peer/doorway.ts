/**
 * Decides which inbound connections stay when there are too many. A new connection is always accepted, and the least
 * valuable connection is closed for it. If new connections were refused instead, an attacker could take all slots,
 * since connections cost nothing.
 *
 * Connections are in one of three rooms, by their progress. A connection never displaces a connection in another room:
 *
 *     silent   has not sent the whole first act of the handshake yet. An honest peer sends it immediately, so the
 *              oldest is closed
 *     spoken   has sent the first act of the handshake, which costs its sender some work: the oldest is closed
 *     peers    has completed the handshake: the connection that has not been useful for longest is closed. A peer is
 *              useful when it connects, and whenever it sends an onion message or new gossip
 *
 * In each room, one address has a bounded share (an IPv6 /64 counts as one address, since a single customer gets that
 * many). A new connection from an address that has its full share replaces an older connection from the same address.
 * When the whole room is full, the doorway closes a connection of the address with the most connections. Private and
 * loopback addresses are exempt from the limit, because a proxy or Tor may represent many nodes there.
 */

import { isIPv4 } from 'node:net';
import { ipv6Prefix, isPublicAddress, plainAddress } from '../../model/public-address.ts';
import { INBOUND_ROOMS } from './limits.ts';

/** The part of an inbound connection that the doorway uses. */
export interface Guest {
  /** The peer's IP address. */
  readonly host: string;
  /** When the peer was last useful, in milliseconds (`performance.now()`). */
  readonly usefulAt: number;
  close(reason: string): void;
}

/** The name of one of the three rooms. */
export type RoomName = keyof typeof INBOUND_ROOMS;

/** Decides which inbound connections stay when there are too many. */
export class Doorway {
  private readonly rooms = {
    silent: new Room('silent'),
    spoken: new Room('spoken'),
    peers: new Room('peers'),
  };

  /** Adds a connection to a room. Another connection in the room may be closed for it. */
  enter(name: RoomName, guest: Guest): void {
    this.forget(guest);
    const room = this.rooms[name];
    const others = room.add(guest).filter((one) => one !== guest);
    const leaving = name === 'peers' ? leastUseful(others) : others[0];
    leaving?.close('closed to make room for a new connection');
  }

  /** Forgets a closed connection. */
  forget(guest: Guest): void {
    for (const room of Object.values(this.rooms)) room.remove(guest);
  }
}

/** The connections of one room in order of arrival, each with the address it counts towards. */
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

  /**
   * Adds a connection. Returns the candidates for closing, the oldest first: connections of the same address if it
   * exceeds its share, or of the addresses with the most connections if the room is full.
   */
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

/** Represents all addresses that are not public. */
const LOCAL = 'local';

/** The address that a host counts towards: its IPv4 address, the /64 of its IPv6 address, or `LOCAL`. */
function countedAddress(host: string): string {
  const address = plainAddress(host);
  if (!isPublicAddress(address)) return LOCAL;
  return isIPv4(address) ? address : ipv6Prefix(address, 4);
}
