/**
 * What a hostile crowd over HTTP costs those who use the socket, and then what crowds of a single kind cost them
 * (http-abuse.ts). `getroutes` over the unix socket is measured with the crowd (http-crowd.ts) and without it,
 * alternately in one run, and with the same queries. The measurements are the daemon's latency, the processor time of
 * its main thread, and its memory.
 *
 * The crowd itself takes processor time, as does any server that it attacks. So the same crowd also attacks a minimal
 * server (http-control.ts) while the daemon answers the same questions. The ratio shows what the daemon's own server
 * adds.
 *
 * Processor time of the main thread (Linux: `schedstat`) is reported beside the latency because other work on the
 * machine disturbs latencies. It includes what the main thread does for the crowd.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from './context.ts';
import {
  type BenchClient,
  type BenchDaemon,
  freePort,
  getroutesRequest,
  requestText,
  startDaemonProcess,
} from './daemon.ts';
import { mainGraph } from './graphs.ts';
import { abuse } from './http-abuse.ts';
import type { CrowdCounts, CrowdOrder } from './http-crowd.ts';
import { quantile, timedAsync } from './measure.ts';
import { pairsOf, queryFor } from './pairs.ts';
import { residentMb } from './processor.ts';

const CROWD = fileURLToPath(new URL('./http-crowd.js', import.meta.url));
const CONTROL = fileURLToPath(new URL('./http-control.js', import.meta.url));
const AMOUNT_SAT = 100_000;
const QUESTIONS = 2000;
const WARMUP = 300;
const ROUNDS = 5;
const CONNECTIONS = 1000;
const SLOW_READERS = 50;
const BODY_SENDERS = 10;
const WRONG_RUNES = 100_000;
/** Milliseconds within which the crowd must send its wrong runes, in all rounds together: many times what it needs. */
const MAX_MS = 1_200_000;
/** Maximum factor by which the socket may slow down. */
const MOST = 1.3;
/** Maximum growth of the daemon's memory during the attack, in MB. */
const MAX_MB = 400;
const NS_PER_US = 1000;

/** Measurements with the crowd or without it. */
interface Phase {
  readonly latenciesMs: number[];
  mainUs: number;
  mostMb: number;
}

const newPhase = (): Phase => ({ latenciesMs: [], mainUs: 0, mostMb: 0 });

/** Runs the benchmark area `http`. */
export async function httpBench(context: BenchContext): Promise<void> {
  const { report } = context;
  if (!existsSync('/proc/self/schedstat')) {
    report.note('http', 'the processor time of a thread can be read on Linux only');
    return;
  }
  const { source, name } = mainGraph();
  const port = await freePort();
  const daemon = await startDaemonProcess(source, ['--workers', '2', '--http', `127.0.0.1:${port}`]);
  try {
    await measure(context, daemon, port, name);
  } finally {
    await daemon.stop();
  }
  await abuse(context);
}

async function measure(
  { quick, report }: BenchContext,
  daemon: BenchDaemon,
  port: number,
  graphName: string,
): Promise<void> {
  const questions = pairsOf(mainGraph().graph, 'big', AMOUNT_SAT, QUESTIONS).map((pair) =>
    getroutesRequest(queryFor(pair, AMOUNT_SAT)),
  );
  for (const question of questions.slice(0, WARMUP)) await daemon.client.call(question);
  const made = JSON.parse(await daemon.client.call(requestText('createrune', '{}')));
  const rounds = quick ? 2 : ROUNDS;
  const order: CrowdOrder = {
    port,
    rune: made.result.rune,
    connections: CONNECTIONS,
    slowReaders: SLOW_READERS,
    bodySenders: BODY_SENDERS,
    wrongRunes: WRONG_RUNES / rounds,
    mostMs: MAX_MS / rounds,
  };
  const [beset, beside, alone] = [newPhase(), newPhase(), newPhase()];
  const beforeMb = residentMb(daemon.processId);
  const said: CrowdCounts[] = [];
  const control = await startControl(order.rune);
  try {
    for (let round = 0; round < rounds; round++) {
      const { asked, counts } = await withCrowd(daemon, order, questions, beset);
      said.push(counts);
      await withCrowd(daemon, { ...order, port: control.port }, questions, beside);
      await phase(daemon, alone, async (one) => {
        for (let n = 0; n < asked; n++) await one(questions[n % QUESTIONS]!);
      });
    }
  } finally {
    control.stop();
  }
  const row = (what: string, { latenciesMs, mainUs, mostMb }: Phase) => ({
    what,
    asked: latenciesMs.length,
    'p50 ms': quantile(latenciesMs, 0.5),
    'p99 ms': quantile(latenciesMs, 0.99),
    'main thread us each': mainUs / latenciesMs.length,
    'memory MB': mostMb,
  });
  report.table('http', `getroutes ${AMOUNT_SAT} sat over the socket, ${rounds} turns, ${graphName}`, [
    row('without the crowd', alone),
    row('with the crowd at another server', beside),
    row('with the crowd', beset),
  ]);
  report.table('http', 'answers to the crowd, by status', [
    { what: 'wrong runes', ...answersOf(said.map(({ wrongRunes }) => wrongRunes)) },
    { what: 'bodies of 20 MB', ...answersOf(said.map(({ bodies }) => bodies)) },
  ]);
  const ratio = (share: number, to = alone) =>
    quantile(beset.latenciesMs, share) / quantile(to.latenciesMs, share);
  const figure = (what: string, value: number, unit: string, most: number) =>
    report.figure('http', { name: what, value, unit, target: `<= ${most}` });
  figure('getroutes p50, with the crowd against without', ratio(0.5), 'x', MOST);
  figure('getroutes p99, with the crowd against without', ratio(0.99), 'x', MOST);
  figure(
    'getroutes p99, crowd at our server against crowd at another server',
    ratio(0.99, beside),
    'x',
    MOST,
  );
  const eachUs = ({ mainUs, latenciesMs }: Phase) => mainUs / latenciesMs.length;
  figure(
    'processor time of the main thread for each getroutes, with the crowd against without',
    eachUs(beset) / eachUs(alone),
    'x',
    MOST,
  );
  const shown = said.reduce((sum, { wrongRunes }) => sum + total(wrongRunes), 0);
  report.figure('http', { name: 'wrong runes shown', value: shown, unit: '', target: `>= ${WRONG_RUNES}` });
  figure('memory of the daemon, growth with the crowd', beset.mostMb - beforeMb, 'MB', MAX_MB);
}

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Starts the minimal server (http-control.ts). */
async function startControl(rune: string): Promise<{ port: number; stop(): void }> {
  const control = fork(CONTROL);
  const stop = () => control.kill('SIGKILL');
  process.once('exit', stop);
  control.send(rune);
  const [{ port }] = (await once(control, 'message')) as [{ port: number }];
  return {
    port,
    stop() {
      process.off('exit', stop);
      stop();
    },
  };
}

/** Adds up the counts by status and makes one text of the sums, so that both rows have the same columns. */
function answersOf(counts: readonly Readonly<Record<string, number>>[]): { answers: string } {
  const sums = new Map<string, number>();
  for (const one of counts) {
    for (const [status, count] of Object.entries(one)) sums.set(status, (sums.get(status) ?? 0) + count);
  }
  return { answers: [...sums].map(([status, count]) => `${status}: ${count}`).join(', ') };
}

/** Sends questions until the crowd has sent its wrong runes. @returns how many questions were asked. */
async function withCrowd(
  daemon: BenchDaemon,
  order: CrowdOrder,
  questions: readonly string[],
  into: Phase,
): Promise<{ asked: number; counts: CrowdCounts }> {
  const crowd = fork(CROWD);
  const end = () => crowd.kill('SIGKILL');
  process.once('exit', end);
  try {
    const ended = new Promise<CrowdCounts>((resolve, reject) => {
      crowd.on('message', (message: CrowdCounts | { kind: 'ready' }) => {
        if (message.kind === 'counts') resolve(message);
      });
      crowd.once('exit', (code) => reject(new Error(`the crowd ended with ${code}`)));
    });
    const ready = once(crowd, 'message');
    crowd.send(order);
    await Promise.race([ready, ended]);
    let counts: CrowdCounts | undefined;
    ended.then(
      (last) => {
        counts = last;
      },
      () => undefined,
    );
    let asked = 0;
    await phase(daemon, into, async (one) => {
      while (counts === undefined) await one(questions[asked++ % QUESTIONS]!);
    });
    return { asked, counts: await ended };
  } finally {
    process.off('exit', end);
    end();
  }
}

/** Measures the calls that `ask` makes, one after the other. */
async function phase(
  { client, processId }: { readonly client: BenchClient; readonly processId: number },
  into: Phase,
  ask: (one: (question: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const before = mainThreadUs(processId);
  await ask(async (question) => {
    const { ms } = await timedAsync(() => client.call(question));
    into.latenciesMs.push(ms);
    if (into.latenciesMs.length % 16 === 0) into.mostMb = Math.max(into.mostMb, residentMb(processId));
  });
  into.mainUs += mainThreadUs(processId) - before;
}

/** Microseconds that the main thread of a process has run. */
function mainThreadUs(processId: number): number {
  return (
    Number(readFileSync(`/proc/${processId}/task/${processId}/schedstat`, 'utf8').split(' ')[0]) / NS_PER_US
  );
}
