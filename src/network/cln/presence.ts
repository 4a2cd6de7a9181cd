/**
 * Detects other Fulgurite daemons that pay with the same node. Each daemon keeps a line in the node's datastore up to
 * date:
 *
 *     ["fulgurite", "daemons", ID of its data directory]   "UNIX seconds, name of the process"
 *
 * Two daemons with separate journals do not know each other's payments: a payment with the same idempotency key can be
 * made twice, and both daemons plan with the same balance. A line under our own id from another process belongs to a
 * copy of our data directory or, if several daemons share the journal, to one of them.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { toHex } from '../../bolt/bytes.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { Log } from '../../rpc/log.ts';
import { NodeError } from './answer.ts';
import type { NodeLink } from './node-link.ts';

const FOLDER = ['fulgurite', 'daemons'];
/** Interval between our own updates, in milliseconds. */
const UPDATE_EVERY_MS = 60_000;
/** Number of seconds for which a line counts as current. */
const FRESH_S = 180;
/** How long the removal of our line may delay the end of this process, in milliseconds. */
const REMOVAL_MS = 1_000;

/** The journal of a daemon. */
export interface JournalIdentity {
  /** Id of the data directory or, with a shared store, of the fleet: the same for all daemons with this journal. */
  readonly daemonId: string;
  /** Whether several daemons may share the journal. */
  readonly isShared: boolean;
}

/** Dependencies and settings of `Presence`. Tests use shorter times than the daemon. */
export interface PresenceOptions extends JournalIdentity {
  readonly link: Pick<NodeLink, 'call'>;
  /** How log lines name the node: `this node`, or `node NAME` for one of several. */
  readonly node: string;
  readonly log: Pick<Log, 'unusual' | 'debug'>;
  readonly updateEveryMs?: number;
  /** Returns UNIX milliseconds. */
  readonly nowMs?: () => number;
}

/** Our line in the node's datastore, and the lines of others. */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #process = toHex(randomBytes(8));
  readonly #closing = new AbortController();
  readonly #beating: Promise<void>;
  #others: readonly string[] = [];
  #hasLine = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#beating = this.#beat();
  }

  /**
   * Ids of the data directories of other daemons at this node. While the node responds, the list is at most a minute
   * old.
   */
  get others(): readonly string[] {
    return this.#others;
  }

  /** Removes our line. Never rejects. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#beating;
    if (!this.#hasLine) return;
    const { link, daemonId } = this.#options;
    await link
      .call('deldatastore', { key: [...FOLDER, daemonId] }, { timeoutMs: REMOVAL_MS })
      .catch(() => undefined);
  }

  async #beat(): Promise<void> {
    const { updateEveryMs = UPDATE_EVERY_MS, log } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        this.#note(await this.#look());
        await this.#write();
      } catch (error) {
        // The node is unreachable, or does not permit the call. Nothing depends on the result.
        if (!(error instanceof NodeError || error instanceof FulguriteError)) throw error;
        log.debug(`cannot look for other daemons at this node: ${error.message}`);
      }
      await sleep(updateEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #write(): Promise<void> {
    const { link, daemonId } = this.#options;
    const line = `${Math.floor(this.#nowMs / 1000)} ${this.#process}`;
    await link.call('datastore', { key: [...FOLDER, daemonId], string: line, mode: 'create-or-replace' });
    this.#hasLine = true;
  }

  /** Ids of other daemons whose lines are current. */
  async #look(): Promise<string[]> {
    const { link, daemonId, isShared } = this.#options;
    const rows = (await link.call('listdatastore', { key: FOLDER })).objects('datastore');
    return rows.flatMap((row) => {
      const id = row.get('key')?.elements().at(-1)?.text;
      const [at, process] = (row.text('string') ?? '').split(' ');
      if (id === undefined || process === this.#process) return [];
      if (id === daemonId && isShared) return [];
      // This may be the line of an earlier process of ours. Once our own line has been written, only a concurrent
      // process can have replaced it.
      if (id === daemonId && !this.#hasLine) return [];
      return this.#nowMs / 1000 - Number(at) < FRESH_S ? [id] : [];
    });
  }

  #note(others: readonly string[]): void {
    const { daemonId, node, log } = this.#options;
    for (const id of others) {
      if (this.#others.includes(id)) continue;
      log.unusual(
        id === daemonId
          ? `a daemon with a copy of this data directory pays with ${node} too: stop one of the two`
          : `another Fulgurite daemon (directory ${id}) pays with ${node} too. It does not share our payments or idempotency keys, and both count the node's whole balance as their own`,
      );
    }
    this.#others = others;
  }

  get #nowMs(): number {
    return (this.#options.nowMs ?? Date.now)();
  }
}
