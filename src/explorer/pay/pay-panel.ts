/**
 * Paying from the page, in two steps. The first shows amount, fee and odds of a plan. The second pays, with a rune that
 * may pay, which is asked for at that moment and kept only while the page is open.
 *
 * The idempotency key is made when the page opens, so two clicks, or a click after a lost answer, pay once. Another
 * amount or recipient is another payment, and gets another key.
 */
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Amount } from '../event-types.ts';
import { odds, share } from '../format.ts';
import type { PageHost } from '../page.ts';
import { amount, errorPanel, term, terminal } from '../pieces.ts';
import { CallRefused, type MethodParams, type MethodResult } from '../rpc.ts';
import { unlikely } from './odds-warning.ts';

/** What the first step learned: from `plankeysend` or `planxpay`. Amounts in msat. */
export interface PayPlan {
  readonly seed: number | bigint;
  readonly amount_msat: Amount;
  readonly fee_msat: Amount;
  readonly shadow_msat: Amount;
  readonly probability_ppm: number | bigint;
  readonly simulated?: boolean;
}

/** What is sent beside the parameters of the wish: the label, and the key by which two clicks pay once. */
export interface PayMark {
  readonly label: string;
  readonly idempotency_key: string;
}

/** Commands that pay from the page. */
type PayMethod = 'xkeysend' | 'xpay';

/** What is to be paid, and by which commands. Amounts in msat. */
export interface PayWish<M extends PayMethod = PayMethod> {
  readonly method: M;
  /** A text that differs between wishes that are different payments. */
  readonly identity: string;
  readonly amountMsat: bigint;
  readonly maxfeeMsat: bigint;
  /** Asks for a plan. Undefined where there can be none: an offer has no plan before its invoice is fetched. */
  readonly plan: (() => Promise<PayPlan>) | undefined;
  /** The parameters of the command that pays. */
  readonly params: (plan: PayPlan | undefined, mark: PayMark) => MethodParams<M>;
  /** Rows about recipient and purpose that the second step repeats. */
  readonly facts: readonly TemplateResult[];
  /** What a reader should know before anything else. */
  readonly intro: unknown;
  /** What is said in place of odds where there is no plan. */
  readonly note: unknown;
  /** What a reader can do after a refusal. */
  readonly wayOn: (error: unknown) => unknown;
  /** What is shown after the payment arrived, such as a receipt. */
  readonly receipt: (result: MethodResult<M>) => unknown;
}

type PayStage =
  | { readonly at: 'idle' }
  | { readonly at: 'planning' }
  | { readonly at: 'planned'; readonly plan: PayPlan | undefined }
  | { readonly at: 'paying'; readonly plan: PayPlan | undefined }
  | { readonly at: 'paid'; readonly result: MethodResult<PayMethod> }
  | { readonly at: 'refused'; readonly error: unknown };

/** The error of `xpay` for an invoice that has been paid. */
const ALREADY_PAID = 219;

const runeCommand = (method: PayMethod): string =>
  `fulgurite createrune restrictions='[["method=${method}"]]'`;

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
        if (payment.label !== this.#mark.label || this.#paymentId !== undefined) return;
        this.#paymentId = payment.payment_hash;
        redraw();
      },
      host.left,
    );
  }

  /** Whether nothing has been asked for yet, or the reader went back. */
  get isIdle(): boolean {
    return this.#stage.at === 'idle';
  }

  get #mark(): PayMark {
    return { label: `explorer ${this.#key.slice(0, 8)}`, idempotency_key: this.#key };
  }

  /** The panel for a payment. */
  template<M extends PayMethod>(wish: PayWish<M>): TemplateResult {
    const { identity } = wish;
    if (this.#wish !== undefined && this.#wish !== identity && this.#stage.at !== 'paying') {
      this.#stage = { at: 'idle' };
      this.#key = newKey();
      this.#paymentId = undefined;
    }
    this.#wish = identity;
    return html`<section id="pay" class="panel pay no-print" aria-label="Pay">${this.#content(wish as unknown as PayWish)}</section>`;
  }

  #content(wish: PayWish): unknown {
    const stage = this.#stage;
    switch (stage.at) {
      case 'idle':
        return html`${wish.intro}<button type="button" @click=${() => void this.#plan(wish)}>Pay ${amount(wish.amountMsat)} …</button>
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
          ${wish.receipt(stage.result)} ${this.#follow()}`;
      case 'refused':
        return this.#refusal(wish, stage.error);
    }
  }

  #refusal(wish: PayWish, error: unknown): TemplateResult {
    if (error instanceof CallRefused && error.code === ALREADY_PAID) {
      const { payment_preimage: preimage } = (error.data ?? {}) as { payment_preimage?: string };
      return html`<h2>Already paid</h2>
        <p>This invoice was paid before, and is paid only once. Nothing was sent now.</p>
        ${preimage === undefined ? nothing : receiptLine(preimage)}`;
    }
    return html`${errorPanel(error, wish.wayOn(error))} ${this.#follow()}
      <button type="button" class="quiet" @click=${() => this.#set({ at: 'idle' })}>Back</button>`;
  }

  #confirmation(wish: PayWish, plan: PayPlan | undefined, isPaying: boolean): TemplateResult {
    const pay = (event: SubmitEvent): void => {
      event.preventDefault();
      this.#rune = String(new FormData(event.target as HTMLFormElement).get('pay-rune') ?? '').trim();
      void this.#pay(wish, plan);
    };
    const command = runeCommand(wish.method);
    const gets = plan?.amount_msat ?? wish.amountMsat;
    return html`<h2>Pay this?</h2>${wish.intro}
      <dl class="confirm">
        ${wish.facts}
        <div><dt>The recipient gets</dt><dd>${amount(gets)} ${plan === undefined ? nothing : shadowNote(plan)}</dd></div>
        ${plan === undefined ? nothing : planRows(plan)}
        <div><dt>${term('feeLimit', 'Fee limit')}</dt><dd>${amount(wish.maxfeeMsat)}</dd></div>
      </dl>
      ${plan === undefined ? wish.note : unlikely(Number(plan.probability_ppm))}
      <form @submit=${pay}>
        <label>A ${term('rune', 'rune')} that may pay
          <input name="pay-rune" type="password" autocomplete="off" required .value=${this.#rune} ?disabled=${isPaying} />
        </label>
        <p class="small faint">This page can only read. Make a rune that may pay:
          <code>${command}</code> <button type="button" class="link" data-copy=${command}>Copy</button></p>
        <p class="row"><button ?disabled=${isPaying}>${isPaying ? 'Paying …' : html`Pay ${amount(gets)} now`}</button>
          ${isPaying ? nothing : html`<button type="button" class="quiet" @click=${() => this.#set({ at: 'idle' })}>Cancel</button>`}</p>
      </form>
      ${terminal(wish.method, wish.params(plan, this.#mark))}
      ${isPaying ? this.#follow() : nothing}`;
  }

  #follow(): unknown {
    return this.#paymentId === undefined
      ? nothing
      : html`<p><a href="/ui/pay/${this.#paymentId}">Watch this payment</a></p>`;
  }

  async #plan({ plan }: PayWish): Promise<void> {
    if (plan === undefined) {
      this.#set({ at: 'planned', plan: undefined });
      return;
    }
    this.#set({ at: 'planning' });
    try {
      this.#set({ at: 'planned', plan: await plan() });
    } catch (error) {
      this.#set({ at: 'refused', error });
    }
  }

  async #pay(wish: PayWish, plan: PayPlan | undefined): Promise<void> {
    if (this.#stage.at !== 'planned') return;
    this.#set({ at: 'paying', plan });
    try {
      const options = { rune: this.#rune };
      const params = wish.params(plan, this.#mark) as MethodParams<typeof wish.method>;
      const result = await this.#host.rpc.call(wish.method, params, options);
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

const planRows = (plan: PayPlan): TemplateResult => html`<div><dt>${term('fee', 'Fee')} of this plan</dt>
    <dd>${amount(plan.fee_msat)} <span class="faint">(${share(plan.fee_msat, plan.amount_msat)})</span></dd></div>
  <div><dt>${term('odds', 'Odds')} of the first try</dt><dd>${odds(plan.probability_ppm)}</dd></div>
  ${plan.simulated === true ? html`<div><dt>Money</dt><dd>${term('simulated', 'simulated')}</dd></div>` : nothing}`;

/** Why the recipient gets a little more than was asked for. */
const shadowNote = ({ shadow_msat: shadow }: PayPlan): unknown =>
  BigInt(shadow) === 0n
    ? nothing
    : html`<span class="faint">(${amount(shadow)} more than asked: the ${term('shadow', 'shadow')})</span>`;

/** The proof of payment, hidden until it is asked for. */
export const receiptLine = (preimage: string): TemplateResult => html`<details class="receipt">
    <summary>Show the receipt</summary>
    <p class="small faint">The ${term('preimage', 'preimage')}: only the recipient could give it to you.</p>
    <code class="receipt-text">${preimage}</code>
    <button type="button" class="quiet" data-copy=${preimage}>Copy</button>
  </details>`;

/** A new key. `crypto.randomUUID` is missing where the page came over plain HTTP from elsewhere. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
