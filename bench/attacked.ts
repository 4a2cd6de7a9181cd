/** A daemon under attack, and what attackers and honest clients do to it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchDaemon, freePort, requestText, startDaemonProcess } from './daemon.ts';

export const HOST = '127.0.0.1';
/** Milliseconds without a byte after which a client gives up. */
const PATIENCE_MS = 30_000;
const agent = new Agent({ keepAlive: false });

/** The target of the attacks. */
export interface Attacked {
  /** The daemon. An attack may replace it with a new one on the same directory. */
  daemon: BenchDaemon;
  readonly directory: string;
  readonly options: readonly string[];
  readonly port: number;
  readonly log: string;
  /** A rune that permits everything. */
  readonly rune: string;
  readonly other: string;
  /** A rune that permits nothing. */
  readonly useless: string;
  readonly peer: string;
}

/** An attack: its name, and a function that runs it and describes the damage. */
export type Attack = readonly [name: string, harm: (attacked: Attacked) => Promise<string>];

/** An answer over HTTP. The status is 0 if the connection was closed without an answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

interface Asked {
  readonly rune?: string;
  readonly body?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request over HTTP, on a connection of its own: POST if there is a body, else GET. */
export function ask(port: number, path: string, asked: Asked = {}): Promise<HttpAnswer> {
  const { rune, body, type = 'application/json' } = asked;
  return new Promise((resolve) => {
    const headers = { 'Content-Type': type, ...(rune !== undefined && { Rune: rune }), ...asked.headers };
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request({ host: HOST, port, path, method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, text }));
      response.on('error', () => resolve({ status: 0, text }));
    });
    sent.on('error', () => resolve({ status: 0, text: '' }));
    sent.setTimeout(PATIENCE_MS, () => sent.destroy());
    sent.end(body);
  });
}

/** Sends a request over the socket. @returns the answer with `result` or `error` */
// biome-ignore lint/suspicious/noExplicitAny: each answer has a shape of its own
export async function rpc({ client }: BenchDaemon, method: string, params: object = {}): Promise<any> {
  return JSON.parse(await client.call(requestText(method, JSON.stringify(params))));
}

/** Starts a daemon: of the build that BENCH_ATTACKED names, otherwise of this build. */
export async function begin(): Promise<Attacked> {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-attacks-'));
  const log = join(directory, 'log');
  const port = await freePort();
  const options = ['--seed', '7', '--http', `${HOST}:${port}`, '--log-file', log];
  const daemon = await start({ directory, options });
  const rune = async (restrictions?: string[][]) =>
    (await rpc(daemon, 'createrune', restrictions === undefined ? {} : { restrictions })).result.rune;
  const { result: channels } = await rpc(daemon, 'listpeerchannels');
  return {
    daemon,
    directory,
    options,
    port,
    log,
    rune: await rune(),
    other: await rune(),
    useless: await rune([['method=none']]),
    peer: channels.channels[0].peer_id,
  };
}

/** Starts a daemon on a directory. @throws Error that names the exit code when the start is refused */
export function start(
  { directory, options, preload }: Pick<Attacked, 'directory' | 'options'> & { readonly preload?: string },
  ...more: readonly string[]
): Promise<BenchDaemon> {
  const executable = process.env.BENCH_ATTACKED;
  const place = { directory: join(directory, 'home'), executable, ...(preload !== undefined && { preload }) };
  return startDaemonProcess('synthetic:1000', [...options, ...more], place);
}

/** Stops the daemon, and removes its directory. */
export async function end({ daemon, directory }: Attacked): Promise<void> {
  await daemon.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Whether the process exists and is not a zombie. */
export function isAlive({ processId }: BenchDaemon): boolean {
  try {
    return process.kill(processId, 0) && !/\) Z /.test(readFileSync(`/proc/${processId}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Processor time of a process, in hundredths of a second. */
export function processorTicks({ processId }: BenchDaemon): number {
  const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** The longest wait for an answer while an attack runs, in milliseconds. */
export async function whileAttacked(
  probe: () => Promise<unknown>,
  run: () => Promise<unknown>,
): Promise<number> {
  let [isOver, longest] = [false, 0];
  const attackEnds = run().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const began = performance.now();
    await probe();
    longest = Math.max(longest, performance.now() - began);
    await sleep(2);
  }
  await attackEnds;
  return longest;
}

/** Opens connections that send a text and then only read. */
export function holders(port: number, count: number, text: string): Socket[] {
  return Array.from({ length: count }, () => {
    const socket = connect(port, HOST);
    socket.on('error', () => undefined).resume();
    socket.write(text);
    return socket;
  });
}

/** The text of a GET request. */
export const get = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n${headers}\r\n`;
/** Calls a function several times concurrently. */
export const repeat = (count: number, run: () => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, run));
