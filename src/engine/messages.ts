/**
 * What main thread and workers say to each other, and its encoding.
 *
 * One message type per kernel operation, msgpack both ways, buffers transferred. Layers travel as *chunks*:
 * packed batches of absolute cells, numbered; a worker that already applied chunk n only ever receives what
 * follows it. 64-bit integers stay bigint throughout.
 */
import { Packr } from 'msgpackr';
import { type BoundsFold, IDENTITY_FOLD } from '../layers/bounds-fold.ts';
import type { ChannelCell, NodeCell, PolicyUpdate } from '../layers/cell.ts';
import type { ErrorName } from '../model/errors.ts';
import type { NodeId } from '../model/node-id.ts';
import type { ObjectiveKnobs } from './objective.ts';
import type { RouteQuery } from './route.ts';
import type { RouteOutcome } from './route-outcome.ts';

/** One change of what a layer says. `null` for the cell: nothing any more. */
export type LayerChange =
  | readonly [kind: 'channel', layerId: number, shortChannelId: bigint, cell: PackedChannelCell | null]
  | readonly [kind: 'node', layerId: number, nodeId: NodeId, cell: NodeCell | null]
  | readonly [kind: 'removed', layerId: number];

/** Only what a cell says: absent members are the defaults, which most cells mostly are. */
export interface PackedChannelCell {
  readonly created?: ChannelCell['created'];
  readonly updates?: readonly (PolicyUpdate | null)[];
  readonly bias?: readonly [number, number];
  readonly bounds?: readonly (readonly bigint[] | null)[];
  readonly reserved?: readonly [bigint, bigint];
  readonly extra?: readonly [bigint, bigint];
}

/** Brings a worker's copy of the layers from chunk `from` to chunk `to`; `from` −1 starts from nothing. */
export interface LayerDelta {
  readonly from: number;
  readonly to: number;
  readonly chunks: readonly Uint8Array[];
}

export interface RouteRequest {
  readonly task: number;
  /** UNIX milliseconds after which nobody waits for the answer. */
  readonly deadline: number;
  readonly layers: LayerDelta;
  readonly query: WireQuery;
}

/** A route query with its layers resolved to ids. */
export interface WireQuery extends Omit<RouteQuery, 'layers'> {
  /** `SOURCEFREE` (−1) stands for that automatic layer. */
  readonly layerIds: readonly number[];
  readonly layerNames: readonly string[];
  readonly includeFees: boolean;
  readonly maxhops: number;
  readonly knobs?: ObjectiveKnobs;
}

export type RouteReply =
  | RouteOutcome
  /** The worker is not where the delta starts; it needs one from nothing. */
  | { readonly stale: true }
  | { readonly broken: { readonly error: ErrorName; readonly message: string } };

const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

/** Encodes into a buffer of its own, fit for transfer. */
export function encode(message: RouteRequest | RouteReply | readonly LayerChange[]): Uint8Array {
  return new Uint8Array(packr.pack(message));
}

export function decodeRequest(bytes: Uint8Array): RouteRequest {
  return packr.unpack(bytes) as RouteRequest;
}

export function decodeReply(bytes: Uint8Array): RouteReply {
  return packr.unpack(bytes) as RouteReply;
}

export function decodeChanges(bytes: Uint8Array): readonly LayerChange[] {
  return packr.unpack(bytes) as readonly LayerChange[];
}

const FOLD_KEYS = ['minShift', 'minLow', 'minHigh', 'maxShift', 'maxLow', 'maxHigh'] as const;

export function packCell(cell: ChannelCell): PackedChannelCell {
  const bounds = cell.bounds.map((fold) =>
    FOLD_KEYS.every((key) => fold[key] === IDENTITY_FOLD[key]) ? null : FOLD_KEYS.map((key) => fold[key]),
  );
  return {
    ...(cell.created && { created: cell.created }),
    ...(cell.updates.some((update) => update !== undefined) && {
      updates: cell.updates.map((u) => u ?? null),
    }),
    ...(cell.bias.some((bias) => bias !== 0) && { bias: cell.bias }),
    ...(bounds.some((fold) => fold !== null) && { bounds }),
    ...(cell.reservedMsat.some((amount) => amount !== 0n) && { reserved: cell.reservedMsat }),
    ...(cell.extraHtlcCostMsat && { extra: cell.extraHtlcCostMsat }),
  };
}

export function unpackCell(packed: PackedChannelCell): ChannelCell {
  return {
    ...(packed.created && { created: packed.created }),
    updates: [packed.updates?.[0] ?? undefined, packed.updates?.[1] ?? undefined],
    bias: packed.bias ?? [0, 0],
    bounds: [unpackFold(packed.bounds?.[0]), unpackFold(packed.bounds?.[1])],
    reservedMsat: packed.reserved ?? [0n, 0n],
    ...(packed.extra && { extraHtlcCostMsat: packed.extra }),
  };
}

function unpackFold(values: readonly bigint[] | null | undefined): BoundsFold {
  if (!values) return IDENTITY_FOLD;
  const [minShift, minLow, minHigh, maxShift, maxLow, maxHigh] = values as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  return { minShift, minLow, minHigh, maxShift, maxLow, maxHigh };
}
