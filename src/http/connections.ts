/**
 * Limits the connections of the HTTP server, in all and for each address, and drops connections whose client does
 * not read.
 *
 * Addresses of this machine have no limit of their own, because a proxy with many clients may stand behind one.
 */
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { isLoopback } from './addresses.ts';
import type { HttpLimits } from './limits.ts';

/** Milliseconds between two lines of the log about connections that were turned away. */
const SAY_EVERY_MS = 10_000;

/** How much of our output a client had taken, and when that last changed (ms of a monotonic clock). */
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

  /** Watches a connection that carries answers. With TLS this is another socket than the one that was admitted. */
  watch(socket: Socket): void {
    this.#progress.set(socket, { mark: '', atMs: performance.now() });
    socket.once('close', () => this.#progress.delete(socket));
  }

  /** Drops clients that have not read for too long. Call it every second or so. */
  dropStalled(): void {
    const nowMs = performance.now();
    for (const [socket, { mark, atMs }] of this.#progress) {
      const now = socket.writableLength === 0 ? '' : `${socket.bytesWritten} ${socket.writableLength}`;
      if (now !== mark || now === '') this.#progress.set(socket, { mark: now, atMs: nowMs });
      else if (nowMs - atMs >= this.#limits.stalledMs) socket.destroy();
    }
  }
}
