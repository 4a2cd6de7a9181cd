/**
 * The figures of the node, second by second, for the last quarter of an hour. They arrive as events. Once this page has
 * been opened, they are collected even while the tab shows a different page. Memory use is fixed.
 */
import { html, svg, type TemplateResult } from 'lit-html';
import type { StatsEventData } from '../event-types.ts';
import { duration, grouped, shortened } from '../format.ts';
import type { Page, PageHost } from '../page.ts';
import { KEPT_SAMPLES, Samples } from '../pictures/series.ts';
import { pictureTable, terminal } from '../pieces.ts';

const FIGURES = [
  'searches',
  'searchP50',
  'searchP99',
  'queued',
  'running',
  'workers',
  'complete',
  'failed',
  'inFlight',
  'htlcs',
  'commits',
  'commitP99',
  'memory',
] as const;
type FigureName = (typeof FIGURES)[number];

/** The node's counters at one moment. Rates are their growth per second since the previous event. */
interface Counters {
  readonly time: number;
  readonly searches: number;
  readonly complete: number;
  readonly failed: number;
  readonly commits: number;
}

/** The samples belong to the tab, so they outlive this page. */
const samples = new Samples<FigureName>(FIGURES);
let before: Counters | undefined;
let isKept = false;

/**
 * Records the figures of a second. A restart of the node resets the counters, so there is no rate for the first event
 * after a restart.
 */
function note(stats: StatsEventData): void {
  const now: Counters = {
    time: stats.time,
    searches: stats.searches_answered,
    complete: stats.payments_complete,
    failed: stats.payments_failed,
    commits: stats.commits,
  };
  const seconds = before === undefined ? Number.NaN : now.time - before.time;
  const rate = (name: keyof Counters): number => {
    const growth = before === undefined ? Number.NaN : now[name] - before[name];
    return growth >= 0 && seconds > 0 ? growth / seconds : Number.NaN;
  };
  samples.add(stats.time, {
    searches: rate('searches'),
    searchP50: stats.search_ms_p50 ?? Number.NaN,
    searchP99: stats.search_ms_p99 ?? Number.NaN,
    queued: stats.searches_queued,
    running: stats.searches_running,
    workers: stats.workers,
    complete: rate('complete'),
    failed: rate('failed'),
    inFlight: stats.payments_in_flight,
    htlcs: stats.htlcs_in_flight,
    commits: rate('commits'),
    commitP99: stats.commit_ms_p99 ?? Number.NaN,
    memory: stats.resident_bytes / 1048576,
  });
  before = now;
}

/** A plot: its name, and one or two lines. */
interface PlotShown {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly { readonly name: FigureName; readonly words: string }[];
  readonly text: (value: number) => string;
}

const perSecond = (value: number): string => `${shortened(Math.round(value * 10) / 10)}/s`;
const whole = (value: number): string => grouped(Math.round(value));

const PLOTS: readonly PlotShown[] = [
  {
    title: 'Payments',
    unit: 'per second',
    lines: [
      { name: 'complete', words: 'arrived' },
      { name: 'failed', words: 'failed' },
    ],
    text: perSecond,
  },
  {
    title: 'On the way',
    unit: 'now',
    lines: [
      { name: 'inFlight', words: 'payments' },
      { name: 'htlcs', words: 'parts' },
    ],
    text: whole,
  },
  {
    title: 'Route searches',
    unit: 'per second',
    lines: [{ name: 'searches', words: 'answered' }],
    text: perSecond,
  },
  {
    title: 'Search time',
    unit: 'of the last ten seconds',
    lines: [
      { name: 'searchP50', words: 'median' },
      { name: 'searchP99', words: '99th percentile' },
    ],
    text: duration,
  },
  {
    title: 'Searches waiting',
    unit: 'now',
    lines: [
      { name: 'queued', words: 'in the queue' },
      { name: 'running', words: 'at a worker' },
    ],
    text: whole,
  },
  { title: 'Workers', unit: 'now', lines: [{ name: 'workers', words: 'threads' }], text: whole },
  {
    title: 'Commits to the disk',
    unit: 'per second',
    lines: [{ name: 'commits', words: 'commits' }],
    text: perSecond,
  },
  {
    title: 'Commit time',
    unit: 'of the last ten seconds',
    lines: [{ name: 'commitP99', words: '99th percentile' }],
    text: duration,
  },
  {
    title: 'Memory of the node',
    unit: 'now',
    lines: [{ name: 'memory', words: 'resident' }],
    text: (mib) => `${whole(mib)} MiB`,
  },
];

const WIDTH = 480;
const HEIGHT = 90;

/** Seconds shown in the plots: the shortest of `SPANS_S` that covers the time from the first sample to the last. */
function shownSeconds(): number {
  const seen = samples.size === 0 ? 0 : samples.timeAt(samples.size - 1) - samples.timeAt(0);
  return SPANS_S.find((span) => span >= seen) ?? KEPT_SAMPLES;
}

/** Possible lengths of the axis. There are only a few, so that the axis does not change every second. */
const SPANS_S = [60, 300, KEPT_SAMPLES];

function plot({ title, unit, lines, text }: PlotShown): TemplateResult {
  const names = lines.map(({ name }) => name);
  const to = samples.size === 0 ? 0 : samples.timeAt(samples.size - 1);
  const shownS = shownSeconds();
  const from = to - shownS;
  const most = samples.largest(names) * 1.1 || 1;
  const value = (name: FigureName): string => {
    const last = samples.last(name);
    return Number.isNaN(last) ? '–' : text(last);
  };
  return html`<section class="panel metric"><h2>${title} <span class="faint small">${unit}</span></h2>
    <p class="metric-now">${lines.map(
      ({ name, words }, index) =>
        html`<span class="metric-key line-${index}"><svg width="22" height="8" viewBox="0 0 22 8" aria-hidden="true"
          ><path class="metric-line line-${index}" d="M1 4H21" /></svg> <strong class="number">${value(name)}</strong>
          <span class="small faint">${words}</span></span>`,
    )}</p>
    <svg class="metric-plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
      <path class="axis" d="M0 ${HEIGHT}H${WIDTH}M0 0H${WIDTH}M${WIDTH / 3} 0V${HEIGHT}M${(WIDTH * 2) / 3} 0V${HEIGHT}" />
      ${names.map(
        (name, index) =>
          svg`<path class="metric-line line-${index}" d=${samples.path(name, { from, to, most, width: WIDTH, height: HEIGHT })} />`,
      )}
    </svg>
    <p class="metric-axis faint small"><span>${duration(shownS * 1000)} ago</span><span>top: ${text(most)}</span><span>now</span></p>
  </section>`;
}

function show(host: PageHost, stats: StatsEventData | undefined): void {
  const seconds = samples.size < 2 ? 0 : samples.timeAt(samples.size - 1) - samples.timeAt(0);
  const rate = samples.last('complete');
  const headline =
    stats === undefined
      ? 'Waiting for the first data'
      : stats.searches_queued > 0
        ? `Busy: ${grouped(stats.searches_queued)} searches wait`
        : Number.isNaN(rate) || rate === 0
          ? 'Quiet: no payments at the moment'
          : `Payments arrive at ${perSecond(rate)}`;
  host.title(headline);
  host.show(html`<div class="answer"><h1>${headline}</h1>
      <p class="faint">${
        stats === undefined
          ? 'The figures are updated once a second.'
          : html`Block ${grouped(stats.blockheight)}; ${grouped(stats.payments_complete)} payments arrived and
            ${grouped(stats.payments_failed)} failed since the node started. Recorded for ${duration(seconds * 1000)} in this tab.`
      }</p></div>
    <div class="metrics">${PLOTS.map(plot)}</div>
    ${pictureTable(
      'The latest figures as a table',
      ['Figure', 'Now'],
      PLOTS.flatMap(({ title, lines, text }) =>
        lines.map(({ name, words }) => [
          `${title}: ${words}`,
          Number.isNaN(samples.last(name)) ? '–' : text(samples.last(name)),
        ]),
      ),
    )}
    ${terminal('getmetrics', {})}`);
}

/** Opens the figures. */
export const page: Page = (host) => {
  if (!isKept) {
    isKept = true;
    host.events.on('stats', note, new AbortController().signal);
  }
  show(host, undefined);
  host.events.on('stats', (stats) => show(host, stats), host.left);
  return { moved: () => undefined };
};
