/** `fulgurite fleet status`: the state of a fleet, as a table for people or as JSON. */
import { parseArgs } from 'node:util';
import { type FleetPlace, type FleetStatus, fleetStatus } from '../../fleet/status.ts';
import { UsageError } from '../client/client-arguments.ts';
import { parseStartOptions } from '../options/start-options.ts';

/** What `fulgurite fleet --help` prints. */
export const FLEET_USAGE = `fulgurite fleet status [--data-dir DIR] [--json]
  Shows the head of the layer log, how many log chunks each solver is behind, the unfinished payments of each
  daemon, and clock differences to this machine. After a failover, also shows the Lightning nodes whose HTLCs
  must still be reconciled, and HTLCs without a known payment.
  By default, the database and the bus are those in the configuration of the daemon on this machine.
  --data-dir DIR          the daemon's data directory (default $FULGURITE_DIR or ~/.fulgurite)
  --conf FILE             the daemon's configuration file (default DIR/config)
  --store URL             the database, with the role of a daemon (or FULGURITE_STORE)
  --bus URL               the NATS server (or FULGURITE_BUS); required to show solvers
  --bus-plaintext         allow an unencrypted --bus to another machine
  --chain NAME            chain of the daemons (default bitcoin)
  --json                  JSON instead of a table
`;

const OPTIONS = {
  'data-dir': { type: 'string' },
  conf: { type: 'string' },
  store: { type: 'string' },
  bus: { type: 'string' },
  'bus-plaintext': { type: 'boolean' },
  chain: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Names of all options, for the test that checks the options named in the documentation. */
export const FLEET_OPTION_NAMES = Object.keys(OPTIONS);

/** The output of the command. @throws UsageError, BusError, StoreError, FulguriteError storeFailed */
export async function fleetText(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { place, json } = read(argv, env);
  const status = await fleetStatus(place);
  return json ? `${JSON.stringify(asJson(status), undefined, 2)}\n` : table(status);
}

function read(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): { readonly place: FleetPlace; readonly json: boolean } {
  const [command, ...args] = argv;
  if (command !== 'status') throw new UsageError('fleet has only one command: fulgurite fleet status');
  let values: Partial<Record<keyof typeof OPTIONS, string | boolean>>;
  try {
    values = parseArgs({ args, options: OPTIONS, strict: true }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { json = false, ...asOfDaemon } = values;
  const given = Object.entries(asOfDaemon).map(([name, value]) =>
    value === true ? `--${name}` : `--${name}=${value}`,
  );
  const { store, bus, chain } = parseStartOptions(given, env);
  if (store === undefined) throw new UsageError('fleet status needs --store postgres://ROLE@HOST/DATABASE');
  return { place: { store, bus, chain }, json: json === true };
}

function asJson(status: FleetStatus): object {
  const { head, schema, databaseClockMs, graphLeader, solvers, daemons, inDoubt, unknownHtlcs } = status;
  return {
    fleet: status.fleet,
    log_head: head,
    schema,
    database_clock_ms: databaseClockMs,
    ...(graphLeader && { graph_leader: { daemon: graphLeader.daemon, left_ms: graphLeader.leftMs } }),
    solvers: solvers.map(({ clockMs, ...rest }) => ({ ...rest, clock_ms: clockMs })),
    daemons: daemons.map(({ daemon, node, version, seenMsAgo, payments, leftMs }) => ({
      ...{ daemon, node, version, seen_ms_ago: seenMsAgo, payments, left_ms: leftMs },
    })),
    in_doubt: inDoubt,
    unknown_htlcs: unknownHtlcs.map(({ node, paymentHash, amountMsat, isSettled }) => ({
      ...{ node, payment_hash: paymentHash, amount_msat: Number(amountMsat), is_settled: isSettled },
    })),
  };
}

function table(status: FleetStatus): string {
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
      ['DAEMON', 'VERSION', 'SEEN', 'PAYMENTS', 'LEASE LEFT', 'LIGHTNING NODE'],
      ...daemons.map(({ daemon, node = '?', version = '?', seenMsAgo, payments, leftMs }) => [
        ...[daemon, version, seenMsAgo === undefined ? '?' : `${Math.round(seenMsAgo / 1000)} s ago`],
        ...[`${payments}`, leftMs === undefined ? '-' : `${leftMs} ms`, node],
      ]),
    ]),
  ];
  return `${lines.join('\n')}\n`;
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
