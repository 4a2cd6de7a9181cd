/**
 * Two answers as one picture: hops used only by A are dashed, hops used only by B solid, and hops used by both thick.
 */
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { shortId, visible } from '../format.ts';
import { type OverlayEdge, type OverlayNode, type OverlayRoute, overlay } from '../pictures/overlay.ts';

const COLUMN = 148;
const ROW = 84;
const EDGE = 60;
const DOT = 9;

/** The picture. Nothing if neither answer has a route. */
export function overlayPicture(
  before: readonly OverlayRoute[],
  after: readonly OverlayRoute[],
  aliasOf: (id: string) => string | undefined,
): TemplateResult | typeof nothing {
  const picture = overlay(before, after);
  if (picture.nodes.length === 0) return nothing;
  const width = (picture.columns - 1) * COLUMN + 2 * EDGE;
  const height = picture.rows * ROW + 20;
  const filled = new Map<number, number>();
  for (const { column } of picture.nodes) filled.set(column, (filled.get(column) ?? 0) + 1);
  const at = new Map(
    picture.nodes.map(({ id, column, row }) => {
      const y = height / 2 + (row - (filled.get(column)! - 1) / 2) * ROW - 8;
      return [id, { x: EDGE + column * COLUMN, y }] as const;
    }),
  );
  const only = (usage: OverlayEdge['usage']): number =>
    picture.edges.filter((edge) => edge.usage === usage).length;
  return html`<div class="scroller" tabindex="0" role="region" aria-label="Both answers as a picture">
      <svg class="overlay" viewBox="0 0 ${width} ${height}" width=${width} height=${height} role="img"
        aria-label=${`${only('both')} hops are in both answers, ${only('before')} only in A, ${only('after')} only in B.`}>
        ${picture.edges.map((edge) => edgePath(edge, at))} ${picture.nodes.map((node) => nodeDot(node, at, aliasOf))}
      </svg>
    </div>
    <ul class="overlay-legend small">
      <li>${sample('before')} only A</li>
      <li>${sample('after')} only B</li>
      <li>${sample('both')} both</li>
    </ul>`;
}

const sample = (usage: OverlayEdge['usage']): TemplateResult =>
  html`<svg width="40" height="10" viewBox="0 0 40 10" aria-hidden="true"><path class="overlay-edge ${usage}" d="M2 5H38" /></svg>`;

type NodePlaces = ReadonlyMap<string, { readonly x: number; readonly y: number }>;

function edgePath({ from, to, usage, channel }: OverlayEdge, at: NodePlaces): TemplateResult {
  const [a, b] = [at.get(from)!, at.get(to)!];
  const bend = (b.x - a.x) / 2;
  return svg`<path class="overlay-edge ${usage}" d="M${a.x} ${a.y}C${a.x + bend} ${a.y} ${b.x - bend} ${b.y} ${b.x} ${b.y}"><title>${channel}</title></path>`;
}

function nodeDot(
  { id }: OverlayNode,
  at: NodePlaces,
  aliasOf: (id: string) => string | undefined,
): TemplateResult {
  const { x, y } = at.get(id)!;
  const name = visible(aliasOf(id) ?? shortId(id));
  const shown = name.length > 18 ? `${name.slice(0, 17)}…` : name;
  return svg`<g><circle class="overlay-node" cx=${x} cy=${y} r=${DOT}><title>${id}</title></circle>
    <text class="plot-text" x=${x} y=${y + 26} text-anchor="middle">${shown}</text></g>`;
}
