/**
 * Memory for one instance: bump allocation from pages of the shared memory, and a free list of 64-byte
 * blocks. `memory.grow` is atomic across threads, so pages handed to one instance are its own.
 *
 * AssemblyScript's own heap is not used: its pointers are per-instance globals that all start at the same
 * address of the one shared memory.
 */

export const BLOCK_BYTES: u32 = 64;
const PAGE_BYTES: u32 = 65536;
const CHUNK_PAGES: u32 = 16;

let bump: usize = 0;
let bumpEnd: usize = 0;
let freeBlocks: usize = 0;
let blocksInUse: u32 = 0;

/** Fresh zeroed pages holding at least `bytes`; 0 when the memory is exhausted. */
export function allocatePages(bytes: u64): usize {
  const pages = ((bytes + (PAGE_BYTES as u64) - 1) / (PAGE_BYTES as u64)) as i32;
  const page = memory.grow(pages);
  return page < 0 ? 0 : (page as usize) * (PAGE_BYTES as usize);
}

/** A zeroed 64-byte block, aligned to a cache line; traps when the memory is exhausted. */
export function allocateBlock(): usize {
  blocksInUse++;
  const recycled = freeBlocks;
  if (recycled != 0) {
    freeBlocks = load<u32>(recycled);
    memory.fill(recycled, 0, BLOCK_BYTES);
    return recycled;
  }
  if (bump == bumpEnd) {
    const page = memory.grow(CHUNK_PAGES);
    if (page < 0) unreachable();
    bump = (page as usize) * (PAGE_BYTES as usize);
    bumpEnd = bump + (CHUNK_PAGES as usize) * (PAGE_BYTES as usize);
  }
  const block = bump;
  bump += BLOCK_BYTES;
  return block;
}

export function freeBlock(block: usize): void {
  if (block == 0) return;
  assert(blocksInUse > 0, 'a block is freed twice');
  blocksInUse--;
  store<u32>(block, freeBlocks as u32);
  freeBlocks = block;
}

/** Blocks handed out and not yet returned, by this instance. */
export function blocksUsed(): u32 {
  return blocksInUse;
}
