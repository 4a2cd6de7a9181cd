/**
 * The card of an invoice or an offer: payee, purpose, amount, expiry, and the button to pay.
 *
 * An invoice is planned with `planxpay` and paid with `xpay`, never with a keysend to its node. After a keysend, the
 * payee would not know the purpose, and the preimage would not be a receipt. The card first checks whether the invoice
 * was already paid. An offer can be paid many times, so the card shows earlier payments, and pays again only if the user
 * asks for it.
 */
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Aliases } from '../aliases.ts';
import { absolute, counted, parseAmount } from '../format.ts';
import type { PageHost } from '../page.ts';
import { amount, errorPanel, hostile, node, stateMark, term, terminal, waiting, when } from '../pieces.ts';
import type { MethodResult } from '../rpc.ts';
import { canPay, PayPanel, type PayWish, receiptLine } from './pay-panel.ts';
import { amountText, usualFeeLimit } from './query.ts';
import { wayOn } from './remedy.ts';

/** The result of `decode` for a pasted text. */
export type Decoded = MethodResult<'decode'>;
type ListedPay = MethodResult<'listpays'>['pays'][number];
type Proof = MethodResult<'createproof'>['proofs'][number];

/** Seconds after which a BOLT 11 invoice (BOLT 11, "x") and a BOLT 12 invoice (BOLT 12) expire by default. */
const DEFAULT_EXPIRY_S = { bolt11: 3600, bolt12: 7200 } as const;

/**
 * Time in UNIX seconds at which an invoice or an offer expires. Undefined for an offer that does not expire, and for an
 * invoice request.
 */
export function expiryOf(decoded: Decoded): number | undefined {
  if (isOffer(decoded)) {
    return decoded.offer_absolute_expiry === undefined ? undefined : Number(decoded.offer_absolute_expiry);
  }
  const created = decoded.created_at ?? decoded.invoice_created_at;
  if (created === undefined) return undefined;
  const usual = decoded.type === 'bolt11 invoice' ? DEFAULT_EXPIRY_S.bolt11 : DEFAULT_EXPIRY_S.bolt12;
  return Number(created) + Number(decoded.expiry ?? decoded.invoice_relative_expiry ?? usual);
}

/** Whether the text is an offer, rather than an invoice or an invoice request. */
export const isOffer = ({ type }: Decoded): boolean => type === 'bolt12 offer';
const isInvoice = ({ type }: Decoded): boolean => type.endsWith(' invoice');

/** The requested amount in msat. Undefined if the payer chooses the amount, or if it is in a different currency. */
export function askedMsat(decoded: Decoded): bigint | undefined {
  const msat = decoded.amount_msat ?? decoded.invoice_amount_msat ?? decoded.offer_amount_msat;
  return msat === undefined ? undefined : BigInt(msat);
}

/** The issuing node. Undefined for an offer with only blinded paths. */
export const issuerOf = (decoded: Decoded): string | undefined =>
  decoded.payee ?? decoded.invoice_node_id ?? decoded.offer_issuer_id;

/** Why the text cannot be paid from this page. Undefined if it can be paid. */
export function unpayable(decoded: Decoded, now: number): string | undefined {
  if (!decoded.valid) return 'It is malformed, so it cannot be paid.';
  if (!isOffer(decoded) && !isInvoice(decoded)) return 'This requests an invoice, and cannot be paid itself.';
  const expiry = expiryOf(decoded);
  if (expiry !== undefined && expiry <= now) return 'It has expired. Ask the recipient for a new one.';
  if (!isOffer(decoded)) return undefined;
  if (decoded.offer_quantity_max !== undefined) {
    return 'It asks for a quantity. Fetch an invoice for a quantity (fetchinvoice), and pay that invoice.';
  }
  if (decoded.offer_recurrence !== undefined) {
    return 'It is for a series of payments. Fetch the invoice of a period (fetchinvoice), and pay that invoice.';
  }
  return undefined;
}

/** Earlier payments of the text. */
interface Earlier {
  /** The last payment of this invoice that arrived or is in progress. */
  readonly pay: ListedPay | undefined;
  readonly proofs: readonly Proof[];
}

/** The card of a text, with its state. */
export class PayableCard {
  readonly #host: PageHost;
  readonly #redraw: () => void;
  readonly #decoded: Decoded;
  readonly #text: string;
  readonly #panel: PayPanel;
  readonly #aliases: Aliases;
  #canPay: boolean | undefined;
  #earlier: Earlier | undefined;
  #error: unknown;
  #amountMsat: bigint | 'all' | undefined;
  /** Whether the user chose to deduct fees from the amount. */
  #includesFee = false;
  #fault: string | undefined;
  #paysAgain = false;
  /** The proofs of payment, once this card has paid. */
  #proofs: readonly Proof[] = [];
  #hasAskedForProofs = false;

  constructor(host: PageHost, text: string, decoded: Decoded, aliases: Aliases, redraw: () => void) {
    this.#host = host;
    this.#text = text;
    this.#decoded = decoded;
    this.#aliases = aliases;
    this.#redraw = redraw;
    this.#panel = new PayPanel(host, redraw);
    this.#amountMsat = askedMsat(decoded);
    void this.#learn();
  }

  async #learn(): Promise<void> {
    const { rpc, left } = this.#host;
    const options = { signal: left };
    try {
      const info = await rpc.call('getinfo', {}, options);
      this.#canPay = canPay(info);
      this.#earlier = {
        pay: isInvoice(this.#decoded) ? await this.#lastPay() : undefined,
        proofs: await this.#proofsOf(),
      };
    } catch (error) {
      if (left.aborted) return;
      this.#error = error;
    }
    this.#redraw();
  }

  async #lastPay(): Promise<ListedPay | undefined> {
    const { pays } = await this.#host.rpc.call(
      'listpays',
      { bolt11: this.#text },
      { signal: this.#host.left },
    );
    return pays.findLast(({ status }) => status !== 'failed');
  }

  /** Proofs of payments of this text. Empty if nothing was paid, or the rune does not permit the request. */
  async #proofsOf(): Promise<readonly Proof[]> {
    try {
      const params = { invstring: this.#text };
      return (await this.#host.rpc.call('createproof', params, { signal: this.#host.left })).proofs;
    } catch {
      return [];
    }
  }

  template(): TemplateResult {
    const heading = isOffer(this.#decoded)
      ? 'An offer'
      : isInvoice(this.#decoded)
        ? 'An invoice'
        : 'An invoice request';
    return html`<section class="panel payable"><h2>${heading}</h2>
        <dl class="confirm">${this.#facts(true)}</dl>
        ${this.#error === undefined ? nothing : errorPanel(this.#error)}
        ${this.#paying()}
      </section>
      ${terminal('decode', { string: this.#text })}`;
  }

  #facts(withKind: boolean): TemplateResult[] {
    const decoded = this.#decoded;
    const payee = issuerOf(decoded);
    const msat = askedMsat(decoded);
    const description = decoded.description ?? decoded.offer_description;
    const expiry = expiryOf(decoded);
    const isPast = expiry !== undefined && expiry * 1000 < Date.now();
    const row = (name: unknown, value: unknown): TemplateResult =>
      html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
    const rows: (TemplateResult | undefined)[] = [
      withKind ? row('Kind', term(isOffer(decoded) ? 'offer' : 'invoice', decoded.type)) : undefined,
      payee === undefined
        ? row('Payee', 'hidden behind a blinded path')
        : row(
            'Payee',
            html`${node(payee, this.#aliases.of(payee))} <a class="small" href="/ui/map?node=${payee}">Show on the map</a>`,
          ),
      decoded.offer_issuer === undefined ? undefined : row('Claims to be', hostile(decoded.offer_issuer)),
      row(
        'For',
        description === undefined
          ? html`<span class="faint">no description</span>`
          : hostile(String(description)),
      ),
      withKind ? row('Amount', msat === undefined ? this.#unnamedAmount() : amount(msat)) : undefined,
      expiry === undefined
        ? undefined
        : row(isPast ? 'Expired' : 'Expires', isPast ? when(expiry) : absolute(expiry)),
    ];
    return rows.filter((one) => one !== undefined);
  }

  #unnamedAmount(): unknown {
    const { offer_currency: currency, offer_amount: units } = this.#decoded;
    return currency === undefined
      ? 'you choose'
      : `${String(units)} of the smallest unit of ${currency}: you choose how many sat`;
  }

  #paying(): unknown {
    const reason = unpayable(this.#decoded, Date.now() / 1000);
    const earlier = this.#earlier;
    if (reason !== undefined)
      return html`<p class="fault">${reason}</p>${earlier === undefined ? nothing : this.#earlierPanel(earlier)}`;
    if (this.#canPay === false)
      return html`<p class="faint">This node cannot pay: it has no channels behind it.</p>`;
    if (earlier === undefined)
      return this.#error === undefined ? waiting('Looking for earlier payments …') : nothing;
    if (earlier.pay !== undefined) return this.#earlierPanel(earlier);
    if (earlier.proofs.length > 0 && !this.#paysAgain) {
      const again = (): void => {
        this.#paysAgain = true;
        this.#redraw();
      };
      return html`${this.#earlierPanel(earlier)}
        <p><button type="button" class="quiet" @click=${again}>Pay this offer again …</button></p>`;
    }
    return this.#amountMsat === undefined || (askedMsat(this.#decoded) === undefined && this.#panel.isIdle)
      ? html`${this.#amountForm()} ${this.#amountMsat === undefined ? nothing : this.#panel.template(this.#wish(this.#amountMsat))}`
      : this.#panel.template(this.#wish(this.#amountMsat));
  }

  /** Earlier payments of this invoice or offer. */
  #earlierPanel({ pay, proofs }: Earlier): unknown {
    if (pay === undefined && proofs.length === 0) return nothing;
    if (pay === undefined) {
      return html`<h3>Paid before</h3><p>This offer was paid ${counted(proofs.length, 'time')}. It can be paid again.</p>
        ${proofs.map(proofLine)}`;
    }
    return html`<h3>${stateMark(pay.status)} ${pay.status === 'complete' ? 'Already paid' : 'Being paid'}</h3>
      <p>${
        pay.status === 'complete'
          ? html`${when(pay.completed_at ?? pay.created_at)}. An invoice can be paid only once, so there is no button here.`
          : 'Wait for its outcome. It will not be paid a second time.'
      } <a href="/ui/pay/${pay.payment_hash}">The payment</a></p>
      ${pay.preimage === undefined ? nothing : receiptLine(pay.preimage)} ${proofs.map(proofLine)}`;
  }

  #amountForm(): TemplateResult {
    // An offer has no quote, and the amount after fees is known only from a quote.
    const takesTotal = !isOffer(this.#decoded);
    const submit = (event: SubmitEvent): void => {
      event.preventDefault();
      const form = new FormData(event.target as HTMLFormElement);
      const given = String(form.get('payable-amount') ?? '').trim();
      const isAll = takesTotal && given.toLowerCase() === 'all';
      const msat = isAll ? 'all' : parseAmount(given);
      this.#fault =
        msat === undefined || msat === 0n
          ? `Enter an amount in sat, such as 1 000${takesTotal ? ', or all' : ''}.`
          : undefined;
      this.#amountMsat = this.#fault === undefined ? msat : undefined;
      this.#includesFee = isAll || form.get('payable-total') !== null;
      this.#redraw();
    };
    return html`<form class="query-main" @submit=${submit}>
        <label>${term('amount', 'Amount')} <span class="faint">in sat${takesTotal ? ', or all' : ''}</span>
          <input name="payable-amount" inputmode=${takesTotal ? 'text' : 'decimal'} autocomplete="off" placeholder="1 000" required /></label>
        ${
          takesTotal
            ? html`<label><input type="checkbox" name="payable-total" .checked=${this.#includesFee} />
                ${term('fee', 'Fee')} included</label>`
            : nothing
        }
        <button class="quiet">Use it</button>
      </form>
      ${this.#fault === undefined ? nothing : html`<p class="fault" role="alert">${this.#fault}</p>`}`;
  }

  #wish(amountMsat: bigint | 'all'): PayWish<'xpay'> {
    const includesFee = this.#includesFee;
    const maxfeeMsat = usualFeeLimit(amountMsat === 'all' ? 0n : amountMsat);
    const params = {
      invstring: this.#text,
      ...(askedMsat(this.#decoded) === undefined && { amount_msat: amountMsat }),
      // The usual limit depends on the amount, which is known only from the quote.
      ...(includesFee ? { include_fee: true } : { maxfee: maxfeeMsat }),
    };
    const { rpc } = this.#host;
    const payee = issuerOf(this.#decoded);
    const question = new URLSearchParams({
      ...(payee !== undefined && { to: payee }),
      ...(amountMsat !== 'all' && { amount: amountText(amountMsat) }),
    });
    return {
      method: 'xpay',
      identity: [this.#text, amountMsat, includesFee].join(' '),
      amountMsat,
      includesFee,
      maxfeeMsat,
      plan: isOffer(this.#decoded) || includesFee ? undefined : () => rpc.call('planxpay', params),
      quote: isOffer(this.#decoded) ? undefined : params,
      params: (plan, mark) => ({ ...params, ...(plan !== undefined && { seed: plan.seed }), ...mark }),
      facts: this.#facts(false),
      intro: nothing,
      note: includesFee
        ? html`<p class="small faint">Fees are deducted from this amount. The quote shows what the recipient gets.</p>`
        : html`<p class="small faint">The issuer is asked for an invoice first. Fee and odds are known only then. An
            invoice that asks for more than this amount is refused.</p>`,
      wayOn: (error) => wayOn(error, question),
      receipt: ({ payment_preimage: preimage }) => {
        void this.#learnProofs();
        return html`${receiptLine(preimage)} ${this.#proofs.slice(-1).map(proofLine)}`;
      },
    };
  }

  async #learnProofs(): Promise<void> {
    if (this.#hasAskedForProofs) return;
    this.#hasAskedForProofs = true;
    this.#proofs = await this.#proofsOf();
    if (this.#proofs.length > 0) this.#redraw();
  }
}

/**
 * A proof of payment signed by the payer (BOLT 12), with a button to copy it. For BOLT 11, the preimage is the only
 * proof.
 */
function proofLine({ bolt12 }: Proof): unknown {
  return bolt12 === undefined
    ? nothing
    : html`<details class="receipt"><summary>Show the proof of payment</summary>
        <code class="receipt-text">${bolt12}</code>
        <button type="button" class="quiet" data-copy=${bolt12}>Copy</button>
        <p class="small faint">Anyone can check it: <code>fulgurite checkproof PROOF</code></p></details>`;
}
