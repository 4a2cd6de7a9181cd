/** A form for a route query. The form changes only the address; the page asks the node when the address changes. */
import { html, nothing, type TemplateResult } from 'lit-html';
import { parseAmount } from '../format.ts';
import { NodeField } from '../node-field.ts';
import type { PageHost, QueryChange } from '../page.ts';
import { term } from '../pieces.ts';
import { OWN_LAYERS, USUAL_FINAL_CLTV } from './query.ts';

/** Fields under "More". */
const MORE = ['from', 'layers', 'maxdelay', 'final_cltv'];

/** The form with its state. */
export class QueryForm {
  readonly #host: PageHost;
  readonly #to: NodeField;
  readonly #from: NodeField;
  readonly #redraw: () => void;
  #fault: string | undefined;

  constructor(host: PageHost, redraw: () => void) {
    this.#host = host;
    this.#redraw = redraw;
    const shared = { rpc: host.rpc, redraw };
    this.#to = new NodeField({
      ...shared,
      id: 'to',
      label: term('destination', 'To'),
      chosen: (to) => this.#host.change({ to }),
    });
    this.#from = new NodeField({
      ...shared,
      id: 'from',
      label: term('source', 'From'),
      placeholder: 'This node',
      chosen: (from) => this.#host.change({ from }),
    });
  }

  /** Loads the names of nodes, so that the fields show aliases instead of ids. */
  async name(): Promise<void> {
    await Promise.all([this.#to.name(), this.#from.name()]);
  }

  /** The form for an address. @param verb label of the button */
  template(query: URLSearchParams, verb: string): TemplateResult {
    const value = (name: string): string => query.get(name) ?? '';
    const isMore = MORE.some((name) => query.has(name));
    return html`<form class="query panel no-print" @submit=${(event: SubmitEvent) => void this.#submit(event, query)}>
      <div class="query-main">
        ${this.#to.template(query.get('to') ?? undefined)}
        <label>${term('amount', 'Amount')} <span class="faint">in sat</span>
          <input name="amount" inputmode="decimal" autocomplete="off" placeholder="100 000" .value=${value('amount')} />
        </label>
        <button>${verb}</button>
      </div>
      ${this.#fault === undefined ? nothing : html`<p class="fault" role="alert">${this.#fault}</p>`}
      <details class="more" ?open=${isMore}>
        <summary>More: start of the route, layers, limits</summary>
        <div class="query-more">
          ${this.#from.template(query.get('from') ?? undefined)}
          <label>${term('layer', 'Layers')}, separated by commas
            <input name="layers" autocomplete="off" spellcheck="false" placeholder=${OWN_LAYERS.join(', ')}
              .value=${value('layers')} /></label>
          <label>${term('delay', 'Maximum delay')} in blocks
            <input name="maxdelay" inputmode="numeric" placeholder="2016" .value=${value('maxdelay')} /></label>
          <label>${term('finalCltv', 'Blocks for the recipient')}
            <input name="final_cltv" inputmode="numeric" placeholder=${USUAL_FINAL_CLTV} .value=${value('final_cltv')} />
          </label>
        </div>
      </details>
    </form>`;
  }

  async #submit(event: SubmitEvent, query: URLSearchParams): Promise<void> {
    event.preventDefault();
    const data = new FormData(event.target as HTMLFormElement);
    const given = (name: string): string => String(data.get(name) ?? '').trim();
    try {
      const to = await this.#to.resolve(query.get('to') ?? undefined);
      const from =
        given('from') === '' ? undefined : await this.#from.resolve(query.get('from') ?? undefined);
      this.#fault = this.#faultOf(to, from, given('from'), given('amount'));
      if (this.#fault !== undefined) {
        this.#redraw();
        return;
      }
      const change: Record<string, string | undefined> = { to, from, amount: given('amount') };
      for (const name of ['layers', 'maxdelay', 'final_cltv']) change[name] = given(name);
      this.#host.change(change satisfies QueryChange);
    } catch (error) {
      this.#fault = (error as Error).message;
      this.#redraw();
    }
  }

  #faultOf(
    to: string | undefined,
    from: string | undefined,
    fromText: string,
    amount: string,
  ): string | undefined {
    if (to === undefined)
      return 'No node has this alias or id. Type more characters, or choose one from the list.';
    if (fromText !== '' && from === undefined) return 'No node has the alias or id in the field “From”.';
    const msat = parseAmount(amount);
    if (msat === undefined || msat === 0n) return 'Enter an amount in sat, such as 100 000.';
    return undefined;
  }
}
