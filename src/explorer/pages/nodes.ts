/**
 * Our nodes, if several pay together: the spendable amount of each, its floor and price, why it is paused, its payments
 * in the last hour and day, and its balance over the last days. All data comes from `listournodes`.
 */
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { counted, grouped, THIN } from '../format.ts';
import type { OpenPage, Page, PageHost } from '../page.ts';
import { onPayments } from '../pay/on-payments.ts';
import { balanceBar, percentOf } from '../pictures/balance-bar.ts';
import { amount, errorPanel, figure, hostile, table, term, terminal, waiting } from '../pieces.ts';
import type { MethodResult } from '../rpc.ts';

type OurNode = MethodResult<'listournodes'>['nodes'][number];

/** Milliseconds between requests, besides those after payments. */
const ASK_EVERY_MS = 10_000;
/** Hours of balances that are shown. */
const HISTORY_HOURS = 72;
/**
 * Milliseconds after which the history of balances is requested again. Until then, the balances in results of
 * `listournodes` are appended.
 */
const HISTORY_EVERY_MS = 300_000;

/** The amount that a node could send at a point in time (UNIX seconds). */
interface Point {
  readonly time: number;
  readonly msat: bigint;
}

const msat = (value: number | bigint): bigint => BigInt(value);
const sum = (nodes: readonly OurNode[], of: (one: OurNode) => number | bigint): bigint =>
  nodes.reduce((all, one) => all + msat(of(one)), 0n);

class NodesPage implements OpenPage {
  readonly #host: PageHost;
  /** By node, the amounts that it could send: from the daemon's history, and from each result received since then. */
  readonly #balances = new Map<string, Point[]>();
  #historyAtMs = Number.NEGATIVE_INFINITY;
  #nodes: readonly OurNode[] | undefined;
  #error: unknown;

  constructor(host: PageHost) {
    this.#host = host;
    onPayments(host, () => void this.#load());
    const timer = setInterval(() => void this.#load(), ASK_EVERY_MS);
    host.left.addEventListener('abort', () => clearInterval(timer), { once: true });
    host.title('Nodes');
    this.#show();
    void this.#load();
  }

  /** Nothing to do: this page has no query. */
  moved(): void {}

  async #load(): Promise<void> {
    const { rpc, left } = this.#host;
    try {
      const nowMs = Date.now();
      const isOld = nowMs - this.#historyAtMs > HISTORY_EVERY_MS;
      const wanted = isOld ? { history_hours: HISTORY_HOURS } : {};
      const { nodes } = await rpc.call('listournodes', wanted, { signal: left });
      this.#nodes = nodes;
      if (isOld) this.#historyAtMs = nowMs;
      for (const { name, spendable_msat, balances } of nodes) {
        const kept = balances?.map(({ time, spendable_msat: one }) => ({
          time: Number(time),
          msat: msat(one),
        }));
        const points = kept ?? this.#balances.get(name) ?? [];
        this.#balances.set(name, [...points, { time: nowMs / 1000, msat: msat(spendable_msat) }]);
      }
      this.#error = undefined;
    } catch (error) {
      if (left.aborted) return;
      this.#error = error;
    }
    this.#show();
  }

  #show(): void {
    this.#host.show(html`<h1>Our nodes</h1>
      ${this.#error === undefined ? nothing : errorPanel(this.#error)}
      ${
        this.#nodes === undefined
          ? this.#error === undefined
            ? waiting('Loading the nodes …')
            : nothing
          : this.#whole(this.#nodes)
      }
      ${terminal('listournodes', {})}`);
  }

  #whole(nodes: readonly OurNode[]): TemplateResult {
    if (nodes.length === 0) {
      return html`<section class="panel"><p>This daemon pays from one node. Start it with <code>--node</code> several times
        to pay from more.</p></section>`;
    }
    const paying = nodes.filter(({ resting }) => resting === undefined).length;
    return html`<dl class="figures">
        ${figure(amount(sum(nodes, (one) => one.may_spend_msat)), 'available for payments from all nodes')}
        ${figure(amount(sum(nodes, (one) => one.spendable_msat)), 'their channels can send')}
        ${figure(`${paying} of ${nodes.length}`, 'take new parts')}
        ${figure(grouped(Number(sum(nodes, (one) => one.htlcs))), html`${term('htlc', 'HTLCs')} in flight`)}
      </dl>
      <ul class="own-channels">${nodes.map((one) => this.#card(one))}</ul>
      <section class="panel"><h2>Who paid what</h2>
        ${table(
          'HTLCs that ended, by node',
          ['Node', 'Last hour', 'Fees', 'Last day', 'Fees', 'Failed in the last day'],
          nodes.map(({ name, last_hour, last_day }) => [
            hostile(name),
            amount(last_hour.amount_msat),
            amount(last_hour.fee_msat),
            amount(last_day.amount_msat),
            amount(last_day.fee_msat),
            `${grouped(last_day.failed)} of ${grouped(last_day.failed + last_day.settled)}`,
          ]),
        )}</section>`;
  }

  #card(one: OurNode): TemplateResult {
    const spendable = msat(one.spendable_msat);
    const whole = spendable + msat(one.receivable_msat);
    const isPaying = one.resting === undefined;
    return html`<li class="panel own-channel">
      <h2>${hostile(one.name)}
        <span class="state ${isPaying ? 'good' : 'bad'}">${isPaying ? '✓ pays' : '✕ rests'}</span></h2>
      <p class="small faint">${hostile(one.kind)} ${hostile(one.version ?? '')} · block ${grouped(one.height)}
        · ${counted(one.channels, 'channel', 'channels')} · <code>${one.id.slice(0, 16)}…</code></p>
      ${isPaying ? nothing : html`<p>${hostile(one.resting ?? '')}</p>`}
      ${balanceBar(percentOf(spendable, whole), 'the money in its channels can be sent')}
      ${this.#line(one.name)}
      <dl class="confirm">
        <div><dt>May spend</dt><dd>${amount(msat(one.may_spend_msat))}</dd></div>
        <div><dt>Can send</dt><dd>${amount(spendable)}</dd></div>
        <div><dt>Floor</dt><dd>${amount(msat(one.floor_msat))}</dd></div>
        <div><dt>Price</dt><dd>${grouped(one.price_ppm)}${THIN}${term('ppm', 'ppm')}</dd></div>
        <div><dt>State</dt><dd>${hostile(one.state)}</dd></div>
        <div><dt>${term('htlc', 'HTLCs')}</dt><dd>${counted(one.htlcs, 'in flight', 'in flight')}</dd></div>
      </dl></li>`;
  }

  /** A line that shows the amount the node could send over the last days. */
  #line(name: string): TemplateResult | typeof nothing {
    const points = this.#balances.get(name) ?? [];
    const [first, last] = [points[0], points.at(-1)];
    const most = points.reduce((high, { msat: value }) => (value > high ? value : high), 0n);
    if (first === undefined || last === undefined || last.time <= first.time || most === 0n) return nothing;
    const path = points.map(({ time, msat: value }) => {
      const x = (100 * (time - first.time)) / (last.time - first.time);
      const y = 20 - Number((value * 200n) / most) / 10;
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    const since = new Date(1000 * first.time).toLocaleString();
    return html`<svg class="balance" viewBox="0 0 100 20" preserveAspectRatio="none" role="img"
      aria-label="What ${name} can send, since ${since}">
      ${svg`<polyline class="node-line" points=${path.join(' ')} />`}
    </svg>`;
  }
}

/** Opens the page. */
export const page: Page = (host) => new NodesPage(host);
