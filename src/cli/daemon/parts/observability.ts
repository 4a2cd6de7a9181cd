/** The event stream, the commands and the metrics. The stream and the metrics refer to parts that are opened later. */
import type { NodeContext } from '../../../commands/context.ts';
import { COMMANDS } from '../../../commands/index.ts';
import { eventLines } from '../../../log/index.ts';
import type { Registry } from '../../../rpc/command.ts';
import { createRegistry } from '../../../rpc/registry.ts';
import type { SocketServer } from '../../../rpc/socket-server.ts';
import { type NodeEvents, openEvents } from '../open-events.ts';
import { type FleetFigures, type OpenedMetrics, openMetrics } from '../open-metrics.ts';
import type { BaseParts } from './base-parts.ts';
import type { Later } from './later.ts';
import type { MoneyParts } from './money-parts.ts';
import type { RoutingParts } from './routing-parts.ts';

/** The parts that show the daemon's work to people and programs. */
export interface Observability {
  readonly events: NodeEvents;
  readonly registry: Registry<NodeContext>;
  readonly metrics: OpenedMetrics;
}

/** The parts that events and metrics read. They are opened later. */
export interface MeasuredParts {
  readonly routing: Later<RoutingParts>;
  readonly money: Later<MoneyParts>;
  readonly server: Later<SocketServer>;
}

/**
 * Opens the event stream, the commands and the metrics.
 * @param servesHttp whether the options allow serving HTTP
 */
export function openObservability(base: BaseParts, parts: MeasuredParts, servesHttp: boolean): Observability {
  const { options, log, closers, layers, store, directory } = base;
  const events = openEvents(
    layers,
    () => ({
      engine: parts.routing.value.engine,
      payments: parts.money.value.payments,
      network: parts.money.value.opened.network,
    }),
    log,
  );
  closers.add(() => events.close());
  events.stream.listen(eventLines({ log, isPrivate: options.log.isPrivate }));
  const registry = createRegistry(COMMANDS, options.developer);
  const metrics = openMetrics(
    {
      methods: registry.names,
      transports: servesHttp ? ['socket', 'http'] : ['socket'],
      network: options.network,
      chain: options.chain,
      storePath: directory.store.file.path,
    },
    () => ({
      figures: events.figures,
      graph: parts.routing.value.source.graph,
      layers,
      network: parts.money.value.opened.network,
      ownNodes: parts.money.value.opened.ownNodes,
      drift: parts.money.value.odds?.model.drift,
      probes: parts.money.value.probes?.figures,
      fleet: () => fleetFigures(base, parts),
      connections: () => ({ socket: parts.server.value.connections }),
    }),
  );
  closers.add(() => metrics.close());
  events.stream.listen(metrics.counts.note);
  store.timeCommits((ms) => {
    metrics.counts.noteCommit(ms);
    events.noteCommitMs(ms);
  });
  return { events, registry, metrics };
}

function fleetFigures({ store, fenced }: BaseParts, { routing, money }: MeasuredParts): FleetFigures {
  const { fleet } = routing.value;
  return {
    lag: fleet?.lag ?? 0,
    stale: fleet?.stats.stale ?? 0,
    rejected: fleet?.stats.rejected ?? 0,
    foreign: fleet?.foreign ?? 0,
    malformed: fleet?.malformed ?? 0,
    ...money.value.payments.takeovers,
    fenced: fenced(),
    isBusDown: fleet?.isConnected === false,
    solvers: fleet?.solverCount ?? 0,
    store: store.shared?.figures(),
    isReady: Object.keys(store.shared?.problems() ?? {}).length === 0,
  };
}
