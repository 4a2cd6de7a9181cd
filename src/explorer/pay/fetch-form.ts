/**
 * The form that fetches an invoice for an offer. Fetching pays nothing, but it sends a message to the issuer on behalf
 * of this node, so it needs a rune that permits `fetchinvoice`. The rune of the page is read-only.
 */
import { html, nothing, type TemplateResult } from 'lit-html';
import { parseAmount } from '../format.ts';
import type { PageHost } from '../page.ts';
import { errorPanel, term } from '../pieces.ts';
import type { MethodParams } from '../rpc.ts';

const RUNE_COMMAND = `fulgurite createrune restrictions='[["method=fetchinvoice"]]'`;

/** The form with its state. */
export class FetchForm {
  readonly #host: PageHost;
  readonly #redraw: () => void;
  #isAsking = false;
  #fault: string | undefined;
  #error: unknown;

  constructor(host: PageHost, redraw: () => void) {
    this.#host = host;
    this.#redraw = redraw;
  }

  template(): TemplateResult {
    return html`<section class="panel fetch-form no-print"><h2>Fetch an invoice</h2>
      <form @submit=${(event: SubmitEvent) => void this.#submit(event)}>
        <label class="whole-row">${term('offer', 'Offer')}
          <input name="offer" autocomplete="off" spellcheck="false" placeholder="lno1…" required /></label>
        <label>${term('amount', 'Amount')} <span class="faint">in sat, if the offer names none</span>
          <input name="amount" inputmode="decimal" autocomplete="off" /></label>
        <label>Note for the issuer <input name="note" autocomplete="off" /></label>
        <label>A ${term('rune', 'rune')} that may fetch
          <input name="rune" type="password" autocomplete="off" required /></label>
        <button ?disabled=${this.#isAsking}>${this.#isAsking ? 'Asking the issuer …' : 'Fetch'}</button>
      </form>
      <p class="small faint">Nothing is paid. Create a rune that may fetch: <code>${RUNE_COMMAND}</code>
        <button type="button" class="link" data-copy=${RUNE_COMMAND}>Copy</button></p>
      ${this.#fault === undefined ? nothing : html`<p class="fault" role="alert">${this.#fault}</p>`}
      ${this.#error === undefined ? nothing : errorPanel(this.#error)}
    </section>`;
  }

  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (this.#isAsking) return;
    const data = new FormData(event.target as HTMLFormElement);
    const text = (name: string): string => String(data.get(name) ?? '').trim();
    const msat = text('amount') === '' ? undefined : parseAmount(text('amount'));
    this.#error = undefined;
    this.#fault =
      text('amount') !== '' && (msat === undefined || msat === 0n)
        ? 'Enter an amount in sat, such as 100 000, or none.'
        : undefined;
    if (this.#fault === undefined) {
      const params = {
        offer: text('offer'),
        ...(msat !== undefined && { amount_msat: msat }),
        ...(text('note') !== '' && { payer_note: text('note') }),
      };
      await this.#fetch(params, text('rune'));
    }
    this.#redraw();
  }

  /** Fetches the invoice, and opens the page of the fetch, even if the issuer refused. */
  async #fetch(params: MethodParams<'fetchinvoice'>, rune: string): Promise<void> {
    const { rpc, left } = this.#host;
    const before = await this.#last();
    this.#isAsking = true;
    this.#redraw();
    try {
      await rpc.call('fetchinvoice', params, { rune, signal: left });
    } catch (error) {
      this.#error = error;
    }
    this.#isAsking = false;
    if (left.aborted) return;
    const now = await this.#last();
    // If our node refused before it sent a message, there is no fetch to open, and the error stays on this page.
    if (now > before) this.#host.go(`fetch/${now}`);
  }

  /** The number of the last fetch. 0 if there is none. */
  async #last(): Promise<number> {
    const { fetches } = await this.#host.rpc.call('listfetches', {}, { signal: this.#host.left });
    return Number(fetches.at(-1)?.number ?? 0);
  }
}
