/** The port on several nodes, tested with made-up nodes. */
import { expect, test, vi } from 'vitest';
import { msat } from '../../../src/model/msat.ts';
import type { HtlcState, NetworkPort, OutcomeListener, OutgoingHtlc } from '../../../src/network/port.ts';
import {
  DEFAULT_NODE_SETTINGS,
  OwnNode,
  OwnNodes,
  SeveralNetwork,
} from '../../../src/network/several/index.ts';

/** A node with one channel. Its report never changes. */
const portOf = (nodeId: string, more: object = {}): NetworkPort =>
  ({
    kind: 'lnd',
    identity: { nodeId },
    capabilities: {},
    nodeBehind: () => undefined,
    blockHeight: () => 1,
    ownChannels: () => ({ revision: 1, channels: [{ usable: true, spendableMsat: msat(1000) }] }),
    onOwnChannels: () => () => undefined,
    onBlock: () => () => undefined,
    onOutcome: () => () => undefined,
    send: async () => ({ channelsRevision: 1 }),
    outcomes: async () => new Map(),
    close: async () => undefined,
    ...more,
  }) as unknown as NetworkPort;

function networkOf(...ports: NetworkPort[]) {
  const nodes = ports.map(
    (port, index) => new OwnNode(`node ${index}`, index, port, DEFAULT_NODE_SETTINGS, async () => ''),
  );
  const { identity } = ports[0]!;
  return {
    nodes,
    network: new SeveralNetwork({ identity, nodes: new OwnNodes(nodes), messages: ports[0]! }),
  };
}

const htlcOf = (attemptId: string, fromNode: string): OutgoingHtlc =>
  ({
    ...{ attemptId, fromNode },
    path: [{ amountMsat: msat(1010) }, { amountMsat: msat(1000) }],
  }) as unknown as OutgoingHtlc;

test('an HTLC whose outcome is queried while it is in flight keeps its amount and fee', async () => {
  const listeners: OutcomeListener[] = [];
  const { network, nodes } = networkOf(
    portOf('02', {
      onOutcome: (listener: OutcomeListener) => void listeners.push(listener),
      outcomes: async () => new Map([['x', { status: 'pending' }]]),
    }),
  );
  const htlc = htlcOf('x', '02');
  await network.send(htlc);
  await network.outcomes([htlc]);
  for (const listener of listeners) listener('x', { status: 'settled', preimage: new Uint8Array(32) });
  expect(nodes[0]!.recent.since(60)).toEqual({ settled: 1, failed: 0, amountMsat: 1010n, feeMsat: 10n });
  expect(nodes[0]!.inFlight.size).toBe(0);
});

test('while a node is away, its money cannot be spent, and only its own HTLCs are unknown', async () => {
  const settled: HtlcState = { status: 'settled', preimage: new Uint8Array(32) };
  const { network, nodes } = networkOf(
    portOf('02', {
      nodeBehind: () => ({ problem: 'away' }),
      outcomes: async () => {
        throw new Error('away');
      },
    }),
    portOf('03', { outcomes: async () => new Map([['y', settled]]) }),
  );
  expect(network.ownChannels().channels).toMatchObject([
    { ownNodeId: '02', usable: false, spendableMsat: 0n },
    { ownNodeId: '03', usable: true, spendableMsat: 1000n },
  ]);
  const htlcs = [htlcOf('x', '02'), htlcOf('y', '03')];
  for (const htlc of htlcs) await network.send(htlc);
  expect([...(await network.outcomes(htlcs))]).toEqual([
    ['x', { status: 'unknown' }],
    ['y', settled],
  ]);
  expect(nodes.map(({ inFlight }) => inFlight.size)).toEqual([1, 0]);
});

test('an HTLC that the node’s report already contains waits for no further report', async () => {
  const { network } = networkOf(portOf('02'));
  const { channelsRevision } = await network.send(htlcOf('x', '02'));
  expect(channelsRevision).toBe(network.ownChannels().revision);
});

test('the network can do what all nodes can do, and remembers as little as the most forgetful', () => {
  const capabilitiesOf = (...all: object[]) =>
    networkOf(...all.map((capabilities, index) => portOf(`0${index}`, { capabilities }))).network
      .capabilities;
  const [able, unable] = [
    { repeatsSends: true, rememberedHtlcs: 500 },
    { repeatsSends: false, rememberedHtlcs: 70 },
  ];
  expect(capabilitiesOf(able, able)).toMatchObject({ repeatsSends: true, rememberedHtlcs: 500 });
  expect(capabilitiesOf(able, unable)).toMatchObject({ repeatsSends: false, rememberedHtlcs: 70 });
});

test('a height is reported when it changes, and nothing after the network is closed', async () => {
  let height = 1;
  let onBlock = (): void => undefined;
  const unsubscribe = vi.fn();
  const { network } = networkOf(
    portOf('02', {
      blockHeight: () => height,
      onBlock: (listener: () => void) => {
        onBlock = listener;
        return unsubscribe;
      },
    }),
  );
  const heights: number[] = [];
  network.onBlock((told) => heights.push(told));
  for (height of [1, 2, 2, 3]) onBlock();
  expect(heights).toEqual([2, 3]);
  await network.close();
  expect(unsubscribe).toHaveBeenCalledTimes(1);
});
