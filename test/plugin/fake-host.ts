/**
 * The node's side of the plugin protocol, in this process. It sends requests as lightningd does, and matches
 * answers by their ids. It refuses everything for which lightningd would kill a plugin: anything but JSON
 * objects with `jsonrpc`, each followed by two newlines; answers without a request; unknown log levels.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { CallBounds } from '../../src/plugin/call-queue.ts';
import { PluginPipe } from '../../src/plugin/plugin-pipe.ts';
import { Supervisor, type SupervisorOptions } from '../../src/plugin/supervisor.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
type Json = any;

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'unusual', 'broken'];
const ENGINE = fileURLToPath(new URL('scripted-engine.mjs', import.meta.url));
const PAUSES = { firstPauseMs: 1, lastPauseMs: 20, longRunMs: 60_000, graceMs: 5_000 };
/** Limits that are too high to matter unless a test lowers them. */
const BOUNDS: CallBounds = { mostCalls: 100, waitMs: 60_000, vitalWaitMs: 60_000 };

/** Differences from the default environment. */
export type FakeHostOptions = Partial<Omit<SupervisorOptions, 'bounds'>> & { bounds?: Partial<CallBounds> };

export class FakeHost {
  readonly directory = mkdtempSync(join(tmpdir(), 'plug-'));
  readonly input = new PassThrough();
  readonly logs: { level: string; message: string }[] = [];
  readonly notifications: Json[] = [];
  readonly exited: Promise<void>;
  hasExited = false;
  readonly #waiting = new Map<string, (answer: Json) => void>();
  #text = '';
  #nextId = 1;

  constructor(options: FakeHostOptions = {}) {
    const output = new PassThrough();
    output.on('data', (chunk: Buffer) => this.#read(chunk.toString()));
    let exit = (): void => undefined;
    this.exited = new Promise((resolve) => {
      exit = () => {
        this.hasExited = true;
        resolve();
      };
    });
    const supervisor = new Supervisor({
      isInPlace: true,
      isDeveloper: false,
      nodeVersion: 'v26.06',
      program: ENGINE,
      version: '1.2.3',
      pauses: PAUSES,
      exit,
      ...options,
      bounds: { ...BOUNDS, ...options.bounds },
    });
    supervisor.attach(new PluginPipe(this.input, output, supervisor));
  }

  /** Sends a request, and returns the whole answer. */
  ask(method: string, params: Json = {}, more: object = {}): Promise<Json> {
    const id = `cli:${method}#1/cln:${method}#${this.#nextId++}`;
    const asked = new Promise<Json>((resolve) => this.#waiting.set(id, resolve));
    this.input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params, ...more })}\n\n`);
    return asked;
  }

  async result(method: string, params: Json = {}, more: object = {}): Promise<Json> {
    const answer = await this.ask(method, params, more);
    if (answer.error !== undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  }

  notify(method: string, params: Json): void {
    this.input.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`);
  }

  /** The first requests that every node sends. */
  async start(options: object = {}, configuration: object = {}): Promise<void> {
    await this.result('getmanifest', { 'allow-deprecated-apis': true });
    const where = { 'lightning-dir': this.directory, 'rpc-file': 'lightning-rpc', startup: true };
    const params = {
      options: { 'fulgurite-dir': '.', ...options },
      configuration: { ...where, network: 'regtest', ...configuration },
    };
    await this.result('init', params);
  }

  /** Creates a file in the data directory, for the scripted engine to find. */
  touch(name: string): void {
    writeFileSync(join(this.directory, name), '');
  }

  untouch(name: string): void {
    rmSync(join(this.directory, name));
  }

  /** Ends the input of the plugin, as happens when its node dies. */
  async close(): Promise<void> {
    this.input.end();
    await this.exited;
    rmSync(this.directory, { recursive: true, force: true });
  }

  #read(text: string): void {
    const parts = (this.#text + text).split('\n\n');
    this.#text = parts.pop()!;
    for (const part of parts) this.#take(JSON.parse(part));
  }

  #take(message: Json): void {
    if (message.jsonrpc !== '2.0') throw new Error(`no jsonrpc: ${JSON.stringify(message)}`);
    if (message.id === undefined) this.#note(message);
    else {
      const answered = this.#waiting.get(message.id);
      if (answered === undefined) throw new Error(`no request matches ${JSON.stringify(message)}`);
      if ('result' in message === 'error' in message) throw new Error('result and error, or neither');
      this.#waiting.delete(message.id);
      answered(message);
    }
  }

  #note({ method, params }: Json): void {
    if (method === 'log') {
      if (!LEVELS.includes(params.level)) throw new Error(`no such level: ${params.level}`);
      this.logs.push(params);
    } else if (params.id === undefined) throw new Error(`${method} without id`);
    else this.notifications.push({ method, params });
  }
}
