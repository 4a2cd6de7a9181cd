/**
 * The messages between the main thread and the workers, and their encoding.
 *
 * There is one request (`RouteRequest`) and one reply (`RouteReply`). Both are msgpack; requests and answers are packed
 * as lists (packed.ts). Layers are sent as *chunks*: numbered batches of whole cells. A worker that applied chunk n
 * gets only later chunks, or starts from scratch. 64-bit integers stay bigint throughout.
 */
import { Packr } from 'msgpackr/pack';
import { type BoundsFold, IDENTITY_FOLD } from '../../layers/bounds-fold.ts';
import type { ChannelCell, NodeCell } from '../../layers/cell.ts';
import { ODDS_LENGTH, type OddsTable } from '../../layers/learned-odds.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { PolicyUpdate } from '../../model/policy.ts';
import type { RouteOutcome, SearchFault } from './no-route.ts';
import { type PackedAnswer, packAnswer, packRequest, unpackAnswer, unpackRequest } from './packed.ts';
import type { RouteAnswer } from './route.ts';
import type { RouteRequest } from './route-request.ts';

/** One change of a layer's contents. `null` in place of the cell deletes it. */
export type LayerChange =
  | readonly [kind: 'channel', layerId: number, shortChannelId: bigint, cell: PackedChannelCell | null]
  | readonly [kind: 'node', layerId: number, nodeId: NodeId, cell: NodeCell | null]
  | readonly [kind: 'odds', layerId: number, table: Uint8Array | null]
  | readonly [kind: 'removed', layerId: number];

/** A cell as a list, which packs faster than an object. Empty members, the majority, are `null`. */
export type PackedChannelCell = readonly [
  created: readonly [node1: NodeId, node2: NodeId, capacityMsat: bigint] | null,
  updates: readonly (PolicyUpdate | null)[] | null,
  bias: readonly [number, number] | null,
  bounds: readonly (readonly bigint[] | null)[] | null,
  reservedMsat: readonly [bigint, bigint] | null,
  extraHtlcCostMsat: readonly [bigint, bigint] | null,
];

/** A solver's reply: the outcome of the search, or the reason why there is no outcome. */
export type RouteReply =
  | RouteOutcome
  /**
   * From a worker: its copy of the layers is not in the state that the delta starts from, so it needs a delta from
   * scratch. From other machines: there is no usable reply.
   */
  | { readonly stale: true }
  /** The solver does not have the requested graph yet. */
  | { readonly outdated: true }
  | { readonly fault: SearchFault };

const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

/** Encodes a message into a separate buffer. */
export function encode(message: RouteRequest | RouteReply | readonly LayerChange[]): Uint8Array {
  return new Uint8Array(encodeForNow(message));
}

/**
 * Encodes a message that is copied or dropped soon. Its memory is part of a larger buffer, which stays in memory for as
 * long as the message, but never changes.
 */
export function encodeForNow(message: RouteRequest | RouteReply | readonly LayerChange[]): Uint8Array {
  return packr.pack(packed(message));
}

function packed(message: RouteRequest | RouteReply | readonly LayerChange[]): unknown {
  if ('answer' in message) return packAnswer(message.answer);
  return 'query' in message ? packRequest(message) : message;
}

/** Decodes an encoded request. */
export function decodeRequest(bytes: Uint8Array): RouteRequest {
  return unpackRequest(packr.unpack(bytes) as readonly unknown[]);
}

/** Decodes an encoded reply. */
export function decodeReply(bytes: Uint8Array): RouteReply {
  const reply = unpackReply(bytes) as PackedAnswer | Exclude<RouteReply, { answer: RouteAnswer }>;
  return isAnswer(reply) ? { answer: unpackAnswer(reply) } : reply;
}

/** Unpacks an encoded reply from another machine, without any check: a list (`PackedAnswer`) or a map. */
export function unpackReply(bytes: Uint8Array): unknown {
  return packr.unpack(bytes);
}

/** How an encoded reason for having no route begins: a map of one member, `noRoute`. */
const NO_ROUTE = Uint8Array.from(packr.pack({ noRoute: null }).subarray(0, -1));

/**
 * Whether these bytes are an encoded outcome of a search: an answer, or why there is no route. Only answers are lists,
 * which the first byte shows.
 */
export function isPackedOutcome(bytes: Uint8Array): boolean {
  const first = bytes[0]!;
  return (
    (first & 0xf0) === 0x90 ||
    first === 0xdc ||
    first === 0xdd ||
    NO_ROUTE.every((byte, at) => bytes[at] === byte)
  );
}

const isAnswer = (reply: PackedAnswer | object): reply is PackedAnswer => Array.isArray(reply);

/** Decodes encoded changes of layers. */
export function decodeChanges(bytes: Uint8Array): readonly LayerChange[] {
  return packr.unpack(bytes) as readonly LayerChange[];
}

/** A change with the current odds of a layer. */
export function oddsChange(
  book: { odds(layerId: number): OddsTable | undefined },
  layerId: number,
): LayerChange {
  const table = book.odds(layerId);
  const bytes = table && new Uint8Array(table.buffer, table.byteOffset, table.byteLength);
  return ['odds', layerId, bytes ?? null];
}

/**
 * The table packed by `oddsChange`.
 * @param table the table to overwrite and return; by default a new one
 * @throws RangeError if it has a different size
 */
export function unpackOdds(bytes: Uint8Array, table: OddsTable = new Float32Array(ODDS_LENGTH)): OddsTable {
  if (bytes.length !== table.byteLength)
    throw new RangeError(`a table of odds has the wrong size: ${bytes.length} bytes`);
  new Uint8Array(table.buffer, table.byteOffset, table.byteLength).set(bytes);
  return table;
}

/** A cell in list form. */
export function packCell(cell: ChannelCell): PackedChannelCell {
  const { created, updates, bias, bounds, reservedMsat, extraHtlcCostMsat } = cell;
  const folds = [packFold(bounds[0]), packFold(bounds[1])];
  return [
    created === undefined ? null : [created.node1, created.node2, created.capacityMsat],
    updates[0] === undefined && updates[1] === undefined ? null : [updates[0] ?? null, updates[1] ?? null],
    bias[0] === 0 && bias[1] === 0 ? null : bias,
    folds[0] === null && folds[1] === null ? null : folds,
    reservedMsat[0] === 0n && reservedMsat[1] === 0n ? null : reservedMsat,
    extraHtlcCostMsat ?? null,
  ];
}

/** The cell packed by `packCell`. */
export function unpackCell(packed: PackedChannelCell): ChannelCell {
  const [created, updates, bias, bounds, reservedMsat, extraHtlcCostMsat] = packed;
  const cell: ChannelCell = {
    updates: updates === null ? [undefined, undefined] : [updates[0] ?? undefined, updates[1] ?? undefined],
    bias: bias ?? [0, 0],
    bounds: bounds === null ? NO_BOUNDS : [unpackFold(bounds[0]!), unpackFold(bounds[1]!)],
    reservedMsat: reservedMsat ?? [0n, 0n],
  };
  if (created === null && extraHtlcCostMsat === null) return cell;
  return {
    created:
      created === null ? undefined : { node1: created[0], node2: created[1], capacityMsat: created[2] },
    extraHtlcCostMsat: extraHtlcCostMsat ?? undefined,
    ...cell,
  };
}

const NO_BOUNDS: ChannelCell['bounds'] = [IDENTITY_FOLD, IDENTITY_FOLD];

/** Length of a step of a fold, in packed numbers. */
const STEP_NUMBERS = 6;

function packFold(fold: BoundsFold): bigint[] | null {
  if (fold.length === 0) return null;
  const packed: bigint[] = [];
  for (const { minShift, minLow, minHigh, maxShift, maxLow, maxHigh } of fold) {
    packed.push(minShift, minLow, minHigh, maxShift, maxLow, maxHigh);
  }
  return packed;
}

function unpackFold(values: readonly bigint[] | null): BoundsFold {
  if (values === null) return IDENTITY_FOLD;
  return Array.from({ length: values.length / STEP_NUMBERS }, (_, index) => {
    const at = index * STEP_NUMBERS;
    return {
      minShift: values[at]!,
      minLow: values[at + 1]!,
      minHigh: values[at + 2]!,
      maxShift: values[at + 3]!,
      maxLow: values[at + 4]!,
      maxHigh: values[at + 5]!,
    };
  });
}
