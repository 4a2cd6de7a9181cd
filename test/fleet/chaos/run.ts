/** The participants of a chaos run: the processes and their servers, the faults, and the audit at the end. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Sql } from 'postgres';
import { type MadeCertificate, makeCertificate } from '../../../src/http/certificate.ts';
import { CutLink } from '../../store/cut-link.ts';
import { startFilled } from '../../store/filled-database.ts';
import { newPreparedDatabase, type PreparedDatabase } from '../../store/postgres-database.ts';
import { type PostgresServer, startPostgresIn } from '../../store/postgres-server.ts';
import { type NatsServer, startNatsServer } from '../nats-server.ts';
import { Cable, NoNamespace } from './cable.ts';
import type { ChaosReport } from './chaos.ts';
import { keepWholeLog, replayedLog, type WholeLog } from './copied-log.ts';
import { Member } from './member.ts';
import { SmallDisk } from './small-disk.ts';
import {
  type Answer,
  type Change,
  type CopyAudit,
  type DaemonFigures,
  type Gossip,
  type Order,
  OWN_ID,
  randomFrom,
} from './world.ts';

/** The scale of a run. */
export interface ChaosOptions {
  readonly seed: number;
  readonly payments: number;
  /** Seconds from the start after which no new order is given, even if some are left. Default: no limit. */
  readonly mostSeconds?: number;
  readonly daemons: number;
  readonly solvers: number;
  readonly leaseMs: number;
  /** Maximum milliseconds between the write to the journal and the send. */
  readonly gapMs: number;
  /** Milliseconds between two faults. */
  readonly blowEveryMs: number;
  readonly mostBlows: number;
  /** Number of concurrent orders. */
  readonly width: number;
  /** Whether the database is killed and the link cut as well. */
  readonly hitsDatabase: boolean;
  /** Whether the disk of the database fills up as well. Only root can mount such a disk. Default false. */
  readonly fillsDisk?: boolean;
  /** Runs the daemons without the takeover rule. */
  readonly withoutRule?: boolean;
  /** Number of payments in the database before the run. Default 0. */
  readonly history?: number;
  /** Whether both servers have certificates of a private authority, and connections to them are encrypted. */
  readonly isEncrypted?: boolean;
  /** Address of a bus that a different fleet has started. By default, the run starts its own. */
  readonly bus?: string;
  /** Called with the address of the bus once it runs. */
  readonly onBus?: (url: string) => void;
  /** Whether to give no more orders, even if some are left. Default: never. */
  readonly isEnough?: () => boolean;
  /** Called when the last order has its outcome. */
  readonly onTold?: () => void;
  /** Called with the report, before `beforeClose`. */
  readonly onReport?: (report: ChaosReport) => void;
  /** Awaited before the servers are stopped. */
  readonly beforeClose?: () => Promise<unknown>;
  readonly say?: (line: string) => void;
}

const compiled = (name: string): string =>
  fileURLToPath(
    import.meta.url.endsWith('.js')
      ? new URL(`./${name}.js`, import.meta.url)
      : new URL(`../../../build/test/fleet/chaos/${name}.js`, import.meta.url),
  );

/** Space for a million payments, their indexes and the server's write-ahead log. */
const DISK = '8G';

/** Number of faults between two times that the disk is full. */
const FULL_DISK_EVERY = 8;

/** Unfinished payments, each with its owner and attempts. */
const LEFT = `
  SELECT p.id || ' ' || p.status || ', owner ' || p.owner || ', fence ' || p.fence || ', lease ' ||
    extract(epoch FROM p.until - clock_timestamp())::int || ' s, attempts ' ||
    coalesce(string_agg(a.id || ' ' || a.status, ', ' ORDER BY a.id), 'none') AS text
  FROM fulgurite.payment p LEFT JOIN fulgurite.attempt a ON a.payment = p.id
  WHERE p.uid NOT LIKE 'h%'
  GROUP BY p.id HAVING p.status = 'pending' OR bool_or(a.status = 'sent')`;

/** Processes print nothing, and have an IPC channel to us. */
const QUIET: ('ignore' | 'ipc')[] = ['ignore', 'ignore', 'ignore', 'ipc'];

/** All running processes and servers. */
export class Run {
  readonly options: ChaosOptions;
  readonly random: () => number;
  readonly #directory = mkdtempSync(join(tmpdir(), 'fulgurite-chaos-'));
  readonly daemons: Member[] = [];
  readonly solvers: Member[] = [];
  readonly waiting = new Map<
    number,
    { readonly daemon: Member; readonly resolve: (answer: Answer) => void }
  >();
  readonly outcomes = new Map<number, string>();
  readonly counts = { kills: 0, pauses: 0, restarts: 0, cuts: 0, fullDisks: 0, noSpace: 0 };
  disk: SmallDisk | undefined;
  postgres!: PostgresServer;
  nats: NatsServer | undefined;
  busUrl = '';
  /**
   * The cable behind which the first daemon runs, as on a separate machine. Undefined if the first daemon runs
   * behind a proxy instead.
   */
  cable: Cable | undefined;
  proxy: CutLink | undefined;
  network!: ChildProcess;
  ownerUrl = '';
  isOver = false;
  #blows = 0;
  #isRestarting = false;
  #isCut = false;
  #news = 0;

  constructor(options: ChaosOptions) {
    this.options = options;
    this.random = randomFrom(options.seed);
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)]!;
  }

  async open(): Promise<void> {
    const { seed, solvers, fillsDisk } = this.options;
    if (fillsDisk === true) this.disk = SmallDisk.mount(DISK, 'file');
    this.cable = await this.#plugIn();
    const near = this.cable?.address;
    const certificate = await this.#certify(near);
    const [{ owner, daemon, solver }, busUrl] = await Promise.all([
      this.#startDatabase(near === undefined ? [] : [`listen_addresses=127.0.0.1,${near}`]),
      this.#startBus(near),
    ]);
    [this.ownerUrl, this.busUrl] = [owner, busUrl];
    this.options.onBus?.(busUrl);
    if (near !== undefined) this.postgres.admit(`${near}/30`);
    if (certificate !== undefined) await this.postgres.encrypt(certificate.cert, certificate.key);
    const ending = certificate === undefined ? '' : `?sslmode=verify-full&sslrootcert=${this.#file('ca')}`;
    const [storeUrl, solverUrl] = [`${daemon}${ending}`, `${solver}${ending}`];
    await this.#asOwner(keepWholeLog);
    if (near === undefined) this.proxy = await CutLink.to(this.postgres.port);
    const socket = join(this.#directory, 'network');
    this.network = fork(compiled('shared-network'), [socket, `${seed}`], {
      stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
    });
    await once(this.network.stdout!, 'data');
    this.#addDaemons(storeUrl, socket);
    for (let n = 0; n < solvers; n++) {
      const start = (): ChildProcess =>
        fork(compiled('solver'), [`solver${n}`, solverUrl, this.busUrl], { stdio: QUIET });
      this.solvers.push(new Member(`solver${n}`, start));
    }
    await Promise.all(this.members.map((member) => member.start()));
    if (this.options.isEncrypted === true) await this.#requireEncryption();
    // On a busy machine, the database may not answer the first processes in time. They are restarted.
    for (let looks = 0; this.members.some(({ isReady }) => !isReady); looks++) {
      if (looks > 1_000) throw new Error('daemons or solvers do not start');
      await sleep(100);
    }
  }

  async #startDatabase(settings: readonly string[]): Promise<PreparedDatabase> {
    const { history = 0, say } = this.options;
    const parent = this.disk?.path ?? tmpdir();
    if (history === 0) {
      this.postgres = await startPostgresIn(parent, ...settings);
      return newPreparedDatabase(this.postgres);
    }
    const { server, database } = await startFilled({ payments: history, node: OWN_ID, parent, settings });
    this.postgres = server;
    say?.(`${history} payments are in the database`);
    return database;
  }

  #file(name: string): string {
    return join(this.#directory, name);
  }

  /** A certificate for both servers, in files for their clients and for the bus. */
  async #certify(near: string | undefined): Promise<MadeCertificate | undefined> {
    if (this.options.isEncrypted !== true) return undefined;
    const made = await makeCertificate(['127.0.0.1', ...(near === undefined ? [] : [near])]);
    for (const [name, text] of Object.entries(made)) writeFileSync(this.#file(name), text);
    return made;
  }

  /** @returns the address of the bus */
  async #startBus(near: string | undefined): Promise<string> {
    if (this.options.bus !== undefined) return this.options.bus;
    if (this.options.isEncrypted !== true) {
      this.nats = await startNatsServer(-1, near);
      return this.nats.url;
    }
    const files = ['--tls', '--tlscert', this.#file('cert'), '--tlskey', this.#file('key')];
    this.nats = await startNatsServer(-1, near, ...files);
    return `${this.nats.url.replace('nats:', 'tls:')}?ca=${this.#file('ca')}`;
  }

  /** @throws Error when a daemon or solver is connected to the database in plain text */
  async #requireEncryption(): Promise<void> {
    // Only the administrator can see how other users are connected.
    const found = await this.#asAdministrator(
      async (sql) =>
        await sql<{ ssl: boolean }[]>`
        SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename ~ '_(daemon|solver)$'`,
    );
    const plain = found.filter(({ ssl }) => !ssl).length;
    if (found.length === 0 || plain > 0)
      throw new Error(`${plain} of ${found.length} connections are in plain text`);
  }

  get members(): readonly Member[] {
    return [...this.daemons, ...this.solvers];
  }

  /** A network namespace, if the system permits it. */
  async #plugIn(): Promise<Cable | undefined> {
    if (!this.options.hitsDatabase) return undefined;
    try {
      return await Cable.plugIn();
    } catch (error) {
      if (!(error instanceof NoNamespace)) throw error;
      this.options.say?.(`no network namespace, so a proxy cuts the link: ${error.message}`);
      return undefined;
    }
  }

  #addDaemons(storeUrl: string, socket: string): void {
    const { seed, daemons, leaseMs, gapMs, withoutRule } = this.options;
    const env = { ...process.env, ...(withoutRule && { RULE: 'off' }) };
    for (let n = 0; n < daemons; n++) {
      const url = new URL(storeUrl);
      if (n === 0 && this.cable !== undefined) url.host = `${this.cable.address}:${this.postgres.port}`;
      if (n === 0 && this.proxy !== undefined) url.port = `${this.proxy.port}`;
      // By default, connections to other machines are encrypted. The far end of the cable is on this machine, so
      // this is not needed.
      if (this.options.isEncrypted !== true) url.searchParams.set('sslmode', 'disable');
      const args = [`daemon${n}`, url.href, this.busUrl, socket, `${seed}`, `${leaseMs}`, `${gapMs}`];
      const command = [compiled('daemon'), ...args];
      const here = { program: process.execPath, args: command };
      const { program, args: line } =
        n === 0 && this.cable !== undefined ? this.cable.there(process.execPath, command) : here;
      const member = new Member(`daemon${n}`, () => spawn(program, line, { env, stdio: QUIET }));
      member.onMessage = (message) => this.#hear(message);
      member.onGone = () => this.#orphan(member);
      this.daemons.push(member);
    }
  }

  #asOwner<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#connected(this.ownerUrl, work);
  }

  #asAdministrator<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#connected(this.postgres.url('postgres', 'postgres'), work);
  }

  async #connected<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    const sql = this.postgres.connect(url);
    try {
      return await work(sql);
    } finally {
      await sql.end();
    }
  }

  #hear(message: unknown): void {
    const answer = message as Answer;
    if (typeof answer?.n !== 'number') return;
    const waiting = this.waiting.get(answer.n);
    this.waiting.delete(answer.n);
    waiting?.resolve(answer);
  }

  /** Ends the waits of this daemon's clients without an answer. */
  #orphan(member: Member): void {
    for (const [n, { daemon, resolve }] of this.waiting) {
      if (daemon !== member) continue;
      this.waiting.delete(n);
      resolve({ n, error: 'the daemon is gone' });
    }
  }

  /** Sends the order to one daemon after the other until one reports the outcome. */
  async order(order: Order): Promise<void> {
    for (;;) {
      const ready = this.daemons.filter(({ isReady }) => isReady);
      if (ready.length === 0) {
        await sleep(50);
        continue;
      }
      const daemon = this.pick(ready);
      const answer = await new Promise<Answer>((resolve) => {
        this.waiting.set(order.n, { daemon, resolve });
        daemon.send(order);
        // A paused daemon does not answer for a while. Its client asks the next daemon.
        setTimeout(() => resolve({ n: order.n, error: 'no answer' }), 8 * this.options.leaseMs).unref();
      });
      if (answer.status !== undefined) {
        this.outcomes.set(order.n, answer.status);
        return;
      }
      if (answer.error?.includes('No space left') === true) this.counts.noSpace++;
      await sleep(50);
    }
  }

  /** One fault: a daemon or a solver is killed, or paused for longer than a lease. */
  async blow(): Promise<void> {
    const { leaseMs, hitsDatabase } = this.options;
    const chance = this.random();
    if (this.disk !== undefined && this.#blows % FULL_DISK_EVERY === 0) {
      if (this.#isRestarting) return;
      this.#isRestarting = true;
      this.counts.fullDisks++;
      await this.#fillDisk(this.disk, 2 * leaseMs).finally(() => {
        this.#isRestarting = false;
      });
    } else if (hitsDatabase && chance < 0.05) {
      if (this.#isRestarting) return;
      this.#isRestarting = true;
      this.counts.restarts++;
      await this.postgres.restart('SIGKILL').finally(() => {
        this.#isRestarting = false;
      });
    } else if (hitsDatabase && chance < 0.12) {
      if (this.#isCut) return;
      this.counts.cuts++;
      await this.#cutLink(1.5 * leaseMs, this.random() < 0.5 ? 'everything' : 'answers');
    } else if (chance < 0.5) {
      const member = this.pick(chance < 0.2 ? this.solvers : this.daemons);
      if (!member.isReady) return;
      this.counts.kills++;
      member.signal('SIGKILL');
    } else {
      const member = this.pick(this.daemons);
      if (!member.isReady) return;
      this.counts.pauses++;
      member.signal('SIGSTOP');
      await sleep(2 * leaseMs);
      member.signal('SIGCONT');
    }
  }

  /**
   * Fills the disk for a while, so that the database cannot extend its files. It stops when its write-ahead log
   * needs a new file.
   */
  async #fillDisk(disk: SmallDisk, ms: number): Promise<void> {
    this.postgres.keep();
    disk.fill();
    await sleep(ms);
    disk.makeRoom();
    await this.postgres.revive();
  }

  /**
   * Cuts the link for a while: the first daemon can no longer reach the database, and with a cable not the bus
   * either.
   */
  async #cutLink(ms: number, what: 'answers' | 'everything'): Promise<void> {
    this.#isCut = true;
    const link = this.cable ?? this.proxy!;
    await link.cut(what);
    await sleep(ms);
    await link.mend();
    this.#isCut = false;
  }

  /** Makes one of the daemons change shared layers. */
  changeLayers(seed: number): void {
    const ready = this.daemons.filter(({ isReady }) => isReady);
    if (ready.length > 0) this.pick(ready).send({ change: seed } satisfies Change);
  }

  /** Sends a piece of news to every ready daemon. Daemons that are away never receive it. */
  gossip(): void {
    this.#news++;
    for (const daemon of this.daemons) daemon.send({ gossip: this.#news } satisfies Gossip);
  }

  async rage(): Promise<void> {
    const under = new Set<Promise<void>>();
    while (!this.isOver) {
      if (under.size < 2 && this.#blows < this.options.mostBlows) {
        this.#blows++;
        const blow = this.blow().catch((error) => this.options.say?.(`a blow failed: ${error}`));
        under.add(blow);
        void blow.then(() => under.delete(blow));
      }
      await sleep(this.options.blowEveryMs);
    }
    await Promise.all(under);
  }

  /**
   * The whole log, and the copies of all daemons and solvers once all have reached its head. A copy that does not
   * reach it is reported as it is.
   */
  async copies(): Promise<{
    readonly log: WholeLog;
    readonly daemons: readonly (DaemonFigures | undefined)[];
    readonly solvers: readonly (CopyAudit | undefined)[];
  }> {
    for (;;) {
      const daemons = await Promise.all(this.daemons.map((member) => member.audit<DaemonFigures>()));
      const solvers = await Promise.all(this.solvers.map((member) => member.audit<CopyAudit>()));
      const log = await this.#asOwner(replayedLog);
      const isThere = (audit: CopyAudit | undefined): boolean =>
        audit?.position === log.head && audit.queued === 0;
      const areFree = daemons.every((audit) => audit?.reservations === 0);
      if (([...daemons, ...solvers].every(isThere) && areFree) || this.#patience-- <= 0) {
        return { log, daemons, solvers };
      }
      await sleep(100);
    }
  }

  async books(): Promise<{
    readonly paid: ReadonlyMap<string, number>;
    readonly rows: readonly { readonly key: string; readonly hash: string; readonly status: string }[];
    readonly open: number;
    readonly openAt: readonly string[];
  }> {
    const lines = createInterface({ input: this.network.stdout! });
    const sql = this.postgres.connect(this.ownerUrl);
    try {
      for (;;) {
        const [{ count }] = (await sql.unsafe(
          `SELECT ((SELECT count(*) FROM fulgurite.payment WHERE status = 'pending') +
            (SELECT count(*) FROM fulgurite.attempt WHERE status = 'sent'))::int AS count`,
        )) as unknown as [{ count: number }];
        const line = once(lines, 'line') as Promise<[string]>;
        this.network.stdin!.write('audit\n');
        const [text] = await line;
        const { paid, pendingAttempts } = JSON.parse(text) as {
          paid: [string, number][];
          pendingAttempts: number;
        };
        if (count + pendingAttempts > 0 && this.#patience-- > 0) {
          await sleep(100);
          continue;
        }
        const rows = (await sql.unsafe(
          `SELECT idempotency_key AS key, encode(payment_hash, 'hex') AS hash, status FROM fulgurite.payment WHERE uid NOT LIKE 'h%'`,
        )) as unknown as { key: string; hash: string; status: string }[];
        const left = (await sql.unsafe(LEFT)) as unknown as { text: string }[];
        const openAt = left.map(({ text }) => text);
        if (pendingAttempts > 0) openAt.push(`${pendingAttempts} attempts pending in the network`);
        return { paid: new Map(paid), rows, open: count + pendingAttempts, openAt };
      }
    } finally {
      await sql.end();
      lines.close();
    }
  }
  /** Number of checks at the end, 100 ms apart, after which unfinished work counts as left behind. */
  #patience = 300;

  async close(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.members.map((member) => member.end()));
    this.network?.kill('SIGKILL');
    this.proxy?.close();
    await Promise.all([this.postgres?.stop(), this.nats?.stop()]);
    await this.cable?.close();
    this.disk?.unmount();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
