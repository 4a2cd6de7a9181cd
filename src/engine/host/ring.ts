/**
 * A queue of messages in shared memory, from one thread to another.
 *
 *   word WRITTEN     bytes written since the beginning
 *   word ANNOUNCED   the value of WRITTEN when the writer last announced something
 *   word READ        bytes read since the beginning
 *   from DATA_AT     the bytes themselves, in a circle: byte n is at n mod capacity
 *
 * All counts wrap at 2³². WRITTEN minus READ is the ring's contents, and the capacity, a power of two, divides 2³². Only
 * the reader changes READ and only the writer changes the others, and each does so after it has touched the bytes. So
 * neither needs a lock.
 *
 * A message is one or several records: a word with its length and whether more follow, then its bytes, padded to whole
 * words. A message longer than a quarter of the ring is split, so any message fits through any ring.
 *
 * A reader sleeps on ANNOUNCED and a writer on READ, both until the word differs from what they saw. So a change just
 * before they fall asleep is not missed. An awake thread is not woken again: a reader that finds ten messages was woken
 * once. A writer that soon writes more can leave its reader asleep, and announce several messages together. It must do
 * so before it waits for anything.
 */

const WRITTEN = 0;
const ANNOUNCED = 1;
/** READ is in a separate cache line from the writer's words, so that the two threads do not compete for a cache line. */
const READ = 16;
const DATA_AT = 128;
const WORD_BYTES = 4;
/** The bit in a record's head that marks a message as continued in the next record. */
const MORE = 0x8000_0000;

/** Bytes of a ring between the engine and a worker: room for a few hundred requests. */
export const RING_BYTES = 256 * 1024;

/**
 * Memory for a ring.
 * @param capacity a power of two, at least 64, in bytes
 * @throws RangeError for any other capacity
 */
export function ringMemory(capacity = RING_BYTES): SharedArrayBuffer {
  if (capacity < 64 || (capacity & (capacity - 1)) !== 0)
    throw new RangeError(`a ring of ${capacity} bytes: its size must be a power of two, at least 64`);
  return new SharedArrayBuffer(DATA_AT + capacity);
}

const padded = (bytes: number): number => (bytes + WORD_BYTES - 1) & -WORD_BYTES;

/** The common part of both ends of a ring. */
class RingEnd {
  protected readonly words: Int32Array;
  protected readonly data: Uint8Array;
  /** Capacity minus one: position `&` mask is the index into `data`. */
  protected readonly mask: number;

  constructor(memory: SharedArrayBuffer) {
    this.words = new Int32Array(memory);
    this.data = new Uint8Array(memory, DATA_AT);
    this.mask = this.data.length - 1;
  }

  protected get held(): number {
    return (Atomics.load(this.words, WRITTEN) - Atomics.load(this.words, READ)) >>> 0;
  }

  /** Wakes all sleeping threads, because the other thread is gone. */
  wake(): void {
    Atomics.notify(this.words, ANNOUNCED);
    Atomics.notify(this.words, READ);
  }

  /** The reader's position: bytes read, wrapping at 2³². */
  get taken(): number {
    return Atomics.load(this.words, READ);
  }

  /** The writer's position: bytes written, wrapping at 2³². */
  get written(): number {
    return Atomics.load(this.words, WRITTEN);
  }

  /** Index of the word at this position, among all words. */
  protected wordAt(position: number): number {
    return (DATA_AT + (position & this.mask)) / WORD_BYTES;
  }
}

/** The writer's end, used by one thread. */
export class RingWriter extends RingEnd {
  /**
   * Maximum bytes of a record. The ring holds four records of this size, so the reader can process one while the next
   * is written.
   */
  readonly #longest = (this.mask + 1) / 4 - WORD_BYTES;
  /** The partly written message, and the number of its bytes written. */
  #begun: Uint8Array | undefined;
  #sent = 0;

  /**
   * Writes as much of the message as fits.
   * @param isAnnounced whether a sleeping reader is woken. If not, call `announce` later
   * @returns whether all of it was written. If not, call this again with the same message when there is room.
   */
  write(message: Uint8Array, isAnnounced = true): boolean {
    if (this.#begun !== message) this.#sent = 0;
    this.#begun = message;
    for (;;) {
      const left = message.length - this.#sent;
      const length = Math.min(left, this.#longest);
      if (WORD_BYTES + padded(length) > this.mask + 1 - this.held) return false;
      const isWhole = length === message.length;
      this.#put(isWhole ? message : message.subarray(this.#sent, this.#sent + length), left > length);
      if (isAnnounced) this.announce();
      this.#sent += length;
      if (left === length) break;
    }
    this.#begun = undefined;
    return true;
  }

  #put(bytes: Uint8Array, hasMore: boolean): void {
    const position = Atomics.load(this.words, WRITTEN);
    this.words[this.wordAt(position)] = bytes.length | (hasMore ? MORE : 0);
    const start = (position + WORD_BYTES) & this.mask;
    const whole = Math.min(bytes.length, this.data.length - start);
    this.data.set(whole === bytes.length ? bytes : bytes.subarray(0, whole), start);
    if (whole < bytes.length) this.data.set(bytes.subarray(whole), 0);
    Atomics.store(this.words, WRITTEN, (position + WORD_BYTES + padded(bytes.length)) | 0);
  }

  /** Wakes a sleeping reader, which can read everything that was written. */
  announce(): void {
    Atomics.store(this.words, ANNOUNCED, Atomics.load(this.words, WRITTEN));
    Atomics.notify(this.words, ANNOUNCED);
  }

  /** Blocks the thread until the reader reads something. Returns immediately if the ring is empty. */
  waitForRoom(): void {
    const read = Atomics.load(this.words, READ);
    if (this.held > 0) Atomics.wait(this.words, READ, read);
  }

  /** Like `waitForRoom`, without blocking the thread. */
  async room(): Promise<void> {
    const read = Atomics.load(this.words, READ);
    if (this.held > 0) await Atomics.waitAsync(this.words, READ, read).value;
  }
}

/** The reader's end, used by one thread. */
export class RingReader extends RingEnd {
  /** Records of an incomplete message. */
  #begun: Uint8Array[] = [];

  /** Whether part of a message was read. Only this reader can read the rest of it. */
  get isInMessage(): boolean {
    return this.#begun.length > 0;
  }

  /** The next message, in memory that others do not change. Undefined if none is complete. */
  read(): Uint8Array | undefined {
    while (this.held > 0) {
      const position = Atomics.load(this.words, READ);
      const head = this.words[this.wordAt(position)]! >>> 0;
      const bytes = this.#take(position + WORD_BYTES, head & ~MORE);
      Atomics.store(this.words, READ, (position + WORD_BYTES + padded(bytes.length)) | 0);
      Atomics.notify(this.words, READ);
      if (this.#begun.length === 0 && head < MORE) return bytes;
      this.#begun.push(bytes);
      if (head < MORE) return this.#joined();
    }
    return undefined;
  }

  #take(position: number, length: number): Uint8Array {
    const start = position & this.mask;
    const whole = Math.min(length, this.data.length - start);
    // A buffer from Node.js's pool takes half the time of a separate array.
    const bytes = Buffer.allocUnsafe(length);
    bytes.set(this.data.subarray(start, start + whole));
    if (whole < length) bytes.set(this.data.subarray(0, length - whole), whole);
    return bytes;
  }

  #joined(): Uint8Array {
    const all = Buffer.concat(this.#begun);
    this.#begun = [];
    return all;
  }

  /**
   * Blocks the thread until the ring contains something.
   * @returns false if nothing is announced within `timeoutMs`
   */
  waitForRecord(timeoutMs: number): boolean {
    const announced = Atomics.load(this.words, ANNOUNCED);
    return this.held > 0 || Atomics.wait(this.words, ANNOUNCED, announced, timeoutMs) !== 'timed-out';
  }

  /** Resolves when something is announced, immediately if it already is and has not been read. */
  async record(): Promise<void> {
    const announced = Atomics.load(this.words, ANNOUNCED);
    const isUnread = ((announced - this.taken) | 0) > 0;
    if (!isUnread) await Atomics.waitAsync(this.words, ANNOUNCED, announced).value;
  }
}
