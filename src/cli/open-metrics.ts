/** Puts the metrics together: which parts of the service report to them, and what is read at each scrape. */
import { statSync } from 'node:fs';
import { collectDefaultMetrics, Registry as ProcessMetrics } from 'prom-client';
import type { Figures } from '../events/index.ts';
import type { LayerBook } from '../layers/layer-book.ts';
import { GaugeFamily, type GaugeReading, type GaugeReadings, NodeMetrics } from '../metrics/index.ts';
import { type ChannelGraph, POLICY_ENABLED } from '../model/channel-graph.ts';
import { VERSION } from '../model/version.ts';
import type { NetworkPort } from '../network/port.ts';
import { SHARED_LAYER } from '../payments/learning.ts';
import type { RpcTransport } from '../rpc/request-watcher.ts';
import type { StoreFigures } from '../store/postgres/postgres-store.ts';

/** What is known before any room is open. */
export interface MetricsOptions {
  readonly methods: readonly string[];
  readonly transports: readonly RpcTransport[];
  readonly network: string;
  readonly chain: string;
  /** Path of the database. */
  readonly storePath: string;
}

/** How this daemon does in a fleet. All are 0 without one. */
export interface FleetFigures {
  /** Chunks of the log of layers that the slowest solver is behind. */
  readonly lag: number;
  /** Searches that solvers refused because they were behind. */
  readonly stale: number;
  readonly rejected: number;
  /** Messages on the bus that are of another fleet. */
  readonly foreign: number;
  /** Messages on the bus that were dropped because they are malformed. */
  readonly malformed: number;
  /** Payments that went to other daemons, and that came from them. */
  readonly lost: number;
  readonly takenOver: number;
  /** Changes of the journal that were refused because the payment belongs to another daemon. */
  readonly fenced: number;
  /** Whether the daemon can pay, as far as the shared database is concerned. */
  readonly isReady: boolean;
  readonly isBusDown: boolean;
  /** Solvers that are heard. */
  readonly solvers: number;
  /** Undefined without a shared database. */
  readonly store: StoreFigures | undefined;
}

/** What is asked when the metrics are scraped. */
export interface ScrapedRooms {
  readonly figures: () => Figures;
  readonly graph: ChannelGraph;
  readonly layers: LayerBook;
  readonly network: NetworkPort;
  readonly fleet: () => FleetFigures;
  /** Connections by transport. */
  readonly connections: () => Readonly<Partial<Record<RpcTransport, number>>>;
}

/** The metrics of a node. */
export interface OpenedMetrics {
  readonly counts: NodeMetrics;
  /** Publishes the graph, and times that. */
  timePublish(graph: ChannelGraph, publish: (graph: ChannelGraph) => void): void;
  /** The text for Prometheus, once all rooms are open. */
  text(): Promise<string>;
  close(): void;
}

/** Opens the metrics. @param rooms is asked only when all rooms are open */
export function openMetrics(options: MetricsOptions, rooms: () => ScrapedRooms): OpenedMetrics {
  const counts = new NodeMetrics(options);
  const publication = { atMs: Date.now(), enabledDirections: 0 };
  const gauges = gaugesOf(options, rooms, publication, counts);
  const process_ = new ProcessMetrics();
  collectDefaultMetrics({ register: process_ });
  return {
    counts,
    timePublish(graph, publish) {
      const beganMs = performance.now();
      publish(graph);
      counts.notePublish(performance.now() - beganMs);
      publication.atMs = Date.now();
      publication.enabledDirections = enabledDirectionsOf(graph);
    },
    async text() {
      const ours = [...counts.families, ...gauges].map((family) => family.render()).join('');
      return ours + (await process_.metrics());
    },
    close: () => process_.clear(),
  };
}

const FLEET_COUNTERS = [
  ['fleet_stale_total', 'Searches that solvers refused because their layers were behind.', 'stale'],
  [
    'fleet_rejected_total',
    'Replies of solvers that were malformed or broke the terms of their query.',
    'rejected',
  ],
  ['fleet_foreign_total', 'Messages on the bus that were dropped: they are of another fleet.', 'foreign'],
  ['fleet_malformed_total', 'Messages on the bus that were dropped: they are malformed.', 'malformed'],
  ['lease_lost_total', 'Payments of ours that other daemons took over.', 'lost'],
  ['takeover_total', 'Payments of other daemons that were taken over.', 'takenOver'],
  ['fenced_write_total', 'Changes refused because the payment belongs to another daemon.', 'fenced'],
] as const satisfies readonly (readonly [string, string, keyof FleetFigures])[];

const STORE_GAUGES = [
  ['database_down', '1 while the shared database does not answer.', ({ isUp }) => Number(!isUp)],
  [
    'database_answer_seconds',
    'Time of the last answer of the shared database to a question that waits for nothing.',
    ({ answerMs }) => answerMs / 1000,
  ],
  [
    'database_schema_differs',
    '1 when the shared database has another schema than this release works with.',
    ({ isSchemaOurs }) => Number(!isSchemaOurs),
  ],
  [
    'leases_confirmed_seconds_ago',
    'Time since the shared database last confirmed our leases.',
    ({ leasesConfirmedMsAgo }) => leasesConfirmedMsAgo / 1000,
  ],
  ['leases_held', 'Payments without an end that this daemon owns.', ({ paymentsHeld }) => paymentsHeld],
  ['store_queued_changes', 'Changes that wait for the shared database.', ({ queued }) => queued],
  ['unknown_htlcs', 'HTLCs without a payment, found after a failover.', ({ unknownHtlcs }) => unknownHtlcs],
] as const satisfies readonly (readonly [string, string, (store: StoreFigures) => number])[];

interface Publication {
  readonly atMs: number;
  readonly enabledDirections: number;
}

function gaugesOf(
  { network: kind, chain, storePath }: MetricsOptions,
  rooms: () => ScrapedRooms,
  publication: Publication,
  counts: NodeMetrics,
): readonly GaugeFamily[] {
  const gauge = (name: string, help: string, read: GaugeReadings): GaugeFamily =>
    new GaugeFamily(`fulgurite_${name}`, help, read);
  const figure = (name: string, help: string, read: (figures: Figures) => number): GaugeFamily =>
    gauge(name, help, () => read(rooms().figures()));
  const build = { version: VERSION, network: kind, chain, node_version: process.version };
  return [
    gauge('build_info', 'What runs here; always 1.', () => [[build, 1]]),
    gauge('rpc_connections', 'Connections of clients.', () =>
      Object.entries(rooms().connections()).map(([transport, count]) => [{ transport }, count]),
    ),
    gauge('rpc_in_flight', 'Requests that are being served.', () => counts.requestsInFlight),
    gauge('workers', 'Threads that search routes.', () => {
      const { workers, searchesRunning } = rooms().figures();
      const busy = Math.min(workers, searchesRunning);
      return [
        [{ state: 'busy' }, busy],
        [{ state: 'idle' }, workers - busy],
      ];
    }),
    new GaugeFamily(
      'fulgurite_worker_restarts_total',
      'Workers that died or had to be ended, and were replaced.',
      () => rooms().figures().workersReplaced,
      'counter',
    ),
    gauge(
      'fleet_lag_changes',
      'Chunks of the log of layers that the slowest solver is behind.',
      () => rooms().fleet().lag,
    ),
    gauge('fleet_not_ready', '1 while the shared database does not let this daemon pay.', () =>
      Number(!rooms().fleet().isReady),
    ),
    gauge('bus_down', '1 while the bus is not connected; 0 without one.', () =>
      Number(rooms().fleet().isBusDown),
    ),
    gauge('fleet_solvers', 'Solvers on the bus that are heard.', () => rooms().fleet().solvers),
    ...STORE_GAUGES.map(([name, help, read]) =>
      gauge(name, help, () => {
        const { store } = rooms().fleet();
        return store === undefined ? 0 : read(store);
      }),
    ),
    ...FLEET_COUNTERS.map(
      ([name, help, of]) => new GaugeFamily(`fulgurite_${name}`, help, () => rooms().fleet()[of], 'counter'),
    ),
    figure('payments_in_flight', 'Payments without an outcome.', (f) => f.paymentsInFlight),
    figure('htlcs_in_flight', 'HTLCs of ours on their way.', (f) => f.htlcsInFlight),
    figure('htlcs_in_flight_msat', 'Msat locked in outgoing HTLCs.', (f) => Number(f.htlcsInFlightMsat)),
    figure('oldest_htlc_seconds', 'Age of the oldest outgoing HTLC in flight; 0 without any.', (f) =>
      f.oldestHtlcAtMs === undefined ? 0 : Math.max(0, (Date.now() - f.oldestHtlcAtMs) / 1000),
    ),
    gauge('node_ready', 'Whether the node behind this service can pay: 1 or 0. 1 where there is none.', () =>
      rooms().network.nodeBehind()?.problem === undefined ? 1 : 0,
    ),
    figure('block_height', 'Height of the chain; 0 while it is unknown.', (f) => f.blockHeight),
    gauge('graph_nodes', 'Nodes of the graph.', () => rooms().graph.nodeCount),
    gauge('graph_channels', 'Channels of the graph.', () => rooms().graph.channelCount),
    gauge(
      'graph_enabled_directions',
      'Enabled directions of the graph that was published last.',
      () => publication.enabledDirections,
    ),
    gauge(
      'graph_age_seconds',
      'Time since the graph was published.',
      () => (Date.now() - publication.atMs) / 1000,
    ),
    gauge('layer_records', 'What layers say, by whose layers they are.', () => layerRecords(rooms().layers)),
    gauge('store_bytes', 'Size of the database with its log.', () => bytesOf(storePath)),
    gauge('peers', 'Peers, connected or not.', () => peersOf(rooms().network)),
    gauge('channel_spendable_msat', 'What our channels can send in all.', () => spendableOf(rooms().network)),
  ];
}

function enabledDirectionsOf({ channelCount, policyFlags }: ChannelGraph): number {
  let enabled = 0;
  for (let direction = 0; direction < 2 * channelCount; direction++) {
    if ((policyFlags[direction]! & POLICY_ENABLED) !== 0) enabled++;
  }
  return enabled;
}

/** Names of layers of payments under way. The shared layer has what payments learned. Other layers are the user's. */
const OF_A_PAYMENT = /^(?:x?keysend|x?pay)-\d+(?:-\d+)?$/;

/** Counts only by numbers that a layer already keeps, since a layer may hold a million records. */
function layerRecords(book: LayerBook): GaugeReading[] {
  const empty = () => ({ liquidity: 0, disabled_node: 0 });
  const sums = { own: empty(), learned: empty(), user: empty() };
  for (const { name, records, disabledNodes } of book.layers()) {
    const sum = sums[name === SHARED_LAYER ? 'learned' : OF_A_PAYMENT.test(name) ? 'own' : 'user'];
    sum.liquidity += records.length;
    sum.disabled_node += disabledNodes.length;
  }
  return Object.entries(sums).flatMap(([layer_kind, counts]) =>
    Object.entries(counts).map(([record, count]) => [{ layer_kind, record }, count] as const),
  );
}

function bytesOf(path: string): number {
  const sizeOf = (name: string): number => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  return sizeOf(path) + sizeOf(`${path}-wal`);
}

function peersOf(network: NetworkPort): GaugeReading[] {
  const peers = network.peers();
  const connected = peers.filter((peer) => peer.connected).length;
  return [
    [{ state: 'connected' }, connected],
    [{ state: 'disconnected' }, peers.length - connected],
  ];
}

const spendableOf = (network: NetworkPort): number =>
  Number(network.ownChannels().channels.reduce((sum, { spendableMsat }) => sum + spendableMsat, 0n));
