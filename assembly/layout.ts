/**
 * The layout of records that the host reads or writes itself: the offsets of their fields, their sizes, and the meaning
 * of bits and numbers in them. The record classes declare all this, and this module exports it. The host reads the
 * exports when it creates an instance (src/engine/solver/kernel-layout.ts), so that no offset is duplicated.
 *
 * An export's name is RECORD_field, or KIND_name for a number (such as `status_ok`). Offsets and sizes are in bytes.
 */

import { DirectionRecord, FLAG_ENABLED, FLAG_KNOWN } from './graph/direction';
import { NONE } from './graph/graph';
import { NODE_ID_BYTES, Region } from './graph/region';
import {
  BASE_BEYOND,
  BoundsStep,
  ChannelCell,
  DirectionCell,
  HeldBlock,
  UPDATES_CLTV_EXPIRY_DELTA,
  UPDATES_ENABLED,
  UPDATES_FEE_BASE,
  UPDATES_FEE_PROPORTIONAL,
  UPDATES_HTLC_MAXIMUM,
  UPDATES_HTLC_MINIMUM,
  UpdateBlock,
} from './overlay/cells';
import { SOURCEFREE, STACK_LIMIT } from './overlay/stack';
import { Hop, Part } from './solve/flow/parts';
import { ODDS_CELLS, ODDS_CLASSES, ODDS_LEVELS } from './solve/question/odds';
import {
  ANY,
  ANY_FEE,
  BEST,
  CANCELLED,
  FIRST,
  MET_DELAY,
  NO_CAPACITY,
  NO_PATH,
  OK,
  PERHAPS_TOO_DEAR,
  TOO_DEAR,
  TOO_MANY_PARTS,
  UNDECIDED,
} from './solve/question/question';
import { MAX_HOPS } from './solve/question/sizes';

export * from './record';

export const region_nodeIds: usize = offsetof<Region>('nodeIds');
export const region_shortChannelIds: usize = offsetof<Region>('shortChannelIds');
export const region_capacityMsat: usize = offsetof<Region>('capacityMsat');
export const region_node1: usize = offsetof<Region>('node1');
export const region_node2: usize = offsetof<Region>('node2');
export const region_policyFlags: usize = offsetof<Region>('policyFlags');
export const region_htlcMinimumMsat: usize = offsetof<Region>('htlcMinimumMsat');
export const region_htlcMaximumMsat: usize = offsetof<Region>('htlcMaximumMsat');
export const region_feeBaseMsat: usize = offsetof<Region>('feeBaseMsat');
export const region_feeProportionalMillionths: usize = offsetof<Region>('feeProportionalMillionths');
export const region_cltvExpiryDelta: usize = offsetof<Region>('cltvExpiryDelta');
export const region_nodeIdBytes: u32 = NODE_ID_BYTES;

export const direction_tail: usize = offsetof<DirectionRecord>('tail');
export const direction_feeBaseMsat: usize = offsetof<DirectionRecord>('feeBaseMsat');
export const direction_feeProportionalMillionths: usize =
  offsetof<DirectionRecord>('feeProportionalMillionths');
export const direction_cltvExpiryDelta: usize = offsetof<DirectionRecord>('cltvExpiryDelta');
export const direction_flags: usize = offsetof<DirectionRecord>('flags');
export const direction_htlcMinimumMsat: usize = offsetof<DirectionRecord>('htlcMinimumMsat');
export const direction_htlcMaximumMsat: usize = offsetof<DirectionRecord>('htlcMaximumMsat');
export const direction_minMsat: usize = offsetof<DirectionRecord>('minMsat');
export const direction_maxMsat: usize = offsetof<DirectionRecord>('maxMsat');
export const direction_directionIndex: usize = offsetof<DirectionRecord>('directionIndex');
export const direction_factor: usize = offsetof<DirectionRecord>('factor');
export const direction_isKnown: u32 = FLAG_KNOWN;
export const direction_isEnabled: u32 = FLAG_ENABLED;

export const channelCell_created: usize = offsetof<ChannelCell>('created');

export const directionCell_update: usize = offsetof<DirectionCell>('update');
export const directionCell_bounds: usize = offsetof<DirectionCell>('bounds');
export const directionCell_bias: usize = offsetof<DirectionCell>('bias');
export const directionCell_held: usize = offsetof<DirectionCell>('held');

export const update_mask: usize = offsetof<UpdateBlock>('mask');
export const update_enabled: usize = offsetof<UpdateBlock>('enabled');
export const update_htlcMinimumMsat: usize = offsetof<UpdateBlock>('htlcMinimumMsat');
export const update_htlcMaximumMsat: usize = offsetof<UpdateBlock>('htlcMaximumMsat');
export const update_feeBaseMsat: usize = offsetof<UpdateBlock>('feeBaseMsat');
export const update_feeProportionalMillionths: usize = offsetof<UpdateBlock>('feeProportionalMillionths');
export const update_cltvExpiryDelta: usize = offsetof<UpdateBlock>('cltvExpiryDelta');
export const update_hasEnabled: u32 = UPDATES_ENABLED;
export const update_hasHtlcMinimum: u32 = UPDATES_HTLC_MINIMUM;
export const update_hasHtlcMaximum: u32 = UPDATES_HTLC_MAXIMUM;
export const update_hasFeeBase: u32 = UPDATES_FEE_BASE;
export const update_hasFeeProportional: u32 = UPDATES_FEE_PROPORTIONAL;
export const update_hasCltvExpiryDelta: u32 = UPDATES_CLTV_EXPIRY_DELTA;
export const number_baseBeyond: u32 = BASE_BEYOND;

export const boundsStep_minShift: usize = offsetof<BoundsStep>('minShift');
export const boundsStep_minLow: usize = offsetof<BoundsStep>('minLow');
export const boundsStep_minHigh: usize = offsetof<BoundsStep>('minHigh');
export const boundsStep_maxShift: usize = offsetof<BoundsStep>('maxShift');
export const boundsStep_maxLow: usize = offsetof<BoundsStep>('maxLow');
export const boundsStep_maxHigh: usize = offsetof<BoundsStep>('maxHigh');
export const boundsStep_next: usize = offsetof<BoundsStep>('next');

export const held_reservedMsat: usize = offsetof<HeldBlock>('reservedMsat');
export const held_extraHtlcMsat: usize = offsetof<HeldBlock>('extraHtlcMsat');

export const part_amountMsat: usize = offsetof<Part>('amountMsat');
export const part_hopCount: usize = offsetof<Part>('hopCount');
/** Offset of a part's hops, which follow the part's own fields. */
export const part_hops: usize = offsetof<Part>();
export const part_maxHops: u32 = MAX_HOPS;
export const hop_arc: usize = offsetof<Hop>('arc');
/** Bytes from one hop to the next. */
export const hop_bytes: usize = offsetof<Hop>();

export const odds_cells: u32 = ODDS_CELLS;
export const odds_classes: u32 = ODDS_CLASSES;
export const odds_levels: u32 = ODDS_LEVELS;

export const stack_limit: u32 = STACK_LIMIT;

export const number_none: u32 = NONE;
export const number_sourceFree: u32 = SOURCEFREE;

export const status_ok: u32 = OK;
export const status_noPath: u32 = NO_PATH;
export const status_noCapacity: u32 = NO_CAPACITY;
export const status_tooDear: u32 = TOO_DEAR;
export const status_tooManyParts: u32 = TOO_MANY_PARTS;
export const status_cancelled: u32 = CANCELLED;
export const status_undecided: u32 = UNDECIDED;
export const status_perhapsTooDear: u32 = PERHAPS_TOO_DEAR;
export const met_delay: u32 = MET_DELAY;
export const goal_best: u32 = BEST;
export const goal_first: u32 = FIRST;
export const goal_any: u32 = ANY;
export const goal_anyFee: u32 = ANY_FEE;
