/**
 * Our nodes, where several pay together: what each may spend, its floor and price, why one rests, what it paid in the last
 * hour and day, and its balance since the page was opened. All comes from `listournodes`.
 */
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { counted, grouped, THIN } from '../format.ts';
import { onPayments } from '../on-payments.ts';
import type { OpenPage, Page, PageHost } from '../page.ts';
import { amount, errorPanel, figure, hostile, table, term, terminal, waiting } from '../pieces.ts';
import type { MethodResult } from '../rpc.ts';

type OurNode = MethodResult<'listournodes'>['nodes'][number];

/** Milliseconds between two questions while nothing is paid. */
const ASK_EVERY_MS = 10_000;
/** Maximum number of balances that are remembered of each node. */
const MAX_POINTS = 360;

const msat = (value: number | bigint): bigint => BigInt(value);
const sum = (nodes: readonly OurNode[], of: (one: OurNode) => number | bigint): bigint =>
  nodes.reduce((all, one) => all + msat(of(one)), 0n);

class NodesPage implements OpenPage {
  readonly #host: PageHost;
  /** What each node could send, at each answer since the page was opened. */
  readonly #balances = new Map<string, bigint[]>();
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

  /** Nothing stands in the query. */
  moved(): void {}

  async #load(): Promise<void> {
    const { rpc, left } = this.#host;
    try {
      const { nodes } = await rpc.call('listournodes', {}, { signal: left });
      this.#nodes = nodes;
      for (const { name, spendable_msat } of nodes) {
        const points = this.#balances.get(name) ?? [];
        this.#balances.set(name, [...points, msat(spendable_msat)].slice(-MAX_POINTS));
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
            ? waiting('Asking for the nodes …')
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
        ${figure(amount(sum(nodes, (one) => one.may_spend_msat)), 'payments may take from all together')}
        ${figure(amount(sum(nodes, (one) => one.spendable_msat)), 'their channels can send')}
        ${figure(`${paying} of ${nodes.length}`, 'take new parts')}
        ${figure(grouped(Number(sum(nodes, (one) => one.htlcs))), html`${term('htlc', 'HTLCs')} on their way`)}
      </dl>
      <ul class="own-channels">${nodes.map((one) => this.#card(one))}</ul>
      <section class="panel"><h2>Who paid what</h2>
        ${table(
          'HTLCs that ended, by node',
          ['Node', 'Last hour', 'Fees', 'Last day', 'Fees', 'Failed in a day'],
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
    const parts = (value: bigint): number => (whole === 0n ? 0 : Number((value * 1000n) / whole) / 10);
    const isPaying = one.resting === undefined;
    return html`<li class="panel own-channel">
      <h2>${hostile(one.name)}
        <span class="state ${isPaying ? 'good' : 'bad'}">${isPaying ? '✓ pays' : '✕ rests'}</span></h2>
      <p class="small faint">${hostile(one.kind)} ${hostile(one.version ?? '')} · block ${grouped(one.height)}
        · ${counted(one.channels, 'channel', 'channels')} · <code>${one.id.slice(0, 16)}…</code></p>
      ${isPaying ? nothing : html`<p>${hostile(one.resting ?? '')}</p>`}
      <svg class="balance" viewBox="0 0 100 8" preserveAspectRatio="none" role="img"
        aria-label="${parts(spendable).toFixed(0)} of 100 parts of the money in its channels can be sent">
        <rect class="balance-theirs" width="100" height="8" /><rect class="balance-ours" width=${parts(spendable)} height="8" />
      </svg>
      ${this.#line(one.name)}
      <dl class="confirm">
        <div><dt>May spend</dt><dd>${amount(msat(one.may_spend_msat))}</dd></div>
        <div><dt>Can send</dt><dd>${amount(spendable)}</dd></div>
        <div><dt>Floor</dt><dd>${amount(msat(one.floor_msat))}</dd></div>
        <div><dt>Price</dt><dd>${grouped(one.price_ppm)}${THIN}${term('ppm', 'ppm')}</dd></div>
        <div><dt>State</dt><dd>${hostile(one.state)}</dd></div>
        <div><dt>${term('htlc', 'HTLCs')}</dt><dd>${counted(one.htlcs, 'on its way', 'on their way')}</dd></div>
      </dl></li>`;
  }

  /** What the node could send since the page was opened, as a line. */
  #line(name: string): TemplateResult | typeof nothing {
    const points = this.#balances.get(name) ?? [];
    const most = points.reduce((high, value) => (value > high ? value : high), 0n);
    if (points.length < 2 || most === 0n) return nothing;
    const path = points.map((value, at) => {
      const x = (100 * at) / (points.length - 1);
      const y = 20 - Number((value * 200n) / most) / 10;
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    return html`<svg class="balance" viewBox="0 0 100 20" preserveAspectRatio="none" role="img"
      aria-label="What ${name} can send, since this page was opened">
      ${svg`<polyline class="node-line" points=${path.join(' ')} />`}
    </svg>`;
  }
}

/** Opens the page. */
export const page: Page = (host) => new NodesPage(host);
