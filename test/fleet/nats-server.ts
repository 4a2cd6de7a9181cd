/**
 * A NATS server for tests: a child process on a port of loopback that the system chooses. It stores nothing
 * on disk. A shell starts it, and stops it when this process ends for any reason.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of the program. Undefined if it is not installed. Debian installs it outside the PATH of ordinary users. */
export const natsServerPath: string | undefined = [
  ...(process.env.PATH ?? '').split(delimiter),
  '/usr/sbin',
  '/usr/local/bin',
]
  .map((directory) => join(directory, 'nats-server'))
  .find(isExecutable);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A running server. */
export interface NatsServer {
  /** `nats://HOST:PORT`. */
  readonly url: string;
  /** Stops the server, and waits until it is gone. */
  stop(): Promise<void>;
}

/** Shell script that runs a program until standard input ends. */
const UNTIL_INPUT_ENDS = '"$@" & server=$!; cat >/dev/null; kill -9 $server';
const LISTENING = /Listening for client connections on [\d.]+:(\d+)/;

/**
 * Starts a server and waits until it listens.
 * @param port the port; by default a free one
 * @param host the address of this machine on which it listens
 * @param options more options of the server
 */
export async function startNatsServer(
  port = -1,
  host = '127.0.0.1',
  ...options: string[]
): Promise<NatsServer> {
  if (natsServerPath === undefined) throw new Error('nats-server is not installed');
  const server = [natsServerPath, '-a', host, '-p', String(port), ...options];
  const child = spawn('sh', ['-c', UNTIL_INPUT_ENDS, 'sh', ...server], { stdio: ['pipe', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  const listening = new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (bytes: Buffer) => {
      if (said.length > 100_000) return;
      said += bytes.toString();
      const found = LISTENING.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`nats-server ended: ${said}`)));
  });
  const url = `nats://${host}:${await listening}`;
  return {
    url,
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
