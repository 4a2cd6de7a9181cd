/**
 * Values of one type in consecutive memory: an array without a length and without checks.
 *
 * A column is an address, and indexing it is one load or store. AssemblyScript's own arrays cannot be used: they are on
 * a heap whose pointer is a global of each instance, and all instances share one memory (arena.ts).
 *
 * T is a number, or a record class, in which case the column holds addresses of records.
 */
import { takePages } from './arena';

/** Values of type T in consecutive memory, without a length. */
@unmanaged
export class Column<T> {
  [key: number]: T;

  @inline
  @operator('[]')
  get(index: u32): T {
    return load<T>(changetype<usize>(this) + ((index as usize) << alignof<T>()));
  }

  @inline
  @operator('[]=')
  set(index: u32, value: T): void {
    store<T>(changetype<usize>(this) + ((index as usize) << alignof<T>()), value);
  }

  /** The value at `index + 1`. In a column of start positions, this is where the range of `index` ends. */
  @inline
  after(index: u32): T {
    return load<T>(changetype<usize>(this) + ((index as usize) << alignof<T>()), sizeof<T>());
  }

  /** Sets the first `length` values to 0. */
  @inline
  clear(length: u32): void {
    memory.fill(changetype<usize>(this), 0, (length as usize) << alignof<T>());
  }

  /** Copies the first `length` values of another column. */
  @inline
  copyFrom(other: Column<T>, length: u32): void {
    memory.copy(changetype<usize>(this), changetype<usize>(other), (length as usize) << alignof<T>());
  }
}

/** A column of `length` zeros in fresh memory; traps when the memory is exhausted. */
export function newColumn<T>(length: u32): Column<T> {
  return changetype<Column<T>>(takePages((length as u64) << alignof<T>()));
}

/** A new column of `length` values: the first `known` values of `column`, then zeros. */
export function extended<T>(column: Column<T>, known: u32, length: u32): Column<T> {
  const longer = newColumn<T>(length);
  longer.copyFrom(column, known);
  return longer;
}
