/**
 * Reliability diagrams as SVG: for each setting, the share of attempts that arrived, as a function of the predicted
 * probability, with 95 % intervals.
 */
import type { Tenth } from './judges/score.ts';

/** The tenths of the predicted probability in one setting. */
export interface OddsCurves {
  readonly title: string;
  readonly tenths: readonly Tenth[];
}

const COLUMNS = 4;
const [SIDE, GAP, TOP] = [170, 50, 40];

/** One square for each setting. */
export function oddsPlot(curves: readonly OddsCurves[]): string {
  const rows = Math.ceil(curves.length / COLUMNS);
  const [width, height] = [COLUMNS * (SIDE + GAP) + GAP, rows * (SIDE + GAP) + TOP];
  const squares = curves.map((curve, index) => {
    const x = GAP + (index % COLUMNS) * (SIDE + GAP);
    const y = TOP + Math.floor(index / COLUMNS) * (SIDE + GAP);
    return square(curve, x, y);
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11">\n` +
    `<rect width="100%" height="100%" fill="#fff"/>\n` +
    `<text x="${GAP}" y="16">Share that arrived (upward) by stated chance (to the right), 95 % intervals; red: outside</text>\n` +
    `${squares.join('\n')}\n</svg>\n`
  );
}

function square({ title, tenths }: OddsCurves, left: number, top: number): string {
  const at = (share: number): string => (left + SIDE * share).toFixed(1);
  const up = (share: number): string => (top + SIDE * (1 - share)).toFixed(1);
  const marks = tenths.flatMap(({ stated, arrived, low, high, holds, count }) => {
    const colour = holds ? '#0b6e4f' : '#b3261e';
    return [
      `<line x1="${at(stated)}" y1="${up(low)}" x2="${at(stated)}" y2="${up(high)}" stroke="${colour}" stroke-width="2"/>`,
      `<circle cx="${at(stated)}" cy="${up(arrived)}" r="3" fill="${colour}"><title>${count}</title></circle>`,
    ];
  });
  return [
    `<text x="${left}" y="${top - 6}">${title}</text>`,
    `<rect x="${left}" y="${top}" width="${SIDE}" height="${SIDE}" fill="none" stroke="#999"/>`,
    `<line x1="${at(0)}" y1="${up(0)}" x2="${at(1)}" y2="${up(1)}" stroke="#ccc"/>`,
    ...marks,
  ].join('\n');
}
