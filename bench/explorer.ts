/**
 * Memory use of the explorer and the daemon over an hour, at 300 payments per second. The pages are in a real browser
 * without a GPU, and are served by a daemon on the main network's graph. The events come from the daemon's own
 * publisher, which repeats those of real payments (event-replay.ts), so the pages can be measured even on a machine
 * that is too slow to make so many payments beside a browser.
 *
 * Each minute it measures the JavaScript heap of each page after a garbage collection, its DOM nodes and listeners, the
 * memory of the daemon and of all processes of the browser. A heap counts as flat if its maximum in the last sixth of
 * the time exceeds that of the second sixth by at most a tenth. During the first sixth, bounded buffers fill up.
 *
 * `BENCH_MINUTES` sets the duration in minutes (default 60, 3 with `--quick`). Needs Chromium, at `CHROMIUM` or in
 * Debian's default place.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import type { BenchContext } from './context.ts';
import { type BenchDaemon, requestText, startDaemonProcess } from './daemon.ts';
import { mainGraph } from './graphs.ts';
import { recipients } from './keysend.ts';
import { residentMb } from './processor.ts';
import { SIMULATED_SEED } from './sustained.ts';

const REPLAY = fileURLToPath(new URL('./event-replay.js', import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const RATE = 300;
/** The pages, each in a tab of its own. The first one reads the stream of events for all. */
const PAGES = ['', 'metrics-view', 'beliefs'];
/** Number of payments whose events are published again, and how many of them run at once. */
const [REAL_PAYMENTS, UNDER_WAY] = [200, 8];
const AMOUNT_SAT = 100_000;
const MINUTE_MS = 60_000;
const BYTES_PER_MB = 1024 * 1024;
const KB_PER_MB = 1024;
/** Target: maximum heap of a page, in MB. */
const MAX_HEAP_MB = 80;

/** One reading of all figures. */
interface Sample {
  readonly minute: number;
  readonly heapsMb: readonly number[];
  readonly nodes: readonly number[];
  readonly listeners: readonly number[];
  readonly daemonMb: number;
  readonly browserMb: number;
}

interface Tab {
  readonly name: string;
  readonly page: Page;
  readonly session: CDPSession;
}

/** Runs the benchmark area `explorer`. */
export async function explorerBench({ quick, report }: BenchContext): Promise<void> {
  if (!existsSync(CHROMIUM)) {
    report.note('explorer', `no browser at ${CHROMIUM}: name one with CHROMIUM`);
    return;
  }
  const minutes = Number(process.env.BENCH_MINUTES ?? (quick ? 3 : 60));
  const { name, source } = mainGraph();
  const daemon = await startDaemonProcess(source, [...SIMULATED_SEED, '--http', '127.0.0.1:0'], {
    preload: REPLAY,
    environment: { EVENT_REPLAY_RATE: String(RATE) },
  });
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    await payOnce(daemon);
    const tabs = await openTabs(browser, daemon);
    process.kill(daemon.processId, 'SIGUSR2');
    const samples = await sampled(minutes, tabs, daemon);
    const sixth = samples.length / 6;
    const between = (from: number, to: number) =>
      samples.slice(Math.ceil(from * sixth), Math.ceil(to * sixth));
    report.table(
      'explorer',
      `${minutes} minutes at ${RATE} payments/s, ${name}`,
      samples.map((sample) => rowOf(sample, tabs)),
    );
    for (const [place, tab] of tabs.entries()) {
      const most = (some: readonly Sample[]) => Math.max(...some.map(({ heapsMb }) => heapsMb[place]!));
      const heap = `heap of ${tab.name}`;
      report.figure('explorer', {
        name: `${heap}, most`,
        value: most(samples),
        unit: 'MB',
        target: `<= ${MAX_HEAP_MB}`,
      });
      report.figure('explorer', {
        name: `${heap}, last sixth against second`,
        value: most(between(5, 6)) / most(between(1, 2)),
        unit: 'x',
        target: '<= 1.1',
      });
    }
    const rates = await Promise.all(tabs.map(({ page }) => page.title()));
    report.note('explorer', `titles at the end: ${rates.join(' · ')}`);
  } finally {
    await browser.close();
    await daemon.stop();
  }
}

/** Makes the payments whose events are published again. */
async function payOnce({ client }: BenchDaemon): Promise<void> {
  const requests = recipients(mainGraph().graph, AMOUNT_SAT, REAL_PAYMENTS).map((destination, seed) =>
    requestText(
      'keysend',
      `{"destination":"${destination}","amount_msat":${AMOUNT_SAT}000,"seed":"${seed}","retry_for":10}`,
    ),
  );
  await client.flow(requests, UNDER_WAY);
}

/** Opens the pages, with the link that `fulgurite explorer` prints. */
async function openTabs(browser: Browser, { client }: BenchDaemon): Promise<Tab[]> {
  const { result } = JSON.parse(await client.call(requestText('explorer', '{}')));
  const { origin, hash } = new URL(result.url);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const tabs: Tab[] = [];
  for (const name of PAGES) {
    const page = await context.newPage();
    page.on('pageerror', (error) => console.log(`error on /${name}: ${error.message}`));
    await page.goto(`${origin}/ui/${name}${hash}`);
    await page.locator('h1').first().waitFor();
    const session = await context.newCDPSession(page);
    await session.send('HeapProfiler.enable');
    tabs.push({ name: `/${name}`, page, session });
  }
  return tabs;
}

async function sampled(minutes: number, tabs: readonly Tab[], daemon: BenchDaemon): Promise<Sample[]> {
  const samples: Sample[] = [];
  const beganMs = performance.now();
  for (let minute = 0; minute <= minutes; minute++) {
    await sleep(Math.max(0, beganMs + minute * MINUTE_MS - performance.now()));
    const looks = await Promise.all(tabs.map(lookAt));
    const sample = {
      minute,
      heapsMb: looks.map(({ heapMb }) => heapMb),
      nodes: looks.map(({ nodes }) => nodes),
      listeners: looks.map(({ listeners }) => listeners),
      daemonMb: residentMb(daemon.processId),
      browserMb: browserMb(),
    };
    samples.push(sample);
    console.log(JSON.stringify(rowOf(sample, tabs)));
  }
  return samples;
}

/** A page's memory after a garbage collection. */
async function lookAt({ session }: Tab): Promise<{ heapMb: number; nodes: number; listeners: number }> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  return { heapMb: usedSize / BYTES_PER_MB, nodes, listeners: jsEventListeners };
}

function rowOf({ minute, heapsMb, nodes, listeners, daemonMb, browserMb }: Sample, tabs: readonly Tab[]) {
  const row: Record<string, number> = { minute };
  for (const [place, { name }] of tabs.entries()) {
    row[`heap MB ${name}`] = Number(heapsMb[place]!.toFixed(2));
    row[`nodes ${name}`] = nodes[place]!;
    row[`listeners ${name}`] = listeners[place]!;
  }
  return { ...row, 'daemon MB': Math.round(daemonMb), 'browser MB': Math.round(browserMb) };
}

/** Memory of the browser's processes, which are descendants of this one. Memory pages that they share count once. */
function browserMb(): number {
  const parents = new Map<number, number>();
  const browsers: number[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [, command, parent] = /\((.*)\) \S+ (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))!;
      parents.set(Number(name), Number(parent));
      if (command!.startsWith('chrom')) browsers.push(Number(name));
    } catch {
      // The process has ended in the meantime.
    }
  }
  const isOurs = (one: number | undefined): boolean =>
    one !== undefined && (one === process.pid || isOurs(parents.get(one)));
  return browsers.filter(isOurs).reduce((sum, one) => sum + proportionalMb(one), 0);
}

function proportionalMb(processId: number): number {
  try {
    const text = readFileSync(`/proc/${processId}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / KB_PER_MB;
  } catch {
    return 0;
  }
}
