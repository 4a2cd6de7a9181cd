/**
 * A paying real node and our daemon beside it, for tests that kill both at random moments. Meanwhile, callers of the
 * daemon pay one keysend after the other, and record the answers.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerAt } from '../../commands/daemon-process.ts';
import { type ClnNodes, type NodeName, until } from './cln-nodes.ts';

const MAIN = resolve(import.meta.dirname, '../../../build/program/cli/main.js');
/** Number of concurrent keysends at all times. */
const CALLERS = 5;
/** The maximum pause before a kill. */
const MAX_PAUSE_MS = 2_000;
/** Minimum amount of a keysend, in msat. */
const MIN_MSAT = 1_000;

export interface Told {
  readonly amount_msat: number;
  readonly payment_hash?: string;
  readonly status?: string;
  readonly code?: number;
  readonly message?: string;
}

/**
 * The target of a kill: the daemon, the node, or first the node and then the daemon while the node is away.
 */
type Target = 'ours' | 'node' | 'both';

export class KilledPayer {
  readonly name: NodeName;
  readonly #nodes: ClnNodes;
  readonly #recipient: string;
  readonly #random: () => number;
  /** The answers that callers received. */
  readonly told: Told[] = [];
  readonly hits = { ours: 0, node: 0 };
  unheard = 0;
  #daemon: ChildProcess | undefined;
  #callers: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(nodes: ClnNodes, name: NodeName, recipient: string, random: () => number) {
    this.#nodes = nodes;
    this.name = name;
    this.#recipient = recipient;
    this.#random = random;
  }

  get kills(): number {
    return this.hits.ours + this.hits.node;
  }

  /** Calls our daemon. Returns the answer, or the error if there is one. */
  ask(method: string, params: object = {}): ReturnType<typeof answerAt> {
    return answerAt(this.#socketPath, method, params);
  }

  /** Starts the daemon, waits until it knows all announced nodes, and then starts the callers. */
  async start(): Promise<void> {
    await this.#startOurs();
    await until(async () => (await this.ask('listnodes')).nodes.length === 3);
    this.#callers = Promise.all(Array.from({ length: CALLERS }, (_, caller) => this.#call(caller)));
  }

  /**
   * Kills at random moments until `isEnough`. A killed process only has to answer again before the next kill:
   * its channels may not be usable yet, and outcomes of HTLCs in flight may still be unknown. After every few
   * kills a payment has to arrive.
   */
  async killUntil(isEnough: () => boolean): Promise<void> {
    for (let round = 1; !isEnough(); round++) {
      await sleep(Math.floor(MAX_PAUSE_MS * this.#random()));
      const dice = this.#random();
      await this.#kill(dice < 0.4 ? 'ours' : dice < 0.8 ? 'node' : 'both');
      if (round % 4 === 0) await this.#arrival();
    }
  }

  /** Stops the callers, and waits until every payment has an outcome and no HTLC is left. */
  async settle(): Promise<void> {
    this.#isOver = true;
    await this.#callers;
    await until(async () =>
      (await this.ask('listpays')).pays.every((pay: { status: string }) => pay.status !== 'pending'),
    );
    await until(async () => {
      const { channels } = await this.#nodes.call(this.name, 'listpeerchannels');
      return channels.every(({ htlcs }: { htlcs: unknown[] }) => htlcs.length === 0);
    });
  }

  stop(): void {
    this.#isOver = true;
    this.#daemon?.kill('SIGKILL');
  }

  get #dataDir(): string {
    return join(this.#nodes.directory, `ours-${this.name}`);
  }

  get #socketPath(): string {
    return join(this.#dataDir, 'rpc');
  }

  async #startOurs(): Promise<void> {
    const beside = this.#nodes.beside(this.name, this.#dataDir);
    const options = ['--network', 'cln', '--workers', '1', '--rpc-file', this.#socketPath, ...beside];
    this.#daemon = spawn(process.execPath, [MAIN, 'start', ...options], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await until(async () => (await this.ask('getinfo')).id !== undefined);
  }

  async #kill(target: Target): Promise<void> {
    if (target !== 'ours') {
      this.#nodes.signal(this.name, 'SIGKILL');
      this.hits.node++;
    }
    if (target === 'both') await sleep(Math.floor(300 * this.#random()));
    if (target !== 'node') {
      const ended = new Promise((done) => this.#daemon!.once('exit', done));
      this.#daemon!.kill('SIGKILL');
      await ended;
      this.hits.ours++;
    }
    // A daemon does not start without its node.
    if (target !== 'ours') await this.#nodes.restart(this.name);
    if (target !== 'node') await this.#startOurs();
  }

  /** Waits until one more payment has arrived. */
  async #arrival(): Promise<void> {
    const arrived = (): number => this.told.filter(({ status }) => status === 'complete').length;
    const before = arrived();
    await until(async () => arrived() > before);
  }

  /** Pays one keysend after the other, each with a different amount. */
  async #call(caller: number): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const amount_msat = MIN_MSAT + CALLERS * n + caller;
      try {
        const params = { destination: this.#recipient, amount_msat, retry_for: 60 };
        this.told.push({ ...(await this.ask('keysend', params)), amount_msat });
      } catch {
        this.unheard++;
      }
      await sleep(100);
    }
  }
}
