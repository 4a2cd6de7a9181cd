/**
 * A chaos run: daemons that share a journal, a Lightning node and solvers pay orders, while processes are killed and
 * stopped, the database restarts, and the link of one daemon to it is cut without a word. At the end the books of the
 * network and the journal are compared.
 *
 * Each order has an idempotency key. Whoever gets no answer asks another daemon with the same key.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CutLink } from '../../store/cut-link.ts';
import { newPreparedDatabase } from '../../store/postgres-database.ts';
import { type PostgresServer, startPostgres } from '../../store/postgres-server.ts';
import { type NatsServer, startNatsServer } from '../nats-server.ts';
import { type Answer, type DaemonFigures, keyOf, type Order, worldGraph } from './world.ts';

/** How much of everything. */
export interface ChaosOptions {
  readonly seed: number;
  readonly payments: number;
  readonly daemons: number;
  readonly solvers: number;
  readonly leaseMs: number;
  /** Most milliseconds between the journal and the wire. */
  readonly gapMs: number;
  /** Milliseconds between two blows. */
  readonly blowEveryMs: number;
  readonly mostBlows: number;
  /** Orders under way at once. */
  readonly width: number;
  /** Whether the database is killed and the link cut as well. */
  readonly hitsDatabase: boolean;
  /** Takes the rule of takeover out of the daemons. */
  readonly withoutRule?: boolean;
  readonly say?: (line: string) => void;
}

/** What a run did, and what its audit found. */
export interface ChaosReport {
  readonly complete: number;
  readonly failed: number;
  readonly kills: number;
  readonly pauses: number;
  readonly restarts: number;
  readonly cuts: number;
  /** Figures of the daemons that lived at the end. Those that were killed took theirs along. */
  readonly takenOver: number;
  readonly searchesOutside: number;
  readonly routesFailed: number;
  /** Orders that the network paid more than once, all attempts and payments of an order together. */
  readonly paidTwice: number;
  /** Orders told as complete without being paid, or told as failed though they were paid. */
  readonly wronglyTold: number;
  /** Money that arrived for no order. */
  readonly unknown: number;
  /** Orders without a payment in the journal. */
  readonly lost: number;
  /** Payments without an outcome, or with an attempt in flight, and the HTLCs that the network has left. */
  readonly open: number;
}

/** A generator of numbers from 0 to below 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const compiled = (name: string): string =>
  fileURLToPath(
    import.meta.url.endsWith('.js')
      ? new URL(`./${name}.js`, import.meta.url)
      : new URL(`../../../build/test/fleet/chaos/${name}.js`, import.meta.url),
  );

/** Milliseconds after which a process that ended is started again. */
const BACK_AFTER_MS = 200;

/** A child process that comes back when it was killed. */
class Member {
  readonly name: string;
  readonly #start: () => ChildProcess;
  #child: ChildProcess | undefined;
  #isReady = false;
  onMessage: (message: unknown) => void = () => undefined;
  onGone: () => void = () => undefined;

  constructor(name: string, start: () => ChildProcess) {
    this.name = name;
    this.#start = start;
  }

  #isEnded = false;

  get isReady(): boolean {
    return this.#isReady;
  }

  async start(): Promise<void> {
    const child = this.#start();
    this.#child = child;
    child.on('message', (message) => this.onMessage(message));
    child.on('exit', () => {
      this.#isReady = false;
      this.onGone();
      // It may also have failed to start, as while the database was away.
      setTimeout(() => {
        if (!this.#isEnded) void this.start();
      }, BACK_AFTER_MS);
    });
    await new Promise<void>((resolve) => {
      child.on('message', (message) => {
        if (message !== 'ready') return;
        this.#isReady = true;
        resolve();
      });
      child.on('exit', () => resolve());
    });
  }

  send(message: object | string): void {
    if (this.#isReady && this.#child?.connected) this.#child.send(message, () => undefined);
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}

/** Everything that runs. */
class Run {
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
  readonly counts = { kills: 0, pauses: 0, restarts: 0, cuts: 0 };
  postgres!: PostgresServer;
  nats!: NatsServer;
  link!: CutLink;
  network!: ChildProcess;
  ownerUrl = '';
  isOver = false;
  #blows = 0;

  constructor(options: ChaosOptions) {
    this.options = options;
    this.random = randomFrom(options.seed);
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)]!;
  }

  async open(): Promise<void> {
    const { seed, daemons, solvers, leaseMs, gapMs, withoutRule } = this.options;
    [this.postgres, this.nats] = await Promise.all([startPostgres(), startNatsServer()]);
    const { owner, daemon: storeUrl } = await newPreparedDatabase(this.postgres);
    this.ownerUrl = owner;
    this.link = await CutLink.to(this.postgres.port);
    const socket = join(this.#directory, 'network');
    this.network = fork(compiled('shared-network'), [socket, `${seed}`], {
      stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
    });
    await once(this.network.stdout!, 'data');
    const env = { ...process.env, ...(withoutRule && { RULE: 'off' }) };
    for (let n = 0; n < daemons; n++) {
      const url = new URL(storeUrl);
      // The link of the first daemon can be cut.
      if (n === 0) url.port = `${this.link.port}`;
      const member = new Member(`daemon${n}`, () =>
        fork(
          compiled('daemon'),
          [`daemon${n}`, url.href, this.nats.url, socket, `${seed}`, `${leaseMs}`, `${gapMs}`],
          {
            env,
            stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
          },
        ),
      );
      member.onMessage = (message) => this.#hear(message);
      member.onGone = () => this.#orphan(member);
      this.daemons.push(member);
    }
    for (let n = 0; n < solvers; n++) {
      const start = (): ChildProcess =>
        fork(compiled('solver'), [`solver${n}`, this.nats.url, `${seed}`], {
          stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        });
      this.solvers.push(new Member(`solver${n}`, start));
    }
    await Promise.all([...this.daemons, ...this.solvers].map((member) => member.start()));
    // On a busy machine the database may not answer the first of them in time. They come back.
    for (let looks = 0; this.daemons.some(({ isReady }) => !isReady); looks++) {
      if (looks > 1_000) throw new Error('daemons do not start');
      await sleep(100);
    }
  }

  #hear(message: unknown): void {
    const answer = message as Answer;
    if (typeof answer?.n !== 'number') return;
    const waiting = this.waiting.get(answer.n);
    this.waiting.delete(answer.n);
    waiting?.resolve(answer);
  }

  /** Whoever waits for this daemon has no answer. */
  #orphan(member: Member): void {
    for (const [n, { daemon, resolve }] of this.waiting) {
      if (daemon !== member) continue;
      this.waiting.delete(n);
      resolve({ n, error: 'the daemon is gone' });
    }
  }

  /** Asks one daemon after the other until one tells the outcome. */
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
        // A daemon that stands still does not answer for a while. Its client asks another one.
        setTimeout(() => resolve({ n: order.n, error: 'no answer' }), 8 * this.options.leaseMs).unref();
      });
      if (answer.status !== undefined) {
        this.outcomes.set(order.n, answer.status);
        return;
      }
      await sleep(50);
    }
  }

  /** One blow: a daemon or a solver is killed, or stands still for longer than a lease. */
  async blow(): Promise<void> {
    const { leaseMs, hitsDatabase } = this.options;
    const chance = this.random();
    if (hitsDatabase && chance < 0.05) {
      this.counts.restarts++;
      await this.postgres.restart('SIGKILL');
    } else if (hitsDatabase && chance < 0.12) {
      this.counts.cuts++;
      this.link.cut();
      await sleep(1.5 * leaseMs);
      this.link.mend();
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
      await sleep(1.3 * leaseMs);
      member.signal('SIGCONT');
    }
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

  async figures(): Promise<DaemonFigures[]> {
    const ready = this.daemons.filter(({ isReady }) => isReady);
    return Promise.all(
      ready.map(
        (member) =>
          new Promise<DaemonFigures>((resolve) => {
            member.onMessage = (message) => resolve((message as { figures: DaemonFigures }).figures);
            member.send('figures');
          }),
      ),
    );
  }

  async audit(): Promise<{
    readonly paid: ReadonlyMap<string, number>;
    readonly rows: readonly { readonly key: string; readonly hash: string; readonly status: string }[];
    readonly open: number;
  }> {
    const sql = this.postgres.connect(this.ownerUrl);
    const lines = createInterface({ input: this.network.stdout! });
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
          `SELECT idempotency_key AS key, encode(payment_hash, 'hex') AS hash, status FROM fulgurite.payment`,
        )) as unknown as { key: string; hash: string; status: string }[];
        return { paid: new Map(paid), rows, open: count + pendingAttempts };
      }
    } finally {
      await sql.end();
      lines.close();
    }
  }
  /** Looks at the end, 100 ms apart, before what is open counts as left behind. */
  #patience = 300;

  async close(): Promise<void> {
    this.isOver = true;
    await Promise.all([...this.daemons, ...this.solvers].map((member) => member.end()));
    this.network?.kill('SIGKILL');
    this.link?.close();
    await Promise.all([this.postgres?.stop(), this.nats?.stop()]);
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Runs it, and compares the books. */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const run = new Run(options);
  try {
    const beganMs = performance.now();
    const phase = (name: string): void =>
      options.say?.(`${name} after ${Math.round(performance.now() - beganMs)} ms`);
    await run.open();
    phase('open');
    const graph = worldGraph(options.seed);
    const nodes = Array.from({ length: graph.nodeCount }, (_, node) => node).filter(
      (node) => graph.nodeDegree[node]! > 0,
    );
    const raging = run.rage();
    let next = 0;
    const client = async (): Promise<void> => {
      while (next < options.payments) {
        const n = next++;
        const destination = graph.nodeId(run.pick(nodes));
        const amountMsat = `${1_000 + Math.floor(run.random() * 50_000_000)}`;
        await run.order({ n, destination, amountMsat });
        if (n % 500 === 499) options.say?.(`${n + 1} orders; ${JSON.stringify(run.counts)}`);
      }
    };
    await Promise.all(Array.from({ length: options.width }, client));
    run.isOver = true;
    phase('all told');
    await raging;
    phase('calm');
    const { paid, rows, open } = await run.audit();
    phase('audited');
    const figures = await run.figures();
    return judge(run, { paid, rows, open, figures });
  } finally {
    await run.close();
  }
}

function judge(
  { outcomes, counts, options }: Run,
  {
    paid,
    rows,
    open,
    figures,
  }: Awaited<ReturnType<Run['audit']>> & { readonly figures: readonly DaemonFigures[] },
): ChaosReport {
  const unaccounted = new Map(paid);
  const report = { complete: 0, failed: 0, paidTwice: 0, wronglyTold: 0, lost: 0 };
  const byKey = new Map(rows.map((row) => [row.key, row]));
  for (let n = 0; n < options.payments; n++) {
    const row = byKey.get(JSON.stringify(keyOf(n))) ?? byKey.get(keyOf(n));
    const told = outcomes.get(n);
    if (row === undefined) {
      report.lost++;
      continue;
    }
    const times = paid.get(row.hash) ?? 0;
    unaccounted.delete(row.hash);
    if (told === 'complete') report.complete++;
    else report.failed++;
    if (times > 1) report.paidTwice++;
    if ((told === 'complete') !== times > 0 || told !== row.status) report.wronglyTold++;
  }
  const sum = (of: (figure: DaemonFigures) => number): number =>
    figures.reduce((total, figure) => total + of(figure), 0);
  return {
    ...report,
    ...counts,
    takenOver: sum(({ takenOver }) => takenOver),
    routesFailed: sum(({ routesFailed }) => routesFailed),
    searchesOutside: sum(({ searchesAnswered }) => searchesAnswered),
    unknown: unaccounted.size,
    open,
  };
}
