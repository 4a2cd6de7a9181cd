/**
 * Decides which inbound connections stay when there are too many. A new connection is always accepted, and the least
 * valuable connection is closed for it. If new connections were refused instead, an attacker could take all slots,
 * since connections cost nothing.
 *
 * Connections are in one of three stages, by their progress. A connection is never closed for one in another stage:
 *
 *     silent   has not sent the whole first act of the handshake yet. An honest peer sends it immediately, so the
 *              oldest is closed
 *     spoken   has sent the first act of the handshake, which costs its sender some work: the oldest is closed
 *     peers    has completed the handshake: the connection that has not been useful for longest is closed. A peer is
 *              useful when it connects, and whenever it sends an onion message or new gossip
 *
 * In each stage, one address has a bounded share (an IPv6 /64 counts as one address, since a single customer gets that
 * many). A new connection from an address that has its full share replaces an older connection from the same address.
 * When a stage is full, the address with the most connections loses one. Private and loopback addresses are exempt from
 * the limit per address, because a proxy or Tor may represent many nodes there.
 */

import { isIPv4 } from 'node:net';
import { ipv6Prefix, isPublicAddress, plainAddress } from '../../model/public-address.ts';
import { INBOUND_LIMITS } from './limits.ts';

/** The part of an inbound connection that the decision needs. */
export interface InboundConnection {
  /** The peer's IP address. */
  readonly host: string;
  /** When the peer was last useful, in milliseconds (`performance.now()`). */
  readonly usefulAt: number;
  close(reason: string): void;
}

/** The name of one of the three stages. */
export type InboundStage = keyof typeof INBOUND_LIMITS;

/** Decides which inbound connections stay when there are too many. */
export class InboundConnections {
  private readonly stages = {
    silent: new StageConnections('silent'),
    spoken: new StageConnections('spoken'),
    peers: new StageConnections('peers'),
  };

  /** Adds a connection to a stage. Another connection in the stage may be closed for it. */
  enter(name: InboundStage, connection: InboundConnection): void {
    this.forget(connection);
    const stage = this.stages[name];
    const others = stage.add(connection).filter((one) => one !== connection);
    const leaving = name === 'peers' ? leastUseful(others) : others[0];
    leaving?.close('closed to make room for a new connection');
  }

  /** Forgets a closed connection. */
  forget(connection: InboundConnection): void {
    for (const stage of Object.values(this.stages)) stage.remove(connection);
  }
}

/** The connections of one stage in order of arrival, each with the address it counts towards. */
class StageConnections {
  private readonly most: number;
  private readonly mostPerAddress: number;
  private readonly addressOf = new Map<InboundConnection, string>();
  private readonly byAddress = new Map<string, Set<InboundConnection>>();

  constructor(name: InboundStage) {
    const { most, mostPerAddress } = INBOUND_LIMITS[name];
    this.most = most;
    this.mostPerAddress = mostPerAddress;
  }

  /**
   * Adds a connection, and returns the candidates for closing, the oldest first. If the address exceeds its limit, these
   * are its connections. If the stage is full, they belong to the addresses with the most connections.
   */
  add(connection: InboundConnection): InboundConnection[] {
    const address = countedAddress(connection.host);
    const ofAddress = this.byAddress.get(address) ?? new Set();
    ofAddress.add(connection);
    this.byAddress.set(address, ofAddress);
    this.addressOf.set(connection, address);
    if (address !== LOCAL && ofAddress.size > this.mostPerAddress) return [...ofAddress];
    if (this.addressOf.size <= this.most) return [];
    let largest = 0;
    for (const { size } of this.byAddress.values()) largest = Math.max(largest, size);
    return [...this.addressOf.keys()].filter(
      (one) => this.byAddress.get(this.addressOf.get(one)!)!.size === largest,
    );
  }

  remove(connection: InboundConnection): void {
    const address = this.addressOf.get(connection);
    if (address === undefined) return;
    this.addressOf.delete(connection);
    const ofAddress = this.byAddress.get(address)!;
    ofAddress.delete(connection);
    if (ofAddress.size === 0) this.byAddress.delete(address);
  }
}

function leastUseful([first, ...rest]: readonly InboundConnection[]): InboundConnection | undefined {
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
