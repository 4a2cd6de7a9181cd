/**
 * How many requests a second a daemon sustains over its socket, with enough concurrent requests to keep every thread
 * busy. The simulated network has its usual latencies and is a process of its own. It uses the same processors, so its
 * work lowers the rate. Its processor time is reported separately from the daemon's, and the daemon's by thread.
 */
import { BenchClient, type BenchNetwork, startDaemonProcess, startNetworkProcess } from './daemon.ts';
import { quantile, timedAsync } from './measure.ts';
import { usedBy } from './processor.ts';

const CONNECTIONS = 4;
/** Share of the requests before the measurement, until code is compiled. */
const WARM_UP = 1 / 3;
/** Threads that use fewer milliseconds per request are left out of the table. */
const MIN_SHOWN_MS = 0.02;
/** Options that make a daemon's simulated network the same in every run. */
export const SIMULATED_SEED = ['--seed', '1'] as const;

/**
 * Sends all these requests to a new daemon, `underWay` at a time. Refused requests count too; `success %` is the share
 * that succeeded.
 */
export async function sustainedOverSocket(source: string, requests: readonly string[], underWay: number) {
  const network = await startNetworkProcess(source, SIMULATED_SEED);
  try {
    return await sustainedBeside(network, source, requests, underWay);
  } finally {
    await network.stop();
  }
}

async function sustainedBeside(
  network: BenchNetwork,
  source: string,
  requests: readonly string[],
  underWay: number,
) {
  const daemon = await startDaemonProcess(source, network.options);
  const clients = [daemon.client];
  try {
    while (clients.length < CONNECTIONS) clients.push(await BenchClient.connect(daemon.path));
    const warm = Math.floor(requests.length * WARM_UP);
    await flow(clients, requests.slice(0, warm), underWay);
    const measured = requests.slice(warm);
    const ofNetwork = await usedBy(network.processId, () =>
      usedBy(daemon.processId, () => timedAsync(() => flow(clients, measured, underWay))),
    );
    const used = ofNetwork.result;
    const { result, ms } = used.result;
    const perRequest = (us: number): number => us / 1000 / measured.length;
    const others = used.othersUs.map(perRequest).filter((each) => each >= MIN_SHOWN_MS);
    return {
      'requests /s': (measured.length / ms) * 1000,
      'success %': (100 * result.succeeded) / measured.length,
      'processor ms/request': perRequest(used.allUs),
      'of which main thread': perRequest(used.mainUs),
      'other threads': others.map((each) => each.toFixed(2)).join(' '),
      'network ms/request': perRequest(ofNetwork.allUs),
      'minimum /s per connection': quantile(result.rates, 0),
    };
  } finally {
    for (const client of clients.slice(1)) client.close();
    await daemon.stop();
  }
}

async function flow(clients: readonly BenchClient[], requests: readonly string[], underWay: number) {
  const ends = await Promise.all(
    clients.map(async (client, index) => {
      const own = requests.filter((_, at) => at % clients.length === index);
      const { result, ms } = await timedAsync(() => client.flow(own, underWay / clients.length));
      return { succeeded: result.join('').split('"result":').length - 1, rate: (own.length / ms) * 1000 };
    }),
  );
  return {
    succeeded: ends.reduce((sum, { succeeded }) => sum + succeeded, 0),
    rates: ends.map(({ rate }) => rate),
  };
}
