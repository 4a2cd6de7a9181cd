/** Which connection is closed when a new one arrives: by stage, address and usefulness. */
import { describe, expect, it } from 'vitest';
import {
  type InboundConnection,
  InboundConnections,
  type InboundStage,
} from '../../../src/network/peer/inbound-connections.ts';
import { INBOUND_LIMITS } from '../../../src/network/peer/limits.ts';

class Stranger implements InboundConnection {
  readonly host: string;
  usefulAt: number;
  hasGone = false;
  private readonly inbound: InboundConnections;
  constructor(inbound: InboundConnections, host: string, usefulAt = 0) {
    this.inbound = inbound;
    this.host = host;
    this.usefulAt = usefulAt;
  }
  enter(stage: InboundStage): this {
    this.inbound.enter(stage, this);
    return this;
  }
  close(): void {
    this.hasGone = true;
    this.inbound.forget(this);
  }
}

/** Adds `count` connections to a stage one after the other. `hostOf` gives the address of each. */
function crowd(
  inbound: InboundConnections,
  stage: InboundStage,
  count: number,
  hostOf: (i: number) => string,
): Stranger[] {
  return Array.from({ length: count }, (_, i) => new Stranger(inbound, hostOf(i), i).enter(stage));
}

const ownAddress = (i: number): string => `1.2.${i >> 8}.${i & 255}`;
const staying = (connections: readonly Stranger[]): number =>
  connections.filter(({ hasGone }) => !hasGone).length;

describe.each(['silent', 'spoken', 'peers'] as const)('the stage %s', (stage) => {
  const { most, mostPerAddress } = INBOUND_LIMITS[stage];

  it('lets every connection in, but holds no more than its maximum', () => {
    const inbound = new InboundConnections();
    const connections = crowd(inbound, stage, most + 50, ownAddress);
    expect(staying(connections)).toBe(most);
    expect(connections.at(-1)!.hasGone).toBe(false);
  });

  it.each([
    ['one address', () => '5.6.7.8'],
    ['one address, partly in its IPv6 form', (i: number) => (i % 2 === 0 ? '::ffff:5.6.7.8' : '5.6.7.8')],
    ['one /64', (i: number) => `2606:4700:1:2::${(i + 1).toString(16)}`],
  ])('limits a storm from %s to its share, and closes no other connection', (_, hostOf) => {
    const inbound = new InboundConnections();
    const honest = crowd(inbound, stage, most - mostPerAddress, ownAddress);
    const storm = crowd(inbound, stage, 1000, hostOf);
    expect([staying(honest), staying(storm)]).toEqual([honest.length, mostPerAddress]);
  });

  it('when full, closes a connection from the address with the most connections', () => {
    const inbound = new InboundConnections();
    const honest = crowd(inbound, stage, most - mostPerAddress, ownAddress);
    const many = crowd(inbound, stage, mostPerAddress, () => '5.6.7.8');
    const late = new Stranger(inbound, '9.9.9.9', 5).enter(stage);
    expect([staying(honest), staying(many), late.hasGone]).toEqual([
      honest.length,
      mostPerAddress - 1,
      false,
    ]);
    expect(many[0]!.hasGone).toBe(true);
  });

  it('allows many connections from a proxy on this machine', () => {
    const inbound = new InboundConnections();
    const connections = crowd(inbound, stage, most, (i) => (i % 2 === 0 ? '127.0.0.1' : '::1'));
    expect(staying(connections)).toBe(most);
  });
});

describe('connections of different stages', () => {
  it('a connection that has spoken is not closed for silent ones', () => {
    const inbound = new InboundConnections();
    const slow = new Stranger(inbound, '127.0.0.1').enter('silent').enter('spoken');
    crowd(inbound, 'silent', 20_000, () => '127.0.0.1');
    expect(slow.hasGone).toBe(false);
    const peer = slow.enter('peers');
    crowd(inbound, 'spoken', 20_000, () => '127.0.0.1');
    expect(peer.hasGone).toBe(false);
  });

  it('the peer that was useful longest ago is closed, at any position', () => {
    const { most } = INBOUND_LIMITS.peers;
    const inbound = new InboundConnections();
    const peers = crowd(inbound, 'peers', most, ownAddress);
    peers[0]!.usefulAt = 1e6;
    new Stranger(inbound, '9.9.9.9', 2e6).enter('peers');
    expect(peers.filter(({ hasGone }) => hasGone)).toEqual([peers[1]]);
  });
});
