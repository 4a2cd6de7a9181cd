/**
 * Automatic layers of a daemon as items of its state on the bus (state-message.ts): its own channels, all its nodes as
 * one source, and what it learned. Each item is a cell, or the odds of a layer.
 *
 * A solver checks every item when it arrives, because the kernels that apply it also serve other daemons.
 */
import { type LayerChange, type PackedChannelCell, unpackOdds } from '../engine/question/messages.ts';
import type { NodeCell } from '../layers/cell.ts';
import { nameOfAutomatic } from '../layers/layer-book.ts';
import { ODDS_LEVELS } from '../layers/learned-odds.ts';
import { U64_MAX } from '../model/msat.ts';
import { parseNodeId } from '../model/node-id.ts';
import type { PolicyUpdate } from '../model/policy.ts';
import { subjects } from './bus-messages.ts';
import type { StateKind } from './state-message.ts';

/** An automatic layer's cell or odds. Null means that the layer has no such cell, or no odds. */
export type LayerItem = Exclude<LayerChange, readonly [kind: 'removed', ...unknown[]]>;

/** Maximum number of steps (bounds-fold.ts) in the bounds of one direction. Automatic layers have at most one. */
const MAX_STEPS = 20;
/** Number of integers in a packed step. */
const STEP_NUMBERS = 6;
const MAX_BIAS = 100;
const U32_MAX = 0xffff_ffff;

/** The automatic layers of a daemon. */
export const AUTOMATIC_LAYERS: StateKind<LayerItem> = {
  member: 'cells',
  subject: (fleet) => subjects(fleet).layers,
  isItem,
  keyOf: (item) => (item[0] === 'odds' ? `odds ${item[1]}` : `${item[0]} ${item[1]} ${item[2]}`),
  isEmpty: (item) => contentOf(item) === null,
  emptied,
};

/** The cell of an item, or its table of odds. */
const contentOf = (item: LayerItem): unknown => (item[0] === 'odds' ? item[2] : item[3]);

function emptied(item: LayerItem): LayerItem {
  const [kind, layerId] = item;
  if (kind === 'odds') return [kind, layerId, null];
  return kind === 'node' ? [kind, layerId, item[2], null] : [kind, layerId, item[2], null];
}

function isItem(item: LayerItem): boolean {
  const [kind, layerId] = item;
  if (nameOfAutomatic(layerId) === undefined) return false;
  if (kind === 'odds') return item[2] === null || isOdds(item[2]);
  if (kind === 'node') return parseNodeId(item[2]) === item[2] && (item[3] === null || isNodeCell(item[3]));
  return kind === 'channel' && isU64(item[2]) && (item[3] === null || isChannelCell(item[3]));
}

/** Whether a table contains only finite values that are not negative. @throws RangeError if its size is wrong */
function isOdds(table: Uint8Array): boolean {
  return unpackOdds(table).every((value) => value >= 0 && Number.isFinite(value));
}

function isNodeCell({ disabled, inBias, outBias, burden = 0 }: NodeCell): boolean {
  const isBurden = Number.isInteger(burden) && burden >= 0 && burden < ODDS_LEVELS;
  return typeof disabled === 'boolean' && isBias(inBias) && isBias(outBias) && isBurden;
}

function isChannelCell(cell: PackedChannelCell): boolean {
  const [created, updates, bias, bounds, reservedMsat, extraHtlcCostMsat] = cell;
  return (
    cell.length === 6 &&
    (created === null || isCreated(created)) &&
    (updates === null || isPair(updates, (update) => update === null || isUpdate(update))) &&
    (bias === null || isPair(bias, isBias)) &&
    (bounds === null || isPair(bounds, (fold) => fold === null || isFold(fold))) &&
    (reservedMsat === null || isPair(reservedMsat, isU64)) &&
    (extraHtlcCostMsat === null || isPair(extraHtlcCostMsat, isU64))
  );
}

function isCreated([node1, node2, capacityMsat]: NonNullable<PackedChannelCell[0]>): boolean {
  return parseNodeId(node1) === node1 && parseNodeId(node2) === node2 && node1 < node2 && isU64(capacityMsat);
}

function isUpdate({ enabled, ...terms }: PolicyUpdate): boolean {
  const { htlcMinimumMsat = 0n, htlcMaximumMsat = 0n, feeBaseMsat = 0n } = terms;
  const { feeProportionalMillionths = 0, cltvExpiryDelta = 0 } = terms;
  return (
    (enabled === undefined || typeof enabled === 'boolean') &&
    [htlcMinimumMsat, htlcMaximumMsat, feeBaseMsat].every(isU64) &&
    [feeProportionalMillionths, cltvExpiryDelta].every(
      (value) => Number.isInteger(value) && value >= 0 && value <= U32_MAX,
    )
  );
}

const isFold = (fold: readonly bigint[]): boolean =>
  fold.length % STEP_NUMBERS === 0 && fold.length <= MAX_STEPS * STEP_NUMBERS && fold.every(isI64);

const isPair = <T>(pair: readonly T[], isOne: (value: T) => boolean): boolean =>
  Array.isArray(pair) && pair.length === 2 && pair.every((value) => isOne(value));

const isBias = (value: unknown): boolean => Number.isInteger(value) && Math.abs(value as number) <= MAX_BIAS;

const isU64 = (value: unknown): boolean => typeof value === 'bigint' && value >= 0n && value <= U64_MAX;

const isI64 = (value: unknown): boolean => typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
