/** The rows of a long list to draw: those in view, and a few more on both sides, so that scrolling shows no gap. */

/** Number of additional rows drawn on each side. */
const BEYOND = 8;

/**
 * The rows to draw, from `from` (inclusive) to `to` (exclusive), and the heights in pixels of the spaces that replace
 * the rows above and below.
 */
export interface ListWindow {
  readonly from: number;
  readonly to: number;
  readonly aboveHeight: number;
  readonly belowHeight: number;
}

/** The window of a list whose rows have the same height. All lengths in pixels. */
export function windowOf(
  count: number,
  rowHeight: number,
  scrollTop: number,
  viewHeight: number,
): ListWindow {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight) - BEYOND;
  const rows = Math.ceil(viewHeight / rowHeight) + 2 * BEYOND;
  const from = Math.max(0, Math.min(first, count - rows));
  const to = Math.min(count, from + rows);
  return { from, to, aboveHeight: from * rowHeight, belowHeight: (count - to) * rowHeight };
}
