/**
 * Our own channels: the balance of each, what it can send and receive now, its fees, and its HTLCs in flight. The data
 * comes from `listpeerchannels`. Unannounced channels are not in the graph, so the map does not show them.
 */
import { html, nothing, type TemplateResult } from 'lit-html';
import { Aliases } from '../aliases.ts';
import { counted, grouped, sat, THIN } from '../format.ts';
import type { OpenPage, Page, PageHost } from '../page.ts';
import { onPayments } from '../pay/on-payments.ts';
import { balanceBar, percentOf } from '../pictures/balance-bar.ts';
import { amount, errorPanel, figure, hostile, node, table, term, terminal, waiting } from '../pieces.ts';
import type { MethodResult } from '../rpc.ts';

/** One of our channels, as in the node's list. */
export type BalancedChannel = MethodResult<'listpeerchannels'>['channels'][number];

const msat = (value: number | bigint | undefined): bigint => BigInt(value ?? 0);
const sum = (
  channels: readonly BalancedChannel[],
  of: (one: BalancedChannel) => number | bigint | undefined,
): bigint => channels.reduce((all, one) => all + msat(of(one)), 0n);

class ChannelsPage implements OpenPage {
  readonly #host: PageHost;
  readonly #aliases: Aliases;
  #channels: readonly BalancedChannel[] | undefined;
  #height = 0;
  #error: unknown;

  constructor(host: PageHost) {
    this.#host = host;
    const { rpc, left } = host;
    this.#aliases = new Aliases(rpc, () => this.#show(), left);
    onPayments(host, () => void this.#load());
    host.title('Channels');
    this.#show();
    void this.#load();
  }

  /** Nothing to do: the query only determines which channel comes first when the page is opened. */
  moved(): void {}

  async #load(): Promise<void> {
    const { rpc, left } = this.#host;
    try {
      const [{ channels }, { blockheight }] = await Promise.all([
        rpc.call('listpeerchannels', {}, { signal: left }),
        rpc.call('getinfo', {}, { signal: left }),
      ]);
      this.#channels = channels;
      this.#height = Number(blockheight);
      this.#error = undefined;
    } catch (error) {
      if (left.aborted) return;
      this.#error = error;
    }
    this.#show();
  }

  #show(): void {
    this.#host.show(html`<h1>Our channels</h1>
      ${this.#error === undefined ? nothing : errorPanel(this.#error)}
      ${
        this.#channels === undefined
          ? this.#error === undefined
            ? waiting('Loading the channels …')
            : nothing
          : this.#whole(this.#channels)
      }
      ${terminal('listpeerchannels', {})}`);
  }

  #whole(channels: readonly BalancedChannel[]): TemplateResult {
    if (channels.length === 0) {
      return html`<section class="panel"><p>This node has no channels, so it cannot pay.</p></section>`;
    }
    const htlcs = channels.flatMap((channel) => (channel.htlcs ?? []).map((htlc) => ({ channel, htlc })));
    return html`<dl class="figures">
        ${figure(amount(sum(channels, (one) => one.spendable_msat)), 'all channels together can send')}
        ${figure(amount(sum(channels, (one) => one.receivable_msat)), 'they can receive')}
        ${figure(grouped(channels.length), channels.length === 1 ? term('channel', 'channel') : term('channel', 'channels'))}
        ${figure(grouped(htlcs.length), html`${term('htlc', 'HTLCs')} in flight`)}
      </dl>
      ${channels.length < 2 ? nothing : html`<p><a href="/ui/rebalance">Move money between them …</a></p>`}
      <ul class="own-channels">${this.#sorted(channels).map((one) => this.#card(one))}</ul>
      ${htlcs.length === 0 ? nothing : this.#htlcTable(htlcs)}`;
  }

  /** The channels, with the one from the address first. */
  #sorted(channels: readonly BalancedChannel[]): readonly BalancedChannel[] {
    const asked = this.#host.place.query.get('channel');
    const isAsked = (one: BalancedChannel): boolean => asked !== null && one.short_channel_id === asked;
    return [...channels.filter(isAsked), ...channels.filter((one) => !isAsked(one))];
  }

  #card(one: BalancedChannel): TemplateResult {
    const total = msat(one.total_msat);
    const ours = msat(one.to_us_msat);
    const policy = one.updates?.local;
    return html`<li class="panel own-channel">
      <h2>${node(one.peer_id, this.#aliases.of(one.peer_id))}
        <span class="state ${one.peer_connected ? 'good' : 'bad'}">${one.peer_connected ? '✓ connected' : '✕ away'}</span></h2>
      <p class="small faint"><code>${hostile(one.short_channel_id ?? one.alias?.local ?? 'no number yet')}</code>
        · ${one.private === true ? 'not announced' : 'announced'}
        ${one.state === 'CHANNELD_NORMAL' ? nothing : html`· ${hostile(one.state)}`}
        · <a href="/ui/map?node=${one.peer_id}">the peer on the map</a></p>
      ${balanceBar(percentOf(ours, total), `${sat(total)} are ours`)}
      <dl class="confirm">
        <div><dt>Ours</dt><dd>${amount(ours)} of ${amount(total)}</dd></div>
        <div><dt>Can send now</dt><dd>${amount(msat(one.spendable_msat))}</dd></div>
        <div><dt>Can receive now</dt><dd>${amount(msat(one.receivable_msat))}</dd></div>
        ${
          policy === undefined
            ? nothing
            : html`<div><dt>${term('fee', 'Fee')} that we charge</dt>
              <dd>${amount(policy.fee_base_msat)} + ${grouped(policy.fee_proportional_millionths)}${THIN}${term('ppm', 'ppm')}</dd></div>`
        }
        <div><dt>${term('htlc', 'HTLCs')}</dt><dd>${counted((one.htlcs ?? []).length, 'in flight', 'in flight')}</dd></div>
      </dl></li>`;
  }

  #htlcTable(
    htlcs: readonly {
      readonly channel: BalancedChannel;
      readonly htlc: NonNullable<BalancedChannel['htlcs']>[number];
    }[],
  ): TemplateResult {
    return html`<section class="panel"><h2>${term('htlc', 'HTLCs')} in flight</h2>
      ${table(
        'HTLCs in flight',
        ['Channel', 'Direction', 'Amount', term('expiry', 'Expires'), 'Payment'],
        htlcs.map(({ channel, htlc }) => [
          html`<code>${hostile(channel.short_channel_id ?? '–')}</code>`,
          htlc.direction === 'out' ? 'out' : 'in',
          amount(htlc.amount_msat),
          this.#height === 0
            ? `block ${grouped(htlc.expiry)}`
            : `block ${grouped(htlc.expiry)}, in ${counted(Math.max(0, htlc.expiry - this.#height), 'block')}`,
          html`<a href="/ui/pay/${htlc.payment_hash}"><code>${htlc.payment_hash.slice(0, 8)}…</code></a>`,
        ]),
      )}</section>`;
  }
}

/** Opens the page. */
export const page: Page = (host) => new ChannelsPage(host);
