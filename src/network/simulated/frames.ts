/** Messages over a stream, each prefixed with its length in four bytes, most significant first. */
import { connect, type NetConnectOpts, type Socket } from 'node:net';

/** Maximum size of a message, in bytes. A report of thousands of HTLCs at once is much smaller. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024;
/** Number of bytes of the length prefix. */
const HEAD = 4;
/** Size of a connection's memory for messages, in bytes. It grows for a longer message, until that has arrived. */
const MEMORY_BYTES = 256 * 1024;

/** Sends a message. @returns the number of bytes that the system has not accepted yet */
export function sendFrame(socket: Socket, bytes: Uint8Array): number {
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(bytes.length);
  socket.cork();
  socket.write(head);
  socket.write(bytes);
  socket.uncork();
  return socket.writableLength;
}

/** Called with a message, which is valid until the call returns. Its memory is then used for the next messages. */
export type FrameListener = (bytes: Uint8Array) => void;

/** Calls back for each complete message. A length beyond the maximum ends the connection. */
export function onFrames(socket: Socket, listener: FrameListener): void {
  const received = new FrameMemory(listener);
  socket.on('data', (chunk: Buffer) => {
    received.room(chunk.length).set(chunk);
    received.filled(chunk.length, socket);
  });
}

/**
 * Connects, and calls back as `onFrames` does. Node.js reads straight into the memory of the messages. Otherwise, it
 * would allocate memory outside V8's heap for every read, which triggers garbage collection.
 */
export function connectFrames(place: NetConnectOpts, listener: FrameListener): Socket {
  const received = new FrameMemory(listener);
  const socket = connect({
    ...place,
    onread: {
      buffer: () => received.room(1),
      callback(length) {
        received.filled(length, socket);
        return true;
      },
    },
  });
  return socket;
}

/** Memory for the messages that arrive on a connection. */
class FrameMemory {
  readonly #listener: FrameListener;
  #bytes = Buffer.allocUnsafeSlow(MEMORY_BYTES);
  /** Number of bytes at the front that belong to an incomplete message. */
  #held = 0;

  constructor(listener: FrameListener) {
    this.#listener = listener;
  }

  /** The memory for the next bytes that arrive, at least `length` bytes. */
  room(length: number): Buffer {
    if (this.#held + length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#held + length, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#held));
      this.#bytes = larger;
    }
    return this.#bytes.subarray(this.#held);
  }

  /** Calls back for the messages that are complete, after `length` bytes of the room were filled. */
  filled(length: number, socket: Socket): void {
    const end = this.#held + length;
    let at = 0;
    while (end - at >= HEAD && !socket.destroyed) {
      const size = this.#bytes.readUInt32BE(at);
      if (size > MAX_FRAME_BYTES) {
        socket.destroy(new Error(`a message of ${size} bytes is too long`));
        return;
      }
      if (end - at < HEAD + size) break;
      this.#listener(new Uint8Array(this.#bytes.buffer, at + HEAD, size));
      at += HEAD + size;
    }
    this.#bytes.copyWithin(0, at, end);
    this.#held = end - at;
    if (this.#held === 0 && this.#bytes.length > MEMORY_BYTES) {
      this.#bytes = Buffer.allocUnsafeSlow(MEMORY_BYTES);
    }
  }
}
