/** Messages over a socket: each with its length before it, in four bytes. */
import type { Socket } from 'node:net';

/** Sends one message. */
export function sendFrame(socket: Socket, bytes: Uint8Array): void {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(bytes.length);
  socket.write(Buffer.concat([head, bytes]));
}

/** Calls back for each message that arrives whole. */
export function onFrames(socket: Socket, callback: (bytes: Uint8Array) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const length = rest.readUInt32BE(0);
      callback(Uint8Array.from(rest.subarray(4, 4 + length)));
      rest = rest.subarray(4 + length);
    }
  });
}
