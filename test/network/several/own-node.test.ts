/** When a node of ours takes new parts, what it may spend, and how its HTLCs are counted: each limit exactly. */
import { describe, expect, test } from 'vitest';
import { msat } from '../../../src/model/msat.ts';
import type { OwnChannel } from '../../../src/model/own-channel.ts';
import type { NetworkPort } from '../../../src/network/port.ts';
import { DEFAULT_NODE_SETTINGS, OwnNode, OwnNodes } from '../../../src/network/several/index.ts';
import { RecentHtlcs } from '../../../src/network/several/recent-htlcs.ts';

const CHANNEL = {
  ...{ usable: true, spendableMsat: msat(1_000n), receivableMsat: msat(500n), capacityMsat: msat(1_500n) },
  ...{ theirMaxInFlightMsat: msat(2_000n), peerId: '02' },
} as OwnChannel;

interface Made {
  readonly height?: number;
  readonly problem?: string;
  readonly channels?: readonly Partial<OwnChannel>[];
  readonly settings?: Partial<typeof DEFAULT_NODE_SETTINGS>;
}

function node({ height = 100, problem, channels = [{}], settings = {} }: Made = {}): OwnNode {
  const port = {
    identity: { nodeId: '02' },
    capabilities: {},
    nodeBehind: () => (problem === undefined ? undefined : { problem }),
    blockHeight: () => height,
    ownChannels: () => ({ revision: 1, channels: channels.map((one) => ({ ...CHANNEL, ...one })) }),
  } as unknown as NetworkPort;
  return new OwnNode('a', 0, port, { ...DEFAULT_NODE_SETTINGS, ...settings }, async () => '');
}

/** Why the node rests, and what it may spend. */
const standing = (made: Made): [string | undefined, bigint] => {
  const one = node(made);
  return [one.whyResting?.kind, one.mayPayMsat];
};

describe('a node', () => {
  test('may spend what is above its floor', () => {
    expect(standing({ settings: { floorMsat: 999n } })).toEqual([undefined, 1n]);
    expect(standing({ settings: { floorMsat: 1_000n } })).toEqual(['floor', 0n]);
    expect(standing({ channels: [{ spendableMsat: msat(0n) }] })).toEqual(['empty', 0n]);
    expect(standing({ channels: [{}, { usable: false }] })).toEqual([undefined, 1_000n]);
    expect(standing({ channels: [{ theirMaxInFlightMsat: msat(300n) }] })).toEqual([undefined, 300n]);
  });

  test('rests if its height differs by more than three blocks from the agreed one', () => {
    const kinds = [96, 97, 103, 104].map((height) => {
      const one = node({ height });
      one.agreedHeight = 100;
      return one.whyResting?.kind;
    });
    expect(kinds).toEqual(['height', undefined, undefined, 'height']);
  });

  test('rests if a balance is impossible: more than the capacity, or negative', () => {
    expect(standing({ channels: [{ receivableMsat: msat(1_500n) }] })).toEqual([undefined, 1_000n]);
    expect(standing({ channels: [{ receivableMsat: msat(1_501n) }] })).toEqual(['report', 0n]);
    expect(standing({ channels: [{ spendableMsat: -1n as never }] })).toEqual(['report', 0n]);
  });

  test('rests with its maximum number of HTLCs in flight', () => {
    const one = node({ settings: { maxHtlcs: 2 } });
    one.inFlight.set('x', { amountMsat: 1n, feeMsat: 0n });
    expect(one.whyResting).toBeUndefined();
    one.inFlight.set('y', { amountMsat: 1n, feeMsat: 0n });
    expect(one.whyResting).toEqual({ kind: 'htlcs', limit: 2 });
  });
});

test('nodes agree on the median height, or the higher of the two in the middle; nodes that are away do not count', () => {
  const agreed = (...made: Made[]): [number, number | undefined] => {
    const nodes = new OwnNodes(made.map(node));
    return [nodes.agreeOnHeight(), nodes.list[0]!.agreedHeight];
  };
  expect(agreed({ height: 5 }, { height: 9 }, { height: 7 })).toEqual([7, 7]);
  expect(agreed({ height: 5 }, { height: 9 }, { height: 7 }, { height: 6 })).toEqual([7, 7]);
  expect(agreed({ height: 5 }, { height: 9, problem: 'away' })).toEqual([5, 5]);
  expect(agreed({ height: 5 }, { height: 9, settings: { state: 'off' } })).toEqual([5, 5]);
  expect(agreed({ height: 5, problem: 'away' }, { height: 9, problem: 'away' })).toEqual([9, undefined]);
});

describe('the HTLCs of the last minutes', () => {
  const MINUTE_MS = 60_000;
  const START_MS = 1_000 * 1440 * MINUTE_MS;

  function counted() {
    const clock = { nowMs: START_MS };
    const recent = new RecentHtlcs(() => clock.nowMs);
    const settle = (): void => recent.note(true, { amountMsat: 10n, feeMsat: 1n });
    const since = (minutes: number): number => recent.since(minutes).settled;
    return { clock, recent, settle, since };
  }

  test('count in their own minute and the following ones, for up to a day', () => {
    const { clock, recent, settle, since } = counted();
    settle();
    recent.note(false, { amountMsat: 10n, feeMsat: 1n });
    expect(recent.since(1)).toEqual({ settled: 1, failed: 1, amountMsat: 10n, feeMsat: 1n });
    clock.nowMs += MINUTE_MS;
    expect([since(1), since(2)]).toEqual([0, 1]);
    clock.nowMs = START_MS + 1439 * MINUTE_MS;
    settle();
    expect(since(1440)).toBe(2);
    clock.nowMs += MINUTE_MS;
    settle();
    expect(since(1440)).toBe(2);
  });
});
