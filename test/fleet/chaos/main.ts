/**
 * The long run: `node build/test/fleet/chaos/main.js [PAYMENTS] [SEED] [off]`. It prints its seed and what it found, and
 * ends with 1 when anything was paid twice, lost, told wrongly or left open. With `off`, the daemons take what the
 * network does not know for what never left, and wait longer before they send: then it finds what that costs.
 * FULGURITE_TEST_HISTORY=1000000 puts so many payments into the database first, and FULGURITE_TEST_TLS=1 encrypts the
 * connections to it.
 */
import { chaos, faultsOf } from './chaos.ts';

/** Milliseconds. */
const LEASE_MS = 1500;
const [payments = '10000', given, rule = 'on'] = process.argv.slice(2);
const seed = given === undefined ? Date.now() % 1_000_000 : Number(given);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say(`seed ${seed}`);
// What is left to wait for at the end does not keep a process alive by itself.
setInterval(() => undefined, 60_000);
// The client of the database may tell of a connection that closed while nobody asked anything.
process.on('unhandledRejection', (error) => say(`${error}`));
const beganMs = performance.now();
const report = await chaos({
  seed,
  payments: Number(payments),
  daemons: 3,
  solvers: 2,
  leaseMs: LEASE_MS,
  gapMs: rule === 'on' ? 15 : LEASE_MS,
  withoutRule: rule !== 'on',
  blowEveryMs: 350,
  mostBlows: Number.POSITIVE_INFINITY,
  width: 32,
  hitsDatabase: true,
  history: Number(process.env.FULGURITE_TEST_HISTORY ?? 0),
  isEncrypted: process.env.FULGURITE_TEST_TLS === '1',
  say,
});
say(JSON.stringify({ ...report, seconds: Math.round((performance.now() - beganMs) / 1000) }));
process.exit(faultsOf(report) === 0 ? 0 : 1);
