/**
 * Two answers to one question, overlaid: each channel direction appears once, with the answers that use it. Columns
 * number the hops from the source, so that both answers read from left to right.
 */

/** The data of a hop that the picture needs. */
export interface OverlayHop {
  readonly short_channel_id_dir: string;
  readonly node_id_in: string;
  readonly node_id_out: string;
}

/** A route of an answer. */
export interface OverlayRoute {
  readonly path: readonly OverlayHop[];
}

/** Which answers use a hop. */
export type HopUsage = 'both' | 'before' | 'after';

/** A channel direction in the picture. */
export interface OverlayEdge {
  readonly channel: string;
  readonly from: string;
  readonly to: string;
  readonly usage: HopUsage;
}

/** A node in the picture, with its column and row, from 0. */
export interface OverlayNode {
  readonly id: string;
  readonly column: number;
  readonly row: number;
}

/** The whole picture. */
export interface RouteOverlay {
  readonly nodes: readonly OverlayNode[];
  readonly edges: readonly OverlayEdge[];
  readonly columns: number;
  readonly rows: number;
}

/** Overlays the routes of two answers. */
export function overlay(before: readonly OverlayRoute[], after: readonly OverlayRoute[]): RouteOverlay {
  const edges = new Map<string, { hop: OverlayHop; before: boolean; after: boolean }>();
  const columnOf = new Map<string, number>();
  const note = (routes: readonly OverlayRoute[], side: 'before' | 'after'): void => {
    for (const { path } of routes) {
      path.forEach((hop, index) => {
        const known = edges.get(hop.short_channel_id_dir) ?? { hop, before: false, after: false };
        known[side] = true;
        edges.set(hop.short_channel_id_dir, known);
        if (!columnOf.has(hop.node_id_in)) columnOf.set(hop.node_id_in, index);
        // If routes of different lengths reach a node, the longer one determines its column.
        columnOf.set(hop.node_id_out, Math.max(columnOf.get(hop.node_id_out) ?? 0, index + 1));
      });
    }
  };
  note(before, 'before');
  note(after, 'after');
  const filled: number[] = [];
  const nodes = [...columnOf].map(([id, column]) => {
    const row = filled[column] ?? 0;
    filled[column] = row + 1;
    return { id, column, row };
  });
  return {
    nodes,
    edges: [...edges].map(([channel, { hop, before: isBefore, after: isAfter }]) => ({
      channel,
      from: hop.node_id_in,
      to: hop.node_id_out,
      usage: isBefore && isAfter ? 'both' : isBefore ? 'before' : 'after',
    })),
    columns: filled.length,
    rows: Math.max(0, ...filled.map((count) => count ?? 0)),
  };
}
