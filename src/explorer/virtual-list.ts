/**
 * A long list. Only the visible rows and a few more are in the document. All rows have the same height. Screen readers
 * get the index of each row and the length of the list. The keyboard scrolls the list like any other box.
 */
import { html, type TemplateResult } from 'lit-html';
import { properties } from './map/custom-properties.ts';
import { windowOf } from './window.ts';

/** Height of the list's box in pixels, as in `style/virtual-list.css`. */
const VIEW_HEIGHT = 480;
/** On screens this narrow, rows have two lines. */
const NARROW = '(max-width: 760px)';
const ROW_HEIGHTS = { wide: 44, narrow: 68 };

/** The content of a list. */
export interface ListShown {
  readonly label: string;
  readonly count: number;
  readonly row: (index: number) => unknown;
}

/** A long list with its scroll position. */
export class VirtualList {
  readonly #redraw: () => void;
  #scrollTop = 0;
  #isPlanned = false;

  /**
   * @param redraw redraws the page
   * @param left ends the reaction to changes of the screen's width
   */
  constructor(redraw: () => void, left: AbortSignal) {
    this.#redraw = redraw;
    matchMedia(NARROW).addEventListener('change', () => this.#redraw(), { signal: left });
  }

  /** The list at its current scroll position. */
  template({ label, count, row }: ListShown): TemplateResult {
    const rowHeight = matchMedia(NARROW).matches ? ROW_HEIGHTS.narrow : ROW_HEIGHTS.wide;
    const { from, to, aboveHeight, belowHeight } = windowOf(count, rowHeight, this.#scrollTop, VIEW_HEIGHT);
    const heights = {
      '--row': `${rowHeight}px`,
      '--above': `${aboveHeight}px`,
      '--below': `${belowHeight}px`,
    };
    return html`<div class="virtual" tabindex="0" role="region" aria-label=${label} @scroll=${this.#scrolled}>
      <ol ${properties(heights)}>
        ${Array.from({ length: to - from }, (_, offset) => {
          const index = from + offset;
          return html`<li aria-setsize=${count} aria-posinset=${index + 1}>${row(index)}</li>`;
        })}
      </ol>
    </div>`;
  }

  readonly #scrolled = (event: Event): void => {
    this.#scrollTop = (event.target as Element).scrollTop;
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    requestAnimationFrame(() => {
      this.#isPlanned = false;
      this.#redraw();
    });
  };
}
