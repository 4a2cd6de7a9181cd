/**
 * Memory of one kernel instance: pages of the shared memory, and blocks of 64 bytes cut from them.
 *
 * `memory.grow` is atomic across threads, so no two instances get the same page. Pages are never returned. Freed blocks
 * go to a list and are reused. AssemblyScript's own heap is not used: its pointers are globals of each instance, and
 * all of them would start at the same address of the one shared memory.
 *
 * Invariants: a block has one user until it is freed (debug builds assert that no more blocks are freed than
 * allocated); a block is zeroed when allocated, and aligned to a cache line. Allocating and freeing take constant
 * time. When the memory is exhausted, `allocatePages` returns 0, so that the host can refuse to publish a graph. The
 * other allocating functions trap, and the host replaces the instance.
 */

/** Size of a block in bytes: one cache line. */
export const BLOCK_BYTES: u32 = 64;
const PAGE_BYTES: u32 = 65536;
const CHUNK_PAGES: u32 = 16;

@unmanaged
class FreeBlock {
  next: FreeBlock | null;
}

/** The memory of one instance. */
@unmanaged
export class Arena {
  bump: usize;
  bumpEnd: usize;
  freeBlocks: FreeBlock | null;
  blocksInUse: u32;
}

/** Allocates fresh zeroed pages for at least `bytes` bytes. Returns their address; 0 when the memory is exhausted. */
export function allocatePages(bytes: u64): usize {
  const pages = ((bytes + (PAGE_BYTES as u64) - 1) / (PAGE_BYTES as u64)) as i32;
  const page = memory.grow(pages);
  return page < 0 ? 0 : (page as usize) * (PAGE_BYTES as usize);
}

/** As `allocatePages`, but traps when the memory is exhausted. */
export function takePages(bytes: u64): usize {
  const address = allocatePages(bytes);
  if (address === 0) unreachable();
  return address;
}

/** Allocates a zeroed block for a record of at most 64 bytes; traps when the memory is exhausted. */
export function allocateBlock<T>(arena: Arena): T {
  assert(offsetof<T>() <= BLOCK_BYTES, 'a record fits a block');
  return changetype<T>(takeBlock(arena));
}

function takeBlock(arena: Arena): usize {
  arena.blocksInUse++;
  const recycled = arena.freeBlocks;
  if (recycled !== null) {
    arena.freeBlocks = recycled.next;
    memory.fill(changetype<usize>(recycled), 0, BLOCK_BYTES);
    return changetype<usize>(recycled);
  }
  if (arena.bump === arena.bumpEnd) {
    arena.bump = takePages((CHUNK_PAGES as u64) * (PAGE_BYTES as u64));
    arena.bumpEnd = arena.bump + (CHUNK_PAGES as usize) * (PAGE_BYTES as usize);
  }
  const block = arena.bump;
  arena.bump += BLOCK_BYTES;
  return block;
}

/** Frees a block. Null is allowed and has no effect. */
export function freeBlock<T>(arena: Arena, record: T | null): void {
  if (record === null) return;
  assert(arena.blocksInUse > 0, 'a block is freed twice');
  arena.blocksInUse--;
  const block = changetype<FreeBlock>(record);
  block.next = arena.freeBlocks;
  arena.freeBlocks = block;
}

/** Number of blocks that this instance has allocated and not yet freed. */
export function blocksUsed(arena: Arena): u32 {
  return arena.blocksInUse;
}
