/**
 * `askrene-difflayers` through the socket.
 *
 *   A ──10 msat── B ──10 msat── D     cheap, 100,000 sat
 *   A ──50 msat── C ──50 msat── D     expensive, 200,000 sat
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { NodeContext } from '../../../src/commands/context.ts';
import { COMMANDS } from '../../../src/commands/index.ts';
import { RouteEngine } from '../../../src/engine/host/engine.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { msat } from '../../../src/model/msat.ts';
import {
  type Direction,
  formatShortChannelIdDir,
  shortChannelId,
} from '../../../src/model/short-channel-id.ts';
import { inProcessSolvers } from '../../engine/host/in-process-solvers.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';
import { RawClient, serve, type TestServer } from '../../rpc/support.ts';

const { graph } = tinyGraph([
  'A-B 1x1x1 cap=100000sat fee=10+0',
  'B-D 2x2x2 cap=100000sat fee=10+0',
  'A-C 3x3x3 cap=200000sat fee=50+0',
  'C-D 4x4x4 cap=200000sat fee=50+0',
]);
const [A, B, C, D] = [nodeNamed('A'), nodeNamed('B'), nodeNamed('C'), nodeNamed('D')] as const;
const BD = { shortChannelId: shortChannelId(2, 2, 2), direction: (B < D ? 0 : 1) as Direction };
const AC = { shortChannelId: shortChannelId(3, 3, 3), direction: (A < C ? 0 : 1) as Direction };

let book: LayerBook;
let engine: RouteEngine;
let server: TestServer;
let client: RawClient;
const context = {
  graph,
  get engine() {
    return engine;
  },
  get layers() {
    return book;
  },
} as unknown as NodeContext;

beforeAll(async () => {
  server = await serve(COMMANDS, context);
  client = new RawClient(server.path);
});
beforeEach(async () => {
  await engine?.close();
  book = new LayerBook(() => 1_800_000_000);
  engine = new RouteEngine({ book, solvers: inProcessSolvers() });
  engine.publish(graph);
});
afterAll(async () => {
  client.close();
  await server.stop();
  await engine.close();
});

interface Answer {
  readonly result?: {
    before: object;
    after: object;
    changed: boolean;
    entries: object[];
    num_entries: number;
  };
  readonly error?: object;
}

async function call(method: string, params: object | unknown[]): Promise<Answer> {
  return JSON.parse((await client.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))!);
}

const request = { source: A, destination: D, amount_msat: 1_000_000, maxfee_msat: 1_000_000, final_cltv: 18 };
const diff = (params: object) => call('askrene-difflayers', { ...request, layers: [], ...params });

it('shows what adding a layer changes, and which entries cause it', async () => {
  const layer = book.createLayer('learned', false);
  book.informChannel(layer, BD, msat(500_000n), 'constrained');
  book.informChannel(layer, { ...AC, direction: (1 - AC.direction) as Direction }, msat(7n), 'constrained');
  book.disableNode(layer, nodeNamed('E'));
  const { result } = await diff({ with: 'learned' });
  expect(result).toMatchObject({
    before: { layers: [], fee_msat: 20, routes: [{ amount_msat: 1_000_000 }] },
    after: { layers: ['learned'], fee_msat: 100 },
    changed: true,
    entries: [
      {
        layer: 'learned',
        kind: 'constraint',
        short_channel_id_dir: formatShortChannelIdDir(BD),
        maximum_msat: 499_999,
      },
    ],
    num_entries: 1,
  });
});

it('lists entries of every kind that affect either route, and no others', async () => {
  const layer = book.createLayer('all', false);
  const created = shortChannelId(9, 9, 9);
  const AD = { shortChannelId: created, direction: (A < D ? 0 : 1) as Direction };
  book.createChannel(layer, A, D, created, msat(1_000_000_000n));
  book.updateChannel(layer, AD, { enabled: true, htlcMaximumMsat: 1_000_000_000n });
  book.informChannel(layer, AD, msat(2_000_000n), 'unconstrained');
  book.informChannel(layer, AD, msat(5n), 'succeeded');
  book.biasChannel(layer, AD, { bias: 3, relative: false, description: 'why' });
  book.biasNode(layer, D, 'in', { bias: 2, relative: false, description: undefined });
  book.disableNode(layer, B);
  book.disableNode(layer, nodeNamed('E'));
  book.reserve([{ shortChannelIdDir: AD, amountMsat: msat(9n), layer }], '"cmd"');
  const { result } = await diff({ with: 'all' });
  expect(result!.entries.map((entry) => (entry as { kind: string }).kind)).toEqual([
    'disabled_node',
    'node_bias',
    'created_channel',
    'channel_update',
    'bias',
    'constraint',
    'impression',
    'reservation',
  ]);
  expect(result!.entries).toContainEqual({ layer: 'all', kind: 'disabled_node', node: B });
  expect(result).toMatchObject({ before: { fee_msat: 20 }, after: { fee_msat: 0 }, num_entries: 8 });
});

it('shows a failure as an answer, with the entries that blocked the route', async () => {
  const layer = book.createLayer('shut', false);
  book.disableNode(layer, B);
  book.updateChannel(layer, AC, { enabled: false });
  const { result } = await diff({ layers: ['shut'], without: 'shut' });
  expect(result).toMatchObject({
    before: { layers: ['shut'], error: { code: 205, data: { binding: { kind: 'source_capacity' } } } },
    after: { layers: [], fee_msat: 20 },
    changed: true,
  });
  expect(result!.entries).toContainEqual({ layer: 'shut', kind: 'disabled_node', node: B });
  expect(result!.entries).toContainEqual({
    layer: 'shut',
    kind: 'channel_update',
    short_channel_id_dir: formatShortChannelIdDir(AC),
    enabled: false,
  });
});

it('compares two lists of layers; the default second list has automatic layers only', async () => {
  const one = book.createLayer('one', false);
  book.updateChannel(one, BD, { feeBaseMsat: 1n });
  const two = book.createLayer('two', false);
  book.updateChannel(two, BD, { feeBaseMsat: 2n });
  const orders = await diff({ layers: ['one', 'two'], compare_layers: ['two', 'one'] });
  expect(orders.result).toMatchObject({ before: { fee_msat: 12 }, after: { fee_msat: 11 }, num_entries: 2 });
  const none = await diff({ layers: ['auto.sourcefree', 'two'] });
  expect(none.result).toMatchObject({
    before: { layers: ['auto.sourcefree'], fee_msat: 10 },
    after: { layers: ['auto.sourcefree', 'two'], fee_msat: 2 },
    entries: [{ layer: 'two', kind: 'channel_update', fee_base_msat: 2 }],
  });
  const same = await diff({ layers: ['one'], compare_layers: ['one'] });
  expect(same.result).toMatchObject({ changed: false, entries: [] });
});

it.each([
  [{ without: 'a' }, 'without: is not among the layers'],
  [{ with: 'a', compare_layers: [] }, 'compare_layers: cannot be combined with `with` or `without`'],
  [{ with: 'b' }, 'with: unknown layer: invalid token (see logs for details)'],
  [{ amount_msat: 0 }, 'amount must be non-zero'],
  [{ destination: A }, 'source and destination must be different'],
])('rejects %j', async (params, message) => {
  book.createLayer('a', false);
  expect((await diff(params)).error).toMatchObject({ code: -32602, message });
});

it('accepts its parameters by position, and validates them', async () => {
  book.createLayer('a', false);
  const positional = [A, D, 1_000_000, [], 1_000_000, 18, 'a'];
  expect((await call('askrene-difflayers', positional)).result).toMatchObject({ after: { layers: ['a'] } });
  expect((await call('check', ['askrene-difflayers', ...positional])).result).toEqual({
    command_to_check: 'askrene-difflayers',
  });
  const help = await call('help', ['askrene-difflayers']);
  expect(help.result).toMatchObject({
    help: [
      {
        command:
          'askrene-difflayers source destination amount_msat layers maxfee_msat final_cltv [with] [without] [compare_layers] [maxdelay] [maxparts]',
      },
    ],
  });
});
