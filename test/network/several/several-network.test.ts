/** The HTLC counts of the port on several nodes, tested with one made-up node. */
import { expect, test } from 'vitest';
import { msat } from '../../../src/model/msat.ts';
import type { NetworkPort, OutcomeListener, OutgoingHtlc } from '../../../src/network/port.ts';
import {
  DEFAULT_NODE_SETTINGS,
  OwnNode,
  OwnNodes,
  SeveralNetwork,
} from '../../../src/network/several/index.ts';

test('an HTLC whose outcome is queried while it is in flight keeps its amount and fee', async () => {
  const listeners: OutcomeListener[] = [];
  const port = {
    kind: 'lnd',
    identity: { nodeId: '02' },
    capabilities: {},
    nodeBehind: () => undefined,
    blockHeight: () => 1,
    ownChannels: () => ({ revision: 1, channels: [] }),
    onOwnChannels: () => () => undefined,
    onBlock: () => () => undefined,
    onOutcome: (listener: OutcomeListener) => void listeners.push(listener),
    send: async () => ({ channelsRevision: 1 }),
    outcomes: async () => new Map([['x', { status: 'pending' }]]),
  } as unknown as NetworkPort;
  const node = new OwnNode('a', 0, port, DEFAULT_NODE_SETTINGS, async () => '');
  const network = new SeveralNetwork({
    identity: port.identity,
    nodes: new OwnNodes([node]),
    messages: port,
  });
  const htlc = {
    attemptId: 'x',
    fromNode: port.identity.nodeId,
    path: [{ amountMsat: msat(1010) }, { amountMsat: msat(1000) }],
  } as unknown as OutgoingHtlc;
  await network.send(htlc);
  await network.outcomes([htlc]);
  for (const listener of listeners) listener('x', { status: 'settled', preimage: new Uint8Array(32) });
  expect(node.recent.since(60)).toEqual({ settled: 1, failed: 0, amountMsat: 1010n, feeMsat: 10n });
  expect(node.inFlight.size).toBe(0);
});
