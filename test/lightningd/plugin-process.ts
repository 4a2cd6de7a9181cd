/**
 * One plugin as lightningd runs it (`lightningd/plugin.c`): a child process with JSON on its standard input and
 * output. Output that is not JSON-RPC gets it killed by SIGKILL.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { basename } from 'node:path';
import { FulguriteError } from '../../src/model/errors.ts';
import { Framer } from '../../src/rpc/framer.ts';
import { InputBudget } from '../../src/rpc/input-budget.ts';
import { JsonSyntaxError } from '../../src/rpc/json-scan.ts';
import { type JsonToken, parseJson } from '../../src/rpc/json-token.ts';
import { toJson } from '../../src/rpc/json-write.ts';
import { member, raw } from './json.ts';
import type { Manifest } from './manifest.ts';
import { CODE } from './refusal.ts';

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const LOG_LEVELS = new Set(['trace', 'debug', 'info', 'unusual', 'warn', 'broken', 'error']);

/** The state of a plugin. */
export type PluginState = 'getmanifest' | 'needsInit' | 'init' | 'running' | 'gone';

/** Reports about a plugin to the node. */
export interface PluginEvents {
  readonly log: (level: string, line: string) => void;
  /** A notification with a topic that the plugin declared. */
  readonly notification: (topic: string, params: JsonToken) => void;
  /** The node killed the plugin, or the plugin exited. All its calls have been answered. */
  readonly gone: (reason: string) => void;
}

/** Receives the answer to a call, and the notifications before it. */
export interface PluginCall {
  readonly answered: (answer: JsonToken) => void;
  readonly notified?: (method: string, params: JsonToken) => void;
}

/** A plugin's process, with its pending calls. */
export class PluginProcess {
  readonly path: string;
  /** The last part of the plugin's path; its log lines begin with it. */
  readonly name: string;
  readonly isImportant: boolean;
  readonly #child: ChildProcess;
  readonly #events: PluginEvents;
  readonly #framer = new Framer(MAX_MESSAGE_BYTES, new InputBudget(2 * MAX_MESSAGE_BYTES));
  readonly #calls = new Map<string, PluginCall>();
  /** Resolves when the process itself has ended. */
  readonly ended: Promise<void>;
  state: PluginState = 'getmanifest';
  manifest: Manifest | undefined;
  #next = 1;

  constructor(
    path: string,
    options: { args: readonly string[]; cwd: string; env: NodeJS.ProcessEnv; isImportant: boolean },
    events: PluginEvents,
  ) {
    this.path = path;
    this.name = basename(path);
    this.isImportant = options.isImportant;
    this.#events = events;
    const { cwd, env } = options;
    const child = spawn(path, [...options.args], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child = child;
    this.ended = new Promise((resolve) => {
      child.once('close', () => resolve());
      child.once('error', () => resolve());
    });
    child.stdin!.on('error', () => undefined);
    child.stdout!.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stdout!.on('close', () => this.end('exited'));
    child.on('error', (error) => this.end(`opening pipe: ${error.message}`));
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Sends a call. @param from id of the call that caused this one; the new id begins with it. */
  call(method: string, params: unknown, call: PluginCall, from?: string): void {
    const prefix = from === undefined ? '' : `${from}/`;
    const id = `${prefix}cln:${method}#${this.#next++}`;
    this.#calls.set(id, call);
    this.#write({ jsonrpc: '2.0', id, method, params });
  }

  /** Forwards a request unchanged except for its id. */
  forward(method: string, request: JsonToken, call: PluginCall, from: string): void {
    const id = `${from}/cln:${method}#${this.#next++}`;
    this.#calls.set(id, call);
    const members = request.members().map(({ key, value }) => [key, key === 'id' ? id : raw(value)]);
    this.#write(Object.fromEntries(members));
  }

  notify(method: string, params: object): void {
    this.#write({ jsonrpc: '2.0', method, params });
  }

  notifyRaw(message: object): void {
    this.#write(message);
  }

  /**
   * Kills the plugin with SIGKILL, as the node ends every plugin. @param reason the text that the node logs
   */
  kill(reason: string, level = 'unusual'): void {
    if (this.state === 'gone') return;
    this.#events.log(level, `Killing plugin: ${reason}`);
    this.end(reason);
  }

  /** Answers all pending calls, and makes sure that the process is gone. */
  end(reason: string): void {
    if (this.state === 'gone') return;
    this.state = 'gone';
    this.#child.kill('SIGKILL');
    const error = { code: CODE.pluginTerminated, message: 'Plugin terminated before replying to RPC call.' };
    const terminated = parseJson(toJson({ jsonrpc: '2.0', error }));
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const { answered } of calls) answered(terminated);
    this.#events.gone(reason);
  }

  #write(message: object): void {
    if (this.state !== 'gone') this.#child.stdin!.write(`${toJson(message)}\n\n`);
  }

  #read(chunk: Buffer): void {
    this.#framer.push(chunk);
    try {
      for (let text = this.#framer.next(); text !== undefined; text = this.#framer.next()) {
        if (this.state === 'gone') return;
        this.#take(parseJson(text.toString('utf8')));
      }
    } catch (error) {
      if (!(error instanceof FulguriteError || error instanceof JsonSyntaxError)) throw error;
      this.kill(`Failed to parse RPC JSON response '${chunk.toString('utf8').slice(0, 200)}'`);
    }
  }

  #take(message: JsonToken): void {
    if (member(message, 'jsonrpc') === undefined) {
      this.kill(`JSON-RPC message does not contain "jsonrpc" field: '${message.raw}'`);
      return;
    }
    const id = member(message, 'id');
    if (id === undefined) {
      this.#takeNotification(message);
      return;
    }
    const call = this.#calls.get(id.text);
    // The node has forgotten this call or never made it, so it ignores the answer.
    if (call === undefined) return;
    this.#calls.delete(id.text);
    call.answered(message);
  }

  #takeNotification(message: JsonToken): void {
    const [method, params] = [member(message, 'method'), member(message, 'params')];
    if (method === undefined || params === undefined) {
      this.kill(`Malformed JSON-RPC notification missing "method" or "params": ${message.raw}`);
      return;
    }
    if (method.text === 'log') {
      this.#takeLog(params);
      return;
    }
    if (method.text !== 'message' && method.text !== 'progress') {
      this.#events.notification(method.text, params);
      return;
    }
    const id = member(params, 'id');
    if (id === undefined) this.kill('JSON-RPC notify "id"-field is not present');
    else this.#calls.get(id.text)?.notified?.(method.text, params);
  }

  #takeLog(params: JsonToken): void {
    const [message, level] = [member(params, 'message'), member(params, 'level')];
    if (message?.kind !== 'string') {
      this.kill(`Log notification from plugin doesn't have a string "message" field`);
      return;
    }
    const name = level?.text ?? 'info';
    if (!LOG_LEVELS.has(name)) {
      const valid = '"trace", "debug", "info", "warn", or "error"';
      this.kill(`Unknown log-level ${level?.raw}, valid values are ${valid}.`);
      return;
    }
    const canonical = name === 'warn' ? 'unusual' : name === 'error' ? 'broken' : name;
    for (const line of message.text.split('\n')) this.#events.log(canonical, line);
  }
}
