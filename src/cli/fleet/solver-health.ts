/**
 * Health and metrics of a solver over plain HTTP: /healthz, /readyz and /metrics, like those of a daemon. A solver has
 * no secrets, so there is no authentication; use an address that only the operator's machines can reach.
 */
import { createServer, type Server } from 'node:http';
import { GaugeFamily, ProcessMetrics } from '../../metrics/index.ts';
import { VERSION } from '../../model/version.ts';
import { UsageError } from '../client/client-arguments.ts';

/** The figures that health and metrics report. */
export interface SolverFigures {
  /** The reasons why the solver cannot answer searches, by component. Empty when it can. */
  readonly problems: Readonly<Record<string, string>>;
  readonly depth: number;
  readonly capacity: number;
  readonly answered: number;
  readonly busy: number;
  readonly stale: number;
  /** Bus messages dropped because they name another fleet, or none. */
  readonly foreign: number;
  /** Bus messages dropped because they are malformed. */
  readonly malformed: number;
  /** Log position of the solver's replica of the shared layers. */
  readonly position: number;
  readonly isBusConnected: boolean;
}

/** Timeout for a client to send its request, in milliseconds. */
const REQUEST_MS = 5000;
const MAX_CONNECTIONS = 100;

/** Serves health and metrics until closed. @throws UsageError when it cannot listen on the address */
export async function serveSolverHealth(
  { host, port }: { readonly host: string; readonly port: number },
  read: () => SolverFigures,
): Promise<Server> {
  const process_ = new ProcessMetrics();
  const families = familiesOf(read);
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    async ({ url }, response) => {
      const { status, type, text } = await answerTo(url ?? '', read, families, process_);
      response.writeHead(status, { 'content-type': type }).end(text);
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.once('close', () => process_.close());
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ message }) => reject(new UsageError(`--health: ${message}`)));
    server.listen(port, host, resolve);
  });
  return server;
}

interface HealthAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function answerTo(
  url: string,
  read: () => SolverFigures,
  families: readonly GaugeFamily[],
  process_: ProcessMetrics,
): Promise<HealthAnswer> {
  if (url === '/healthz') return { status: 200, type: 'text/plain; charset=utf-8', text: 'ok\n' };
  if (url === '/readyz') {
    const { problems } = read();
    const ready = Object.keys(problems).length === 0;
    const text = JSON.stringify({ ready, reasons: problems });
    return { status: ready ? 200 : 503, type: 'application/json', text };
  }
  if (url === '/metrics') {
    const ours = families.map((family) => family.render()).join('');
    const type = 'text/plain; version=0.0.4; charset=utf-8';
    return { status: 200, type, text: ours + (await process_.text()) };
  }
  return { status: 404, type: 'text/plain; charset=utf-8', text: 'not found\n' };
}

function familiesOf(read: () => SolverFigures): readonly GaugeFamily[] {
  const gauge = (name: string, help: string, of: (figures: SolverFigures) => number): GaugeFamily =>
    new GaugeFamily(`fulgurite_solver_${name}`, help, () => of(read()));
  const counter = (name: string, help: string, of: (figures: SolverFigures) => number): GaugeFamily =>
    new GaugeFamily(`fulgurite_solver_${name}_total`, help, () => of(read()), 'counter');
  return [
    new GaugeFamily('fulgurite_solver_build_info', 'Version and Node.js version; always 1.', () => [
      [{ version: VERSION, node_version: process.version }, 1],
    ]),
    gauge('ready', '1 while the solver can answer searches, otherwise 0.', ({ problems }) =>
      Number(Object.keys(problems).length === 0),
    ),
    gauge('bus_connected', '1 while the bus is connected, otherwise 0.', ({ isBusConnected }) =>
      Number(isBusConnected),
    ),
    gauge('requests', 'Searches in progress or waiting.', ({ depth }) => depth),
    gauge('capacity', 'Maximum number of searches in progress or waiting.', ({ capacity }) => capacity),
    gauge(
      'log_position',
      'Position in the layer log that the solver has reached.',
      ({ position }) => position,
    ),
    counter(
      'answered',
      'Searches that ended with an answer, no route or an error.',
      ({ answered }) => answered,
    ),
    counter('busy', 'Searches refused because the solver was at capacity.', ({ busy }) => busy),
    counter(
      'stale',
      'Searches refused because the solver’s data was out of date or incomplete.',
      ({ stale }) => stale,
    ),
    counter(
      'foreign',
      'Bus messages dropped because they name another fleet, or none.',
      ({ foreign }) => foreign,
    ),
    counter('malformed', 'Bus messages dropped because they are malformed.', ({ malformed }) => malformed),
  ];
}
