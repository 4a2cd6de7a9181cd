/** `fulgurite fleet status` and `fulgurite fleet retire`: an operator's commands for a fleet of daemons. */
import { retireLost } from '../../fleet/retire.ts';
import { type FleetPlace, fleetStatus } from '../../fleet/status.ts';
import { UsageError } from '../client/client-arguments.ts';
import { parseOnlyOptions, parseOptions } from '../options/command-line.ts';
import { type EnvironmentVariables, parseStartOptions } from '../options/start-options.ts';
import { statusJson, statusText } from './fleet-status.ts';

/** What `fulgurite fleet --help` prints. */
export const FLEET_USAGE = `Usage:
  fulgurite fleet status [OPTIONS]
      Shows the head of the layer log, how many log chunks each solver is behind, the unfinished payments of each
      daemon, the attempts that it has recorded since its last start and that have no outcome, and clock differences
      to this machine. After a failover, also shows the Lightning nodes whose HTLCs must still be reconciled, and
      HTLCs without a known payment.
  fulgurite fleet retire DAEMON --process-has-ended [OPTIONS]
      Records that a daemon that will not start again has ended, so that others can finish its payments. DAEMON is
      its id in the status. Refused if it was seen within the last two minutes. If its process is only paused, or its
      machine suspended, a payment may be made twice. See docs/fleet.md.

By default, the database and the bus are those in the configuration of the daemon on this machine.
  --data-dir DIR          the daemon's data directory (default $FULGURITE_DIR or ~/.fulgurite)
  --conf FILE             the daemon's configuration file (default DIR/config)
  --store URL             the database, with the role of a daemon (or FULGURITE_STORE)
  --bus URL               the NATS server (or FULGURITE_BUS); required to show solvers
  --bus-plaintext         allow an unencrypted --bus to another machine
  --chain NAME            chain of the daemons (default bitcoin)
  --json                  JSON instead of text
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
const RETIRE_OPTIONS = { ...OPTIONS, 'process-has-ended': { type: 'boolean' } } as const;

/** Names of all options, for the test that checks the options named in the documentation. */
export const FLEET_OPTION_NAMES = Object.keys(RETIRE_OPTIONS);

/**
 * Runs a fleet command.
 * @returns the text to print
 * @throws UsageError, BusError, StoreError, NotRetired, FulguriteError storeFailed
 */
export async function runFleetCommand(argv: readonly string[], env: EnvironmentVariables): Promise<string> {
  const [verb, ...rest] = argv;
  if (verb === 'status') return status(rest, env);
  if (verb === 'retire') return retire(rest, env);
  throw new UsageError('fleet needs status or retire; see fulgurite fleet --help');
}

async function status(argv: readonly string[], env: EnvironmentVariables): Promise<string> {
  const values = parseOnlyOptions(argv, OPTIONS);
  const found = await fleetStatus(placeOf(values, env));
  return values.json === true ? jsonText(statusJson(found)) : statusText(found);
}

async function retire(argv: readonly string[], env: EnvironmentVariables): Promise<string> {
  const { values, positionals } = parseOptions(argv, RETIRE_OPTIONS);
  const { 'process-has-ended': isConfirmed = false, ...others } = values;
  const [daemon, ...more] = positionals;
  if (daemon === undefined || more.length > 0)
    throw new UsageError('fleet retire takes the id of one daemon: see fulgurite fleet status');
  if (!isConfirmed) {
    throw new UsageError(
      'fleet retire needs --process-has-ended: make sure that the process of the daemon has ended, and is not only ' +
        'paused or on a suspended machine. Otherwise a payment may be made twice',
    );
  }
  const attempts = await retireLost(placeOf(others, env).store, daemon);
  if (others.json === true) return jsonText({ daemon, attempts });
  return `daemon ${daemon} is retired; ${attempts} of its attempts have no outcome. Other daemons of its Lightning node finish its payments\n`;
}

const jsonText = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** The addresses of database and bus: those given, and otherwise those of the daemon on this machine. */
function placeOf(
  { json: _, ...given }: Partial<Record<keyof typeof OPTIONS, string | boolean>>,
  env: EnvironmentVariables,
): FleetPlace {
  const asOfDaemon = Object.entries(given).map(([name, value]) =>
    value === true ? `--${name}` : `--${name}=${value}`,
  );
  const { store, bus, chain } = parseStartOptions(asOfDaemon, env);
  if (store === undefined) throw new UsageError('fleet needs --store postgres://ROLE@HOST/DATABASE');
  return { store, bus, chain };
}
