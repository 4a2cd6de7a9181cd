/** Small plots as SVG text, for browsers, editors and printers. */

/** A series of points. */
export interface PlotSeries {
  readonly name: string;
  readonly points: readonly {
    readonly x: number;
    readonly y: number;
    readonly low?: number;
    readonly high?: number;
  }[];
}

/** A plot with linear axes. */
export interface PlotOptions {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly PlotSeries[];
  /** Whether to draw the diagonal, on which predictions equal outcomes. */
  readonly diagonal?: boolean;
  readonly yFrom?: number;
  readonly yTo?: number;
}

const WIDTH = 560;
const HEIGHT = 320;
const LEFT = 64;
const RIGHT = 16;
const TOP = 36;
const BOTTOM = 48;
/** Okabe and Ito's palette, whose colours colour-blind readers can distinguish. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'];

/** @returns an SVG element */
export function plotSvg(options: PlotOptions): string {
  const { title, xLabel, yLabel, series, diagonal = false } = options;
  const all = series
    .flatMap(({ points }) => points)
    .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
  const [xFrom, xTo] = span(all.map(({ x }) => x));
  const [yLeast, yMost] = span(all.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y]));
  const [yFrom, yTo] = [options.yFrom ?? yLeast, options.yTo ?? yMost];
  const px = (x: number): number => LEFT + ((x - xFrom) / (xTo - xFrom)) * (WIDTH - LEFT - RIGHT);
  const py = (y: number): number => HEIGHT - BOTTOM - ((y - yFrom) / (yTo - yFrom)) * (HEIGHT - TOP - BOTTOM);
  const parts = [
    `<text x="${LEFT}" y="20" class="title">${escaped(title)}</text>`,
    ...axes(px, py, [xFrom, xTo], [yFrom, yTo]),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${escaped(xLabel)}</text>`,
    `<text x="14" y="${(TOP + HEIGHT - BOTTOM) / 2}" text-anchor="middle" transform="rotate(-90 14 ${(TOP + HEIGHT - BOTTOM) / 2})">${escaped(yLabel)}</text>`,
  ];
  if (diagonal) {
    const [from, to] = [Math.max(xFrom, yFrom), Math.min(xTo, yTo)];
    parts.push(
      `<path d="M${px(from)} ${py(from)}L${px(to)} ${py(to)}" stroke="#999" stroke-dasharray="4 4"/>`,
    );
  }
  series.forEach((each, index) => {
    parts.push(...drawn(each, COLOURS[index % COLOURS.length]!, index, px, py));
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" ` +
    `role="img" aria-label="${escaped(title)}" font-family="sans-serif" font-size="12" fill="currentColor">${parts.join('')}</svg>`
  );
}

function drawn(
  { name, points }: PlotSeries,
  colour: string,
  index: number,
  px: (x: number) => number,
  py: (y: number) => number,
): string[] {
  const shown = points.filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
  const line = shown
    .map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${px(x).toFixed(1)} ${py(y).toFixed(1)}`)
    .join('');
  const marks = shown.flatMap(({ x, y, low, high }) => {
    const dot = `<circle cx="${px(x).toFixed(1)}" cy="${py(y).toFixed(1)}" r="3" fill="${colour}"/>`;
    if (low === undefined || high === undefined || !Number.isFinite(low + high)) return [dot];
    return [
      dot,
      `<path d="M${px(x).toFixed(1)} ${py(low).toFixed(1)}V${py(high).toFixed(1)}" stroke="${colour}"/>`,
    ];
  });
  const key = `<text x="${WIDTH - RIGHT}" y="${TOP + 14 * index}" text-anchor="end" fill="${colour}">${escaped(name)}</text>`;
  return [`<path d="${line}" fill="none" stroke="${colour}" stroke-width="1.5"/>`, ...marks, key];
}

function axes(
  px: (x: number) => number,
  py: (y: number) => number,
  [xFrom, xTo]: [number, number],
  [yFrom, yTo]: [number, number],
): string[] {
  const ticks = (from: number, to: number): number[] =>
    [0, 1, 2, 3, 4].map((step) => from + ((to - from) * step) / 4);
  return [
    `<path d="M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}" fill="none" stroke="#999"/>`,
    ...ticks(xFrom, xTo).map(
      (x) =>
        `<text x="${px(x).toFixed(1)}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${short(x)}</text>`,
    ),
    ...ticks(yFrom, yTo).map(
      (y) => `<text x="${LEFT - 6}" y="${(py(y) + 4).toFixed(1)}" text-anchor="end">${short(y)}</text>`,
    ),
  ];
}

/** The ends of an axis, which always differ. */
function span(values: readonly number[]): [number, number] {
  const finite = values.filter((value) => Number.isFinite(value));
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  if (finite.length === 0) return [0, 1];
  return least < most ? [least, most] : [least - 0.5, most + 0.5];
}

const short = (value: number): string => String(Number(value.toPrecision(3)));

/** Escapes a text for SVG or HTML. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
