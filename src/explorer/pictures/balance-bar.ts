/** Our share of a channel, or of a node's channels, as a bar whose dark part is ours. */
import { html, svg, type TemplateResult } from 'lit-html';

/** Our share of a whole, in percent with one decimal. 0 if the whole is 0. */
export const percentOf = (oursMsat: bigint, wholeMsat: bigint): number =>
  wholeMsat === 0n ? 0 : Number((oursMsat * 1000n) / wholeMsat) / 10;

/** The two rectangles of a bar, in percent of the width of their picture. */
export const balanceRects = (ours: number, whole = 100, y = 0): unknown =>
  svg`<rect class="balance-theirs" y=${y} width=${whole} height="8" /><rect class="balance-ours" y=${y} width=${ours} height="8" />`;

/**
 * A bar of our share, with a label for screen readers.
 * @param ours in percent
 * @param whole the end of the label, such as `1,000 sat are ours`
 */
export const balanceBar = (ours: number, whole: string): TemplateResult =>
  html`<svg class="balance" viewBox="0 0 100 8" preserveAspectRatio="none" role="img"
    aria-label="${ours.toFixed(0)} % of ${whole}">${balanceRects(ours)}</svg>`;
