/** The reliability plot: a dot for each group of predicted odds. Its position shows the prediction and the outcome. */
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { isOff, type OddsGroup } from '../pictures/calibration.ts';

const SIZE = 400;
const MARGIN = 44;
const INNER = SIZE - MARGIN - 12;
const LARGEST_DOT = 13;
const SMALLEST_DOT = 3.5;

const x = (share: number): number => MARGIN + share * INNER;
const y = (share: number): number => 12 + (1 - share) * INNER;

/** The plot. The page also shows its content as a table. */
export function reliabilityPlot(bins: readonly OddsGroup[]): TemplateResult {
  const most = Math.max(1, ...bins.map(({ count }) => count));
  return html`<svg class="plot" viewBox="0 0 ${SIZE} ${SIZE}" role="img"
      aria-label="Predicted odds from left to right, the share that arrived from bottom to top. The table below has the same data.">
    ${[0, 0.25, 0.5, 0.75, 1].map(
      (mark) => svg`<path class="axis" d="M${x(mark)} ${y(0)}V${y(1)}M${x(0)} ${y(mark)}H${x(1)}" />
        <text class="plot-text" x=${x(mark)} y=${y(0) + 16} text-anchor="middle">${mark * 100}</text>
        <text class="plot-text" x=${x(0) - 6} y=${y(mark) + 4} text-anchor="end">${mark * 100}</text>`,
    )}
    <text class="plot-text" x=${x(0.5)} y=${SIZE - 4} text-anchor="middle">predicted odds, %</text>
    <text class="plot-text" transform="translate(11 ${y(0.5)}) rotate(-90)" text-anchor="middle">arrived, %</text>
    <path class="plot-true" d="M${x(0)} ${y(0)}L${x(1)} ${y(1)}" />
    ${bins.map((bin) => (bin.count === 0 ? nothing : dot(bin, most)))}
  </svg>`;
}

function dot(bin: OddsGroup, most: number): TemplateResult {
  const {
    count,
    meanPredicted,
    share,
    interval: { low, high },
  } = bin;
  // A dot is larger the more attempts its group has.
  const radius = SMALLEST_DOT + (LARGEST_DOT - SMALLEST_DOT) * Math.sqrt(count / most);
  const isWrong = isOff(bin);
  const [cx, cy] = [x(meanPredicted), y(share)];
  const arm = 5;
  return svg`<g class=${isWrong ? 'plot-dot wrong' : 'plot-dot'}>
    <path class="plot-bar" d="M${cx} ${y(low)}V${y(high)}M${cx - 4} ${y(low)}h8M${cx - 4} ${y(high)}h8" />
    <circle cx=${cx} cy=${cy} r=${radius} />
    ${isWrong ? svg`<path class="plot-cross" d="M${cx - arm} ${cy - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}" />` : nothing}
  </g>`;
}
