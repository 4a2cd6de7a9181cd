/**
 * Paying from the page, in two steps. The first asks for a plan and shows amount, fee and odds. The second pays, with a
 * rune that may pay, which is asked for at that moment and kept only while the page is open.
 *
 * The idempotency key is made when the page opens, so two clicks, or a click after a lost answer, pay once. Another
 * amount or recipient is another payment, and gets another key.
 */
import { html, nothing, type TemplateResult } from 'lit-html';
import { odds, share } from './format.ts';
import type { PageHost } from './page.ts';
import { amount, errorPanel, term, terminal } from './pieces.ts';
import { wayOn } from './remedy.ts';
import type { MethodParams, MethodResult } from './rpc.ts';

/** What is to be paid. Amounts in msat. `query` is the question in the address that led here. */
export interface PayWish {
  readonly query: URLSearchParams;
  readonly destination: string;
  readonly amountMsat: bigint;
  readonly maxfeeMsat: bigint;
}

type Plan = MethodResult<'plankeysend'>;
type PayStage =
  | { readonly at: 'idle' }
  | { readonly at: 'planning' }
  | { readonly at: 'planned'; readonly plan: Plan }
  | { readonly at: 'paying'; readonly plan: Plan }
  | { readonly at: 'paid'; readonly result: MethodResult<'xkeysend'> }
  | { readonly at: 'refused'; readonly error: unknown };

const RUNE_COMMAND = `fulgurite createrune restrictions='[["method=xkeysend"]]'`;

/** The panel with its state. */
export class PayPanel {
  readonly #host: PageHost;
  readonly #redraw: () => void;
  #stage: PayStage = { at: 'idle' };
  #wish: string | undefined;
  #key = newKey();
  #rune = '';
  #paymentId: string | undefined;

  constructor(host: PageHost, redraw: () => void) {
    this.#host = host;
    this.#redraw = redraw;
    host.events.on(
      'payment',
      ({ payment }) => {
        if (payment.label !== this.#label || this.#paymentId !== undefined) return;
        this.#paymentId = payment.payment_hash;
        redraw();
      },
      host.left,
    );
  }

  get #label(): string {
    return `explorer ${this.#key.slice(0, 8)}`;
  }

  /** The panel for a payment. */
  template(wish: PayWish): TemplateResult {
    const text = [wish.destination, wish.amountMsat, wish.maxfeeMsat].join(' ');
    if (this.#wish !== undefined && this.#wish !== text && this.#stage.at !== 'paying') {
      this.#stage = { at: 'idle' };
      this.#key = newKey();
      this.#paymentId = undefined;
    }
    this.#wish = text;
    return html`<section class="panel pay no-print" aria-label="Pay">${this.#content(wish)}</section>`;
  }

  #content(wish: PayWish): unknown {
    const stage = this.#stage;
    switch (stage.at) {
      case 'idle':
        return html`<button type="button" @click=${() => void this.#plan(wish)}>Pay ${amount(wish.amountMsat)} …</button>
          <span class="faint small">You see amount, fee and odds before anything is sent.</span>`;
      case 'planning':
        return html`<p class="waiting">Planning …</p>`;
      case 'planned':
      case 'paying':
        return this.#confirmation(wish, stage.plan, stage.at === 'paying');
      case 'paid':
        return html`<h2>✓ Arrived</h2>
          <p>The recipient has ${amount(stage.result.amount_msat)}. Sent with fees:
            ${amount(stage.result.amount_sent_msat)}.</p>
          ${this.#follow()}`;
      case 'refused':
        return html`${errorPanel(stage.error, wayOn(stage.error, wish.query))} ${this.#follow()}
          <button type="button" class="quiet" @click=${() => this.#set({ at: 'idle' })}>Back</button>`;
    }
  }

  #confirmation(wish: PayWish, plan: Plan, isPaying: boolean): TemplateResult {
    const pay = (event: SubmitEvent): void => {
      event.preventDefault();
      this.#rune = String(new FormData(event.target as HTMLFormElement).get('pay-rune') ?? '').trim();
      void this.#pay(wish, plan);
    };
    const params = this.#params(wish, plan);
    return html`<h2>Pay this?</h2>
      <dl class="confirm">
        <div><dt>The recipient gets</dt><dd>${amount(plan.amount_msat)}</dd></div>
        <div><dt>${term('fee', 'Fee')} of this plan</dt>
          <dd>${amount(plan.fee_msat)} <span class="faint">(${share(plan.fee_msat, plan.amount_msat)})</span></dd></div>
        <div><dt>${term('feeLimit', 'Fee limit')}</dt><dd>${amount(wish.maxfeeMsat)}</dd></div>
        <div><dt>${term('odds', 'Odds')} of the first try</dt><dd>${odds(plan.probability_ppm)}</dd></div>
        ${plan.simulated === true ? html`<div><dt>Money</dt><dd>${term('simulated', 'simulated')}</dd></div>` : nothing}
      </dl>
      ${terminal('xkeysend', params)}
      <form @submit=${pay}>
        <label>A ${term('rune', 'rune')} that may pay
          <input name="pay-rune" type="password" autocomplete="off" required .value=${this.#rune} ?disabled=${isPaying} />
        </label>
        <p class="small faint">This page can only read. Make a rune that may pay:
          <code>${RUNE_COMMAND}</code> <button type="button" class="link" data-copy=${RUNE_COMMAND}>Copy</button></p>
        <p class="row"><button ?disabled=${isPaying}>${isPaying ? 'Paying …' : html`Pay ${amount(plan.amount_msat)} now`}</button>
          ${isPaying ? nothing : html`<button type="button" class="quiet" @click=${() => this.#set({ at: 'idle' })}>Cancel</button>`}</p>
      </form>
      ${isPaying ? this.#follow() : nothing}`;
  }

  #follow(): unknown {
    return this.#paymentId === undefined
      ? nothing
      : html`<p><a href="/ui/pay/${this.#paymentId}">Watch this payment</a></p>`;
  }

  async #plan({ destination, amountMsat, maxfeeMsat }: PayWish): Promise<void> {
    this.#set({ at: 'planning' });
    try {
      const params = { destination, amount_msat: amountMsat, maxfee: maxfeeMsat };
      this.#set({ at: 'planned', plan: await this.#host.rpc.call('plankeysend', params) });
    } catch (error) {
      this.#set({ at: 'refused', error });
    }
  }

  #params({ destination, amountMsat, maxfeeMsat }: PayWish, { seed }: Plan): MethodParams<'xkeysend'> {
    return {
      destination,
      amount_msat: amountMsat,
      maxfee: maxfeeMsat,
      seed,
      label: this.#label,
      idempotency_key: this.#key,
    };
  }

  async #pay(wish: PayWish, plan: Plan): Promise<void> {
    if (this.#stage.at !== 'planned') return;
    this.#set({ at: 'paying', plan });
    try {
      const options = { rune: this.#rune };
      const result = await this.#host.rpc.call('xkeysend', this.#params(wish, plan), options);
      this.#host.announce('The payment arrived');
      this.#set({ at: 'paid', result });
    } catch (error) {
      this.#host.announce('The payment did not arrive, or its end is not known');
      this.#set({ at: 'refused', error });
    }
  }

  #set(stage: PayStage): void {
    this.#stage = stage;
    this.#redraw();
  }
}

/** A key that nobody used before. `crypto.randomUUID` is missing where the page came over plain HTTP from elsewhere. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
