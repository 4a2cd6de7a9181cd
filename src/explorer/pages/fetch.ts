/**
 * Invoice fetches: a list of the most recent ones, and a single fetch with its details. The details are the ways
 * tried to reach the issuer with their times, the text of a refusal, and the differences between invoice and offer. All
 * data comes from `listfetches`.
 */
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { absolute, duration, sat, shortId } from '../format.ts';
import type { OpenPage, Page, PageHost } from '../page.ts';
import { FetchForm } from '../pay/fetch-form.ts';
import {
  amount,
  errorPanel,
  figure,
  hostile,
  stateMark,
  table,
  term,
  terminal,
  waiting,
  when,
} from '../pieces.ts';
import type { MethodResult } from '../rpc.ts';

type ListedFetch = MethodResult<'listfetches'>['fetches'][number];
type ListedStep = ListedFetch['steps'][number];

const WIDTH = 1000;

class FetchPage implements OpenPage {
  readonly #host: PageHost;
  readonly #number: number | undefined;
  readonly #form: FetchForm;
  #fetches: readonly ListedFetch[] | undefined;
  #error: unknown;

  constructor(host: PageHost) {
    this.#host = host;
    this.#form = new FetchForm(host, () => this.#show());
    const number = host.place.rest[0];
    this.#number = number !== undefined && /^\d{1,9}$/.test(number) ? Number(number) : undefined;
    host.title(this.#number === undefined ? 'Invoice fetches' : `Fetch ${this.#number}`);
    const load = (): void => void this.#load();
    host.events.on('fetch', load, host.left);
    host.events.on('reset', load, host.left);
    // The steps of a fetch in progress change without an event.
    host.events.on(
      'stats',
      () => this.#fetches?.some(({ status }) => status === 'pending') && load(),
      host.left,
    );
    this.#show();
    load();
  }

  /** Nothing to do: this page has no query. */
  moved(): void {}

  async #load(): Promise<void> {
    try {
      const { rpc, left } = this.#host;
      const params = this.#number === undefined ? {} : { number: this.#number };
      this.#fetches = (await rpc.call('listfetches', params, { signal: left })).fetches;
      this.#error = undefined;
    } catch (error) {
      if (this.#host.left.aborted) return;
      this.#error = error;
    }
    this.#show();
  }

  #show(): void {
    if (this.#error !== undefined) this.#host.show(errorPanel(this.#error));
    else if (this.#fetches === undefined) this.#host.show(waiting('Loading the fetches…'));
    else if (this.#number === undefined) this.#host.show(list(this.#fetches, this.#form));
    else
      this.#host.show(this.#fetches[0] === undefined ? unknown(this.#number) : this.#one(this.#fetches[0]));
  }

  #one(fetch: ListedFetch): TemplateResult {
    const headline = headlineOf(fetch);
    this.#host.title(headline);
    const { number, status, created_at, offer_id, steps, timeout, took_ms, offered, invoiced } = fetch;
    return html`<div class="answer"><h1>${headline}</h1>
        <p class="answer-more">${stateMark(status)} <span>${
          offered.description === undefined
            ? 'an offer without a description'
            : html`for “${hostile(offered.description)}”`
        }</span> <span class="faint">${when(created_at)}</span></p></div>
      ${fetch.failure === undefined ? nothing : refusal(fetch)}
      <dl class="figures">
        ${figure(duration(took_ms), `of at most ${duration(timeout * 1000)}`)}
        ${figure(steps.length, steps.length === 1 ? 'way tried' : 'ways tried')}
        ${figure(invoiced?.amount_msat === undefined ? '–' : amount(invoiced.amount_msat), html`${term('invoice', 'invoice')}`)}
      </dl>
      ${stepsPanel(fetch)} ${termsPanel(fetch)}
      <p class="faint small">Offer <code title=${offer_id}>${shortId(offer_id)}</code>. <a href="/ui/fetch">All fetches</a></p>
      ${terminal('listfetches', { number: Number(number) })}`;
  }
}

function headlineOf({ status, took_ms, invoiced, failure }: ListedFetch): string {
  if (status === 'pending') return 'Waiting for the invoice';
  if (status === 'complete')
    return `An invoice for ${sat(invoiced?.amount_msat ?? 0)} arrived in ${duration(took_ms)}`;
  return FAILURES[String(failure?.code)] ?? 'No invoice was received';
}

/** Sentences by the error code of `fetchinvoice`. */
const FAILURES: Readonly<Record<string, string>> = {
  1003: 'The issuer could not be reached',
  1004: 'The issuer refused, or sent an invoice that cannot be paid',
  1005: 'No answer in time',
};

/** Fields of a request by their types (BOLT 12, "Invoice Requests"). */
const REQUEST_FIELDS: Readonly<Record<string, string>> = {
  80: 'the chain',
  82: 'the amount',
  84: 'the features',
  86: 'the quantity',
  88: 'the payer id',
  89: 'the payer note',
};

/** Why the fetch failed, and which node answered, if any. */
function refusal({ failure, steps }: ListedFetch): TemplateResult {
  const { message, data, code } = failure!;
  const { error, erroneous_field, field, reason } = (data ?? {}) as Readonly<Record<string, unknown>>;
  const answered = steps.find(({ outcome }) => outcome === 'answered');
  return html`<section class="panel error"><h2>${error === undefined ? 'What went wrong' : 'The issuer’s message'}</h2>
    ${error === undefined ? nothing : html`<blockquote>${hostile(String(error))}</blockquote>`}
    <p>${hostile(message.length > 300 ? `${message.slice(0, 300)}…` : message)}</p>
    ${field === undefined ? nothing : html`<p>The field <code>${hostile(String(field))}</code>: ${hostile(String(reason ?? ''))}</p>`}
    ${erroneous_field === undefined ? nothing : html`<p>It objects to ${REQUEST_FIELDS[String(erroneous_field)] ?? `field ${String(erroneous_field)}`} of the request.</p>`}
    <p class="faint small">Error ${code}${answered === undefined ? '' : `, answered by ${shortId(answered.target)}`}. Nothing was paid.</p>
  </section>`;
}

const OUTCOMES: Readonly<Record<ListedStep['outcome'], readonly [state: string, words: string]>> = {
  connecting: ['pending', 'connecting'],
  sending: ['pending', 'queued'],
  unreachable: ['failed', 'could not be reached'],
  sent: ['pending', 'sent, no answer'],
  answered: ['complete', 'answered'],
};

/** The steps of a fetch on one time axis. */
function stepsPanel({ steps, took_ms, status }: ListedFetch): TemplateResult {
  if (steps.length === 0)
    return html`<section class="panel"><h2>Steps</h2><p>No path was tried yet.</p></section>`;
  const end = Math.max(1, took_ms, ...steps.map((step) => step.started_ms + step.took_ms));
  const x = (ms: number): number => (ms / end) * WIDTH;
  return html`<section class="panel"><h2>Steps</h2>
    <ol class="fetch-steps">
      <li class="fetch-step"><span class="fetch-more">Read the offer, and signed a request.</span></li>
      ${steps.map((step, index) => {
        const [state, words] = OUTCOMES[step.outcome];
        const isLost = step.outcome === 'sent' && status !== 'pending';
        return html`<li class="fetch-step ${isLost ? 'failed' : state}">
          <span class="fetch-words">Way ${index + 1} to <code title=${step.target}>${shortId(step.target)}</code>${
            step.offer_path === undefined ? '' : `, path ${step.offer_path + 1} of the offer`
          }</span>
          <svg viewBox="0 0 ${WIDTH} 16" preserveAspectRatio="none" aria-hidden="true">
            ${svg`<rect class="lane-bar" x=${Math.min(x(step.started_ms), WIDTH - 6)} y="3" width=${Math.max(6, x(step.took_ms))} height="10" rx="2" />`}
          </svg>
          <span class="fetch-end"><strong>${isLost ? 'sent, but not answered' : words}</strong>
            <span class="faint small">after ${duration(step.started_ms)}, took ${duration(step.took_ms)}</span></span>
          <span class="fetch-more faint small">${wayWords(step)}</span>
        </li>`;
      })}
    </ol></section>`;
}

function wayWords({ connected, route, reason }: ListedStep): unknown {
  const way =
    route === undefined
      ? nothing
      : html`Over ${route.length === 1 ? 'a peer' : `${route.length} nodes`}: ${route.map(
          (id, index) => html`${index === 0 ? '' : ' → '}<code title=${id}>${shortId(id)}</code>`,
        )}. `;
  return html`${way}${connected === true ? 'We connected to it first. ' : nothing}${reason === undefined ? nothing : hostile(reason)}`;
}

/** Offer and invoice side by side, with differences marked. */
function termsPanel({ offered, invoiced, changes }: ListedFetch): TemplateResult | typeof nothing {
  if (invoiced === undefined) return nothing;
  const { description_appended, description, vendor, vendor_removed, amount_msat } = changes ?? {};
  const isOther = {
    amount: amount_msat !== undefined,
    description: description !== undefined || description_appended !== undefined,
    vendor: vendor !== undefined || vendor_removed !== undefined,
  };
  const differs = (is: boolean): unknown =>
    is ? html`<strong class="state bad">≠ differs</strong>` : html`<span class="faint">same</span>`;
  const text = (value: string | undefined): unknown => (value === undefined ? '–' : hostile(value));
  const money = (value: number | bigint | undefined): unknown =>
    value === undefined ? 'any' : amount(value);
  // If the offer names no amount, `offered` contains the amount chosen by the payer. That amount is not a difference,
  // although `changes` contains it.
  const isSameMoney =
    offered.amount_msat !== undefined && BigInt(offered.amount_msat) === BigInt(invoiced.amount_msat ?? -1);
  return html`<section class="panel"><h2>The ${term('invoice', 'invoice')} against the ${term('offer', 'offer')}</h2>
    ${table(
      'The invoice against the offer',
      ['What', 'Asked for', 'Invoice', 'Compared'],
      [
        [
          'Amount',
          money(offered.amount_msat),
          money(invoiced.amount_msat),
          differs(isOther.amount && !isSameMoney),
        ],
        ['Description', text(offered.description), text(invoiced.description), differs(isOther.description)],
        ['Vendor', text(offered.vendor), text(invoiced.vendor), differs(isOther.vendor)],
        [
          'Valid until',
          '–',
          invoiced.expires_at === undefined ? '–' : absolute(Number(invoiced.expires_at)),
          '',
        ],
      ],
    )}</section>`;
}

function list(fetches: readonly ListedFetch[], form: FetchForm): TemplateResult {
  return html`<div class="answer"><h1>${fetches.length === 0 ? 'No invoice was fetched yet' : 'Invoice fetches'}</h1>
      <p class="faint">An ${term('offer', 'offer')} is paid by fetching an ${term('invoice', 'invoice')} from its issuer. The last
        200 since the node started are shown.</p></div>
    ${form.template()}
    ${
      fetches.length === 0
        ? nothing
        : html`<section class="panel">${table(
            'Invoice fetches',
            ['Fetch', 'When', 'Offer', 'Outcome', 'Took'],
            fetches
              .toReversed()
              .map((fetch) => [
                html`<a href=${`/ui/fetch/${fetch.number}`}>${fetch.number}</a>`,
                when(fetch.created_at),
                fetch.offered.description === undefined
                  ? shortId(fetch.offer_id)
                  : hostile(fetch.offered.description),
                html`${stateMark(fetch.status)} <span class="faint small">${headlineOf(fetch)}</span>`,
                duration(fetch.took_ms),
              ]),
          )}</section>`
    }
    ${terminal('listfetches', {})}`;
}

const unknown = (
  number: number,
): TemplateResult => html`<section class="panel"><h1>Fetch ${number} is unknown</h1>
    <p>The node remembers the last 200 since it started. <a href="/ui/fetch">See those</a>.</p></section>
  ${terminal('listfetches', { number: Number(number) })}`;

/** Opens the list of fetches, or a single fetch. */
export const page: Page = (host) => new FetchPage(host);
