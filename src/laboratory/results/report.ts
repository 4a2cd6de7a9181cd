/** The report of a run: one static page without scripts or external resources. */
import type { Scenario } from '../scenario/scenario.ts';
import { scenarioJson } from '../scenario/scenario-json.ts';
import { escaped, plotSvg } from './plot.ts';
import type { Estimate } from './statistics.ts';
import type { RouterSummary, Summary } from './summary.ts';

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } .wide { overflow-x: auto; }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } thead th { background: var(--soft); }
td small { color: #888; } pre { background: var(--soft); padding: 1rem; overflow-x: auto; }
svg { max-width: 100%; height: auto; } svg .title { font-weight: 600; } .warning { border-left: 4px solid #d55e00; padding-left: 1rem; }
.plots { display: flex; flex-wrap: wrap; gap: 1rem; }
`;

const percent = (value: number): string => (Number.isFinite(value) ? `${(100 * value).toFixed(2)} %` : '–');
const number =
  (digits: number) =>
  (value: number): string =>
    Number.isFinite(value) ? value.toFixed(digits) : '–';
const seconds = (us: number): string => (Number.isFinite(us) ? `${(us / 1e6).toFixed(2)} s` : '–');

/** A mean with the ends of its interval, as HTML. */
const estimate = ({ mean, low, high }: Estimate, shown: (value: number) => string): string =>
  `${shown(mean)} <small>${shown(low)} … ${shown(high)}</small>`;

/** @returns the page */
export function reportHtml(summary: Summary, scenario: Scenario, version: string): string {
  const { routers, pairs, warnings, isFinished } = summary;
  const notes = [
    ...warnings,
    ...(isFinished ? [] : ['The run was interrupted: the figures cover only the finished part.']),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(summary.scenario)} – simulation</title><style>${STYLE}</style></head><body>
<h1>${escaped(summary.scenario)}</h1>
<p>Simulated by Fulgurite ${escaped(version)} with seed ${summary.seed}. Intervals are 95 % confidence intervals of batch means.</p>
${notes.map((note) => `<p class="warning">${escaped(note)}</p>`).join('\n')}
<h2>Routers</h2>
<div class="wide"><table><thead><tr><th>Router</th><th>Payments</th><th>Success</th><th>Success by amount</th><th>Attempts</th>
<th>Fee (ppm)</th><th>Time p50</th><th>p95</th><th>p99</th><th>Failed though possible</th></tr></thead>
<tbody>${routers.map(routerRow).join('\n')}</tbody></table></div>
${pairs.length === 0 ? '' : pairTable(summary)}
<h2>Plots</h2><div class="plots">${plots(routers)}</div>
<h2>Predicted odds</h2>
<div class="wide"><table><thead><tr><th>Router</th><th>Brier (attempts)</th><th>Log loss (attempts)</th><th>Brier (first plans)</th><th>Log loss (first plans)</th></tr></thead>
<tbody>${routers.map(oddsRow).join('\n')}</tbody></table></div>
${privacyTable(routers)}<h2>Network</h2>
<div class="wide"><table><thead><tr><th>Router</th><th>Depleted channels before</th><th>after</th><th>Gini of forwarding income</th><th>Locked (BTC · h)</th></tr></thead>
<tbody>${routers.map(networkRow).join('\n')}</tbody></table></div>
<h2>Files</h2>
<div class="wide"><table><thead><tr><th>File</th><th>SHA-256</th></tr></thead><tbody>${fileRows(summary)}</tbody></table></div>
<h2>Scenario</h2><pre>${escaped(scenarioJson(scenario))}</pre>
</body></html>
`;
}

function routerRow(router: RouterSummary): string {
  const { possible, checked } = router.possible;
  const cells = [
    escaped(router.router),
    String(router.payments),
    estimate(router.success, percent),
    estimate(router.successByAmount, percent),
    estimate(router.attempts, number(3)),
    estimate(router.feePpm, number(1)),
    seconds(router.settleUs.p50),
    seconds(router.settleUs.p95),
    seconds(router.settleUs.p99),
    `${possible} of ${checked}`,
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

function pairTable({ pairs }: Summary): string {
  const rows = pairs.map(({ first, second, success, attempts, feePpm, onlyFirst, onlySecond }) => {
    const cells = [
      `${escaped(second)} − ${escaped(first)}`,
      estimate(success, percent),
      estimate(attempts, number(3)),
      estimate(feePpm, number(1)),
      String(onlyFirst),
      String(onlySecond),
    ];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<h2>Differences, payment by payment</h2>
<div class="wide"><table><thead><tr><th>Pair</th><th>Success</th><th>Attempts</th><th>Fee (ppm)</th><th>Only the first completed</th><th>Only the second</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>`;
}

function plots(routers: readonly RouterSummary[]): string {
  const point = (x: number, { mean, low, high }: Estimate) => ({ x, y: mean, low, high });
  const front = plotSvg({
    title: 'Success against fee',
    xLabel: 'fee of completed payments (ppm)',
    yLabel: 'share of payments that succeed',
    series: routers.map((router) => ({
      name: router.router,
      points: [point(router.feePpm.mean, router.success)],
    })),
  });
  const overTime = depletionPlot(routers);
  const stated = routers.filter(({ ofAttempts }) => ofAttempts.bins.some(({ count }) => count > 0));
  if (stated.length === 0) return `${front}${overTime}`;
  const reliability = plotSvg({
    title: 'Predicted odds of attempts against outcomes',
    xLabel: 'stated',
    yLabel: 'arrived',
    diagonal: true,
    yFrom: 0,
    yTo: 1,
    series: stated.map(({ router, ofAttempts }) => ({
      name: router,
      points: ofAttempts.bins.map((bin) => ({ x: bin.stated, y: bin.arrived })),
    })),
  });
  return `${front}${reliability}${overTime}`;
}

/** The plot of depleted channels over time. Empty if there are no snapshots. */
function depletionPlot(routers: readonly RouterSummary[]): string {
  if (routers.every(({ network }) => network.depletion.length === 0)) return '';
  return plotSvg({
    title: 'Depleted channels over time',
    xLabel: 'simulated hours',
    yLabel: 'share of channels',
    series: routers.map(({ router, network }) => ({
      name: router,
      points: network.depletion.map(({ atUs, share }) => ({ x: atUs / US_PER_HOUR, y: share })),
    })),
  });
}

function oddsRow({ router, ofAttempts, ofPlans }: RouterSummary): string {
  const cells = [ofAttempts.brier, ofAttempts.logLoss, ofPlans.brier, ofPlans.logLoss].map(number(4));
  return `<tr><td>${escaped(router)}</td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

/** The table of what the largest nodes can guess. Empty if privacy was not measured. */
function privacyTable(routers: readonly RouterSummary[]): string {
  const rows = routers.flatMap(({ router, privacy }) => {
    if (privacy === undefined) return [];
    const { attempts, observed, recipientsBySight: recipients, sendersBySight: senders } = privacy;
    const cells = [
      percent(observed / attempts),
      number(0)(recipients.medianSet),
      percent(recipients.certain),
      percent(privacy.recipientGuessed),
      number(0)(senders.medianSet),
      percent(privacy.senderGuessed),
    ];
    return [`<tr><td>${escaped(router)}</td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`];
  });
  if (rows.length === 0) return '';
  return `<h2>Privacy</h2>
<p>What the largest nodes can infer from amounts, expiries, cheapest routes and times (docs/simulate.md).</p>
<div class="wide"><table><thead><tr><th>Router</th><th>Attempts observed</th><th>Possible recipients (median)</th><th>Recipient certain</th>
<th>Recipient guessed (of all)</th><th>Possible senders (median)</th><th>Sender guessed (of all)</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>
`;
}

const US_PER_HOUR = 3.6e9;
const MSAT_SECONDS_PER_BTC_HOUR = 1e11 * 3600;

function networkRow({ router, network, lockedMsatSeconds }: RouterSummary): string {
  const { depletedBefore, depletedAfter, incomeGini } = network;
  const locked = (lockedMsatSeconds / MSAT_SECONDS_PER_BTC_HOUR).toFixed(3);
  const cells = [percent(depletedBefore), percent(depletedAfter), incomeGini.toFixed(3), locked];
  return `<tr><td>${escaped(router)}</td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

const fileRows = ({ files, inputs }: Summary): string =>
  Object.entries({ ...inputs, ...files })
    .map(([name, hash]) => `<tr><td>${escaped(name)}</td><td><code>${hash}</code></td></tr>`)
    .join('\n');
