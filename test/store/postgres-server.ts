/**
 * A PostgreSQL server for tests: a child process on loopback, in its own directory, which is removed with it.
 *
 * Test files of one process share one server (`sharedPostgres`), and each test gets its own database. A test
 * that stops or kills its server starts a separate one (`startPostgres`). A shell is the parent of the
 * server: it ends the server and removes the directory when this process ends in any way. PostgreSQL refuses
 * to run as root, so root starts it as the user `postgres`.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';

const run = promisify(execFile);

/** Directory in which packages install the server's programs, one folder per release. */
const PACKAGED = '/usr/lib/postgresql';
/**
 * Maximum duration of the server's start, in milliseconds. It takes half a second, or longer on a busy
 * machine.
 */
const START_MS = 60_000;

/** Settings that disable features for durability: tests do not test this machine's disk. */
const FAST = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'shared_buffers=32MB'];

/** Settings with which clients can connect over loopback only. */
const LOCAL = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];

/** Directory of `initdb` and `postgres`. Undefined if no server is installed. */
export const POSTGRES_PROGRAMS: string | undefined = findPrograms();

function findPrograms(): string | undefined {
  const packaged = existsSync(PACKAGED) ? readdirSync(PACKAGED) : [];
  const newestFirst = packaged.sort((a, b) => Number(b) - Number(a)).map((one) => join(PACKAGED, one, 'bin'));
  const onPath = (process.env.PATH ?? '').split(':');
  return [...newestFirst, ...onPath].find((directory) => existsSync(join(directory, 'initdb')));
}

/** A running server. */
export class PostgresServer {
  readonly port: number;
  /** The server's directory. */
  readonly directory: string;
  readonly #options: readonly string[];
  #child: ChildProcess | undefined;
  #databases: number;

  /** @param databases number of databases that `newDatabase` has already made in this directory */
  constructor(port: number, directory: string, options: readonly string[], databases = 0) {
    this.port = port;
    this.directory = directory;
    this.#options = options;
    this.#databases = databases;
  }

  /** Makes an empty database that belongs to its own role. @returns the address for that role. */
  async newDatabase(): Promise<string> {
    const name = `test_${++this.#databases}`;
    const administrator = this.connect(this.url('postgres', 'postgres'));
    try {
      await administrator.unsafe(`CREATE ROLE ${name} LOGIN`);
      await administrator.unsafe(`CREATE DATABASE ${name} OWNER ${name}`);
    } finally {
      await administrator.end();
    }
    return this.url(name, name);
  }

  /** The address of a database for a role. The server trusts every password. */
  url(role: string, database: string): string {
    return `postgres://${role}:unguessable@127.0.0.1:${this.port}/${database}`;
  }

  /** A plain connection, for changes without the program's knowledge. The caller must end it. */
  connect(url: string): postgres.Sql {
    return postgres(url, { max: 1, onnotice: () => undefined });
  }

  /** Also accepts clients from these addresses, for example `10.0.0.0/8`. The server must listen there. */
  admit(addresses: string): void {
    appendFileSync(join(this.directory, 'data/pg_hba.conf'), `host all all ${addresses} trust\n`);
    process.kill(this.pid, 'SIGHUP');
  }

  /** Also accepts encrypted connections, with this certificate and key in PEM. */
  async encrypt(cert: string, key: string): Promise<void> {
    const { uid, gid } = asServerUser();
    for (const [name, text] of [
      ['server.crt', cert],
      ['server.key', key],
    ] as const) {
      const file = join(this.directory, 'data', name);
      writeFileSync(file, text, { mode: 0o600 });
      if (uid !== undefined) chownSync(file, uid, gid!);
    }
    const administrator = this.connect(this.url('postgres', 'postgres'));
    try {
      await administrator.unsafe('ALTER SYSTEM SET ssl = on');
      await administrator.unsafe('SELECT pg_reload_conf()');
    } finally {
      await administrator.end();
    }
  }

  /** Process id of the server. */
  get pid(): number {
    return Number(readFileSync(join(this.directory, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** Suspends the server and all its processes, like a paused machine. `thaw` resumes them. */
  freeze(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGSTOP');
  }

  /** Resumes a frozen server. */
  thaw(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGCONT');
  }

  #processes(): number[] {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
    const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
    return [this.pid, ...pairs.filter(([, parent]) => parent === this.pid).map(([pid]) => pid!)];
  }

  /** Whether the server is running. It may have ended by itself. */
  get isRunning(): boolean {
    return this.#child?.exitCode === null;
  }

  /** Starts the server. Resolves when it answers. */
  async start(): Promise<void> {
    this.#spawn();
    await this.#answering();
  }

  #spawn(): void {
    const options = [...FAST, ...this.#options].flatMap((option) => ['-c', option]);
    const data = join(this.directory, 'data');
    const server = [join(POSTGRES_PROGRAMS!, 'postgres'), '-D', data, '-p', `${this.port}`, ...options];
    // The shell waits until the server exits or its own input ends, which happens when this process ends.
    const script = `exec 3<&0; "$@" </dev/null & server=$!
      (cat <&3 >/dev/null; kill -QUIT $server) 2>/dev/null & watch=$!
      wait $server; kill $watch 2>/dev/null; [ -e "$KEEP" ] || rm -rf "$DIRECTORY"`;
    const child = spawn('sh', ['-c', script, 'sh', ...server], {
      ...asServerUser(),
      cwd: '/',
      env: { PATH: process.env.PATH, DIRECTORY: this.directory, KEEP: join(this.directory, 'keep') },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.unref();
    (child.stdin as unknown as { unref(): void }).unref();
    this.#child = child;
  }

  /**
   * Ends the server with a signal and starts it again. SIGKILL and SIGQUIT act like a crash, from which the server
   * recovers.
   */
  async restart(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): Promise<void> {
    await this.kill(signal);
    await this.start();
  }

  /**
   * Keeps the directory when the server ends by itself, as it does if it cannot write its log. `revive` then
   * restarts it.
   */
  keep(): void {
    writeFileSync(join(this.directory, 'keep'), '');
  }

  /** Starts the server again if it has ended. Resolves when it answers. */
  async revive(): Promise<void> {
    await this.#answering();
  }

  /** Ends the server, and keeps its directory for the next `start`. */
  async kill(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): Promise<void> {
    const child = this.#child!;
    this.keep();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    process.kill(this.pid, signal);
    await ended;
  }

  /** Ends the server and removes its directory. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) {
      await run('rm', ['-rf', this.directory]);
      return;
    }
    await run('rm', ['-f', join(this.directory, 'keep')]);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.stdin!.end();
    await ended;
  }

  async #answering(): Promise<void> {
    const until = Date.now() + START_MS;
    for (;;) {
      const sql = this.connect(this.url('postgres', 'postgres'));
      try {
        await sql`select 1`;
        return;
      } catch (error) {
        if (Date.now() > until) throw error;
        await sleep(50);
        // A server cannot start while processes of the previous one still use its memory.
        if (!this.isRunning) this.#spawn();
      } finally {
        await sql.end({ timeout: 0 });
      }
    }
  }
}

/**
 * Starts a separate server, which the caller must stop. @param options settings of the server, as
 * `name=value`
 */
export async function startPostgres(...options: string[]): Promise<PostgresServer> {
  return startPostgresIn(tmpdir(), ...options);
}

/**
 * Starts a server on a copy of a different server's data, which contained one database. The caller must stop
 * it.
 */
export async function startPostgresOn(
  data: string,
  parent: string,
  ...options: string[]
): Promise<PostgresServer> {
  const directory = mkdtempSync(join(parent, 'postgres-'));
  await run('cp', ['-a', data, join(directory, 'data')]);
  const { uid, gid } = asServerUser();
  if (uid !== undefined) chownSync(directory, uid, gid!);
  const server = new PostgresServer(await freePort(), directory, [...LOCAL, ...options], 1);
  await server.start();
  return server;
}

/** Does the same as `startPostgres`, in a directory other than that for temporary files. */
export async function startPostgresIn(parent: string, ...options: string[]): Promise<PostgresServer> {
  const directory = mkdtempSync(join(parent, 'postgres-'));
  const user = asServerUser();
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid!);
  const initdb = [
    ['-D', join(directory, 'data')],
    ['-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync', '--no-instructions'],
  ].flat();
  await run(join(POSTGRES_PROGRAMS!, 'initdb'), initdb, { ...user, cwd: '/' });
  const server = new PostgresServer(await freePort(), directory, [...LOCAL, ...options]);
  await server.start();
  return server;
}

/**
 * Starts a standby of a server: a copy that follows its commits. The caller must stop it. @param options
 * settings of the standby
 */
export async function startStandby(primary: PostgresServer, ...options: string[]): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), 'postgres-'));
  const user = asServerUser();
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid!);
  const copy = [
    ...['-D', join(directory, 'data'), '-h', '127.0.0.1', '-p', `${primary.port}`, '-U', 'postgres'],
    ...['-X', 'stream', '-c', 'fast', '--write-recovery-conf', '--no-sync'],
  ];
  await run(join(POSTGRES_PROGRAMS!, 'pg_basebackup'), copy, { ...user, cwd: '/' });
  const standby = new PostgresServer(await freePort(), directory, [...LOCAL, ...options]);
  await standby.start();
  return standby;
}

let shared: Promise<PostgresServer> | undefined;

/** The server that the test files of this process share. It ends with the process. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= startPostgres();
  return shared;
}

/** The ids under which the server runs: our own, unless we are root. */
function asServerUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const entry = ['postgres', 'nobody'].map((name) => lines.find((line) => line.startsWith(`${name}:`)));
  const [, , uid, gid] = (entry.find((line) => line !== undefined) ?? '').split(':').map(Number);
  return { uid: uid!, gid: gid! };
}

/** A loopback port without a listener. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
