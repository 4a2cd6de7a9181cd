/** One attempt of a payment: its route hop by hop, where and why it failed, and what was learned from it. */
import { html, nothing, type TemplateResult } from 'lit-html';
import { counted, grouped, odds } from '../format.ts';
import { boundsBar, boundsText } from '../pictures/bars.ts';
import type { LaneState } from '../pictures/lanes.ts';
import { amount, hostile, node, nodeWords, stateMark, term } from '../pieces.ts';
import { reasonOf } from './pay-lanes.ts';
import type { WholeAttempt } from './whole-payment.ts';

/** The content of the panel. */
export interface AttemptShown {
  readonly attempt: WholeAttempt;
  readonly number: number;
  /** The state of the attempt at the displayed moment. */
  readonly state: LaneState;
  readonly height: number;
  readonly aliasOf: (id: string) => string | undefined;
}

/** The panel of an attempt. */
export function attemptPanel(shown: AttemptShown): TemplateResult {
  const { attempt, number, state, height } = shown;
  const { probability_ppm, amount_msat, amount_sent_msat, expiry_height } = attempt;
  const fee = BigInt(amount_sent_msat) - BigInt(amount_msat);
  return html`<section class="panel attempt" aria-labelledby="attempt-title">
    <h2 id="attempt-title">Attempt ${number} ${state === 'future' ? html`<span class="faint">has not begun</span>` : stateMark(state)}</h2>
    <p>${amount(amount_msat)} over ${counted(attempt.route.length, 'hop')}, fee ${amount(fee)}. The node gave it
      ${term('odds', 'odds')} of <strong>${odds(probability_ppm)}</strong>.
      ${
        state === 'pending'
          ? html`Its money is locked until ${term('expiry', 'block')} <strong>${grouped(expiry_height)}</strong> at the latest;
              the chain is at ${grouped(height)}.`
          : nothing
      }</p>
    ${state === 'failed' ? failedLine(shown) : nothing}
    ${hops(shown)} ${state === 'complete' || state === 'failed' ? lessons(attempt) : nothing}
  </section>`;
}

function failedLine({ attempt, aliasOf }: AttemptShown): TemplateResult {
  const { failure, failreason } = attempt;
  const reporter = failure?.erring_node;
  const code = failure?.failcodename ?? failure?.failcode;
  return html`<p class="failed-line"><strong>${reasonOf(attempt)}</strong>
    <span class="faint small">${code === undefined ? hostile(failreason ?? '') : html`<code>${code}</code>`}</span>
    ${reporter === undefined ? nothing : html`<span class="faint small">reported by ${node(reporter, aliasOf(reporter))}</span>`}</p>`;
}

/** The outcome of the hop at `index`. The node at the start of hop `erring_index` reported the failure. */
function fateOf(index: number, { route, failure }: WholeAttempt, state: LaneState): HopFate {
  if (state === 'complete') return 'carried';
  if (state === 'pending') return 'locked';
  if (state === 'future') return 'untouched';
  const erring = failure?.erring_index;
  if (erring === undefined) return 'unknown';
  if (erring >= route.length) return index === route.length - 1 ? 'refused' : 'carried';
  return index < erring ? 'carried' : index === erring ? 'failed' : 'untouched';
}

type HopFate = 'carried' | 'locked' | 'failed' | 'refused' | 'untouched' | 'unknown';

const FATES: Readonly<Record<HopFate, readonly [mark: string, words: string]>> = {
  carried: ['✓', 'carried it'],
  locked: ['◔', 'holds it'],
  failed: ['✕', 'it failed here'],
  refused: ['✕', 'it got through, but the recipient refused'],
  untouched: ['·', 'was not reached'],
  unknown: ['?', 'unknown'],
};

function hops({ attempt, state, aliasOf }: AttemptShown): TemplateResult {
  return html`<ol class="way-hops" aria-label="The route, hop by hop">
    <li class="way-hop start"><span class="way-mark" aria-hidden="true">○</span><span class="way-node">this node</span></li>
    ${attempt.route.map((hop, index) => {
      const fate = fateOf(index, attempt, state);
      const [mark, words] = FATES[fate];
      return html`<li class="way-hop ${fate}">
        <span class="way-mark" aria-hidden="true">${mark}</span>
        <span class="way-node">${node(hop.id, aliasOf(hop.id))}</span>
        <span class="way-facts faint small"><a href="/ui/beliefs?channel=${encodeURIComponent(hop.short_channel_id_dir)}"
          ><code>${hop.short_channel_id_dir}</code></a> ${amount(hop.amount_msat)}, ${counted(hop.delay, 'block')} left</span>
        <span class="way-fate small">${words}</span>
      </li>`;
    })}
  </ol>`;
}

function lessons({ learned }: WholeAttempt): TemplateResult {
  if (learned.length === 0) return html`<p class="faint">Nothing was learned from it.</p>`;
  return html`<h3>What it ${term('lesson', 'taught')}</h3>
    <ul class="lessons">
      ${learned.map(
        (lesson) => html`<li class="lesson"><span>${nodeWords(lesson.text)}</span> ${changeOf(lesson)}</li>`,
      )}
    </ul>`;
}

type ToldLesson = WholeAttempt['learned'][number];

function changeOf({
  kind,
  amount_msat,
  before,
  after,
  capacity_msat,
}: ToldLesson): TemplateResult | typeof nothing {
  if (before === undefined || after === undefined || capacity_msat === undefined) return nothing;
  const isShared =
    kind === 'blocked' && amount_msat !== undefined && BigInt(after.maximum_msat) >= BigInt(amount_msat);
  return html`<div class="change">
      <span class="faint small">before</span>${boundsBar(before, capacity_msat)}<span class="small">${boundsText(before, capacity_msat)}</span>
      <span class="faint small">after</span>${boundsBar(after, capacity_msat)}<span class="small">${boundsText(after, capacity_msat)}</span>
    </div>
    ${
      isShared
        ? html`<p class="faint small lesson-note">Other parts were in flight over this channel too, so only the sum of all these
            parts is known to be too much.</p>`
        : nothing
    }`;
}
