/** The output of `fulgurite fleet status`: the state of a fleet, as a table for people or as JSON. */
import type { DaemonStatus, FleetStatus } from '../../fleet/status.ts';
import { RETIRED_AFTER_MS } from '../../store/postgres/daemon-run.ts';

/** The status as the object that `--json` prints. */
export function statusJson(status: FleetStatus): object {
  const { head, schema, databaseClockMs, graphLeader, solvers, daemons, inDoubt, unknownHtlcs } = status;
  return {
    fleet: status.fleet,
    log_head: head,
    schema,
    database_clock_ms: databaseClockMs,
    ...(graphLeader && { graph_leader: { daemon: graphLeader.daemon, left_ms: graphLeader.leftMs } }),
    solvers: solvers.map(({ clockMs, ...rest }) => ({ ...rest, clock_ms: clockMs })),
    daemons: daemons.map(({ daemon, node, version, run, seenMsAgo, payments, attempts, leftMs }) => ({
      ...{ daemon, node, version, run, seen_ms_ago: seenMsAgo, payments, attempts, left_ms: leftMs },
    })),
    in_doubt: inDoubt,
    unknown_htlcs: unknownHtlcs.map(({ node, paymentHash, amountMsat, isSettled }) => ({
      ...{ node, payment_hash: paymentHash, amount_msat: Number(amountMsat), is_settled: isSettled },
    })),
  };
}

/** The status as text for people. */
export function statusText(status: FleetStatus): string {
  const { head, schema, databaseClockMs, graphLeader, solvers, daemons, inDoubt, unknownHtlcs } = status;
  const signed = (ms: number): string => `${ms < 0 ? '' : '+'}${ms} ms`;
  const lines = [
    `fleet ${status.fleet}; layer log at ${head}; schema ${schema}; database clock ${signed(databaseClockMs)}`,
    ...(graphLeader === undefined
      ? []
      : [`graph leader: daemon ${graphLeader.daemon}; lease expires in ${graphLeader.leftMs} ms`]),
    ...inDoubt.map((node) => `new payments are blocked until the HTLCs of ${node} are reconciled (failover)`),
    ...unknownHtlcs.map(
      ({ node, paymentHash, amountMsat, isSettled }) =>
        `unknown HTLC of ${node}: ${paymentHash}, ${amountMsat} msat, ${isSettled ? 'settled' : 'in flight'}`,
    ),
    '',
    ...aligned([
      ['SOLVER', 'VERSION', 'SEARCHES', 'BEHIND', 'CLOCK', 'ANSWERED', 'STALE', 'GRAPH'],
      ...solvers.map((each) => [
        each.id,
        each.version,
        `${each.depth} of ${each.capacity}`,
        `${each.lag}`,
        signed(each.clockMs),
        `${each.answered}`,
        `${each.stale}`,
        each.graph.slice(0, 12),
      ]),
    ]),
    '',
    ...aligned([
      ['DAEMON', 'VERSION', 'RUN', 'SEEN', 'PAYMENTS', 'ATTEMPTS', 'LEASE LEFT', 'LIGHTNING NODE'],
      ...daemons.map(({ daemon, node = '?', version = '?', run, seenMsAgo, payments, attempts, leftMs }) => [
        ...[daemon, version, run === undefined ? '?' : `${run}`],
        ...[seenMsAgo === undefined ? '?' : `${seconds(seenMsAgo)} s ago`, `${payments}`, `${attempts}`],
        ...[leftMs === undefined ? '-' : `${leftMs} ms`, node],
      ]),
    ]),
    ...daemons.flatMap(adviceOf),
  ];
  return `${lines.join('\n')}\n`;
}

const seconds = (ms: number): number => Math.round(ms / 1000);

/** What the operator can do about a daemon that has disappeared with open attempts. */
function adviceOf({ daemon, seenMsAgo, attempts }: DaemonStatus): string[] {
  if (seenMsAgo === undefined || seenMsAgo < RETIRED_AFTER_MS || attempts === 0) return [];
  return [
    '',
    `daemon ${daemon} was last seen ${seconds(seenMsAgo)} s ago, and ${attempts} of its attempts have no outcome: start it`,
    `again. If its process has ended for good: fulgurite fleet retire ${daemon} --process-has-ended`,
  ];
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
