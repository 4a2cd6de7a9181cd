/**
 * Four real Core Lightning nodes on a separate chain, for tests and benchmarks: a–b–c with announced
 * channels, c–d with an unannounced one. `../shared/cln/net.mjs` starts them, with the lightningd named by
 * FULGURITE_LIGHTNINGD and the lightning-cli in the same folder.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { NodeSocket } from '../../../src/network/cln/node-socket.ts';
import { until as untilWithin } from '../../until.ts';

/** Benchmarks run this file compiled, one folder deeper. */
const ROOT = new URL(import.meta.url.endsWith('.js') ? '../../../../' : '../../../', import.meta.url)
  .pathname;
const NET = resolve(ROOT, '../shared/cln/net.mjs');
const LIGHTNINGD = process.env.FULGURITE_LIGHTNINGD ?? '';

/** Whether the nodes can be started. Otherwise the tests are skipped. */
export const haveNodes = LIGHTNINGD !== '' && existsSync(LIGHTNINGD) && existsSync(NET);

export type NodeName = 'a' | 'b' | 'c' | 'd';
export const NODE_NAMES: readonly NodeName[] = ['a', 'b', 'c', 'd'];

/**
 * Path of the client: in the node's folder if the node was installed, and in a separate folder if it was
 * built.
 */
export function lightningCli(): string {
  const installed = resolve(LIGHTNINGD, '../lightning-cli');
  return existsSync(installed) ? installed : resolve(LIGHTNINGD, '../../cli/lightning-cli');
}

/** A short directory, because the path of a Unix socket has at most 108 bytes and the node appends to it. */
const SHORT = '/tmp';
/** Size of the port range that net.mjs uses for the chain and the nodes. */
const PORTS = 461;
const WAIT_MS = 480_000;

export class ClnNodes {
  readonly directory = mkdtempSync(join(SHORT, 'cln'));
  #env: NodeJS.ProcessEnv = process.env;
  readonly #commands = new Map<NodeName, string[]>();

  /** Starts the nodes, which takes about ten seconds. @param options further options of node a */
  static async start(options: readonly string[] = []): Promise<ClnNodes> {
    const nodes = new ClnNodes();
    nodes.#env = {
      ...process.env,
      LIGHTNINGD,
      LIGHTNING_CLI: lightningCli(),
      PORT_BASE: String(await freePorts()),
    };
    try {
      await promisify(execFile)(process.execPath, [NET, 'up', nodes.directory, ...options], {
        env: nodes.#env,
      });
    } catch (error) {
      await nodes.stop();
      throw error;
    }
    for (const name of NODE_NAMES) {
      const line = readFileSync(`/proc/${nodes.pid(name)}/cmdline`, 'utf8');
      nodes.#commands.set(name, line.split('\0').slice(0, -1));
    }
    return nodes;
  }

  /** Options for our daemon beside node a, with its data beside the node's. */
  besideA(): string[] {
    return this.beside('a', join(this.directory, 'ours'));
  }

  /** Options for our daemon beside any of the nodes. */
  beside(name: NodeName, dataDir: string): string[] {
    return ['--lightning-rpc-file', this.socketPath(name), '--data-dir', dataDir];
  }

  socketPath(name: NodeName): string {
    return join(this.directory, name, 'regtest/lightning-rpc');
  }

  pid(name: NodeName): number {
    return Number(readFileSync(join(this.directory, `${name}.pid`), 'utf8'));
  }

  /** Calls a method of the node itself. Returns the answer as plain JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
  async call(name: NodeName, method: string, params: object = {}): Promise<any> {
    const socket = await NodeSocket.open(this.socketPath(name), WAIT_MS);
    try {
      const answer = await socket.call(method, params as Record<string, unknown>);
      return Object.fromEntries(answer.entries().map(([key, value]) => [key, JSON.parse(value.raw)]));
    } finally {
      socket.close();
    }
  }

  /** Mines blocks. The nodes see them within a second. */
  mine(count: number): void {
    execFileSync(process.execPath, [NET, 'mine', this.directory, String(count)], { env: this.#env });
  }

  signal(name: NodeName, signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    process.kill(this.pid(name), signal);
  }

  /** Sends a signal to a subdaemon of a node, such as lightning_channeld. */
  signalSubdaemon(name: NodeName, program: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
    const children = execFileSync('ps', ['-o', 'pid=,comm=', '--ppid', String(this.pid(name))], {
      encoding: 'utf8',
    });
    for (const [, pid, command] of children.matchAll(/(\d+) (\S+)/g)) {
      // The kernel keeps only the first fifteen characters of a process name.
      if (program.startsWith(command!)) process.kill(Number(pid), signal);
    }
  }

  /**
   * Restarts a killed node, optionally with more options, and waits until it answers and its peers are back.
   */
  async restart(name: NodeName, more: readonly string[] = []): Promise<void> {
    const log = openSync(join(this.directory, `${name}.out`), 'a');
    const [program, ...options] = this.#commands.get(name)!;
    const child = spawn(program!, [...options, ...more], { detached: true, stdio: ['ignore', log, log] });
    child.unref();
    writeFileSync(join(this.directory, `${name}.pid`), String(child.pid));
    await until(async () => (await this.call(name, 'getinfo')).id !== undefined);
  }

  /** Waits until all channels of a node can be used. */
  async connected(name: NodeName): Promise<void> {
    await until(async () => {
      const { channels } = await this.call(name, 'listpeerchannels');
      return channels.every((channel: { reestablished?: boolean }) => channel.reestablished === true);
    });
  }

  async stop(): Promise<void> {
    await promisify(execFile)(process.execPath, [NET, 'down', this.directory], { env: this.#env });
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** Waits until a condition holds that depends on a node. Nodes may take minutes on a busy machine. */
export const until = (isSo: () => Promise<boolean>): Promise<void> =>
  untilWithin(isSo, { limitMs: WAIT_MS, pollMs: 50 });

/** Finds a port range whose first and last ports are free. Returns the first port. */
async function freePorts(): Promise<number> {
  for (;;) {
    const base = 20_000 + Math.floor(Math.random() * 30_000);
    const wanted = [base, ...[4, 3, 2, 1].map((below) => base + PORTS - below)];
    if ((await Promise.all(wanted.map(isFree))).every(Boolean)) return base;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer().once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}
