/** What the metrics that are read at a scrape count. */
import { expect, test, vi } from 'vitest';
import { openMetrics, type ScrapedRooms } from '../../../src/cli/daemon/open-metrics.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { readScrape } from '../../metrics/exposition.ts';

const OPTIONS = {
  methods: [],
  transports: ['socket'],
  network: 'several',
  chain: 'bitcoin',
  storePath: '/nowhere',
} as const;

const ownNode = (name: string, state: 'on' | 'off', problem?: string) => ({
  ...{ name, problem, whyResting: undefined, spendableMsat: 0n, mayPayMsat: 0n, inFlight: new Map() },
  ...{ settings: { state, floorMsat: 0n }, agreedHeight: 100 },
  port: { blockHeight: () => 90 },
});

/** The value of each series of a metric, by the value of a label. */
async function values(name: string, label: string, parts: object): Promise<Record<string, number>> {
  const counts = {
    lag: 0,
    stale: 0,
    rejected: 0,
    foreign: 0,
    malformed: 0,
    lost: 0,
    takenOver: 0,
    fenced: 0,
  };
  const fleet = { ...counts, solvers: 0, store: undefined, isReady: true, isBusDown: false };
  const inFlight = { paymentsInFlight: 0, htlcsInFlight: 0, htlcsInFlightMsat: 0n };
  const figures = { ...inFlight, workers: 1, workersReplaced: 0, searchesRunning: 0, blockHeight: 100 };
  const rooms = {
    figures: () => figures,
    graph: { nodeCount: 0, channelCount: 0 },
    layers: new LayerBook(),
    network: {
      nodeBehind: () => undefined,
      peers: () => [],
      ownChannels: () => ({ revision: 0, channels: [] }),
    },
    ...{ drift: undefined, probes: undefined, ownNodes: undefined, connections: () => ({}) },
    fleet: () => fleet,
    ...parts,
  };
  const metrics = openMetrics(OPTIONS, () => rooms as unknown as ScrapedRooms);
  const { samples } = readScrape(await metrics.text());
  metrics.close();
  const found = samples.filter((sample) => sample.name === name);
  return Object.fromEntries(found.map(({ labels, value }) => [labels[label]!, value]));
}

test('a node that is off is neither missing nor behind', async () => {
  const list = [ownNode('a', 'on'), ownNode('b', 'on', 'away'), ownNode('c', 'off', 'away')];
  const ownNodes = { list };
  expect(await values('fulgurite_own_node_up', 'node', { ownNodes })).toEqual({ a: 1, b: 0, c: 1 });
  expect(await values('fulgurite_own_node_height_lag', 'node', { ownNodes })).toEqual({ a: 10, b: 10, c: 0 });
});

test('layers of payments and probes in progress are counted separately from those of users', async () => {
  const layers = new LayerBook();
  const node = `02${'ab'.repeat(32)}` as NodeId;
  for (const name of ['xpay-1', 'probe-7', 'xkeysend-2-3', 'mine'])
    layers.createLayer(name, false).apply({ type: 'disableNode', node });
  const scraped = await values('fulgurite_layer_records', 'layer_kind', { layers });
  // The last series of each kind is that of disabled nodes.
  expect(scraped).toEqual({ own: 3, learned: 0, user: 1 });
});

test('the age of the graph does not depend on the time of day', async () => {
  const clock = vi.spyOn(Date, 'now').mockReturnValueOnce(10 ** 12);
  clock.mockReturnValue(10 ** 12 - 3_600_000);
  const [age] = Object.values(await values('fulgurite_graph_age_seconds', '', {}));
  clock.mockRestore();
  expect(age).toBeGreaterThanOrEqual(0);
  expect(age).toBeLessThan(3_600);
});
