/**
 * Onion messages on their way to one peer: at the pace that peers tolerate, in order, and not too many waiting.
 * What exceeds a peer's limit is dropped there without a word, so waiting here is what makes it arrive.
 */

import { FulguriteError } from '../../model/errors.ts';
import { MAX_WAITING_ONION_MESSAGES, ONION_SEND_BURST, ONION_SEND_PER_SECOND } from './limits.ts';
import { TokenBucket } from './token-bucket.ts';

interface Waiting {
  readonly message: Uint8Array;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class OnionOutbox {
  private readonly send: (message: Uint8Array) => void;
  private readonly bucket = new TokenBucket(ONION_SEND_BURST, ONION_SEND_PER_SECOND);
  private readonly waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(send: (message: Uint8Array) => void) {
    this.send = send;
  }

  /** Resolves once the message is handed to the connection. @throws FulguriteError busy, notConnected */
  push(message: Uint8Array): Promise<void> {
    if (this.closed) return Promise.reject(disconnected());
    if (this.waiting.length >= MAX_WAITING_ONION_MESSAGES) {
      return Promise.reject(
        new FulguriteError('busy', `${this.waiting.length} onion messages wait for this peer already`),
      );
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ message, resolve, reject });
      this.drain();
    });
  }

  /** Nothing that still waits will be sent. */
  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    for (const { reject } of this.waiting.splice(0)) reject(disconnected());
  }

  private drain(): void {
    while (this.waiting.length > 0 && this.bucket.take()) {
      const { message, resolve } = this.waiting.shift()!;
      this.send(message);
      resolve();
    }
    clearTimeout(this.timer);
    if (this.waiting.length > 0) this.timer = setTimeout(() => this.drain(), this.bucket.waitMs());
  }
}

function disconnected(): FulguriteError {
  return new FulguriteError('notConnected', 'the peer is not connected');
}
