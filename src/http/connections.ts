/**
 * Connections of the HTTP server: how many there may be, in all and of one address, and what becomes of one
 * whose client does not read.
 *
 * Addresses of this machine are not counted one by one. Behind them may be a proxy, with all its clients.
 */
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { isLoopback } from './addresses.ts';
import type { HttpLimits } from './limits.ts';

/** Milliseconds between two lines of the log about connections that were turned away. */
const SAY_EVERY_MS = 10_000;

/** How much of what we sent a client had taken, and when that last changed (ms of a monotonic clock). */
interface Progress {
  readonly mark: string;
  readonly atMs: number;
}

/** Admits connections, and drops those that are stalled. */
export class ConnectionGuard {
  readonly #limits: HttpLimits;
  readonly #say: (message: string) => void;
  readonly #admitted = new Set<Socket>();
  readonly #byAddress = new Map<string, number>();
  readonly #progress = new Map<Socket, Progress>();
  #turnedAway = 0;
  #lastSaidMs = Number.NEGATIVE_INFINITY;

  /** @param say writes a line of the log. */
  constructor(limits: HttpLimits, say: (message: string) => void) {
    this.#limits = limits;
    this.#say = say;
  }

  /** Takes a new connection, or closes it when there are too many. */
  admit(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const ofAddress = this.#byAddress.get(address) ?? 0;
    const isCrowd = ofAddress >= this.#limits.maxPerAddress && !isLoopback(address);
    if (isCrowd || this.#admitted.size >= this.#limits.maxConnections) {
      this.#turnAway(socket, address);
      return;
    }
    this.#admitted.add(socket);
    this.#byAddress.set(address, ofAddress + 1);
    socket.once('close', () => {
      this.#admitted.delete(socket);
      const left = this.#byAddress.get(address)! - 1;
      if (left > 0) this.#byAddress.set(address, left);
      else this.#byAddress.delete(address);
    });
  }

  #turnAway(socket: Socket, address: string): void {
    socket.destroy();
    this.#turnedAway++;
    const nowMs = performance.now();
    if (nowMs - this.#lastSaidMs < SAY_EVERY_MS) return;
    this.#lastSaidMs = nowMs;
    this.#say(`too many connections; the last of ${this.#turnedAway} that were closed was from ${address}`);
    this.#turnedAway = 0;
  }

  /** Watches a connection over which answers go. With TLS that is another socket than the one admitted. */
  watch(socket: Socket): void {
    this.#progress.set(socket, { mark: '', atMs: performance.now() });
    socket.once('close', () => this.#progress.delete(socket));
  }

  /** Drops clients that have left something untouched for too long. Call it every second or so. */
  dropStalled(): void {
    const nowMs = performance.now();
    for (const [socket, { mark, atMs }] of this.#progress) {
      const now = socket.writableLength === 0 ? '' : `${socket.bytesWritten} ${socket.writableLength}`;
      if (now !== mark || now === '') this.#progress.set(socket, { mark: now, atMs: nowMs });
      else if (nowMs - atMs >= this.#limits.stalledMs) socket.destroy();
    }
  }
}
