/**
 * The store in PostgreSQL, which several daemons can share: its connections and its repositories.
 *
 * There is one connection each for commits, queries, the log of changes, notifications about the log, and checking
 * whether the server responds. `docs/fleet.md` describes the store's guarantees.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LayerBook } from '../../layers/layer-book.ts';
import { type Deferred, deferred } from '../../model/deferred.ts';
import type { GraphReplica } from '../../model/graph/graph-replica.ts';
import { randomId } from '../../model/random-id.ts';
import type { OfferRepository } from '../offer-repository.ts';
import type { RecordRepository } from '../record-repository.ts';
import type { RuneRepository } from '../rune-repository.ts';
import { StoreError } from '../store-error.ts';
import { type PostgresAddress, parsePostgresAddress } from './address.ts';
import { PgCommitter, type PgCommitterOptions } from './committer.ts';
import { beginRun } from './daemon-run.ts';
import { DatabaseCheck, type DatabaseCheckState } from './database-check.ts';
import { PostgresDoubt } from './doubt.ts';
import { KnownServer } from './known-server.ts';
import {
  type FollowedLayers,
  PostgresLayerRepository,
  type SharedLayersOptions,
} from './layer-repository.ts';
import { loadLibrary, PostgresLine } from './line.ts';
import type { ChangeLog } from './log/change-log.ts';
import { NumberBlocks } from './number-blocks.ts';
import { PostgresOfferRepository } from './offer-repository.ts';
import { OldPayments } from './old-payments.ts';
import { PostgresPaymentRepository } from './payment-repository.ts';
import { readFleetId, requirePrepared } from './prepare.ts';
import { PostgresRecordRepository } from './record-repository.ts';
import { PostgresRuneRepository } from './rune-repository.ts';
import { POSTGRES_SCHEMA } from './schema.ts';

/** The daemon that uses the store. A database serves only one network and one chain. */
export interface StoreUser {
  /** Id of the data directory of this daemon. */
  readonly daemon: string;
  /** The node that owns the offers: the one whose key is in the data directory. */
  readonly ownNode: string;
  /** The Lightning node whose channels carry our payments: the attached one, or our own. */
  readonly payingNode: string;
  readonly network: string;
  readonly chain: string;
}

/** Options for opening the store. */
export interface PostgresStoreOptions extends PgCommitterOptions, SharedLayersOptions {
  /** Duration of a payment's lease in milliseconds. Default 10,000. */
  readonly leaseMs?: number;
  /** Timeout for a query, in milliseconds. Default 5000. */
  readonly questionMs?: number;
  /** Interval of the server checks, and timeout for their answer, in milliseconds. Defaults 1000 and 2000. */
  readonly check?: { readonly everyMs: number; readonly answerMs: number };
  /** Whether this process is migrating a data directory into the database. */
  readonly isMoving?: boolean;
}

/** The state of database and leases. Times are in milliseconds. */
export interface StoreFigures {
  readonly isUp: boolean;
  /** Response time of the last check of the database. */
  readonly answerMs: number;
  readonly isSchemaOurs: boolean;
  readonly leasesConfirmedMsAgo: number;
  /** Number of payments that this daemon owns: unfinished ones, and finished ones that it took over. */
  readonly paymentsHeld: number;
  readonly queued: number;
  /** Number of HTLCs that belong to no known payment, after a failover. */
  readonly unknownHtlcs: number;
}

/** A store that this process follows but never writes. */
export interface FollowedStore {
  readonly fleetId: string;
  readonly layers: FollowedLayers;
  readonly log: ChangeLog;
  /** The graph shared by daemons. */
  readonly graph: GraphReplica;
  /** The reason why the last check of the database failed. Undefined if it succeeded. */
  readonly problem: string | undefined;
  close(): void;
}

/** Default duration of a payment's lease in milliseconds. */
export const LEASE_MS = 10_000;
/** Milliseconds between two attempts to write the last changes. */
const LAST_ATTEMPTS_MS = 250;

const RETIRED =
  'this daemon was retired, or another process was started with a copy of its data directory: start it again';

const BELONG = 'INSERT INTO belonging (network, chain) VALUES ($1, $2) ON CONFLICT DO NOTHING';

interface Parts {
  readonly fleetId: string;
  readonly databaseId: string;
  readonly retired: Deferred<StoreError>;
  readonly lines: readonly PostgresLine[];
  readonly committer: PgCommitter;
  readonly layers: PostgresLayerRepository;
  readonly payments: PostgresPaymentRepository;
  readonly offers: OfferRepository;
  readonly runes: RuneRepository;
  readonly records: RecordRepository;
  readonly check: DatabaseCheck;
}

/** Owns the connections and the repositories. */
export class PostgresStore {
  /** Hosts with their ports, and the name of the database. */
  readonly place: string;
  /** A random id, drawn when the database was first used. */
  readonly databaseId: string;
  /** An id that separates fleets that share a bus. `fulgurite store prepare` creates it. */
  readonly fleetId: string;
  /**
   * Resolves when a later run of this daemon has begun, so that this process can no longer pay. It must start again to
   * get a new run.
   */
  readonly retired: Promise<StoreError>;
  readonly layers: PostgresLayerRepository;
  readonly payments: PostgresPaymentRepository;
  readonly offers: OfferRepository;
  readonly runes: RuneRepository;
  readonly records: RecordRepository;
  readonly #parts: Parts;

  private constructor(address: PostgresAddress, parts: Parts) {
    this.place = `${address.hosts.map(({ host, port }) => `${host}:${port}`).join(',')}/${address.database}`;
    this.databaseId = parts.databaseId;
    this.fleetId = parts.fleetId;
    this.retired = parts.retired.promise;
    this.#parts = parts;
    this.layers = parts.layers;
    this.payments = parts.payments;
    this.offers = parts.offers;
    this.runes = parts.runes;
    this.records = parts.records;
  }

  /**
   * Connects, and checks that the database is ours to use.
   * @throws StoreError newer-schema, unprepared, foreign (of another network or chain), unavailable
   */
  static async open(
    text: string,
    user: StoreUser,
    options: PostgresStoreOptions = {},
  ): Promise<PostgresStore> {
    const address = parsePostgresAddress(text);
    const library = await loadLibrary();
    const server = new KnownServer();
    const newLine = (): PostgresLine => new PostgresLine(library, address, server, options);
    const [commits, questions, log, checks] = [newLine(), newLine(), newLine(), newLine()];
    const lines = [commits, questions, log, checks];
    try {
      await requirePrepared(questions, address);
      const databaseId = await belong(questions, user, address);
      if (options.isMoving !== true) await requireWhole(questions, address);
      const numbers = await NumberBlocks.open(questions);
      const owner = {
        daemon: user.daemon,
        run: await beginRun(questions, user.daemon, user.payingNode),
        node: user.payingNode,
        leaseMs: options.leaseMs ?? LEASE_MS,
      };
      const doubt = await PostgresDoubt.open({ line: questions, server, node: user.payingNode });
      const committer = new PgCommitter(commits, options);
      const lineup = { commits, questions, doubt, others: committer };
      const retired = deferred<StoreError>();
      const onRunEnded = (): void => retired.resolve(new StoreError('retired', address.shown, RETIRED));
      const payments = new PostgresPaymentRepository(owner, lineup, numbers, { ...options, onRunEnded });
      const check = new DatabaseCheck({
        ...{ line: checks, server, readsRunes: true, onFault: options.onFault },
        ...options.check,
      });
      await check.run();
      return new PostgresStore(address, {
        check,
        databaseId,
        retired,
        fleetId: await readFleetId(questions),
        lines,
        committer,
        layers: new PostgresLayerRepository(
          {
            log,
            questions,
            notified: (onNotify) => new PostgresLine(library, address, server, { ...options, onNotify }),
          },
          randomId(randomBytes),
          address.shown,
          options,
        ),
        payments,
        offers: new PostgresOfferRepository(user.ownNode, questions, committer),
        runes: new PostgresRuneRepository(user.daemon, questions, committer, (listener) =>
          check.onRunes(listener),
        ),
        records: new PostgresRecordRepository(questions, committer),
      });
    } catch (error) {
      for (const line of lines) line.close();
      if (error instanceof StoreError) throw error;
      throw new StoreError('unavailable', address.shown, (error as Error).message, error);
    }
  }

  /**
   * Follows the layers of a fleet without writing, as solvers do; their role can only read the log.
   * @throws StoreError as `open`
   */
  static async follow(
    text: string,
    book: LayerBook,
    options: SharedLayersOptions = {},
  ): Promise<FollowedStore> {
    const address = parsePostgresAddress(text);
    const library = await loadLibrary();
    const server = new KnownServer();
    const [log, questions, checks] = [0, 1, 2].map(() => new PostgresLine(library, address, server));
    const check = new DatabaseCheck({ line: checks!, server, readsRunes: false, onFault: options.onFault });
    const repository = new PostgresLayerRepository(
      {
        log: log!,
        questions: questions!,
        notified: (onNotify) => new PostgresLine(library, address, server, { onNotify }),
      },
      randomId(randomBytes),
      address.shown,
      options,
    );
    const close = (): void => {
      check.close();
      checks!.close();
      repository.close();
      log!.close();
      questions!.close();
    };
    try {
      await requirePrepared(questions!, address);
      const fleetId = await readFleetId(questions!);
      const layers = await repository.follow(book);
      return {
        ...{ fleetId, layers, log: repository.log!, graph: repository.graph, close },
        get problem() {
          return check.state.problem;
        },
      };
    } catch (error) {
      close();
      throw error;
    }
  }

  /**
   * Starts to delete payments that ended at least this many days ago. Deletes nothing if `keepDays` is undefined.
   * @returns a function that stops the deletion
   */
  deleteOld(keepDays: number | undefined): () => void {
    if (keepDays === undefined) return () => undefined;
    const old = new OldPayments({ line: this.#parts.lines[1]!, keepDays });
    old.start();
    return () => old.close();
  }

  /** The result of the last check of the database. */
  get state(): DatabaseCheckState {
    return this.#parts.check.state;
  }

  /** The current state of database and leases, for metrics. */
  figures(): StoreFigures {
    const { problem, answerMs, schema } = this.state;
    return {
      isUp: problem === undefined,
      answerMs,
      isSchemaOurs: schema === POSTGRES_SCHEMA.length,
      leasesConfirmedMsAgo: this.payments.confirmedMsAgo,
      paymentsHeld: this.payments.heldCount,
      queued: this.queued,
      unknownHtlcs: this.payments.doubt.unknown.length,
    };
  }

  /** The reasons why this daemon cannot pay, by component. Empty if it can pay. */
  problems(): Readonly<Record<string, string>> {
    const { problem } = this.state;
    const { leaseMs, confirmedMsAgo, doubt } = this.payments;
    const problems: Record<string, string> = {};
    if (problem !== undefined) problems.database = problem;
    if (confirmedMsAgo > leaseMs / 2) {
      problems.leases = `the database last confirmed our leases ${Math.round(confirmedMsAgo / 1000)} s ago`;
    }
    if (doubt.isOpen)
      problems.doubt = `HTLCs must be reconciled after a failover: ${doubt.waitsFor.join(', ')}`;
    return problems;
  }

  /** Number of writes that are not committed yet. */
  get queued(): number {
    return this.#committers.reduce((sum, { queued }) => sum + queued, this.layers.queued);
  }

  /** Reports the duration of each commit, in milliseconds, from now on. */
  timeCommits(listener: (ms: number) => void): void {
    for (const committer of this.#committers) committer.timeCommits(listener);
  }

  get #committers(): readonly PgCommitter[] {
    return [this.#parts.committer, this.payments.committer];
  }

  /** Writes the queue, and retries for at most `graceMs`. @returns whether everything is written. */
  async drain(graceMs: number): Promise<boolean> {
    const until = performance.now() + graceMs;
    for (;;) {
      const all = [...this.#committers.map((one) => one.durable()), this.layers.log?.durable()];
      const results = await Promise.allSettled(all);
      if (results.every(({ status }) => status === 'fulfilled') || this.queued === 0) return true;
      if (performance.now() >= until) return false;
      await sleep(LAST_ATTEMPTS_MS);
    }
  }

  /** Closes the connections. Changes that are still queued are lost. */
  close(): void {
    this.#parts.check.close();
    this.layers.close();
    this.payments.close();
    for (const committer of this.#committers) committer.close();
    for (const line of this.#parts.lines) line.close();
  }
}

/**
 * Ties an unused database to the network and chain, and refuses a database tied to a different network or chain.
 * @returns the database's id
 * @throws StoreError foreign
 */
export async function belong(
  line: PostgresLine,
  user: Pick<StoreUser, 'network' | 'chain'>,
  address: PostgresAddress,
): Promise<string> {
  await line.ask(BELONG, [user.network, user.chain]);
  const [row] = await line.ask('SELECT id, network, chain FROM belonging');
  const { id, network, chain } = row as { id: string; network: string; chain: string };
  if (network === user.network && chain === user.chain) return id;
  const message = `belongs to --network ${network} --chain ${chain}, but this process was started for --network ${user.network} --chain ${user.chain}`;
  throw new StoreError('foreign', address.shown, message);
}

/** Refuses a database into which a directory was moved only partially. */
async function requireWhole(line: PostgresLine, address: PostgresAddress): Promise<void> {
  const begun = await line.ask('SELECT directory FROM migration WHERE NOT is_whole');
  if (begun.length === 0) return;
  const message = 'contains an incomplete migration: run `fulgurite store migrate` again';
  throw new StoreError('unprepared', address.shown, message);
}
