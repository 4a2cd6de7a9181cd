/**
 * Documents requested without a rune. The main thread makes them. Documents that never change are made and encoded
 * once. For the others, all concurrent requests share one answer, and there is a pause before a document is made again,
 * so that many clients do not occupy the main thread.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MainReply } from './main-link.ts';
import type { DocumentName } from './messages.ts';

/** Documents that do not change while the service runs. */
const STATIC: readonly DocumentName[] = ['openrpc', 'swagger', 'methods'];
const utf8 = new TextEncoder();
/**
 * Pause after making a document, as a multiple of the time that it took. So a document takes at most a tenth of the
 * main thread's time, however many clients request it, unless it takes more than 0.1 s to make.
 */
const REST = 9;
/** Maximum pause in milliseconds. */
const MAX_REST_MS = 1000;

/** Requests each document from the main thread at most once at a time. */
export class SharedDocuments {
  readonly #make: (name: DocumentName) => Promise<MainReply>;
  readonly #answers = new Map<DocumentName, Promise<MainReply>>();
  readonly #restsUntilMs = new Map<DocumentName, number>();

  /** @param make calls the main thread. The body of its reply must be a text. */
  constructor(make: (name: DocumentName) => Promise<MainReply>) {
    this.#make = make;
  }

  /** The document: the kept one if it never changes, the one that other clients are waiting for, or a new one. */
  get(name: DocumentName): Promise<MainReply> {
    const shared = this.#answers.get(name) ?? this.#begin(name);
    this.#answers.set(name, shared);
    return shared;
  }

  async #begin(name: DocumentName): Promise<MainReply> {
    let keep = false;
    try {
      const restMs = (this.#restsUntilMs.get(name) ?? 0) - performance.now();
      if (restMs > 0) await sleep(restMs);
      const beganMs = performance.now();
      const reply = await this.#make(name);
      const endedMs = performance.now();
      this.#restsUntilMs.set(name, endedMs + Math.min((endedMs - beganMs) * REST, MAX_REST_MS));
      keep = STATIC.includes(name);
      return keep && typeof reply.body === 'string' ? { ...reply, body: utf8.encode(reply.body) } : reply;
    } finally {
      if (!keep) this.#answers.delete(name);
    }
  }
}
