/**
 * One payment: live, and afterwards as a replay. A payment is in progress until the node reports its end, regardless of
 * the states of its attempts. All data comes from `getpayment`, so a payment looks the same after a reload and after a
 * restart of the node. Events only trigger a new request.
 */
import { html, nothing, type TemplateResult } from 'lit-html';
import { Aliases } from '../aliases.ts';
import { counted, duration, grouped, sat, share, shortId } from '../format.ts';
import type { OpenPage, Page, PageHost, PagePlace } from '../page.ts';
import { type AttemptLane, lanesOf, momentsOf, spreadAt, stateAt } from '../pictures/lanes.ts';
import {
  amount,
  errorPanel,
  figure,
  hostile,
  node,
  nodeWords,
  pictureTable,
  stateMark,
  term,
  terminal,
  waiting,
  when,
} from '../pieces.ts';
import type { MethodResult } from '../rpc.ts';
import { attemptPanel } from './pay-attempt.ts';
import { lanesPicture, spreadPicture } from './pay-lanes.ts';
import type { WholeAttempt, WholePayment } from './whole-payment.ts';

/** Milliseconds for which events are collected before the payment is requested again. */
const GATHER_MS = 150;
/** Duration of a replay in milliseconds, and its number of steps. */
const REPLAY_MS = 4000;
const REPLAY_STEPS = 80;
/** Milliseconds per displayed moment if the user prefers reduced motion. */
const MOMENT_MS = 700;
/** Approximate duration of a block in seconds. */
const BLOCK_S = 600;

class PayPage implements OpenPage {
  readonly #host: PageHost;
  readonly #hash: string;
  readonly #aliases: Aliases;
  #answer: MethodResult<'getpayment'> | undefined;
  #error: unknown;
  #place: PagePlace;
  #chosen: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #replay: ReturnType<typeof setTimeout> | undefined;
  #following = new AbortController();
  #said: string | undefined;

  constructor(host: PageHost) {
    this.#host = host;
    this.#place = host.place;
    this.#hash = host.place.rest[0] ?? '';
    this.#aliases = new Aliases(host.rpc, () => this.#show(), host.left);
    host.left.addEventListener('abort', () => {
      clearTimeout(this.#timer);
      clearTimeout(this.#replay);
      this.#following.abort();
    });
    host.title('Payment');
    host.keys([
      { key: 'ArrowLeft', does: 'Previous moment', run: () => this.#step(-1) },
      { key: 'ArrowRight', does: 'Next moment', run: () => this.#step(1) },
    ]);
    this.#follow();
    void this.#load();
  }

  moved(place: PagePlace): void {
    this.#place = place;
    this.#show();
  }

  /** Requests the payment again shortly after its events, until the payment and all its attempts have ended. */
  #follow(): void {
    const { events } = this.#host;
    const { signal } = this.#following;
    const later = ({ payment }: { readonly payment: { readonly payment_hash: string } }): void => {
      if (payment.payment_hash === this.#hash) this.#loadLater();
    };
    events.on('payment', later, signal);
    events.on('attempt', later, signal);
    events.on('learned', later, signal);
    events.on('reset', () => this.#loadLater(), signal);
    // New blocks arrive and time passes, so some texts on the page change.
    events.on(
      'stats',
      ({ blockheight }) => {
        if (this.#answer !== undefined) this.#answer = { ...this.#answer, blockheight };
        this.#show();
      },
      signal,
    );
  }

  #loadLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#load();
    }, GATHER_MS);
  }

  async #load(): Promise<void> {
    try {
      const { rpc, left } = this.#host;
      this.#answer = await rpc.call('getpayment', { payment_hash: this.#hash }, { signal: left });
      this.#error = undefined;
      const payment = this.#payment;
      const isOver =
        payment !== undefined &&
        payment.status !== 'pending' &&
        payment.attempts.every(({ status }) => status !== 'pending');
      if (isOver) this.#following.abort();
      this.#say();
    } catch (error) {
      if (this.#host.left.aborted) return;
      this.#error = error;
    }
    this.#show();
  }

  /** The latest payment with this hash. */
  get #payment(): WholePayment | undefined {
    return this.#answer?.payments.at(-1);
  }

  /** Announces the outcome to screen readers once. */
  #say(): void {
    const status = this.#payment?.status;
    if (status === undefined || status === this.#said) return;
    if (this.#said !== undefined) this.#host.announce(this.#headline(this.#payment!));
    this.#said = status;
  }

  #lanes(payment: WholePayment): AttemptLane[] {
    return lanesOf(payment.created_at, payment.attempts);
  }

  /** The last moment that can be shown: now for a payment in progress, otherwise the last change. */
  #endMs(payment: WholePayment, lanes: readonly AttemptLane[]): number {
    const isLive = payment.status === 'pending' || lanes.some(({ endMs }) => endMs === undefined);
    const last = momentsOf(lanes).at(-1) ?? 0;
    return Math.max(1, last, isLive ? Date.now() - payment.created_at * 1000 : 0);
  }

  /** The displayed moment: the one in the address, otherwise the last. */
  #atMs(end: number): number {
    const asked = this.#place.query.get('t');
    return asked === null || !/^\d+$/.test(asked) ? end : Math.min(end, Number(asked));
  }

  #stopReplay(): void {
    clearTimeout(this.#replay);
    this.#replay = undefined;
  }

  #setMoment(ms: number | undefined): void {
    this.#host.change({ t: ms === undefined ? undefined : String(Math.round(ms)) }, true);
  }

  #step(by: 1 | -1): void {
    const payment = this.#payment;
    if (payment === undefined) return;
    this.#stopReplay();
    const lanes = this.#lanes(payment);
    const end = this.#endMs(payment, lanes);
    const at = this.#atMs(end);
    const moments = momentsOf(lanes);
    const next = by > 0 ? moments.find((ms) => ms > at) : moments.findLast((ms) => ms < at);
    this.#setMoment(next ?? (by > 0 ? undefined : 0));
  }

  #play(): void {
    const payment = this.#payment;
    if (payment === undefined) return;
    if (this.#replay !== undefined) {
      this.#stopReplay();
      this.#show();
      return;
    }
    const lanes = this.#lanes(payment);
    const end = this.#endMs(payment, lanes);
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const frames = isStill
      ? momentsOf(lanes)
      : Array.from({ length: REPLAY_STEPS + 1 }, (_, index) => (end * index) / REPLAY_STEPS);
    const next = (index: number): void => {
      if (index >= frames.length) {
        this.#replay = undefined;
        this.#setMoment(undefined);
        return;
      }
      this.#replay = setTimeout(() => next(index + 1), isStill ? MOMENT_MS : REPLAY_MS / REPLAY_STEPS);
      this.#setMoment(frames[index]!);
    };
    next(0);
  }

  #show(): void {
    if (this.#host.left.aborted) return;
    if (this.#error !== undefined) this.#host.show(errorPanel(this.#error));
    else if (this.#answer === undefined) this.#host.show(waiting('Loading this payment…'));
    else if (this.#payment === undefined) this.#host.show(this.#unknown());
    else this.#host.show(this.#whole(this.#payment, this.#answer.blockheight));
  }

  #unknown(): TemplateResult {
    this.#host.title('No such payment');
    return html`<section class="panel">
        <h1>This node knows no such payment</h1>
        <p>A payment is identified by its payment hash: 64 hexadecimal digits. <a href="/ui/">See the latest payments</a>.</p>
      </section>
      ${terminal('getpayment', { payment_hash: this.#hash })}`;
  }

  #headline(payment: WholePayment): string {
    const { status, amount_msat, created_at, completed_at } = payment;
    if (status === 'pending') return `${sat(amount_msat)} are on their way`;
    if (status === 'failed') return `${sat(amount_msat)} did not arrive`;
    return `${sat(amount_msat)} arrived in ${duration(((completed_at ?? created_at) - created_at) * 1000)}`;
  }

  #whole(payment: WholePayment, height: number): TemplateResult {
    const { payment_hash, destination, label, status, created_at } = payment;
    const headline = this.#headline(payment);
    this.#host.title(headline);
    const to = node(destination, this.#aliases.of(destination));
    return html`<div class="answer">
        <h1>${headline}</h1>
        <p class="answer-more">${stateMark(status)}
          <span>to ${to}</span> <span class="faint">${when(created_at)}</span>
          ${label === undefined ? nothing : html`<span class="faint">“${hostile(label)}”</span>`}</p>
      </div>
      ${this.#outcome(payment, height)} ${figures(payment)} ${this.#overTime(payment, height)}
      ${earlier(this.#answer!.payments)} ${terminal('getpayment', { payment_hash })}`;
  }

  /** A panel about the outcome: that the payment may still arrive, or why it failed and what to do. */
  #outcome(payment: WholePayment, height: number): TemplateResult | typeof nothing {
    const open = payment.attempts.filter(({ status }) => status === 'pending');
    if (payment.status === 'failed') return failedPanel(payment);
    if (payment.status === 'complete' && open.length === 0) return nothing;
    const latest = Math.max(0, ...open.map(({ expiry_height }) => expiry_height));
    const blocks = Math.max(0, latest - height);
    return html`<section class="panel pending-panel">
      <h2>${
        payment.status === 'pending'
          ? 'It may still arrive: do not pay again'
          : 'It arrived; some parts are still on their way'
      }</h2>
      ${
        open.length === 0
          ? html`<p>Nothing is locked at the moment. The node looks for a route, or waits for a block or the recipient.</p>`
          : html`<p>${counted(open.length, 'part is', 'parts are')} locked on the way. What has not
              arrived comes back at ${term('expiry', 'block')} <strong class="expiry">${grouped(latest)}</strong> at the latest.
              The chain is at ${grouped(height)}: ${counted(blocks, 'block')} to go, about
              ${duration(blocks * BLOCK_S * 1000)}.</p>`
      }
    </section>`;
  }

  #overTime(payment: WholePayment, height: number): TemplateResult {
    const { attempts, amount_msat } = payment;
    const lanes = this.#lanes(payment);
    const end = this.#endMs(payment, lanes);
    const at = this.#atMs(end);
    const spread = spreadAt(lanes, attempts, at);
    if (attempts.length === 0) {
      return html`<section class="panel"><h2>No attempt was made</h2>
        <p>Nothing was sent${payment.status === 'pending' ? ' yet' : ''}.</p></section>`;
    }
    const chosen = Math.min(attempts.length - 1, this.#chosen ?? likelyInterest(attempts));
    const slide = (event: Event): void => {
      this.#stopReplay();
      const value = Number((event.target as HTMLInputElement).value);
      this.#setMoment(value >= Math.round(end) ? undefined : value);
    };
    return html`<section class="panel" aria-labelledby="over-time">
        <h2 id="over-time">Over time</h2>
        <div class="replay">
          <button type="button" class="quiet square" @click=${() => this.#step(-1)} aria-label="Previous moment">◂</button>
          <button type="button" class="quiet" @click=${() => this.#play()}>${this.#replay === undefined ? 'Replay' : 'Stop'}</button>
          <button type="button" class="quiet square" @click=${() => this.#step(1)} aria-label="Next moment">▸</button>
          <input type="range" min="0" max=${Math.round(end)} step="1" .value=${String(Math.round(at))} @input=${slide}
            aria-label="Moment of the payment" aria-valuetext=${`${duration(at)} after it began`} />
          <span class="number moment">${duration(at)}</span>
        </div>
        ${spreadPicture(amount_msat, spread, payment.status)}
        ${lanesPicture({
          attempts,
          lanes,
          end,
          at,
          chosen,
          choose: (index) => {
            this.#chosen = index;
            this.#show();
          },
        })}
        ${lanesTwin(attempts, lanes)}
      </section>
      ${attemptPanel({
        attempt: attempts[chosen]!,
        number: chosen + 1,
        state: stateAt(lanes[chosen]!, at),
        height,
        aliasOf: (id) => this.#aliases.of(id),
      })}`;
  }
}

/**
 * Index of the most informative attempt: the last that did not fail, otherwise the last from whose failure something
 * was learned, otherwise the last of all.
 */
function likelyInterest(attempts: readonly WholeAttempt[]): number {
  const open = attempts.findLastIndex(({ status }) => status !== 'failed');
  if (open >= 0) return open;
  const telling = attempts.findLastIndex(({ learned }) => learned.length > 0);
  return telling >= 0 ? telling : attempts.length - 1;
}

function figures(payment: WholePayment): TemplateResult {
  const { attempts, maxfee_msat } = payment;
  const standing = attempts.filter(({ status }) => status !== 'failed');
  const sum = (of: (attempt: WholeAttempt) => number | bigint): bigint =>
    standing.reduce((total, attempt) => total + BigInt(of(attempt)), 0n);
  const delivered = sum(({ amount_msat }) => amount_msat);
  const fee = sum(({ amount_sent_msat }) => amount_sent_msat) - delivered;
  const failed = attempts.length - standing.length;
  const cost =
    standing.length === 0
      ? html`fee, limit ${amount(maxfee_msat)}`
      : html`${term('fee', 'fee')}, ${share(fee, delivered)}; the limit was ${amount(maxfee_msat)}`;
  // While parts are missing, the sum is smaller than the amount. Only an excess over the requested amount is the shadow
  // amount.
  const shadow = delivered - BigInt(payment.amount_msat);
  const lessons = attempts.reduce((count, { learned }) => count + learned.length, 0);
  return html`<dl class="figures">
    ${figure(standing.length === 0 ? '–' : amount(fee), cost)}
    ${shadow > 0n ? figure(amount(shadow), html`extra amount for the recipient: the ${term('shadow', 'shadow')}`) : nothing}
    ${figure(grouped(attempts.length), html`${term('attempt', 'attempts')}, ${grouped(failed)} of them failed`)}
    ${figure(grouped(standing.length), html`${term('part', 'parts')} arrived or on the way`)}
    ${figure(grouped(lessons), html`${term('lesson', 'lessons')} about channels`)}
  </dl>`;
}

function failedPanel({ failure, attempts, destination, amount_msat, layers }: WholePayment): TemplateResult {
  const query = new URLSearchParams({ to: destination, amount: `${amount_msat}msat` });
  if (layers.length > 0) query.set('layers', layers.join(','));
  const open =
    attempts.length === 0 ? 'Nothing was sent, so nothing is locked' : 'Nothing is locked any more';
  return html`<section class="panel error">
    <h2>Why it failed</h2>
    <p>${nodeWords(failure?.message ?? 'The node does not say why.')}</p>
    <p>${open}: it is safe to pay again.</p>
    <p><a class="button" href="/ui/why?${query.toString()}">What stands in the way, and what would help</a></p>
  </section>`;
}

/** Earlier, failed payments with the same hash. */
function earlier(payments: readonly WholePayment[]): TemplateResult | typeof nothing {
  if (payments.length < 2) return nothing;
  return html`<section class="panel"><h2>Tried before</h2><ul>${payments
    .slice(0, -1)
    .map(
      ({ created_at, status, failure }) =>
        html`<li>${when(created_at)}: ${stateMark(status)} ${failure === undefined ? nothing : nodeWords(failure.message)}</li>`,
    )}</ul></section>`;
}

function lanesTwin(attempts: readonly WholeAttempt[], lanes: readonly AttemptLane[]): TemplateResult {
  return pictureTable(
    'The attempts as a table',
    ['Attempt', 'Began', 'Took', 'Amount', 'Fee', 'Odds', 'End', 'Way'],
    attempts.map((attempt, index) => {
      const { startMs, endMs } = lanes[index]!;
      return [
        index + 1,
        duration(startMs),
        endMs === undefined ? 'in progress' : duration(endMs - startMs),
        amount(attempt.amount_msat),
        amount(BigInt(attempt.amount_sent_msat) - BigInt(attempt.amount_msat)),
        `${(attempt.probability_ppm / 10_000).toFixed(1)} %`,
        stateMark(attempt.status),
        attempt.route.map(({ id }) => shortId(id)).join(' → '),
      ];
    }),
  );
}

/** Opens a payment. */
export const page: Page = (host) => new PayPage(host);
