/** `/why`: why there is no route, and the smallest change that helps. */
import { html, nothing, type TemplateResult } from 'lit-html';
import { shortId, visible } from '../format.ts';
import { limitRecords } from '../layers/limit-records.ts';
import { type Directory, nodeDirectory } from '../nodes.ts';
import type { OpenPage, Page, PageHost, PagePlace } from '../page.ts';
import { faultsOf, questionOf, type RouteParams, routeParams } from '../pay/query.ts';
import { QueryForm } from '../pay/query-form.ts';
import { remedied, remedyButton } from '../pay/remedy.ts';
import { addressFaults, errorPanel, terminal, waiting } from '../pieces.ts';
import { CallRefused } from '../rpc.ts';
import { type CutMember, directionsOf, membersOf, refusalOf } from '../why/why-facts.ts';
import { pictureOf } from '../why/why-pictures.ts';

type State =
  | { readonly at: 'empty' }
  | { readonly at: 'asking' }
  | { readonly at: 'answered'; readonly parts: number }
  | { readonly at: 'refused'; readonly error: CallRefused; readonly members: readonly CutMember[] }
  | { readonly at: 'broken'; readonly error: unknown };

class WhyPage implements OpenPage {
  readonly #host: PageHost;
  readonly #form: QueryForm;
  #query: URLSearchParams;
  #ownId: string | undefined;
  #params: RouteParams | undefined;
  #state: State = { at: 'empty' };
  #directory: Directory | undefined;
  /** Odds of the answer after the remedy, in parts per million. */
  #remedyOdds: number | undefined;
  #run = 0;

  constructor(host: PageHost) {
    this.#host = host;
    this.#query = host.place.query;
    this.#form = new QueryForm(host, () => this.#draw());
    host.title('Why not');
    this.#draw();
    void this.#begin();
  }

  moved({ query }: PagePlace): void {
    this.#query = query;
    void this.#ask();
  }

  async #begin(): Promise<void> {
    try {
      this.#ownId = (await this.#host.rpc.call('getinfo', {}, { signal: this.#host.left })).id;
      await this.#ask();
      this.#directory = await nodeDirectory(this.#host.rpc);
      await this.#form.name();
    } catch (error) {
      if (this.#directory === undefined && this.#state.at === 'empty') this.#state = { at: 'broken', error };
    }
    this.#draw();
  }

  async #ask(): Promise<void> {
    const run = ++this.#run;
    this.#remedyOdds = undefined;
    this.#params = this.#ownId === undefined ? undefined : routeParams(questionOf(this.#query), this.#ownId);
    if (this.#params === undefined) {
      this.#set({ at: 'empty' });
      return;
    }
    if (this.#state.at !== 'refused') this.#set({ at: 'asking' });
    const options = { signal: this.#host.left };
    try {
      const { routes } = await this.#host.rpc.call('getroutes', this.#params, options);
      if (run !== this.#run) return;
      this.#host.title('There is a route');
      this.#set({ at: 'answered', parts: routes.length });
    } catch (error) {
      if (run !== this.#run || this.#host.left.aborted) return;
      if (!(error instanceof CallRefused)) {
        this.#set({ at: 'broken', error });
        return;
      }
      this.#host.title('Why not');
      const binding = refusalOf(error.data)?.binding;
      const names = binding === undefined ? [] : directionsOf(binding);
      // The picture is shown at once. The limits of the channels are added as further results arrive.
      this.#set({ at: 'refused', error, members: membersOf(names, []) });
      const records = await limitRecords(this.#host.rpc, this.#params, names, options);
      if (run !== this.#run) return;
      this.#set({ at: 'refused', error, members: membersOf(names, records) });
      await this.#weighRemedy(run, refusalOf(error.data)?.remedy);
    }
  }

  /** Repeats the query with the remedy, to verify that there is a route and to get its odds. */
  async #weighRemedy(run: number, remedy: Readonly<Record<string, unknown>> | undefined): Promise<void> {
    const params =
      remedy === undefined ? undefined : routeParams(questionOf(remedied(remedy, this.#query)), this.#ownId!);
    if (params === undefined) return;
    const answer = await this.#host.rpc
      .call('getroutes', params, { signal: this.#host.left })
      .catch(() => undefined);
    if (run !== this.#run || answer === undefined) return;
    this.#remedyOdds = Number(answer.probability_ppm);
    this.#draw();
  }

  #set(state: State): void {
    this.#state = state;
    this.#draw();
  }

  #draw(): void {
    this.#host.show(html`<h1 class="question">Why can this not be paid?</h1>
      ${this.#form.template(this.#query, 'Ask why')}
      ${this.#content()}
      ${this.#params === undefined ? nothing : terminal('getroutes', this.#params)}`);
  }

  #content(): unknown {
    const state = this.#state;
    switch (state.at) {
      case 'empty':
        return html`${addressFaults(faultsOf(this.#query))}<p class="faint">Enter a payment for which no route is found. This page shows what stands in the way,
          the source of this information, and the smallest change that helps.</p>`;
      case 'asking':
        return waiting('Looking for routes, and for what stands in their way …');
      case 'answered':
        return html`<section class="panel good-news"><h2>✓ There is a route</h2>
          <p>Nothing stands in the way of this payment now.</p>
          <p><a class="button" href="/ui/route?${this.#query.toString()}">Show the route</a></p></section>`;
      case 'broken':
        return errorPanel(state.error);
      case 'refused':
        return this.#refused(state.error, state.members);
    }
  }

  #refused(error: CallRefused, members: readonly CutMember[]): unknown {
    const refusal = refusalOf(error.data);
    if (refusal === undefined) return errorPanel(error);
    const { source, destination, amount_msat: asked } = this.#params!;
    const name = (id: string): string =>
      id === this.#ownId ? 'this node' : visible(this.#directory?.alias(id) ?? shortId(id));
    const facts = {
      ...refusal,
      members,
      amountMsat: BigInt(asked),
      from: name(source),
      to: name(destination),
    };
    const { sentence, picture, details } = pictureOf(facts);
    return html`<section class="panel why-panel" data-kind=${refusal.binding.kind}>
        <h2>${sentence}</h2>
        ${picture} ${details ?? nothing}
        ${this.#remedy(refusal.remedy)}
      </section>
      <details class="twin"><summary>The node’s message</summary><p>${visible(error.message)}
        <span class="faint">(error ${error.code})</span></p></details>`;
  }

  #remedy(remedy: Readonly<Record<string, unknown>> | undefined): TemplateResult {
    if (remedy === undefined) {
      return html`<p class="remedy faint">No change of amount or limits is known to help.</p>`;
    }
    return remedyButton(remedy, this.#query, this.#remedyOdds);
  }
}

/** Opens the page. */
export const page: Page = (host) => new WhyPage(host);
