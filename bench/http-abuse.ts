/**
 * What one kind of HTTP crowd (abusers.ts) costs others: keysends over the socket, and honest callers over HTTP. Each
 * is measured without the crowd and with it, alternately, on the same daemon.
 */
import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ABUSE_KINDS, type AbuseKind, type AbuseOrder } from './abusers.ts';
import { type Attacked, ask, begin, end, rpc } from './attacked.ts';
import type { BenchContext } from './context.ts';
import { quantile, timedAsync } from './measure.ts';
import { residentMb } from './processor.ts';

const CROWD = fileURLToPath(new URL('./abusers.js', import.meta.url));
const KEYSENDS = 40;
const QUICK_KEYSENDS = 10;
const ROUNDS = 3;
/** Milliseconds for a crowd to gather. */
const GATHER_MS = 1500;
/** Milliseconds between two honest calls. */
const PAUSE_MS = 5;
/** Maximum factor by which keysends may slow down. */
const MOST = 1.2;
/** Maximum p99 of honest calls, in milliseconds. */
const MAX_HTTP_MS = 100;

interface Waits {
  readonly keysendMs: number[];
  readonly httpMs: number[];
  refused: number;
}

/** Runs the abuse part of the benchmark area `http`. */
export async function abuse({ quick, report }: BenchContext): Promise<void> {
  const rows: Record<string, string | number>[] = [];
  let [slowest, longest] = [0, 0];
  for (const kind of ABUSE_KINDS) {
    const attacked = await begin();
    const [alone, beset] = [newWaits(), newWaits()];
    const count = quick ? QUICK_KEYSENDS : KEYSENDS;
    await measure(attacked, newWaits(), count);
    for (let round = 0; round < ROUNDS; round++) {
      await measure(attacked, alone, count);
      await withCrowd(attacked, kind, () => measure(attacked, beset, count));
    }
    const ratio = quantile(beset.keysendMs, 0.5) / quantile(alone.keysendMs, 0.5);
    const http = quantile(beset.httpMs, 0.99);
    rows.push({
      crowd: kind,
      'keysend p50 ms': quantile(beset.keysendMs, 0.5),
      'against without': ratio,
      'HTTP p50 ms': quantile(beset.httpMs, 0.5),
      'HTTP p99 ms': http,
      'without p99 ms': quantile(alone.httpMs, 0.99),
      'not answered': beset.refused,
      'memory MB': residentMb(attacked.daemon.processId),
    });
    [slowest, longest] = [Math.max(slowest, ratio), Math.max(longest, http)];
    await end(attacked);
  }
  report.table('http', 'crowds of one kind', rows);
  const figure = (name: string, value: number, unit: string, most: number) =>
    report.figure('http', { name, value, unit, target: `<= ${most}` });
  figure('keysend p50 beside the worst crowd against without', slowest, 'x', MOST);
  figure('honest HTTP callers, p99 beside the worst crowd', longest, 'ms', MAX_HTTP_MS);
}

const newWaits = (): Waits => ({ keysendMs: [], httpMs: [], refused: 0 });

/** Sequential keysends, with concurrent honest calls that use a rune that no crowd uses. */
async function measure({ daemon, port, other, peer }: Attacked, into: Waits, count: number): Promise<void> {
  let isOver = false;
  const honest = (async () => {
    while (!isOver) {
      const { result, ms } = await timedAsync(() => ask(port, '/v1/getinfo', { rune: other, body: '{}' }));
      into.httpMs.push(ms);
      if (result.status !== 201) into.refused++;
      await sleep(PAUSE_MS);
    }
  })();
  for (let n = 0; n < count; n++) {
    const asked = { destination: peer, amount_msat: 1000 };
    into.keysendMs.push((await timedAsync(() => rpc(daemon, 'keysend', asked))).ms);
  }
  isOver = true;
  await honest;
}

async function withCrowd(
  { port, rune, useless, peer }: Attacked,
  kind: AbuseKind,
  run: () => Promise<void>,
): Promise<void> {
  const crowd = fork(CROWD);
  const stop = () => crowd.kill('SIGKILL');
  process.once('exit', stop);
  try {
    crowd.send({ kind, port, rune, useless, node: peer } satisfies AbuseOrder);
    await sleep(GATHER_MS);
    await run();
  } finally {
    process.off('exit', stop);
    stop();
  }
}
