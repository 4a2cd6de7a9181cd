/** The start page: the recipient field, live payments, figures of the node, and warnings. */
import { html, nothing, type TemplateResult } from 'lit-html';
import { Aliases } from '../aliases.ts';
import { counted, duration, grouped, parseAmount, shortened, shortId, THIN } from '../format.ts';
import { NodeField } from '../node-field.ts';
import { medianOf, Rates } from '../node-figures.ts';
import { type Directory, type FoundNode, nodeDirectory } from '../nodes.ts';
import type { OpenPage, Page, PageHost, PagePlace } from '../page.ts';
import { LivePayments, type ShownPayment } from '../pay/live-payments.ts';
import { pasted } from '../pay/pasted.ts';
import type { PayableCard } from '../pay/payable-card.ts';
import {
  amount,
  errorPanel,
  figure,
  hostile,
  node,
  nodeWords,
  stateMark,
  term,
  terminal,
  waiting,
  when,
} from '../pieces.ts';
import type { MethodResult } from '../rpc.ts';

/** The result of a search in the recipient field. */
type SearchResult =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'looking' }
  | {
      readonly kind: 'nodes';
      readonly text: string;
      readonly nodes: readonly FoundNode[];
      /** Whether the search found further nodes. */
      readonly isCut: boolean;
    }
  | { readonly kind: 'decoded'; readonly card: PayableCard }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Milliseconds between requests for the metrics. The pause is long because the text of the metrics is long. */
const METRICS_MS = 60_000;
const SEARCHES = 'fulgurite_route_search_seconds';
const MAX_SHOWN = 12;

class HomePage implements OpenPage {
  readonly #host: PageHost;
  readonly #to: NodeField;
  readonly #payments: LivePayments;
  readonly #rates = new Rates();
  /** The aliases of displayed recipients. The file of all names is fetched only for a search. */
  readonly #aliases: Aliases;
  #chosen: string | undefined;
  #found: SearchResult = { kind: 'nothing' };
  #info: MethodResult<'getinfo'> | undefined;
  #median: number | undefined;
  #directory: Directory | undefined;
  #error: unknown;
  #fault: string | undefined;
  #nextMetrics: ReturnType<typeof setTimeout> | undefined;

  constructor(host: PageHost) {
    this.#host = host;
    const { rpc, events, left } = host;
    this.#to = new NodeField({
      id: 'to',
      label: 'Whom',
      rpc,
      redraw: () => this.#draw(),
      chosen: (id) => {
        this.#chosen = id;
        this.#draw();
      },
    });
    this.#aliases = new Aliases(rpc, () => this.#draw(), left);
    this.#payments = new LivePayments(rpc, events, left, () => this.#draw());
    events.on(
      'stats',
      (stats) => {
        this.#rates.add(stats);
        this.#draw();
      },
      left,
    );
    left.addEventListener('abort', () => clearTimeout(this.#nextMetrics), { once: true });
    host.title('Start');
    this.#draw();
    void this.#load();
    this.moved(host.place);
  }

  moved({ query }: PagePlace): void {
    const text = query.get('q') ?? '';
    if (text === '') {
      this.#found = { kind: 'nothing' };
      this.#draw();
    } else void this.#search(text);
  }

  async #load(): Promise<void> {
    const { rpc, left } = this.#host;
    try {
      this.#info = await rpc.call('getinfo', {}, { signal: left });
      // The figures do not wait for the list of payments, which takes longer on a busy node.
      void this.#watchMetrics();
      await this.#payments.load();
    } catch (error) {
      if (left.aborted) return;
      this.#error = error;
      this.#draw();
    }
  }

  /** Requests the metrics at intervals. If the rune does not permit this, the figure stays empty. */
  async #watchMetrics(): Promise<void> {
    const { rpc, left } = this.#host;
    try {
      const { metrics } = await rpc.call('getmetrics', {}, { signal: left });
      this.#median = medianOf(String(metrics), SEARCHES);
      this.#draw();
      this.#nextMetrics = setTimeout(() => void this.#watchMetrics(), METRICS_MS);
    } catch {
      // The figure stays empty without metrics.
    }
  }

  async #search(text: string): Promise<void> {
    const what = pasted(text);
    if (what.kind === 'channel') return this.#host.go(`map?channel=${what.scid}`);
    if (what.kind === 'payment') return this.#host.go(`pay/${what.hash}`);
    if (what.kind === 'node') return this.#host.go(`map?node=${what.id}`);
    this.#found = { kind: 'looking' };
    this.#draw();
    try {
      if (what.kind === 'encoded') {
        const decoded = await this.#host.rpc.call('decode', { string: what.text });
        // The card is loaded only here, because it contains much code for paying that the start page rarely needs.
        const { PayableCard } = await import('../pay/payable-card.ts');
        const card = new PayableCard(this.#host, what.text, decoded, this.#aliases, () => this.#draw());
        this.#found = { kind: 'decoded', card };
        this.#host.title('An invoice or offer');
      } else {
        this.#directory ??= await nodeDirectory(this.#host.rpc);
        const found = this.#directory.search(what.text, MAX_SHOWN + 1);
        const nodes = found.slice(0, MAX_SHOWN);
        const isCut = found.length > nodes.length;
        this.#found = { kind: 'nodes', text: what.text, nodes, isCut };
        const counts = `${isCut ? 'More than ' : ''}${counted(nodes.length, 'node')} found`;
        this.#host.title(counts);
        this.#host.announce(counts);
      }
    } catch (error) {
      this.#found = { kind: 'failed', error };
    }
    this.#draw();
  }

  #draw(): void {
    this.#host.show(html`<section class="hero">
        <h1>Whom do you want to pay?</h1>
        ${this.#form()}
      </section>
      ${this.#error === undefined ? nothing : errorPanel(this.#error)}
      ${this.#foundPanel()} ${this.#notices()} ${this.#figures()}
      ${this.#list()}
      ${terminal('listpayments', { limit: 50 })}`);
  }

  #form(): TemplateResult {
    return html`<form class="query-main" @submit=${(event: SubmitEvent) => void this.#submit(event)}>
        ${this.#to.template(this.#chosen)}
        <label>${term('amount', 'How much')} <span class="faint">in sat</span>
          <input name="amount" inputmode="decimal" autocomplete="off" placeholder="100 000" /></label>
        <button>Find routes</button>
      </form>
      ${this.#fault === undefined ? nothing : html`<p class="fault" role="alert">${this.#fault}</p>`}`;
  }

  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const data = new FormData(event.target as HTMLFormElement);
    const text = String(data.get('to') ?? '');
    const given = String(data.get('amount') ?? '').trim();
    const what = pasted(text);
    if (what.kind !== 'name' && what.kind !== 'node') {
      this.#host.go(`?q=${encodeURIComponent(text.trim())}`);
      return;
    }
    const to = await this.#to.resolve(this.#chosen);
    const msat = parseAmount(given);
    this.#fault =
      to === undefined
        ? 'No node has this alias or id. Type more characters, or choose one from the list.'
        : msat === undefined || msat === 0n
          ? 'Enter an amount in sat, such as 100 000.'
          : undefined;
    if (this.#fault === undefined) this.#host.go(`route?to=${to}&amount=${encodeURIComponent(given)}`);
    else this.#draw();
  }

  #foundPanel(): unknown {
    const found = this.#found;
    switch (found.kind) {
      case 'nothing':
        return nothing;
      case 'looking':
        return waiting('Searching …');
      case 'failed':
        return errorPanel(found.error);
      case 'decoded':
        return found.card.template();
      case 'nodes':
        return html`<section class="panel"><h2>${
          found.nodes.length === 0
            ? html`No node matches ${hostile(found.text)}`
            : html`${found.isCut ? `The first ${MAX_SHOWN} nodes` : 'Nodes'} that match ${hostile(found.text)}`
        }</h2>
          <ul class="found">
            ${found.nodes.map(
              ({ id, alias, degree }) => html`<li>
                <a href="/ui/map?node=${id}">${alias === '' ? shortId(id) : hostile(alias)}</a>
                <span class="faint small"><code>${shortId(id)}</code> · ${counted(degree, 'neighbour')}</span>
                <a class="button quiet" href="/ui/route?to=${id}">Pay</a>
              </li>`,
            )}
          </ul></section>`;
    }
  }

  #notices(): unknown {
    const info = this.#info;
    if (info === undefined) return nothing;
    const texts = [info.warning_node_behind, info.warning_gossip_check].filter((text) => text !== undefined);
    const waitingLong = this.#payments.list.filter(({ status }) => status === 'waiting').length;
    if (waitingLong > 0)
      texts.push(
        `${counted(waitingLong, 'payment waits', 'payments wait')} for a block that the recipient already has, or for the recipient to come online.`,
      );
    return texts.length === 0
      ? nothing
      : html`<section class="panel notice" aria-label="Notices">${texts.map((text) => html`<p>⚠ ${hostile(text)}</p>`)}</section>`;
  }

  #figures(): TemplateResult {
    const { paymentsPerSecond: rate, successShare: success, last } = this.#rates;
    const shown = (value: number | undefined, text: (value: number) => string): string =>
      value === undefined ? '–' : text(value);
    return html`<dl class="figures">
      ${figure(
        shown(rate, (one) => shortened(one)),
        'payments per second, over the last ten seconds',
      )}
      ${figure(
        shown(success, (one) => `${shortened(one * 100)}${THIN}%`),
        last === undefined
          ? 'of the payments since the start arrived'
          : `arrived: ${grouped(last.payments_complete)} of ${grouped(last.payments_complete + last.payments_failed)} payments since the start, refused ones included`,
      )}
      ${figure(
        shown(this.#median, (one) => duration(one * 1000)),
        'median duration of a route search',
      )}
      ${figure(last === undefined ? '–' : grouped(last.payments_in_flight), html`${term('inFlight', 'payments in progress')}`)}
    </dl>`;
  }

  #list(): TemplateResult {
    const { list, isLoaded } = this.#payments;
    return html`<section class="panel"><h2>The last payments</h2>
      ${
        list.length > 0
          ? html`<div class="scroller" tabindex="0" role="region" aria-label="The last payments"><table class="payments">
              <thead><tr>${['State', 'To', 'Amount', 'Fee', 'Began', 'Took'].map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
              <tbody>${list.map((one) => this.#row(one))}</tbody></table></div>`
          : isLoaded
            ? html`<p class="faint">No payment yet. The first one appears here by itself.</p>`
            : waiting('Loading the journal …')
      }</section>`;
  }

  #row(one: ShownPayment): TemplateResult {
    const { destination, amountMsat, sentMsat, completedAt } = one;
    const isPaid = one.status === 'complete' && sentMsat !== undefined && amountMsat !== undefined;
    return html`<tr>
      <td><a class="state-link" href="/ui/pay/${one.hash}">${stateMark(one.status)}</a></td>
      <td class="wide">${destination === undefined ? html`<span class="faint">unknown</span>` : node(destination, this.#aliases.of(destination))}
        ${one.label === undefined ? nothing : html`<span class="faint small">${hostile(one.label)}</span>`}
        ${one.reason === undefined ? nothing : html`<span class="reason small">${nodeWords(one.reason)}</span>`}</td>
      <td data-label="Amount">${amountMsat === undefined ? '–' : amount(amountMsat)}</td>
      <td data-label="Fee">${isPaid ? amount(BigInt(sentMsat) - BigInt(amountMsat)) : '–'}</td>
      <td data-label="Began">${when(one.createdAt)}</td>
      <td data-label="Took">${completedAt === undefined ? '–' : took(completedAt - one.createdAt)}</td>
    </tr>`;
  }
}

/** Duration of a payment as text. The journal's list has whole seconds only. */
const took = (seconds: number): string => (seconds === 0 ? `<${THIN}1${THIN}s` : duration(seconds * 1000));

/** Opens the start page. */
export const page: Page = (host) => new HomePage(host);
