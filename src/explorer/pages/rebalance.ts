/**
 * Our channels before and after a rebalancing: the plan of `planrebalance`, drawn channel by channel. The limits are in
 * the address, so that a plan can be shared as a link. The page does not rebalance; it shows the terminal command that
 * does.
 */
import { html, nothing, type TemplateResult } from 'lit-html';
import { Aliases } from '../aliases.ts';
import type { Amount } from '../event-types.ts';
import { counted, grouped, parseAmount, sat, share, THIN } from '../format.ts';
import type { OpenPage, Page, PageHost, PagePlace } from '../page.ts';
import { balanceRects, percentOf } from '../pictures/balance-bar.ts';
import {
  addressFaults,
  amount,
  errorPanel,
  figure,
  hostile,
  node,
  nodeWords,
  table,
  term,
  terminal,
  waiting,
} from '../pieces.ts';
import type { MethodParams, MethodResult } from '../rpc.ts';
import type { BalancedChannel } from './channels.ts';

type PlannedMoves = MethodResult<'planrebalance'>;
type AskedMoves = MethodParams<'planrebalance'>;

/** Default limits. */
const USUAL_MAXFEE_MSAT = 100_000n;
const USUAL_MAXFEE_PPM = 500;

/**
 * A channel of the plan: what it can send now and afterwards, and the sum of what it can send and receive, all in msat.
 */
interface MovedChannel {
  readonly id: string;
  readonly peerId: string;
  readonly wholeMsat: bigint;
  readonly nowMsat: bigint;
  readonly thenMsat: bigint;
  readonly earnedPpm: number | undefined;
  readonly earnedMsat: Amount | undefined;
}

/** The members of a part of the plan that the page uses. */
interface PlannedPart {
  readonly out: string;
  readonly in: string;
  readonly amount_msat: Amount;
  readonly fee_msat: Amount;
  readonly route: readonly unknown[];
}

interface ConcernedChannel {
  readonly short_channel_id: string;
  readonly peer_id: string;
  readonly earned_msat?: Amount;
  readonly earned_ppm?: number;
}

/** The channels of a plan, in descending order of the amount moved. */
export function movedChannels(plan: PlannedMoves, own: readonly BalancedChannel[]): MovedChannel[] {
  const parts = plan.parts as readonly PlannedPart[];
  const balances = new Map(own.map((one) => [one.short_channel_id, one]));
  const moved = (plan.channels as readonly ConcernedChannel[]).flatMap((one) => {
    const balance = balances.get(one.short_channel_id);
    if (balance === undefined) return [];
    const nowMsat = BigInt(balance.spendable_msat ?? 0);
    const gained = parts.reduce((total, part) => {
      if (part.in === one.short_channel_id) return total + BigInt(part.amount_msat);
      const leaves = part.out === one.short_channel_id;
      return leaves ? total - BigInt(part.amount_msat) - BigInt(part.fee_msat) : total;
    }, 0n);
    return [
      {
        id: one.short_channel_id,
        peerId: one.peer_id,
        nowMsat,
        thenMsat: nowMsat + gained,
        wholeMsat: nowMsat + BigInt(balance.receivable_msat ?? 0),
        earnedPpm: one.earned_ppm,
        earnedMsat: one.earned_msat,
      },
    ];
  });
  const size = ({ nowMsat, thenMsat }: MovedChannel): bigint =>
    thenMsat > nowMsat ? thenMsat - nowMsat : nowMsat - thenMsat;
  return moved.sort((a, b) => Number(size(b) - size(a)));
}

/** The parameters of the plan in the address, and their faults. */
export function rebalanceQuestion(query: URLSearchParams): {
  readonly asked: AskedMoves;
  readonly faults: string[];
} {
  const faults: string[] = [];
  const whole = (name: string, most: number): number | undefined => {
    const text = query.get(name);
    if (text === null) return undefined;
    if (/^\d{1,7}$/.test(text) && Number(text) <= most) return Number(text);
    faults.push(`${name}=${text} is not a whole number up to ${most}`);
    return undefined;
  };
  const money = (name: string): bigint | undefined => {
    const text = query.get(name);
    const msat = text === null ? undefined : parseAmount(text);
    if (text !== null && msat === undefined) faults.push(`${name}=${text} is not an amount`);
    return msat;
  };
  const amountMsat = money('amount');
  const days = whole('days', 365);
  const asked: AskedMoves = {
    maxfee: money('maxfee') ?? USUAL_MAXFEE_MSAT,
    maxfee_ppm: whole('ppm', 1_000_000) ?? USUAL_MAXFEE_PPM,
    ...(amountMsat !== undefined && { amount_msat: amountMsat }),
    ...(days !== undefined && days > 0 && { earned_days: days }),
  };
  return { asked, faults };
}

class RebalancePage implements OpenPage {
  readonly #host: PageHost;
  readonly #aliases: Aliases;
  #question: ReturnType<typeof rebalanceQuestion>;
  #plan: PlannedMoves | undefined;
  #channels: readonly BalancedChannel[] = [];
  #error: unknown;
  #number = 0;

  constructor(host: PageHost) {
    this.#host = host;
    this.#aliases = new Aliases(host.rpc, () => this.#show(), host.left);
    this.#question = rebalanceQuestion(host.place.query);
    host.title('Rebalancing');
    void this.#ask();
  }

  moved(place: PagePlace): void {
    this.#question = rebalanceQuestion(place.query);
    void this.#ask();
  }

  async #ask(): Promise<void> {
    const { rpc, left } = this.#host;
    const number = ++this.#number;
    this.#plan = undefined;
    this.#error = undefined;
    this.#show();
    try {
      const plan = await rpc.call('planrebalance', this.#question.asked, { signal: left });
      const { channels } = await rpc.call('listpeerchannels', {}, { signal: left });
      if (number !== this.#number) return;
      this.#plan = plan;
      this.#channels = channels;
    } catch (error) {
      if (left.aborted || number !== this.#number) return;
      this.#error = error;
    }
    this.#show();
  }

  #show(): void {
    const { asked, faults } = this.#question;
    this.#host.show(html`<h1>Moving money between our channels</h1>
      <p class="faint">Money leaves through channels that have too much, and comes back through those that have too
        little. This page shows a plan, and sends nothing. <a href="/ui/channels">Our channels</a></p>
      ${addressFaults(faults)} ${this.#form()}
      ${
        this.#error !== undefined
          ? errorPanel(this.#error)
          : this.#plan === undefined
            ? waiting('Planning …')
            : this.#whole(this.#plan)
      }
      ${terminal(this.#plan !== undefined && this.#plan.parts.length > 0 ? 'rebalance' : 'planrebalance', asked)}`);
  }

  #form(): TemplateResult {
    const { query } = this.#host.place;
    const submit = (event: SubmitEvent): void => {
      event.preventDefault();
      const form = new FormData(event.target as HTMLFormElement);
      const given = (name: string): string | undefined => String(form.get(name) ?? '').trim() || undefined;
      this.#host.change({
        maxfee: given('maxfee'),
        ppm: given('ppm'),
        amount: given('amount'),
        days: given('days'),
      });
    };
    const field = (name: string, label: unknown, placeholder: string): TemplateResult =>
      html`<label>${label}<input name=${name} inputmode="decimal" autocomplete="off" placeholder=${placeholder}
        .value=${query.get(name) ?? ''} /></label>`;
    return html`<form class="panel" @submit=${submit}>
      <div class="query-more">
        ${field('maxfee', html`${term('feeLimit', 'Fee limit')} of all parts, in sat`, sat(USUAL_MAXFEE_MSAT))}
        ${field('ppm', html`Fee limit of each part, in ${term('ppm', 'ppm')}`, grouped(USUAL_MAXFEE_PPM))}
        ${field('amount', 'Maximum to move, in sat', 'no limit')}
        ${field('days', 'Days of earnings to consider', 'none')}
      </div>
      <p><button class="quiet">Show the plan</button></p>
    </form>`;
  }

  #whole(plan: PlannedMoves): TemplateResult {
    const parts = plan.parts as readonly PlannedPart[];
    const channels = movedChannels(plan, this.#channels);
    return html`<dl class="figures">
        ${figure(amount(plan.wanted_msat), 'would move without any limits')}
        ${figure(amount(plan.amount_msat), 'is moved by this plan')}
        ${figure(amount(plan.fee_msat), html`${term('fee', 'Fee')}${BigInt(plan.amount_msat) === 0n ? '' : `, ${share(plan.fee_msat, plan.amount_msat)}`}`)}
        ${figure(grouped(parts.length), parts.length === 1 ? term('part', 'part') : term('part', 'parts'))}
      </dl>
      ${
        plan.obstacle === undefined
          ? nothing
          : html`<section class="panel"><h2>Why not more</h2><p>${nodeWords(String((plan.obstacle as { message: string }).message))}</p></section>`
      }
      ${channels.length === 0 ? html`<section class="panel"><p>All channels are near their share: there is nothing to move.</p></section>` : this.#drawn(channels)}
      ${parts.length === 0 ? nothing : this.#partTable(parts)}`;
  }

  #drawn(channels: readonly MovedChannel[]): TemplateResult {
    const largest = channels.reduce((most, { wholeMsat }) => (wholeMsat > most ? wholeMsat : most), 1n);
    return html`<p class="small faint">The upper bar shows a channel now, and the lower bar shows it after the plan. Dark: what it can
        send. The longest bar is the largest channel.</p>
      <ul class="own-channels">${channels.map((one) => this.#card(one, largest))}</ul>`;
  }

  #card(one: MovedChannel, largest: bigint): TemplateResult {
    const [now, then] = [one.nowMsat, one.thenMsat].map((msat) => share(msat, one.wholeMsat));
    const change = one.thenMsat - one.nowMsat;
    return html`<li class="panel own-channel moved-channel">
      <h2>${node(one.peerId, this.#aliases.of(one.peerId))}</h2>
      <p class="small faint"><code>${hostile(one.id)}</code></p>
      <svg class="balance balance-twice" viewBox="0 0 100 18" preserveAspectRatio="none" role="img"
        aria-label="It can send ${now} of ${sat(one.wholeMsat)} now, and ${then} afterwards">
        ${[one.nowMsat, one.thenMsat].map((msat, row) =>
          balanceRects(percentOf(msat, largest), percentOf(one.wholeMsat, largest), 10 * row),
        )}
      </svg>
      <dl class="confirm">
        <div><dt>Can send now</dt><dd>${amount(one.nowMsat)} <span class="faint">(${now})</span></dd></div>
        <div><dt>Afterwards</dt><dd>${amount(one.thenMsat)} <span class="faint">(${then})</span></dd></div>
        <div><dt>${change < 0n ? 'Gives' : 'Gets'}</dt><dd>${amount(change < 0n ? -change : change)}</dd></div>
        ${
          one.earnedMsat === undefined
            ? nothing
            : html`<div><dt>Earned</dt><dd>${amount(one.earnedMsat)}, ${grouped(one.earnedPpm ?? 0)}${THIN}${term('ppm', 'ppm')}</dd></div>`
        }
      </dl></li>`;
  }

  #partTable(parts: readonly PlannedPart[]): TemplateResult {
    return html`<section class="panel"><h2>${counted(parts.length, 'part')}</h2>
      ${table(
        'The parts of the plan',
        ['Leaves by', 'Comes back by', term('amount', 'Amount'), term('fee', 'Fee'), term('hop', 'Hops')],
        parts.map((part) => [
          html`<code>${hostile(part.out)}</code>`,
          html`<code>${hostile(part.in)}</code>`,
          amount(part.amount_msat),
          html`${amount(part.fee_msat)} <span class="faint">(${share(part.fee_msat, part.amount_msat)})</span>`,
          grouped(part.route.length),
        ]),
      )}</section>`;
  }
}

/** Opens the page. */
export const page: Page = (host) => new RebalancePage(host);
