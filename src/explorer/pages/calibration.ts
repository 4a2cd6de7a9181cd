/**
 * Shows whether the predicted odds were true, from the predicted probability and the outcome of each finished attempt.
 * The attempts come from `listodds`; the number of newer ones comes from the event `stats`.
 */
import { html, nothing, type TemplateResult } from 'lit-html';
import { counted, grouped } from '../format.ts';
import type { OpenPage, Page, PageHost, PagePlace } from '../page.ts';
import {
  type Baselines,
  BINS,
  baselinesFor,
  beforeCorrection,
  binned,
  byAge,
  byAmount,
  ENOUGH,
  groupOf,
  isOff,
  type NamedGroup,
  type OddsGroup,
  type Outcome,
  type Verdict,
  verdictOn,
} from '../pictures/calibration.ts';
import { errorPanel, figure, pictureTable, table, term, terminal, waiting } from '../pieces.ts';
import { reliabilityPlot } from './calibration-plot.ts';

/** Numbers of attempts that the user can choose. */
const LIMITS = [1000, 10_000, 100_000] as const;
const DEFAULT_LIMIT = 10_000;
/** The page offers to include newly finished attempts if there are at least this many. */
const MIN_NEW_ATTEMPTS = 1;

class CalibrationPage implements OpenPage {
  readonly #host: PageHost;
  #place: PagePlace;
  #outcomes: readonly Outcome[] | undefined;
  #error: unknown;
  /** Number of finished attempts when the odds were read, and now. */
  #endedThen: number | undefined;
  #endedNow = 0;

  constructor(host: PageHost) {
    this.#host = host;
    this.#place = host.place;
    host.title('Were the odds right?');
    host.events.on(
      'stats',
      ({ attempts_settled, attempts_failed }) => {
        this.#endedNow = attempts_settled + attempts_failed;
        this.#endedThen ??= this.#endedNow;
        this.#show();
      },
      host.left,
    );
    this.#show();
    void this.#load();
  }

  moved(place: PagePlace): void {
    this.#place = place;
    void this.#load();
  }

  get #limit(): number {
    const asked = Number(this.#place.query.get('limit'));
    return LIMITS.find((limit) => limit === asked) ?? DEFAULT_LIMIT;
  }

  async #load(): Promise<void> {
    try {
      const { rpc, left } = this.#host;
      const { odds } = await rpc.call('listodds', { limit: this.#limit }, { signal: left });
      this.#outcomes = odds.map(({ probability_ppm, uncorrected_ppm, arrived, amount_msat, created_at }) => ({
        predicted: probability_ppm / 1e6,
        uncorrected: uncorrected_ppm === undefined ? undefined : uncorrected_ppm / 1e6,
        arrived,
        amountMsat: Number(amount_msat),
        time: created_at,
      }));
      this.#error = undefined;
      this.#endedThen = this.#endedNow === 0 ? undefined : this.#endedNow;
    } catch (error) {
      if (this.#host.left.aborted) return;
      this.#error = error;
    }
    this.#show();
  }

  #show(): void {
    if (this.#error !== undefined) this.#host.show(errorPanel(this.#error));
    else if (this.#outcomes === undefined) this.#host.show(waiting('Loading the attempts…'));
    else this.#host.show(this.#whole(this.#outcomes));
  }

  #whole(outcomes: readonly Outcome[]): TemplateResult {
    const all = groupOf(outcomes);
    const verdict = verdictOn(outcomes);
    const bins = binned(outcomes);
    this.#host.title(TITLES[verdict.kind]);
    return html`${verdictPanel(verdict, all)} ${this.#controls()}
      ${
        outcomes.length === 0
          ? nothing
          : html`${scores(all, baselinesFor(all.share))}
            <section class="panel" aria-labelledby="reliability">
              <h2 id="reliability">${term('calibration', 'Predicted odds and actual outcomes')}</h2>
              <div class="calibration">${reliabilityPlot(bins)} ${legend()}</div>
              ${binsTwin('The groups as a table', bins)}
            </section>
            ${correction(outcomes)}
            ${classes('By amount', 'Amount', byAmount(outcomes))}
            ${classes('By age of the attempt', 'Age', byAge(outcomes, Date.now() / 1000))}`
      }
      ${terminal('listodds', { limit: this.#limit })}`;
  }

  #controls(): TemplateResult {
    const newAttempts = this.#endedThen === undefined ? 0 : this.#endedNow - this.#endedThen;
    const choose = (event: Event): void =>
      this.#host.change({ limit: (event.target as HTMLSelectElement).value });
    return html`<div class="controls">
      <label>Attempts to consider
        <select @change=${choose}>
          ${LIMITS.map(
            (limit) =>
              html`<option value=${limit} ?selected=${limit === this.#limit}>the last ${grouped(limit)}</option>`,
          )}
        </select></label>
      <button type="button" class="quiet" ?disabled=${newAttempts < MIN_NEW_ATTEMPTS} @click=${() => void this.#load()}>
        ${newAttempts < MIN_NEW_ATTEMPTS ? 'No new attempts' : `Count ${counted(newAttempts, 'new attempt')} too`}</button>
    </div>`;
  }
}

const TITLES: Readonly<Record<Verdict['kind'], string>> = {
  tooFew: 'Too few attempts to say',
  plausible: 'The predicted odds match',
  tooHigh: 'The predicted odds are too high',
  tooLow: 'The predicted odds are too low',
};

const percent = (share: number): string =>
  `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)}\u202f%`;

/** A panel that says whether the predicted odds were true, and how certain this is. */
function verdictPanel(verdict: Verdict, all: OddsGroup): TemplateResult {
  const counts = html`<p class="answer-more faint">${counted(all.count, 'attempt')} ended; the node expected
    ${grouped(Math.round(all.count === 0 ? 0 : all.meanPredicted * all.count))} to arrive, and ${grouped(all.arrived)} did.</p>`;
  if (verdict.kind === 'tooFew') {
    return html`<div class="answer"><h1>Too few attempts to say</h1>${counts}
      <p>With fewer than ${ENOUGH} attempts, chance has more influence than the odds. Make payments, or wait.</p></div>`;
  }
  if (verdict.kind === 'plausible') {
    return html`<div class="answer"><h1><span class="state good" aria-hidden="true">✓</span> The predicted odds match the outcomes</h1>${counts}
      <p>In every group, the predicted odds are consistent with the attempts.</p></div>`;
  }
  const { meanPredicted, share, count } = verdict.worst;
  const isHigh = verdict.kind === 'tooHigh';
  return html`<section class="panel error answer" data-verdict=${verdict.kind}>
    <h1><span aria-hidden="true">✕</span> The predicted odds are too ${isHigh ? 'high' : 'low'}</h1>
    <p>Where the node predicted <strong>${percent(meanPredicted)}</strong>, <strong>${percent(share)}</strong> arrived
      (${counted(count, 'attempt')}). Chance alone makes such a gap less than once in a thousand times.</p>
    <p>${
      isHigh
        ? 'Payments fail more often than this node expects, so it tries routes that it should avoid. A layer may be too optimistic, or balances may be distributed differently from what its model assumes.'
        : 'Payments arrive more often than this node expects, so it may pay for routes that are safer than needed.'
    }</p>
    ${counts}
  </section>`;
}

function scores({ brier, logLoss, share }: OddsGroup, { mean, coin }: Baselines): TemplateResult {
  const better = (own: number, other: number): string =>
    own < other
      ? 'better than always predicting the mean'
      : own === other
        ? 'the same as always predicting the mean'
        : 'worse than always predicting the mean';
  return html`<dl class="figures">
    ${figure(brier.toFixed(3), html`${term('brier', 'Brier score')}: ${better(brier, mean.brier)} (${mean.brier.toFixed(3)}); a coin toss has ${coin.brier.toFixed(2)}`)}
    ${figure(logLoss.toFixed(3), html`${term('logLoss', 'log-loss')}: ${better(logLoss, mean.logLoss)} (${mean.logLoss.toFixed(3)}); a coin toss has ${coin.logLoss.toFixed(2)}`)}
    ${figure(percent(share), 'of all attempts arrived')}
  </dl>`;
}

/** The effect of the learned correction: the scores of the same attempts without and with it. */
function correction(outcomes: readonly Outcome[]): TemplateResult | typeof nothing {
  const before = beforeCorrection(outcomes);
  if (before.length === 0) return nothing;
  const after = outcomes.filter(({ uncorrected }) => uncorrected !== undefined);
  const row = (name: string, group: OddsGroup): unknown[] => [
    name,
    grouped(group.count),
    percent(group.meanPredicted),
    percent(group.share),
    group.brier.toFixed(3),
    group.logLoss.toFixed(3),
  ];
  return html`<section class="panel">
    <h2>Before and after the correction</h2>
    <p>The node corrects the odds of its model by the outcomes of earlier attempts.</p>
    ${table(
      'Before and after the correction',
      ['Odds', 'Attempts', 'Mean predicted', 'Arrived', 'Brier', 'Log-loss'],
      [row('before', groupOf(before)), row('after, as predicted', groupOf(after))],
    )}
    ${binsTwin('The groups before the correction', binned(before))}
  </section>`;
}

function legend(): TemplateResult {
  return html`<ul class="legend small">
    <li>On the dashed line the odds are exactly right.</li>
    <li>Below it the node is too optimistic, above it too pessimistic.</li>
    <li>The larger a dot, the more attempts; the bar is its ${term('wilson', '95 % interval')}.</li>
    <li><span class="plot-key wrong" aria-hidden="true">✕</span> marks odds that are wrong: chance alone makes such a gap less than once in a thousand times.</li>
  </ul>`;
}

const interval = ({ interval: { low, high } }: OddsGroup): string => `${percent(low)} to ${percent(high)}`;

function binsTwin(title: string, bins: readonly OddsGroup[]): TemplateResult {
  return pictureTable(
    title,
    ['Predicted odds', 'Attempts', 'Mean predicted', 'Arrived', '95 % interval'],
    bins.map((bin, index) => {
      const name = `${(index * 100) / BINS} to ${((index + 1) * 100) / BINS} %`;
      if (bin.count === 0) return [name, 0, '–', '–', '–'];
      return [name, grouped(bin.count), percent(bin.meanPredicted), percent(bin.share), interval(bin)];
    }),
  );
}

function classes(title: string, head: string, groups: readonly NamedGroup[]): TemplateResult {
  const filled = groups.filter(({ count }) => count > 0);
  return html`<section class="panel"><h2>${title}</h2>
    ${table(
      title,
      [head, 'Attempts', 'Mean predicted', 'Arrived', '95 % interval', 'Brier', 'Always predicting the mean'],
      filled.map((group) => [
        group.name,
        grouped(group.count),
        percent(group.meanPredicted),
        html`<span class=${isOff(group) ? 'state bad' : ''}>${percent(group.share)}${isOff(group) ? ' ✕' : ''}</span>`,
        interval(group),
        group.brier.toFixed(3),
        baselinesFor(group.share).mean.brier.toFixed(3),
      ]),
    )}</section>`;
}

/** Opens the page. */
export const page: Page = (host) => new CalibrationPage(host);
