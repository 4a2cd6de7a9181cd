/**
 * Logs of the channels and nodes that each layer changed while a kept stack (shelves.ts) contained it.
 *
 * A layer's *version* counts its changes. A kept stack stores the version of each of its layers. When the stack is
 * restored, the changes logged since are recomputed. Nodes are logged by number, which stays valid as long as the kept
 * stacks do. The log is bounded: it is dropped, and older kept stacks become stale, when it would exceed both
 * LEAST_ROOM keys and half the number of the layer's channels. The same happens after a change that is not logged
 * (`logAll`), such as that of a node outside the graph.
 *
 * Invariants: `logged` is the number of keys in the blocks; for each kept stack that is not stale, they include all
 * changes since its version; a layer that no kept stack contains has no blocks.
 */
import { Arena, allocateBlock, freeBlock, takePages } from '../graph/arena';
import { Workspace } from '../workspace';
import { channelCellCount } from './layers';
import { Shelf } from './shelf';

/** The log of one layer; there is one per layer slot. */
@unmanaged
export class LayerLog {
  /** The newest block of keys. */
  newest: LogBlock | null;
  /** Number of changes so far. */
  version: u32;
  /** Stacks kept at an earlier version are stale. */
  floor: u32;
  /** Number of changes of burdens so far. They are not logged, because a kept stack contains no burdens. */
  burdens: u32;
  logged: u32;
  /** Number of kept stacks that contain the layer. */
  kept: u32;
  /** Kept stacks that have this layer as their key, newest first. */
  shelves: Shelf | null;
}

const BLOCK_KEYS: u32 = 7;

/** Header of a block; the keys follow it in memory. */
@unmanaged
class LogBlock {
  older: LogBlock | null;
  count: u16;
  /** Bit n is set if the key at place n is a node. */
  nodes: u16;

  /** The key at a place: a short channel id or a node. */
  @inline
  key(place: u32): u64 {
    return load<u64>(changetype<usize>(this) + 8 + ((place as usize) << 3));
  }

  @inline
  isNode(place: u32): bool {
    return (((this.nodes as u32) >> place) & 1) !== 0;
  }

  @inline
  add(key: u64, isNode: bool): void {
    const place = this.count as u32;
    store<u64>(changetype<usize>(this) + 8 + ((place as usize) << 3), key);
    if (isNode) this.nodes |= ((1 as u32) << place) as u16;
    this.count += 1;
  }
}

/** One listed change. */
@unmanaged
export class LoggedChange {
  /** A short channel id, or a node. */
  key: u64;
  isNode: u64;
}

/** Minimum room of a log, in keys. The logs of larger layers have more room. */
const LEAST_ROOM: u32 = 28;
const FIRST_SLOTS: u32 = 1024;

/** The logs of all layers. */
@unmanaged
export class LayerLogs {
  /** The logs, by layer slot. */
  table: usize;
  slots: u32;
}

/** Makes room for the logs of layer slots 0 … slots − 1. */
export function ensureLogs(logs: LayerLogs, slots: u32): void {
  if (slots <= logs.slots) return;
  let count: u32 = max<u32>(logs.slots, FIRST_SLOTS);
  while (count < slots) count <<= 1;
  const table = takePages((count as u64) * (offsetof<LayerLog>() as u64));
  memory.copy(table, logs.table, (logs.slots as usize) * offsetof<LayerLog>());
  logs.table = table;
  logs.slots = count;
}

/** A layer's log. */
export function logOf(logs: LayerLogs, layer: u32): LayerLog {
  assert(layer < logs.slots, 'layer slot was not reserved');
  return changetype<LayerLog>(logs.table + (layer as usize) * offsetof<LayerLog>());
}

/** Call when a layer's cell of a channel changes. */
export function logChannel(work: Workspace, layer: u32, shortChannelId: u64): void {
  logKey(work, layer, shortChannelId, false);
}

/** Call when a layer's cell of a graph node changes. */
export function logNode(work: Workspace, layer: u32, node: u32): void {
  logKey(work, layer, node as u64, true);
}

/** Call when only the burden of a node changes in a layer. */
export function logBurden(logs: LayerLogs, layer: u32): void {
  logOf(logs, layer).burdens += 1;
}

function logKey(work: Workspace, layer: u32, key: u64, isNode: bool): void {
  const arena = work.arena;
  const log = logOf(work.logs, layer);
  log.version += 1;
  if (log.kept === 0) return;
  if (log.logged >= max<u32>(LEAST_ROOM, channelCellCount(work.cells, layer) >> 1)) {
    dropLog(arena, log);
    return;
  }
  let block = log.newest;
  if (block === null || (block.count as u32) === BLOCK_KEYS) {
    const fresh = allocateBlock<LogBlock>(arena);
    fresh.older = block;
    log.newest = fresh;
    block = fresh;
  }
  block.add(key, isNode);
  log.logged += 1;
}

/** Call for any other change of a layer: stacks kept with it become stale. */
export function logAll(work: Workspace, layer: u32): void {
  const log = logOf(work.logs, layer);
  log.version += 1;
  if (log.kept !== 0) dropLog(work.arena, log);
}

/** Whether this many more channel changes fit even into the minimum room of the log. */
export function hasLogRoom(logs: LayerLogs, layer: u32, changes: u32): bool {
  return logOf(logs, layer).logged + changes <= LEAST_ROOM;
}

/** Frees the keys of a log. Stacks kept earlier become stale. */
export function dropLog(arena: Arena, log: LayerLog): void {
  let block = log.newest;
  while (block !== null) {
    const older = block.older;
    freeBlock<LogBlock>(arena, block);
    block = older;
  }
  log.newest = null;
  log.logged = 0;
  log.floor = log.version;
}

/**
 * Lists the newest `count` changes of a layer, oldest first.
 * @param changes address of `count` LoggedChange
 */
export function listChanges(log: LayerLog, count: u32, changes: usize): void {
  let left = count;
  let block = log.newest;
  while (left > 0 && block !== null) {
    for (let place = block.count as u32; place > 0 && left > 0; place--) {
      left--;
      const change = changeAt(changes, left);
      change.key = block.key(place - 1);
      change.isNode = block.isNode(place - 1) ? 1 : 0;
    }
    block = block.older;
  }
  assert(left === 0, 'the log has every change since its floor');
}

/** Change at a place of a list. */
export function changeAt(changes: usize, place: u32): LoggedChange {
  return changetype<LoggedChange>(changes + (place as usize) * offsetof<LoggedChange>());
}
