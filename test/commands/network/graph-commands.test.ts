/**
 * `getinfo`, `listnodes`, `listchannels` on a graph of three nodes and an isolated one:
 *
 *     A ──1x2x3 (1,000,000 sat)── B ──700000x1x0 (5,000 sat)── C      D
 *
 *     1x2x3       A→B enabled, B→A disabled        700000x1x0   B→C enabled, C→B not announced
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { NodeContext } from '../../../src/commands/context.ts';
import { COMMANDS } from '../../../src/commands/index.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { msat, msatFromSat } from '../../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../../../src/model/node-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { NoneNetwork } from '../../../src/network/none/index.ts';
import { RawClient, serve, type TestServer } from '../../rpc/support.ts';

/** Points of the curve: 1, 2, 3 and 4 times the generator, in the order of their ids. */
const B = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5' as NodeId;
const D = '02e493dbf1c10d80f3581e4904930b1404cc6c13900ee0758474fa94abe8c4cd13' as NodeId;
const C = '02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9' as NodeId;
const A = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798' as NodeId;

function drawnGraph(): ChannelGraph {
  const graph = new ChannelGraph();
  const [a, b, c] = [A, B, C, D].map((id) => graph.internNode(nodeIdToBytes(id)));
  const ab = graph.addChannel(shortChannelId(1, 2, 3), a!, b!, msatFromSat(1_000_000), Uint8Array.of(0x80));
  const policy = {
    enabled: true,
    htlcMinimumMsat: msat(1),
    htlcMaximumMsat: msat(990_000_000),
    feeBaseMsat: 1000,
    feeProportionalMillionths: 10,
    cltvExpiryDelta: 144,
    timestamp: 1_700_000_000,
  };
  graph.setPolicy(ab, 0, policy);
  graph.setPolicy(ab, 1, { ...policy, enabled: false, feeBaseMsat: 4_294_967_295 });
  const bc = graph.addChannel(shortChannelId(700_000, 1, 0), b!, c!, msatFromSat(5000));
  graph.setPolicy(bc, 0, policy);
  const alias = new Uint8Array(32);
  alias.set(Buffer.from('caf\u00e9 \x1b"'));
  graph.setAnnouncement(b!, {
    timestamp: 1_700_000_001,
    alias,
    color: Uint8Array.of(1, 2, 255),
    features: Uint8Array.of(0x88, 0xa0),
    addresses: Uint8Array.of(1, 127, 0, 0, 1, 0x26, 0x07),
  });
  return graph;
}

const aToB = {
  source: A,
  destination: B,
  short_channel_id: '1x2x3',
  direction: 0,
  public: true,
  amount_msat: 1_000_000_000,
  message_flags: 1,
  channel_flags: 0,
  active: true,
  last_update: 1_700_000_000,
  base_fee_millisatoshi: 1000,
  fee_per_millionth: 10,
  delay: 144,
  htlc_minimum_msat: 1,
  htlc_maximum_msat: 990_000_000,
  features: '80',
};
const bToA = {
  ...aToB,
  source: B,
  destination: A,
  direction: 1,
  channel_flags: 3,
  active: false,
  base_fee_millisatoshi: 4_294_967_295,
};
const bToC = {
  ...aToB,
  source: B,
  destination: C,
  short_channel_id: '700000x1x0',
  amount_msat: 5_000_000,
  features: '',
};

const features = { init: '08', node: '80', channel: '', invoice: '02' };
let server: TestServer;
let client: RawClient;
let stops = 0;
/** The reason why payments made before a failover are unknown; undefined if they are known. */
let doubt: { readonly message: string } | undefined;
const graph = drawnGraph();

beforeAll(async () => {
  const context: Partial<NodeContext> = {
    identity: { id: A, alias: 'me', color: '0279be', features },
    chain: 'regtest',
    blockheight: 700_000,
    dataDirectory: '/home/me/.fulgurite',
    version: '1.2.3',
    graph,
    networkPort: new NoneNetwork({
      nodeId: nodeIdFromBytes(Buffer.from(A, 'hex')),
      chainHash: new Uint8Array(32),
    }),
    payments: {
      get doubt() {
        return doubt;
      },
    } as NodeContext['payments'],
    requestStop: () => {
      stops++;
    },
  };
  server = await serve(COMMANDS, context as NodeContext);
  client = new RawClient(server.path);
});
afterAll(async () => {
  client.close();
  await server.stop();
});

async function ask(method: string, params: unknown = {}) {
  const { result, error } = JSON.parse((await client.ask(JSON.stringify({ id: 1, method, params })))!);
  return error ?? result;
}

describe('listchannels', () => {
  it.each([
    [{}, [aToB, bToA, bToC]],
    [['1x2x3'], [aToB, bToA]],
    [['700000x1x0'], [bToC]],
    [
      [null, B],
      [bToA, bToC],
    ],
    [[null, null, B], [aToB]],
    [{ source: A }, [aToB]],
    [{ destination: C }, [bToC]],
    [{ source: C }, []],
    [{ source: D }, []],
    [{ short_channel_id: '9x9x9' }, []],
    [{ source: '03e493dbf1c10d80f3581e4904930b1404cc6c13900ee0758474fa94abe8c4cd13' }, []],
  ])('%j', async (params, channels) => {
    expect(await ask('listchannels', params)).toEqual({ channels });
  });

  it('accepts at most one parameter', async () => {
    expect(await ask('listchannels', { source: A, destination: B })).toMatchObject({
      code: -32602,
      message: 'Can only specify one of `short_channel_id`, `source` or `destination`',
    });
  });

  it('keeps the order of its members', async () => {
    const answer = await client.ask('{"id":1,"method":"listchannels","params":["1x2x3"]}');
    expect(Object.keys(JSON.parse(answer!).result.channels[0])).toEqual(Object.keys(aToB));
  });
});

describe('listnodes', () => {
  const announced = {
    nodeid: B,
    alias: 'café \u001b"',
    color: '0102ff',
    last_timestamp: 1_700_000_001,
    features: '88a0',
    addresses: [{ type: 'ipv4', address: '127.0.0.1', port: 9735 }],
  };

  it.each([
    [{}, [{ nodeid: A }, announced, { nodeid: C }]],
    [[B], [announced]],
    [{ id: B.toUpperCase() }, [announced]],
    [[D], []],
    [['03e493dbf1c10d80f3581e4904930b1404cc6c13900ee0758474fa94abe8c4cd13'], []],
  ])('%j', async (params, nodes) => {
    expect(await ask('listnodes', params)).toEqual({ nodes });
  });

  it('refuses ids that are not points of the curve', async () => {
    for (const id of ['xyz', `02${'f'.repeat(64)}`, A.slice(2), `04${A.slice(2)}`, 5]) {
      expect(await ask('listnodes', [id])).toMatchObject({
        code: -32602,
        message: 'id: should be a node id: invalid token (see logs for details)',
      });
    }
  });
});

describe('getinfo', () => {
  it('shows who we are', async () => {
    expect(await ask('getinfo')).toEqual({
      id: A,
      alias: 'me',
      color: '0279be',
      num_peers: 0,
      num_pending_channels: 0,
      num_active_channels: 0,
      num_inactive_channels: 0,
      address: [],
      binding: [],
      version: '1.2.3',
      blockheight: 700_000,
      network: 'regtest',
      network_kind: 'none',
      fees_collected_msat: 0,
      'lightning-dir': '/home/me/.fulgurite',
      our_features: features,
    });
  });

  it('warns while payments made before a failover are unknown', async () => {
    doubt = { message: 'waiting for one node' };
    expect(await ask('getinfo')).toMatchObject({ warning_doubt: 'waiting for one node' });
    doubt = undefined;
    expect(await ask('getinfo')).not.toHaveProperty('warning_doubt');
  });
});

describe('stop', () => {
  it('asks the daemon to stop, and returns a text', async () => {
    expect(await ask('stop')).toBe('Shutdown complete');
    expect(stops).toBe(1);
  });
});

describe('the whole list of a large graph', () => {
  it('is built and sent while the service answers other requests', async () => {
    const large = new ChannelGraph();
    const nodes = 200;
    for (let node = 0; node < nodes; node++) {
      const id = Buffer.alloc(33, 2);
      id.writeUInt32BE(node, 1);
      large.internNode(id);
    }
    const policy = {
      enabled: true,
      htlcMinimumMsat: msat(0),
      htlcMaximumMsat: msat(1),
      feeBaseMsat: 0,
      feeProportionalMillionths: 0,
      cltvExpiryDelta: 0,
    };
    let count = 0;
    for (let one = 0; one < nodes; one++) {
      for (let other = one + 1; other < nodes; other++) {
        const channel = large.addChannel(shortChannelId(count, 1, 1), one, other, 1000n);
        large.setPolicy(channel, 0, policy);
        large.setPolicy(channel, 1, policy);
        count++;
      }
    }
    const busy = await serve(COMMANDS, { graph: large } as NodeContext);
    const [reader, other] = [new RawClient(busy.path), new RawClient(busy.path)];
    const question = '{"id":2,"method":"help","params":["help"]}';
    // Number of turns of the event loop that one request takes while nothing else runs.
    let turns = 0;
    let turning = setImmediate(function turn() {
      turns++;
      turning = setImmediate(turn);
    });
    let turnsOfOne = 0;
    for (let n = 0; n < 20; n++) {
      const before = turns;
      await other.ask(question);
      turnsOfOne = Math.max(turnsOfOne, turns - before);
    }
    clearImmediate(turning);
    // The policy of a direction is read when the entry of the direction is built.
    const made = vi.spyOn(large, 'policy');
    const listed = reader.ask('{"id":1,"method":"listchannels"}');
    let answeredMeanwhile = 0;
    while (made.mock.calls.length < 2 * count) {
      await other.ask(question);
      if (made.mock.calls.length < 2 * count) answeredMeanwhile++;
    }
    const text = (await listed)!;
    expect(JSON.parse(text).result.channels).toHaveLength(2 * count);
    // The list is built in chunks of 64 KiB plus at most one channel. Each chunk takes at least one turn. The
    // request in progress at the end is not counted.
    const chunks = Math.floor(text.length / (64 * 1024 + 1024));
    expect(answeredMeanwhile).toBeGreaterThanOrEqual(Math.floor(chunks / turnsOfOne) - 1);
    reader.close();
    other.close();
    await busy.stop();
  });

  it('copes with graph changes during the listing: each channel once, without removed channels', async () => {
    const changing = drawnGraph();
    const second = changing.channelIndex(shortChannelId(700_000, 1, 0));
    changing.setPolicy(second, 1, { ...changing.policy(second * 2)!, channelFlags: 1 });
    const { handler } = COMMANDS.find(({ name }) => name === 'listchannels')!;
    const result = (await handler({}, { graph: changing } as NodeContext, {} as never)) as {
      channels: { elements: Iterable<{ short_channel_id: string; direction: number }> };
    };
    const seen: string[] = [];
    for (const { short_channel_id, direction } of result.channels.elements) {
      seen.push(`${short_channel_id}/${direction}`);
      // Removing the first channel moves the last one to its place.
      if (seen.length === 1) changing.removeChannel(changing.channelIndex(shortChannelId(1, 2, 3)));
    }
    expect(seen).toEqual(['1x2x3/0', '700000x1x0/0', '700000x1x0/1']);
  });

  it('of nodes copes with a graph that is rebuilt during the listing', async () => {
    const changing = drawnGraph();
    const { handler } = COMMANDS.find(({ name }) => name === 'listnodes')!;
    const list = async () => {
      const result = await handler({}, { graph: changing } as NodeContext, {} as never);
      return (result as { nodes: { elements: Iterable<{ nodeid: string }> } }).nodes.elements;
    };
    const before = Array.from(await list(), ({ nodeid }) => nodeid);
    const seen: string[] = [];
    for (const { nodeid } of await list()) {
      seen.push(nodeid);
      if (seen.length > 1) continue;
      // The same nodes in reverse order, the last one without a channel.
      const other = new ChannelGraph();
      for (const id of [...before].reverse()) other.internNode(Buffer.from(id, 'hex'));
      for (let node = 1; node + 1 < before.length; node++) {
        const ends = [node, node + 1].sort((a, b) => (other.nodeId(a) < other.nodeId(b) ? -1 : 1));
        other.addChannel(shortChannelId(node, 1, 1), ends[0]!, ends[1]!, 1000n);
      }
      changing.adopt(other);
    }
    expect(seen).toEqual(before.slice(0, -1));
  });

  it('of channels is not copied for each client that requests it without reading', async () => {
    const still = drawnGraph();
    const { handler } = COMMANDS.find(({ name }) => name === 'listchannels')!;
    const slice = vi.spyOn(still.shortChannelIds, 'slice');
    for (let client = 0; client < 3; client++)
      await handler({}, { graph: still } as NodeContext, {} as never);
    expect(slice).toHaveBeenCalledTimes(1);
    still.removeChannel(0);
    await handler({}, { graph: still } as NodeContext, {} as never);
    expect(slice).toHaveBeenCalledTimes(2);
  });
});
