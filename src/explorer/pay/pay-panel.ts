/**
 * Paying from the page. The first step shows amount, fee and odds of a plan, and asks for a rune that may pay, which is
 * kept only while the page is open. With this rune the page requests a quote, which has a binding fee limit. The last
 * step pays within this limit, or nothing. A quote belongs to the rune that requested it, so the page's own rune cannot
 * request it. An offer has no quote: it is paid within the usual fee limit.
 *
 * The idempotency key is created when the page opens, so two clicks, or a click after a lost answer, pay once. A
 * different amount or recipient is a different payment with a different key.
 */
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Amount } from '../event-types.ts';
import { odds, share } from '../format.ts';
import type { PageHost } from '../page.ts';
import { amount, errorPanel, term, terminal } from '../pieces.ts';
import { CallRefused, type MethodParams, type MethodResult } from '../rpc.ts';
import { unlikely } from './odds-warning.ts';

/** The result of the first step: from `plankeysend` or `planxpay`. Amounts in msat. */
export interface PayPlan {
  readonly seed: number | bigint;
  readonly amount_msat: Amount;
  readonly fee_msat: Amount;
  readonly shadow_msat: Amount;
  readonly probability_ppm: number | bigint;
  readonly simulated?: boolean;
}

/**
 * Additional parameters of a payment: its label, and the idempotency key, which prevents a second click from paying
 * twice.
 */
export interface PayMark {
  readonly label: string;
  readonly idempotency_key: string;
}

/** Whether the network of this node carries payments. */
export const canPay = ({ network_kind: kind }: MethodResult<'getinfo'>): boolean =>
  kind !== 'none' && kind !== 'peer';

/** The commands with which the page pays. */
type PayMethod = 'xkeysend' | 'xpay';

/** The payment that the user wants to make, and the commands for it. Amounts in msat. */
export interface PayWish<M extends PayMethod = PayMethod> {
  readonly method: M;
  /** A text that identifies the payment: different payments have different texts. */
  readonly identity: string;
  /** `all`: as much as we can send with sufficient probability. */
  readonly amountMsat: bigint | 'all';
  /** Whether fees are deducted from the amount. If so, only a quote shows how much the recipient gets. */
  readonly includesFee?: boolean;
  readonly maxfeeMsat: bigint;
  /**
   * Requests a plan. Undefined if no plan is possible: an offer has no plan before its invoice is fetched, and a
   * payment whose amount includes the fees has no plan before its quote.
   */
  readonly plan: (() => Promise<PayPlan>) | undefined;
  /** Parameters of the quote. Undefined if no quote is possible. */
  readonly quote: MethodParams<'quote'> | undefined;
  /** The parameters of the command that pays without a quote. */
  readonly params: (plan: PayPlan | undefined, mark: PayMark) => MethodParams<M>;
  /** Rows about the recipient and the purpose, shown in both steps. */
  readonly facts: readonly TemplateResult[];
  /** Shown at the top of the first step. */
  readonly intro: unknown;
  /** Shown instead of odds if there is no plan. */
  readonly note: unknown;
  /** Returns what the user can do after a refusal. */
  readonly wayOn: (error: unknown) => unknown;
  /** Returns what is shown after the payment has arrived, such as a receipt. */
  readonly receipt: (result: MethodResult<M>) => unknown;
}

type GivenQuote = MethodResult<'quote'>;

type PayStage =
  | { readonly at: 'idle' }
  | { readonly at: 'planning' }
  | { readonly at: 'planned'; readonly plan: PayPlan | undefined }
  | { readonly at: 'quoting'; readonly plan: PayPlan | undefined }
  | { readonly at: 'quoted'; readonly quote: GivenQuote }
  | { readonly at: 'expired' }
  | { readonly at: 'paying'; readonly plan: PayPlan | undefined }
  | { readonly at: 'payingQuote'; readonly quote: GivenQuote }
  | { readonly at: 'paid'; readonly result: MethodResult<PayMethod> }
  | { readonly at: 'refused'; readonly error: unknown };

/** The error of `xpay` for a paid invoice. */
const ALREADY_PAID = 219;

/** The error for an unusable quote, with the reason in its data. */
const QUOTE_UNUSABLE = -32008;

const runeCommand = (methods: readonly string[]): string =>
  `fulgurite createrune restrictions='${JSON.stringify([methods.map((method) => `method=${method}`)])}'`;

/** The panel with its state. */
export class PayPanel {
  readonly #host: PageHost;
  readonly #redraw: () => void;
  #stage: PayStage = { at: 'idle' };
  #wish: string | undefined;
  #key = newKey();
  #rune = '';
  #paymentId: string | undefined;
  #expiry: ReturnType<typeof setTimeout> | undefined;

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

  /** Whether the panel shows only the button that starts, because nothing was requested yet or the user went back. */
  get isIdle(): boolean {
    return this.#stage.at === 'idle';
  }

  get #isPaying(): boolean {
    return this.#stage.at === 'paying' || this.#stage.at === 'payingQuote';
  }

  get #mark(): PayMark {
    return { label: `explorer ${this.#key.slice(0, 8)}`, idempotency_key: this.#key };
  }

  /** The panel for a payment. */
  template<M extends PayMethod>(wish: PayWish<M>): TemplateResult {
    const { identity } = wish;
    if (this.#wish !== undefined && this.#wish !== identity && !this.#isPaying) {
      clearTimeout(this.#expiry);
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
        return html`${wish.intro}<button type="button" @click=${() => void this.#plan(wish)}>Pay ${wishedAmount(wish)} …</button>
          <span class="faint small">You see amount, fee and odds before anything is sent.</span>`;
      case 'planning':
        return html`<p class="waiting">Planning …</p>`;
      case 'planned':
      case 'quoting':
      case 'paying':
        return this.#confirmation(wish, stage.plan, stage.at !== 'planned');
      case 'quoted':
      case 'payingQuote':
        return this.#quoteTemplate(wish, stage.quote, stage.at === 'payingQuote');
      case 'expired':
        return html`<h2>The quote has expired</h2>
          <p>Nothing was sent. Fees may be different now.</p>
          <button type="button" @click=${() => void this.#askQuote(wish, undefined)}>Get a new quote</button>
          <button type="button" class="quiet" @click=${() => this.#set({ at: 'idle' })}>Cancel</button>`;
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

  #confirmation(wish: PayWish, plan: PayPlan | undefined, isBusy: boolean): TemplateResult {
    const pay = (event: SubmitEvent): void => {
      event.preventDefault();
      this.#rune = String(new FormData(event.target as HTMLFormElement).get('pay-rune') ?? '').trim();
      void (wish.quote === undefined ? this.#payPlan(wish, plan) : this.#askQuote(wish, plan));
    };
    const command = runeCommand(wish.quote === undefined ? [wish.method] : ['quote', wish.method]);
    const gets = plan === undefined ? wishedAmount(wish) : amount(plan.amount_msat);
    return html`<h2>Pay this?</h2>${wish.intro}
      <dl class="confirm">
        ${wish.facts}
        <div><dt>${wish.includesFee === true ? 'Costs you at most' : 'The recipient gets'}</dt>
          <dd>${gets} ${plan === undefined ? nothing : shadowNote(plan)}</dd></div>
        ${plan === undefined ? nothing : planRows(plan)}
        ${wish.includesFee === true ? nothing : html`<div><dt>${term('feeLimit', 'Fee limit')}</dt><dd>${amount(wish.maxfeeMsat)}</dd></div>`}
      </dl>
      ${plan === undefined ? wish.note : unlikely(Number(plan.probability_ppm))}
      <form @submit=${pay}>
        <label>A ${term('rune', 'rune')} that may pay
          <input name="pay-rune" type="password" autocomplete="off" required .value=${this.#rune} ?disabled=${isBusy} />
        </label>
        <p class="small faint">This page can only read. Create a rune that may pay:
          <code>${command}</code> <button type="button" class="link" data-copy=${command}>Copy</button></p>
        <p class="row"><button ?disabled=${isBusy}>${confirmLabel(wish, gets, isBusy)}</button>
          ${isBusy ? nothing : html`<button type="button" class="quiet" @click=${() => this.#set({ at: 'idle' })}>Cancel</button>`}</p>
      </form>
      ${wish.quote === undefined ? terminal(wish.method, wish.params(plan, this.#mark)) : terminal('quote', wish.quote)}
      ${isBusy ? this.#follow() : nothing}`;
  }

  #quoteTemplate(wish: PayWish, quote: GivenQuote, isPaying: boolean): TemplateResult {
    const most = BigInt(quote.amount_msat) + BigInt(quote.maxfee_msat);
    return html`<h2>Pay this?</h2>
      <dl class="confirm">
        ${wish.facts}
        <div><dt>The recipient gets</dt><dd>${amount(quote.amount_msat)}</dd></div>
        <div><dt>Expected ${term('fee', 'fee')}</dt><dd>${amount(quote.fee_msat)}</dd></div>
        <div><dt>${term('feeLimit', 'Fee limit')}</dt><dd>${amount(quote.maxfee_msat)}
          <span class="faint">(binding: the fees are at most this, or the payment is not made)</span></dd></div>
        <div><dt>${term('odds', 'Odds')} within it</dt><dd>${odds(quote.probability_ppm)}</dd></div>
        <div><dt>Costs you at most</dt><dd>${amount(most)}</dd></div>
      </dl>
      ${unlikely(Number(quote.probability_ppm))}
      <p class="row"><button type="button" ?disabled=${isPaying} @click=${() => void this.#payQuote(wish, quote)}>
          ${isPaying ? 'Paying …' : html`Pay at most ${amount(most)} now`}</button>
        ${isPaying ? nothing : html`<button type="button" class="quiet" @click=${() => this.#set({ at: 'idle' })}>Cancel</button>`}</p>
      ${terminal(wish.method, this.#quoteParams(quote))}
      ${isPaying ? this.#follow() : nothing}`;
  }

  #quoteParams({ quote_id: quote }: GivenQuote): MethodParams<PayMethod> {
    return { quote, ...this.#mark };
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

  async #askQuote({ quote: params }: PayWish, plan: PayPlan | undefined): Promise<void> {
    if (params === undefined || !['planned', 'expired'].includes(this.#stage.at)) return;
    this.#set({ at: 'quoting', plan });
    try {
      const quote = await this.#host.rpc.call('quote', params, { rune: this.#rune });
      this.#set({ at: 'quoted', quote });
      // The clocks of the browser and the node may differ, so only durations are used.
      const lifeMs = 1000 * (Number(quote.expires_at) - Number(quote.created_at));
      this.#expiry = setTimeout(() => {
        if (this.#stage.at === 'quoted' && this.#stage.quote === quote) this.#set({ at: 'expired' });
      }, lifeMs);
    } catch (error) {
      this.#set({ at: 'refused', error });
    }
  }

  async #payQuote(wish: PayWish, quote: GivenQuote): Promise<void> {
    if (this.#stage.at !== 'quoted') return;
    this.#set({ at: 'payingQuote', quote });
    await this.#pay(wish.method, this.#quoteParams(quote));
  }

  async #payPlan(wish: PayWish, plan: PayPlan | undefined): Promise<void> {
    if (this.#stage.at !== 'planned') return;
    this.#set({ at: 'paying', plan });
    await this.#pay(wish.method, wish.params(plan, this.#mark));
  }

  async #pay(method: PayMethod, params: MethodParams<PayMethod>): Promise<void> {
    try {
      const result = await this.#host.rpc.call(method, params, { rune: this.#rune });
      this.#host.announce('The payment arrived');
      this.#set({ at: 'paid', result });
    } catch (error) {
      if (isExpired(error)) {
        this.#set({ at: 'expired' });
        return;
      }
      this.#host.announce('The payment did not arrive, or its outcome is unknown');
      this.#set({ at: 'refused', error });
    }
  }

  #set(stage: PayStage): void {
    this.#stage = stage;
    this.#redraw();
  }
}

const confirmLabel = (wish: PayWish, gets: unknown, isBusy: boolean): unknown => {
  if (wish.quote !== undefined) return isBusy ? 'Quoting …' : 'Get a quote';
  return isBusy ? 'Paying …' : html`Pay ${gets} now`;
};

const wishedAmount = ({ amountMsat }: PayWish): unknown =>
  amountMsat === 'all' ? 'everything that you can send' : amount(amountMsat);

/** Whether the node refused a quote because it expired. */
function isExpired(error: unknown): boolean {
  if (!(error instanceof CallRefused) || error.code !== QUOTE_UNUSABLE) return false;
  return (error.data as { reason?: string } | undefined)?.reason === 'expired';
}

const planRows = (plan: PayPlan): TemplateResult => html`<div><dt>${term('fee', 'Fee')} of this plan</dt>
    <dd>${amount(plan.fee_msat)} <span class="faint">(${share(plan.fee_msat, plan.amount_msat)})</span></dd></div>
  <div><dt>${term('odds', 'Odds')} of the first try</dt><dd>${odds(plan.probability_ppm)}</dd></div>
  ${plan.simulated === true ? html`<div><dt>Money</dt><dd>${term('simulated', 'simulated')}</dd></div>` : nothing}`;

/** Why the recipient gets slightly more than was requested. */
const shadowNote = ({ shadow_msat: shadow }: PayPlan): unknown =>
  BigInt(shadow) === 0n
    ? nothing
    : html`<span class="faint">(${amount(shadow)} more than asked: the ${term('shadow', 'shadow')})</span>`;

/** The proof of payment, hidden until it is requested. */
export const receiptLine = (preimage: string): TemplateResult => html`<details class="receipt">
    <summary>Show the receipt</summary>
    <p class="small faint">The ${term('preimage', 'preimage')}: only the recipient could give it to you.</p>
    <code class="receipt-text">${preimage}</code>
    <button type="button" class="quiet" data-copy=${preimage}>Copy</button>
  </details>`;

/** A new key. `crypto.randomUUID` is missing if the page was loaded over plain HTTP from another machine. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
