/** The start page. */
import { html } from 'lit-html';
import type { Page } from '../page.ts';

/** Opens the start page. */
export const page: Page = (host) => {
  host.title('Start');
  host.show(html`<h1>Whom do you want to pay?</h1>`);
  return undefined;
};
