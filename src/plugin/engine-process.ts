/**
 * The engine: the daemon of this package as a child process of the plugin. When it dies, for whatever reason, it is
 * started again after a pause. Each pause is twice the previous one, up to a maximum. After a long run, pauses are
 * short again.
 *
 *     paused ──start──▶ starting ──ready──▶ up ──dies──▶ paused
 *                          └──────dies──────────────────▶ paused
 *
 * The engine ends when its standard input ends. So it also ends when the plugin is killed.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** How to start the engine, and how long to wait between starts and for its end. Times are in milliseconds. */
export interface EngineProcessOptions {
  readonly program: string;
  /** Returns the program's arguments. Called at each start, so that changed options take effect. */
  readonly arguments: () => readonly string[];
  readonly firstPauseMs: number;
  readonly lastPauseMs: number;
  /** After a run of at least this length, the next pause is as short as the first one. */
  readonly longRunMs: number;
  /** How long the engine may take to end on its own before it is killed. */
  readonly graceMs: number;
}

/** The times that the plugin uses. */
export const ENGINE_PAUSES = {
  firstPauseMs: 100,
  lastPauseMs: 30_000,
  longRunMs: 60_000,
  graceMs: 20_000,
} as const;

/** Receives events about the engine. */
export interface EngineListener {
  /** The engine is ready at this socket. */
  up(socketPath: string): void;
  /** The engine died, or could not be started. */
  down(reason: string): void;
  /** The engine wrote a line to its log. */
  line(text: string): void;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Maximum number of characters of a line that are kept. */
const MAX_LINE = 4096;
/** Maximum number of bytes queued for the engine. */
const MAX_UNREAD = 4 * 1024 * 1024;
const READY = 'ready ';

/** Starts the engine, and restarts it each time it dies. */
export class EngineProcess {
  readonly #options: EngineProcessOptions;
  readonly #listener: EngineListener;
  #child: Child | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isStopping = false;
  #restarts = -1;
  #onStopped: () => void = () => undefined;

  constructor(options: EngineProcessOptions, listener: EngineListener) {
    this.#options = options;
    this.#listener = listener;
  }

  get restarts(): number {
    return Math.max(0, this.#restarts);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    if (this.#isStopping || this.#child !== undefined) return;
    this.#restarts++;
    const startedMs = performance.now();
    const child = spawn(process.execPath, [this.#options.program, ...this.#options.arguments()], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    // `close` reports the end of the process. A pipe that breaks before that adds no information.
    child.stdin.on('error', () => undefined);
    let lastLine = '';
    eachLine(child.stdout, (line) => {
      if (line.startsWith(READY)) this.#listener.up(line.slice(READY.length));
    });
    eachLine(child.stderr, (line) => {
      lastLine = line;
      this.#listener.line(line);
    });
    const died = once((why: string) => {
      this.#died(`${why}${lastLine === '' ? '' : `: ${lastLine}`}`, performance.now() - startedMs);
    });
    child.on('error', (error) => died(`the engine could not be started (${error.message})`));
    child.on('close', (code, signal) => died(`the engine ended (${signal ?? `exit code ${code}`})`));
  }

  /** Writes a line to the engine's standard input. The line is dropped if the engine is away, or reads too slowly. */
  tell(line: string | undefined): void {
    const stdin = this.#child?.stdin;
    if (line === undefined || !stdin?.writable || stdin.writableLength > MAX_UNREAD) return;
    stdin.write(`${line}\n`);
  }

  /** Kills the engine at once. It is then restarted. */
  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  /** Stops the engine permanently. Resolves when it has ended, at the latest after the grace period. */
  stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === undefined) return Promise.resolve();
    const grace = setTimeout(() => child.kill('SIGKILL'), this.#options.graceMs);
    child.stdin.end();
    return new Promise((resolve) => {
      this.#onStopped = () => {
        clearTimeout(grace);
        resolve();
      };
    });
  }

  #died(reason: string, ranMs: number): void {
    this.#child = undefined;
    if (this.#isStopping) {
      this.#onStopped();
      return;
    }
    const { firstPauseMs, lastPauseMs, longRunMs } = this.#options;
    if (ranMs >= longRunMs) this.#failures = 0;
    const pauseMs = Math.min(lastPauseMs, firstPauseMs * 2 ** Math.min(this.#failures++, 20));
    this.#timer = setTimeout(() => this.start(), pauseMs);
    this.#listener.down(reason);
  }
}

/** Calls back with each line of a stream. The rest of a very long line is dropped. */
function eachLine(stream: Readable, take: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) if (line !== '') take(line.slice(0, MAX_LINE));
  });
  stream.on('error', () => undefined);
}

/** Wraps a function so that it is called at most once. */
function once<A extends readonly unknown[]>(action: (...args: A) => void): (...args: A) => void {
  let isDone = false;
  return (...args) => {
    if (isDone) return;
    isDone = true;
    action(...args);
  };
}
