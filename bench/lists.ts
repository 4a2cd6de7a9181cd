/**
 * Long lists over the socket: how long each takes, and how long other clients wait meanwhile. The node has a journal of
 * many payments, and a layer of as many constraints. Another client sends `getinfo` all the time, one request after the
 * other.
 *
 * A client's waits also include other work on the machine. So the longest turn of the node's event loop is measured
 * too, in processor time of its main thread (turn-meter.ts).
 *
 * `BENCH_PAYMENTS` sets the number of payments, `BENCH_OTHER` names another build to compare with.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from './context.ts';
import { BenchClient, type BenchDaemon, requestText, startDaemonProcess } from './daemon.ts';
import { fillJournal } from './long-journal.ts';
import { quantile } from './measure.ts';

const METER = fileURLToPath(new URL('./turn-meter.js', import.meta.url));
const GRAPH = 'synthetic:17324';
const PAYMENTS = 100_000;
const QUICK_PAYMENTS = 10_000;
/** Number of constraints that the test client writes in one request. */
const PER_BATCH = 1000;

/** Each request, and its target in seconds for 100,000 payments on a quiet machine. */
const REQUESTS: readonly { readonly method: string; readonly params: string; readonly targetS?: number }[] = [
  { method: 'listpays', params: '{"status":"pending"}', targetS: 2 },
  { method: 'listpays', params: '{}', targetS: 2 },
  { method: 'listpays', params: '{"index":"updated","start":1,"limit":100}' },
  { method: 'listsendpays', params: '{}' },
  { method: 'paystatus', params: '{}' },
  { method: 'listchannels', params: '{}' },
  { method: 'listnodes', params: '{}' },
  { method: 'askrene-listlayers', params: '{}' },
];

/** The meter's figures since its last reading. */
interface Turns {
  readonly longestMs: number;
  readonly long: number;
  readonly processorMs: number;
}

/** Runs the benchmark area `lists`. */
export async function listsBench(context: BenchContext): Promise<void> {
  const payments = Number(process.env.BENCH_PAYMENTS ?? (context.quick ? QUICK_PAYMENTS : PAYMENTS));
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-lists-'));
  try {
    await (await startDaemonProcess(GRAPH, [], { directory })).stop();
    await fillJournal(join(directory, 'fulgurite.sqlite3'), payments);
    const other = process.env.BENCH_OTHER;
    const builds = other === undefined ? [undefined] : [other, undefined];
    for (const executable of builds) await measure(context, directory, payments, executable);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function measure(
  context: BenchContext,
  directory: string,
  payments: number,
  executable: string | undefined,
): Promise<void> {
  const turnsFile = join(directory, 'turns.json');
  const daemon = await startDaemonProcess(GRAPH, [], {
    directory,
    executable,
    preload: METER,
    environment: { TURN_METER_FILE: turnsFile },
  });
  const isOurs = executable === undefined;
  try {
    await fillLayer(daemon, payments);
    const rows = [];
    for (const { method, params, targetS } of REQUESTS) {
      const row = await listed(daemon, turnsFile, method, params);
      rows.push(row);
      if (!isOurs) continue;
      const name = `${method} ${params}`;
      const target = targetS !== undefined && payments === PAYMENTS ? { target: `<= ${targetS}` } : {};
      context.report.figure('lists', { name, value: row['list s'], unit: 's', ...target });
      context.report.figure('lists', {
        name: `${name}, longest turn`,
        value: row['longest turn ms'],
        unit: 'ms',
        target: '<= 5',
      });
    }
    const whose = isOurs ? '' : ', the other build';
    context.report.table(
      'lists',
      `${payments} payments${whose}, ready after ${daemon.readyMs.toFixed(0)} ms`,
      rows,
    );
  } finally {
    await daemon.stop();
  }
}

/** A layer with as many constraints as there are payments. It is not persistent. */
async function fillLayer({ client }: BenchDaemon, constraints: number): Promise<void> {
  await client.call(requestText('askrene-create-layer', '{"layer":"long"}'));
  for (let from = 0; from < constraints; from += PER_BATCH) {
    const requests = Array.from({ length: Math.min(PER_BATCH, constraints - from) }, (_, offset) => {
      const channel = `${1 + Math.floor((from + offset) / 1000)}x${(from + offset) % 1000}x0/0`;
      const params = `{"layer":"long","short_channel_id_dir":"${channel}","amount_msat":1000,"inform":"constrained"}`;
      return requestText('askrene-inform-channel', params);
    });
    await client.pipeline(requests);
  }
}

/** Requests one list while another client repeats `getinfo`. */
async function listed(daemon: BenchDaemon, turnsFile: string, method: string, params: string) {
  const other = await BenchClient.connect(daemon.path);
  const before = await turnsOf(daemon, turnsFile);
  let isDone = false;
  const waits: number[] = [];
  const asking = (async () => {
    const request = requestText('getinfo', '{}');
    while (!isDone) {
      const beganMs = performance.now();
      await other.call(request);
      waits.push(performance.now() - beganMs);
      await sleep(1);
    }
  })();
  const beganMs = performance.now();
  const bytes = await drained(daemon.path, requestText(method, params));
  const listMs = performance.now() - beganMs;
  isDone = true;
  await asking;
  other.close();
  const turns = await turnsOf(daemon, turnsFile);
  return {
    list: `${method} ${params}`,
    'list s': listMs / 1000,
    'main thread s': (turns.processorMs - before.processorMs) / 1000,
    MB: bytes / 1e6,
    'getinfo p50 ms': quantile(waits, 0.5),
    'p99 ms': quantile(waits, 0.99),
    'max ms': quantile(waits, 1),
    'longest turn ms': turns.longestMs,
    'turns over 5 ms': turns.long,
  };
}

/** Sends a request and reads its answer without keeping it. @returns its length in bytes. */
function drained(path: string, request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => socket.write(request));
    let bytes = 0;
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (chunk.at(-1) !== 0x0a || chunk.at(-2) !== 0x0a) return;
      socket.destroy();
      resolve(bytes);
    });
  });
}

/** Reads the meter, which then restarts. */
async function turnsOf({ processId }: BenchDaemon, file: string): Promise<Turns> {
  rmSync(file, { force: true });
  process.kill(processId, 'SIGUSR2');
  while (!existsSync(file)) await sleep(5);
  return JSON.parse(readFileSync(file, 'utf8')) as Turns;
}
