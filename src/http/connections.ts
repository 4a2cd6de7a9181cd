/**
 * Limits the connections of the HTTP server, in total and per address, and drops connections whose client does not
 * read, or has closed its side and got no answer for a while. When the total is reached, a new connection replaces the
 * one that has been idle longest, so that idle connections do not lock out other clients.
 *
 * This machine's addresses have no individual limit, because they may belong to a proxy with many clients.
 */
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { isLoopback } from '../model/loopback.ts';
import type { HttpLimits } from './limits.ts';

/** Minimum number of milliseconds between log lines about connections closed for lack of room. */
const SAY_EVERY_MS = 10_000;

/** How much of our output a client has read, and the time of the last change, in milliseconds of a monotonic clock. */
interface Progress {
  readonly mark: string;
  readonly atMs: number;
}

interface Admitted {
  readonly socket: Socket;
  readonly address: string;
  /** Number of requests in progress. */
  requests: number;
}

/** Admits connections, and drops stalled ones. */
export class ConnectionGuard {
  readonly #limits: HttpLimits;
  readonly #say: (message: string) => void;
  /**
   * Connections by the client's address and port. With TLS, requests arrive on a different object than the admitted
   * socket.
   */
  readonly #admitted = new Map<string, Admitted>();
  /** Connections without a request in progress, the longest idle first. */
  readonly #idle = new Set<string>();
  readonly #byAddress = new Map<string, number>();
  readonly #progress = new Map<Socket, Progress>();
  /** When the client closed its side of a connection, in milliseconds of a monotonic clock. */
  readonly #halfOpen = new Map<Socket, number>();
  #closed = 0;
  #lastSaidMs = Number.NEGATIVE_INFINITY;

  /** @param say writes a log line. */
  constructor(limits: HttpLimits, say: (message: string) => void) {
    this.#limits = limits;
    this.#say = say;
  }

  /** Accepts a new connection, or closes it when there is no room. */
  admit(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const ofAddress = this.#byAddress.get(address) ?? 0;
    const isCrowd = ofAddress >= this.#limits.maxPerAddress && !isLoopback(address);
    if (isCrowd || (this.#admitted.size >= this.#limits.maxConnections && !this.#evictIdle())) {
      socket.destroy();
      this.#report(address);
      return;
    }
    const end = endOf(socket);
    const admitted: Admitted = { socket, address, requests: 0 };
    this.#admitted.set(end, admitted);
    this.#idle.add(end);
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1);
    socket.once('close', () => this.#forget(end, admitted));
  }

  /** Records that a request has started on a connection. @returns a function to call when the request has ended */
  begin(socket: Socket): () => void {
    const end = endOf(socket);
    const admitted = this.#admitted.get(end);
    if (admitted === undefined) return () => undefined;
    admitted.requests++;
    this.#idle.delete(end);
    return () => {
      admitted.requests--;
      if (admitted.requests === 0 && this.#admitted.get(end) === admitted) this.#idle.add(end);
    };
  }

  /** Closes the connection that has been idle longest. @returns false when none is idle */
  #evictIdle(): boolean {
    const [end] = this.#idle;
    if (end === undefined) return false;
    const longest = this.#admitted.get(end)!;
    this.#forget(end, longest);
    longest.socket.destroy();
    this.#report(longest.address);
    return true;
  }

  #forget(end: string, admitted: Admitted): void {
    if (this.#admitted.get(end) !== admitted) return;
    this.#admitted.delete(end);
    this.#idle.delete(end);
    const left = this.#byAddress.get(admitted.address)! - 1;
    if (left > 0) this.#byAddress.set(admitted.address, left);
    else this.#byAddress.delete(admitted.address);
  }

  #report(address: string): void {
    this.#closed++;
    const nowMs = performance.now();
    if (nowMs - this.#lastSaidMs < SAY_EVERY_MS) return;
    this.#lastSaidMs = nowMs;
    this.#say(`too many connections: closed ${this.#closed}, the last from ${address}`);
    this.#closed = 0;
  }

  /**
   * Watches whether a client reads our output, and has closed its side. With TLS, `socket` is a different object than
   * the admitted socket.
   */
  watch(socket: Socket): void {
    this.#progress.set(socket, { mark: '', atMs: performance.now() });
    socket.once('end', () => this.#halfOpen.set(socket, performance.now()));
    socket.once('close', () => {
      this.#progress.delete(socket);
      this.#halfOpen.delete(socket);
    });
  }

  /**
   * Drops clients that have not read for too long, or closed their side too long ago. Call this about every second.
   */
  dropStalled(): void {
    const nowMs = performance.now();
    for (const [socket, atMs] of this.#halfOpen) {
      if (nowMs - atMs >= this.#limits.halfOpenMs) socket.destroy();
    }
    for (const [socket, { mark, atMs }] of this.#progress) {
      const now = socket.writableLength === 0 ? '' : `${socket.bytesWritten} ${socket.writableLength}`;
      if (now !== mark || now === '') this.#progress.set(socket, { mark: now, atMs: nowMs });
      else if (nowMs - atMs >= this.#limits.stalledMs) socket.destroy();
    }
  }
}

/** The client's address and port. */
const endOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
