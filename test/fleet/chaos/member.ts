/** A process of a chaos run, which may be killed at any time and is restarted. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Milliseconds after which an ended process is restarted. */
const BACK_AFTER_MS = 200;

/** A child process that is restarted after it was killed. */
export class Member {
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
      // The process may also have failed to start, for instance while the database was away.
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

  /** The process's report about itself. Undefined while the process is away. */
  async audit<T extends object>(): Promise<T | undefined> {
    if (!this.#isReady) return undefined;
    return new Promise((resolve) => {
      const child = this.#child!;
      const hear = (message: unknown): void => {
        if (typeof message !== 'object' || message === null || !('audit' in message)) return;
        done(message.audit as T);
      };
      const gone = (): void => done(undefined);
      const done = (audit: T | undefined): void => {
        child.off('message', hear);
        child.off('exit', gone);
        resolve(audit);
      };
      child.on('message', hear);
      child.on('exit', gone);
      this.send('audit');
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
