/** `fulgurite fleet status`: how a fleet is, as a table for people or as JSON. */
import { parseArgs } from 'node:util';
import { isBusUrl } from '../fleet/bus.ts';
import { type FleetPlace, type FleetStatus, fleetStatus } from '../fleet/status.ts';
import { isPostgresAddress } from '../store/postgres/address.ts';
import { UsageError } from './client-arguments.ts';
import { chainNamed } from './start-options.ts';

/** What `fulgurite fleet --help` prints. */
export const FLEET_USAGE = `fulgurite fleet status --store URL --bus URL [--chain NAME] [--json]
  Shows the head of the log of layers, each solver with how far it is behind, the payments that each daemon
  holds, and how far clocks differ from the one of this machine. After a failover also what is in doubt.
  --store URL             the database, with the role of a daemon (or FULGURITE_STORE)
  --bus URL               the NATS server (or FULGURITE_BUS)
  --chain NAME            as the daemons have it (default bitcoin)
  --json                  JSON instead of a table
`;

const OPTIONS = {
  store: { type: 'string' },
  bus: { type: 'string' },
  chain: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Names of all options, for the documents. */
export const FLEET_OPTION_NAMES = Object.keys(OPTIONS);

/** The text that the command prints. @throws UsageError, BusError, StoreError, FulguriteError storeFailed */
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
  if (command !== 'status') throw new UsageError('the only command of a fleet is: fulgurite fleet status');
  let values: { store?: string; bus?: string; chain?: string; json?: boolean };
  try {
    values = parseArgs({ args, options: OPTIONS, strict: true }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const store = values.store ?? env.FULGURITE_STORE ?? '';
  const bus = values.bus ?? env.FULGURITE_BUS ?? '';
  if (!isPostgresAddress(store)) throw new UsageError('--store is postgres://ROLE@HOST/DATABASE');
  if (!isBusUrl(bus)) throw new UsageError('--bus is an address of the form nats://HOST:PORT');
  const chain = chainNamed(values.chain ?? 'bitcoin');
  return { place: { store, bus, chain }, json: values.json ?? false };
}

function asJson(status: FleetStatus): object {
  const { head, databaseClockMs, graphLeader, solvers, leases, inDoubt, unknownHtlcs } = status;
  return {
    log_head: head,
    database_clock_ms: databaseClockMs,
    ...(graphLeader && { graph_leader: { daemon: graphLeader.daemon, left_ms: graphLeader.leftMs } }),
    solvers: solvers.map(({ clockMs, ...rest }) => ({ ...rest, clock_ms: clockMs })),
    leases: leases.map(({ daemon, payments, leftMs }) => ({ daemon, payments, left_ms: leftMs })),
    in_doubt: inDoubt,
    unknown_htlcs: unknownHtlcs.map(({ node, paymentHash, amountMsat, isSettled }) => ({
      ...{ node, payment_hash: paymentHash, amount_msat: Number(amountMsat), is_settled: isSettled },
    })),
  };
}

function table(status: FleetStatus): string {
  const { head, databaseClockMs, graphLeader, solvers, leases, inDoubt, unknownHtlcs } = status;
  const signed = (ms: number): string => `${ms < 0 ? '' : '+'}${ms} ms`;
  const lines = [
    `log of changes at ${head}; clock of the database ${signed(databaseClockMs)}`,
    ...(graphLeader === undefined
      ? []
      : [`graph told by daemon ${graphLeader.daemon}; ${graphLeader.leftMs} ms left of its lease`]),
    ...inDoubt.map((node) => `nothing new is paid before the HTLCs of ${node} are matched (a failover)`),
    ...unknownHtlcs.map(
      ({ node, paymentHash, amountMsat, isSettled }) =>
        `no payment tells of an HTLC of ${node}: ${paymentHash}, ${amountMsat} msat, ${isSettled ? 'settled' : 'under way'}`,
    ),
    '',
    ...aligned([
      ['SOLVER', 'VERSION', 'AT HAND', 'BEHIND', 'CLOCK', 'ANSWERED', 'STALE', 'GRAPH'],
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
      ['DAEMON', 'PAYMENTS', 'LEASE LEFT'],
      ...leases.map(({ daemon, payments, leftMs }) => [daemon, `${payments}`, `${leftMs} ms`]),
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
