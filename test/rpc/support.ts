/** A socket server with the test's commands, and a client that works on raw bytes. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeLog, type NodeLog } from '../../src/log/index.ts';
import type { Command } from '../../src/rpc/command.ts';
import { createDispatcher } from '../../src/rpc/dispatcher.ts';
import type { RpcLimits } from '../../src/rpc/limits.ts';
import { createRegistry } from '../../src/rpc/registry.ts';
import { listenOnSocket, type SocketServer, type SocketServerOptions } from '../../src/rpc/socket-server.ts';

/** A log that keeps its lines, at every level. */
export function memoryLog(): NodeLog & { readonly lines: readonly string[] } {
  const sink = { write: () => undefined, reopen: () => undefined };
  const log = createNodeLog({ sink, format: () => '', rules: [{ level: 'io', subsystem: undefined }] });
  return Object.defineProperties(log, {
    lines: { get: () => log.recent.lines.map(({ level, message }) => `${level}: ${message}`) },
  }) as NodeLog & { readonly lines: readonly string[] };
}

/** A directory whose files are kept in memory, for tests that do not check what survives a power cut. */
export const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A path in a new directory, and a function that removes the directory. */
export function temporaryDirectory(parent = tmpdir()): { path: string; remove: () => void } {
  const path = mkdtempSync(join(parent, 'fulgurite-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Bytes that a paused Node.js stream still reads: its high-water mark of 64 KiB, and one more chunk of that
 * size.
 */
const READ_WHILE_PAUSED = 2 * 65_536;

/**
 * Maximum number of bytes that leave a unix socket although the client reads nothing. The system blocks a
 * sender once its unread bytes reach the socket's buffer. The message that reaches the limit has at most half
 * of that (unix_stream_sendmsg of Linux). The client's own stream takes some bytes, too.
 */
export function mostBytesOnTheWay(): number {
  const setting = '/proc/sys/net/core/wmem_default';
  const buffer = existsSync(setting) ? Number(readFileSync(setting, 'utf8')) : 212_992;
  return 1.5 * buffer + READ_WHILE_PAUSED;
}

export interface TestServer {
  readonly path: string;
  readonly server: SocketServer;
  readonly log: ReturnType<typeof memoryLog>;
  stop(): Promise<void>;
}

export async function serve<C>(
  commands: readonly Command<C>[],
  context: C,
  limits: Partial<RpcLimits> = {},
  isDeveloper = false,
  more: Pick<SocketServerOptions, 'alwaysServed' | 'leastIdleMs'> = {},
): Promise<TestServer> {
  const directory = temporaryDirectory();
  const log = memoryLog();
  const dispatcher = createDispatcher(createRegistry(commands, isDeveloper), context, log);
  const server = await listenOnSocket({
    path: join(directory.path, 'rpc'),
    dispatcher,
    log,
    limits,
    ...more,
  });
  return {
    path: server.path,
    server,
    log,
    async stop() {
      await server.close(100);
      directory.remove();
    },
  };
}

/** A client that splits answers at two newlines, as clients do. */
export class RawClient {
  readonly socket: Socket;
  private text = '';
  /** Received pieces that are not in `text` yet. They have no newline, so no answer ends in them. */
  private parts: string[] = [];
  private newline = false;
  private ended = false;
  private wake: () => void = () => undefined;

  constructor(path: string) {
    this.socket = connect({ path, allowHalfOpen: true });
    this.socket.setEncoding('utf8');
    this.socket.on('data', (chunk: string) => {
      this.parts.push(chunk);
      this.newline ||= chunk.includes('\n');
      this.wake();
    });
    for (const event of ['end', 'error', 'close']) {
      this.socket.on(event, () => {
        this.ended = true;
        this.wake();
      });
    }
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /**
   * The text of the next answer, without its newlines. Undefined if the server closes before it is complete.
   */
  async next(): Promise<string | undefined> {
    for (;;) {
      if (this.newline) this.gather();
      const end = this.text.indexOf('\n\n');
      if (end >= 0) {
        const answer = this.text.slice(0, end);
        this.text = this.text.slice(end + 2);
        return answer;
      }
      if (this.ended) return undefined;
      do await this.change();
      while (!this.newline && !this.ended);
    }
  }

  async ask(request: string): Promise<string | undefined> {
    this.send(request);
    return this.next();
  }

  /** Everything until the server closes. */
  async rest(): Promise<string> {
    while (!this.ended) await this.change();
    this.gather();
    return this.text;
  }

  close(): void {
    this.socket.destroy();
  }

  private gather(): void {
    this.text += this.parts.join('');
    this.parts = [];
    this.newline = false;
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
