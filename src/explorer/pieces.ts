/** Shared components, as lit-html templates. */
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Amount } from './event-types.ts';
import { absolute, ago, inMsat, sat, sentence, shortId, THIN, visible } from './format.ts';
import type { MethodName, MethodParams } from './rpc.ts';
import { CallRefused, NoAnswer } from './rpc.ts';
import { terminalCommand } from './terminal.ts';
import type { Term } from './terms.ts';

/** An amount in sat, with the msat on hover. */
export const amount = (msat: Amount): TemplateResult =>
  html`<span class="amount" title=${inMsat(msat)}>${betweenGroups(sat(msat))}</span>`;

/** The text of an amount, which may wrap between its groups of digits. Styles decide whether it does. */
const betweenGroups = (text: string): unknown[] =>
  text.split(THIN).map((group, at) => (at === 0 ? group : html`${THIN}<wbr />${group}`));

/** A time in UNIX seconds, shown as the time that has passed since, with date and time on hover. */
export const when = (time: number | bigint, nowMs = Date.now()): TemplateResult =>
  html`<time datetime=${new Date(Number(time) * 1000).toISOString()} title=${absolute(Number(time))}
    >${ago(Number(time), nowMs / 1000)}</time
  >`;

/**
 * A text from others, made safe: its direction cannot affect the text around it, and invisible characters are replaced.
 */
export const hostile = (text: string): TemplateResult => html`<bdi>${visible(text)}</bdi>`;

/** A sentence from the node, with its amounts converted to sat. The original text is shown on hover. */
export const nodeWords = (text: string): TemplateResult =>
  html`<span title=${visible(text)}>${hostile(sentence(text))}</span>`;

/** A node: its alias if it has one, otherwise its short id. The whole id is shown on hover. */
export const node = (id: string, alias?: string): TemplateResult =>
  html`<span class="node" title=${id}>${alias ? hostile(alias) : html`<code>${shortId(id)}</code>`}</span>`;

/**
 * One of our technical terms. Hover, focus or tap explains the term (tip.ts). It is not a `button`, because a `label`
 * around it would then belong to the button instead of the field.
 */
export const term = (key: Term, text: unknown): TemplateResult =>
  html`<span class="term" role="button" tabindex="0" data-term=${key}>${text}</span>`;

/** The equivalent command for a terminal, and a button that copies it. */
export function terminal<M extends MethodName>(method: M, params: MethodParams<M>): TemplateResult {
  const command = terminalCommand(method, params);
  return html`<div class="terminal">
    <span class="terminal-label">Same in the terminal</span>
    <code tabindex="0" class="terminal-command">${command}</code>
    <button type="button" class="quiet" data-copy=${command}>Copy</button>
  </div>`;
}

/** A panel with the faults of the page's address. Nothing if there are none. */
export const addressFaults = (faults: readonly string[]): unknown =>
  faults.length === 0
    ? nothing
    : html`<section class="panel error address-faults" role="alert"><h2>This link is invalid</h2>
        ${faults.map((fault) => html`<p>${hostile(fault)}</p>`)}</section>`;

/** A panel for an error, with the node's text. */
export function errorPanel(error: unknown, more: unknown = nothing): TemplateResult {
  const isOurs = error instanceof CallRefused || error instanceof NoAnswer;
  const title = error instanceof NoAnswer ? 'No answer' : 'The node refused';
  return html`<section class="panel error" role="alert">
    <h2>${isOurs ? title : 'This page failed'}</h2>
    <p>${nodeWords(error instanceof Error ? error.message : String(error))}</p>
    ${error instanceof CallRefused ? html`<p class="faint">Error ${error.code}</p>` : nothing} ${more}
  </section>`;
}

/** A collapsible table with the content of a picture. */
export function pictureTable(
  summary: string,
  heads: readonly unknown[],
  rows: readonly (readonly unknown[])[],
): TemplateResult {
  return html`<details class="twin">
    <summary>${summary}</summary>
    ${table(summary, heads, rows)}
  </details>`;
}

/** A table that scrolls sideways if it is too wide. */
export function table(
  caption: string,
  heads: readonly unknown[],
  rows: readonly (readonly unknown[])[],
): TemplateResult {
  return html`<div class="scroller" tabindex="0" role="region" aria-label=${caption}>
    <table>
      <caption class="unseen">${caption}</caption>
      <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
    </table>
  </div>`;
}

/** A figure with its label below it. */
export const figure = (value: unknown, name: unknown, note: unknown = nothing): TemplateResult =>
  html`<div class="figure"><dd>${value}</dd><dt>${name}</dt>${note}</div>`;

/** Placeholder while something is loading. */
export const waiting = (text: string): TemplateResult => html`<p class="waiting faint">${text}</p>`;

/** The state of a payment or an attempt, shown by a symbol and a word as well as colour. */
export function stateMark(status: string): TemplateResult {
  const [mark, word, kind] = STATES[status] ?? ['·', status, ''];
  return html`<span class="state ${kind}"><span aria-hidden="true">${mark}</span> ${word}</span>`;
}

const STATES: Readonly<Record<string, readonly [string, string, string]>> = {
  pending: ['◔', 'in progress', 'pending'],
  waiting: ['◔', 'waits for a block or the recipient', 'pending'],
  complete: ['✓', 'arrived', 'good'],
  success: ['✓', 'arrived', 'good'],
  failed: ['✕', 'failed', 'bad'],
};
