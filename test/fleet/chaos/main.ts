/**
 * The long run: `node build/test/fleet/chaos/main.js [PAYMENTS] [SEED] [off]`. It prints its seed and its
 * findings, and exits with 1 if anything was paid twice, lost, reported wrongly or left open. With `off`, the
 * daemons assume that attempts unknown to the network were never sent, and wait longer before they send: then
 * the run finds the resulting faults. FULGURITE_TEST_HISTORY=1000000 puts that many payments into the
 * database first, and FULGURITE_TEST_FILLED=DIRECTORY keeps the filled database for the next run.
 * FULGURITE_TEST_TLS=1 encrypts the connections to the database and the bus. FULGURITE_TEST_FLEETS=2 runs a
 * second fleet on the same bus, until the orders of the first are done. FULGURITE_TEST_DISK=1 fills the disk of the
 * database now and then (root on Linux). FULGURITE_TEST_SECONDS stops new orders that many seconds after the
 * start; the report covers the payments made until then. On a busy machine, where daemons start slowly, set
 * FULGURITE_TEST_LEASE_MS=4000 and FULGURITE_TEST_BLOW_MS=4000.
 */
import { deferred } from '../../../src/model/deferred.ts';
import { type ChaosReport, chaos, faultsOf } from './chaos.ts';

/** Duration of a lease, in milliseconds. */
const LEASE_MS = Number(process.env.FULGURITE_TEST_LEASE_MS ?? 1500);
const [payments = '10000', given, rule = 'on'] = process.argv.slice(2);
const seed = given === undefined ? Date.now() % 1_000_000 : Number(given);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say(`seed ${seed}`);
// Pending waits do not keep the process alive by themselves.
setInterval(() => undefined, 60_000);
// The client of the database may report that an idle connection closed.
process.on('unhandledRejection', (error) => say(`${error}`));
const beganMs = performance.now();
const common = {
  payments: Number(payments),
  daemons: 3,
  solvers: 2,
  mostSeconds: Number(process.env.FULGURITE_TEST_SECONDS ?? Number.POSITIVE_INFINITY),
  leaseMs: LEASE_MS,
  gapMs: rule === 'on' ? 15 : LEASE_MS,
  withoutRule: rule !== 'on',
  blowEveryMs: Number(process.env.FULGURITE_TEST_BLOW_MS ?? 350),
  mostBlows: Number.POSITIVE_INFINITY,
  isEncrypted: process.env.FULGURITE_TEST_TLS === '1',
};
const bus = deferred<string>();
/** Whether all orders of the first fleet are done. */
let isTold = false;
const show = (fleet: string, report: ChaosReport): void => {
  const seconds = Math.round((performance.now() - beganMs) / 1000);
  say(`${fleet} fleet: ${JSON.stringify({ ...report, seconds })}`);
};
/** A second fleet on the same bus, with its own database and payments, without database kills and cut links. */
const neighbour = async (): Promise<ChaosReport> =>
  chaos({
    ...common,
    width: 8,
    seed: seed + 1,
    hitsDatabase: false,
    bus: await bus.promise,
    isEnough: () => isTold,
    onReport: (report) => show('second', report),
  });
const neighbours = process.env.FULGURITE_TEST_FLEETS === '2' ? [neighbour()] : [];
const ours = chaos({
  ...common,
  width: 32,
  seed,
  hitsDatabase: true,
  fillsDisk: process.env.FULGURITE_TEST_DISK === '1',
  history: Number(process.env.FULGURITE_TEST_HISTORY ?? 0),
  onBus: (url) => bus.resolve(url),
  onTold: () => {
    isTold = true;
  },
  onReport: (report) => show('first', report),
  beforeClose: () => Promise.all(neighbours),
  say,
});
const reports = await Promise.all([ours, ...neighbours]);
process.exit(reports.every((report) => faultsOf(report) === 0) ? 0 : 1);
