/**
 * A real daemon in a process of its own, and a client that speaks to it over its unix socket as any client
 * would. Requests are written as text. Answers are split at the blank line that ends each.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RouteQuery } from '../src/engine/question/route.ts';

const EXECUTABLE = fileURLToPath(new URL('../program/cli/main.js', import.meta.url));
/** Number of requests per write. Building one string of all requests would itself take time. */
const REQUESTS_PER_WRITE = 1000;
const NEWLINE = 0x0a;
/** How notifications begin. They are not answers. */
const NOTIFICATION = '{"jsonrpc":"2.0","method"';

/** Part of the answer to a query whose search ended undecided. */
export const UNDECIDED = '"code":210';

/** A daemon that is running. */
export interface BenchDaemon {
  /** Path of its socket, for more clients. */
  readonly path: string;
  readonly client: BenchClient;
  /** Milliseconds from the start of the process until it prints that it is ready. */
  readonly readyMs: number;
  readonly processId: number;
  stop(): Promise<void>;
}

/** Further settings of a daemon. */
export interface DaemonPlace {
  /** A data directory to keep. Without it, the daemon gets one that is removed afterwards. */
  readonly directory?: string;
  /** A module that the daemon's main thread loads first. */
  readonly preload?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The `build/program/cli/main.js` of another build, for comparison. */
  readonly executable?: string | undefined;
}

/** Starts `fulgurite start --graph SOURCE …`. */
export const startDaemonProcess = (
  source: string,
  options: readonly string[] = [],
  place: DaemonPlace = {},
): Promise<BenchDaemon> => startDaemon(['--graph', source, ...options], place);

/** Starts `fulgurite start …` beside a node, whose graph it uses. */
export const startDaemonBesideNode = (options: readonly string[]): Promise<BenchDaemon> =>
  startDaemon(options, {});

async function startDaemon(options: readonly string[], place: DaemonPlace): Promise<BenchDaemon> {
  const directory = place.directory ?? mkdtempSync(join(tmpdir(), 'fulgurite-bench-'));
  const started = performance.now();
  const preload = place.preload === undefined ? [] : ['--import', place.preload];
  const running = await startProcess(
    [...[...preload, place.executable ?? EXECUTABLE, 'start'], ...['--data-dir', directory, ...options]],
    { ...(place.directory === undefined && { directory }), environment: place.environment },
  );
  const { place: path, processId } = running;
  const readyMs = performance.now() - started;
  try {
    const client = await BenchClient.connect(path);
    return {
      ...{ path, client, readyMs, processId },
      async stop() {
        client.close();
        await running.stop();
      },
    };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/** A process that has written its line `ready PLACE`. */
interface ReadyProcess {
  readonly place: string;
  readonly processId: number;
  /** Stops the process and removes its directory. */
  stop(): Promise<void>;
}

/** Starts Node.js with these arguments. If that fails, or this process exits, the new process is stopped. */
async function startProcess(
  args: readonly string[],
  owned: { readonly directory?: string; readonly environment?: DaemonPlace['environment'] },
): Promise<ReadyProcess> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...owned.environment },
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const stop = async () => {
    process.off('exit', end);
    await stopped(child);
    if (owned.directory !== undefined) rmSync(owned.directory, { recursive: true });
  };
  try {
    return { place: await readyPlace(child), processId: child.pid!, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A simulated network in a process of its own, so that a daemon's processor time is the daemon's alone. */
export interface BenchNetwork {
  /** The options of a daemon that uses it. */
  readonly options: readonly string[];
  readonly processId: number;
  stop(): Promise<void>;
}

/** Starts `fulgurite network simulated` for a daemon with the same source and seed. */
export async function startNetworkProcess(
  source: string,
  options: readonly string[] = [],
): Promise<BenchNetwork> {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-bench-network-'));
  const listen = `127.0.0.1:${await freePort()}`;
  const { place, processId, stop } = await startProcess(
    [
      ...[EXECUTABLE, 'network', 'simulated', '--listen', listen, '--data-dir', directory],
      ...['--graph', source, ...options],
    ],
    { directory },
  );
  return { options: [...options, '--simulated-network', place], processId, stop };
}

/** The rest of the first line that begins with `ready`. */
function readyPlace(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const match = /^ready (.+)$/m.exec(text);
      if (match !== null && text.includes('\n')) resolve(match[1]!);
    });
    child.once('exit', (code) => reject(new Error(`the process ended with ${code} before it was ready`)));
    child.once('error', reject);
  });
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** A port of this machine on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** A client over one connection. */
export class BenchClient {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async connect(path: string): Promise<BenchClient> {
    const socket = connect(path);
    await once(socket, 'connect');
    return new BenchClient(socket);
  }

  /**
   * Sends a request and returns the text of its answer. Only one call at a time.
   * @param onNotified called when notifications come before the answer
   */
  call(request: string, onNotified: () => void = () => undefined): Promise<string> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const done = () => {
        this.#socket.off('data', take).off('close', lost);
      };
      const lost = () => reject(new Error('the daemon closed the connection'));
      const take = (chunk: Buffer) => {
        chunks.push(chunk);
        if (chunk.at(-1) !== NEWLINE) return;
        const text = Buffer.concat(chunks).toString('utf8');
        if (!text.endsWith('\n\n')) return;
        const messages = text.split('\n\n').slice(0, -1);
        if (messages.some((message) => message.startsWith(NOTIFICATION))) onNotified();
        const answer = messages.find((message) => !message.startsWith(NOTIFICATION));
        if (answer === undefined) return;
        done();
        resolve(answer);
      };
      this.#socket.on('data', take).on('close', lost);
      this.#socket.write(request);
    });
  }

  /** Sends all requests without waiting. Resolves after the last answer. */
  pipeline(requests: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const lost = () => reject(new Error('the daemon closed the connection'));
      let newlines = 0;
      const count = (chunk: Buffer) => {
        for (const byte of chunk) if (byte === NEWLINE) newlines++;
        if (newlines < requests.length * 2) return;
        this.#socket.off('data', count).off('close', lost);
        resolve();
      };
      this.#socket.on('data', count).on('close', lost);
      for (let sent = 0; sent < requests.length; sent += REQUESTS_PER_WRITE) {
        this.#socket.write(requests.slice(sent, sent + REQUESTS_PER_WRITE).join(''));
      }
    });
  }

  /**
   * Keeps `window` requests in progress until all are answered: each answer triggers the next request.
   * @returns the received texts, which contain the answers in order of completion
   */
  flow(requests: readonly string[], window: number): Promise<string[]> {
    return new Promise((resolve, reject) => {
      const texts: string[] = [];
      let [next, answered, newlines] = [0, 0, 0];
      const lost = () => reject(new Error('the daemon closed the connection'));
      const send = (count: number) => {
        const batch = requests.slice(next, next + count);
        next += batch.length;
        if (batch.length > 0) this.#socket.write(batch.join(''));
      };
      const take = (chunk: Buffer) => {
        texts.push(chunk.toString('latin1'));
        for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) newlines++;
        const complete = Math.floor(newlines / 2);
        send(complete - answered);
        answered = complete;
        if (answered < requests.length) return;
        this.#socket.off('data', take).off('close', lost);
        resolve(texts);
      };
      this.#socket.on('data', take).on('close', lost);
      send(window);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** A request as Core Lightning's clients write it. */
export function requestText(method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":"bench:${method}#1","method":"${method}","params":${params}}`;
}

/** The text of a `getroutes` request for a query. */
export function getroutesRequest(query: RouteQuery): string {
  const { source, destination, amountMsat, layers, maxfeeMsat, finalCltv, maxdelay, maxparts } = query;
  return requestText(
    'getroutes',
    `{"source":"${source}","destination":"${destination}","amount_msat":${amountMsat},` +
      `"layers":${JSON.stringify(layers)},"maxfee_msat":${maxfeeMsat},"final_cltv":${finalCltv},` +
      `"maxdelay":${maxdelay},"maxparts":${maxparts}}`,
  );
}
