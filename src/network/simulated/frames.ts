/** Messages over a stream, each prefixed with its length in four bytes, most significant first. */
import type { Socket } from 'node:net';

/** Maximum size of a message, in bytes. A report of thousands of HTLCs at once is much smaller. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024;
/** Number of bytes of the length prefix. */
const HEAD = 4;

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

/**
 * Calls back for each complete message, which is a view of the received bytes. A length beyond the maximum ends the
 * connection.
 */
export function onFrames(socket: Socket, callback: (bytes: Uint8Array) => void): void {
  let chunks: Buffer[] = [];
  let gathered = 0;
  /**
   * Size of the next message with its length prefix, in bytes. Until the prefix has arrived, the size of the prefix.
   */
  let needed = HEAD;
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    gathered += chunk.length;
    while (gathered >= needed && !socket.destroyed) {
      const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      const length = whole.readUInt32BE(0);
      if (length > MAX_FRAME_BYTES) {
        socket.destroy(new Error(`a message of ${length} bytes is too long`));
        return;
      }
      chunks = [whole];
      needed = HEAD + length;
      if (gathered < needed) return;
      const rest = whole.subarray(needed);
      [chunks, gathered] = [[rest], rest.length];
      callback(new Uint8Array(whole.buffer, whole.byteOffset + HEAD, length));
      needed = HEAD;
    }
  });
}
