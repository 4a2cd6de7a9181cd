/** The daemon and its clients as processes, as a user runs them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../../src/model/version.ts';
import { MAIN } from '../../commands/daemon-process.ts';
import { RawClient, temporaryDirectory } from '../../rpc/support.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const directory = temporaryDirectory();
const home = join(directory.path, 'home');
let daemon: ChildProcess;
let ready: string;

interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function finished(child: ChildProcess): Promise<Finished> {
  let [out, err] = ['', ''];
  child.stdout?.on('data', (text) => {
    out += text;
  });
  child.stderr?.on('data', (text) => {
    err += text;
  });
  const [code] = await once(child, 'close');
  return { code, out, err };
}

const run = (...argv: string[]) => finished(spawn(process.execPath, [MAIN, ...argv]));
const call = (...argv: string[]) => run('--data-dir', home, ...argv);

async function start(...argv: string[]): Promise<[ChildProcess, string]> {
  const child = spawn(process.execPath, [
    MAIN,
    'start',
    '--graph',
    'synthetic:50',
    '--workers',
    '1',
    ...argv,
  ]);
  const [line] = await once(child.stdout, 'data');
  return [child, String(line)];
}

const empty = join(directory.path, 'empty');

beforeAll(async () => {
  writeFileSync(empty, '');
  [daemon, ready] = await start('--data-dir', home);
});

afterAll(() => {
  daemon.kill('SIGKILL');
  directory.remove();
});

describe('the daemon', () => {
  it('prints one line when it is ready', () => {
    expect(ready).toBe(`ready ${join(home, 'fulgurite-rpc')}\n`);
  });

  it('reports at its start that simulated money is not real', async () => {
    const [child] = await start('--data-dir', join(directory.path, 'simulated'));
    const said = finished(child);
    child.kill('SIGTERM');
    expect((await said).err).toMatch(/^The network is simulated: no real money is used\.$/m);
  });

  it('does not share its socket or its store', async () => {
    const second = await run(
      'start',
      '--graph',
      'synthetic:50',
      '--data-dir',
      join(directory.path, 'other'),
      '--rpc-file',
      join(home, 'fulgurite-rpc'),
    );
    expect(second).toMatchObject({ code: 1, out: '' });
    expect(second.err).toContain('is in use by a running process');
  });

  it.each([
    [['--graph', '/nonexistent'], 78],
    [['--graph', '/dev/null'], 78],
    [['--graph', empty], 78],
    [['--graph', 'synthetic:0'], 78],
    [['--nosuch'], 78],
  ])('reports why it does not start: %j', async (argv, code) => {
    const refused = await run('start', '--data-dir', join(directory.path, 'third'), ...argv);
    expect(refused).toMatchObject({ code, out: '' });
    expect(refused.err).toMatch(/^fulgurite: .+\n$/);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'stops cleanly on %s: begun answers sent, socket removed',
    async (signal) => {
      const dir = join(directory.path, signal);
      const [child, line] = await start('--data-dir', dir);
      const path = line.trim().slice('ready '.length);
      const client = new RawClient(path);
      expect(await client.ask('{"id":1,"method":"getinfo"}')).toContain('"id":1');
      const end = finished(child);
      child.kill(signal);
      expect(await client.rest()).toBe('');
      expect((await end).code).toBe(0);
      expect(existsSync(path)).toBe(false);
      client.close();
    },
  );

  it('stops on a client’s request, and restarts as the same node', async () => {
    const dir = join(directory.path, 'again');
    const [first] = await start('--data-dir', dir);
    const end = finished(first);
    const { out: before } = await run('--data-dir', dir, 'getinfo', '-F', '{"id":true}');
    expect(await run('--data-dir', dir, 'stop')).toEqual({ code: 0, out: 'Shutdown complete\n', err: '' });
    expect((await end).code).toBe(0);
    const [second] = await start('--data-dir', dir);
    const { out: after } = await run('--data-dir', dir, 'getinfo', '-F', '{"id":true}');
    expect(after).toBe(before);
    second.kill();
    await once(second, 'close');
  });

  // The first thread that a daemon starts is the one of the database.
  it.each([
    ['network', 'threads.slice(1)', 'fulgurite: the simulated network has ended'],
    ['database', 'threads.slice(0, 1)', 'the thread of the database ended'],
  ])('stops with the reason if the thread of its %s dies', async (name, dying, says) => {
    const threadsDie =
      'const threads = []; process.on("worker", (worker) => threads.push(worker)); ' +
      `process.on("SIGUSR2", () => ${dying}.forEach((worker) => worker.terminate()))`;
    const place = ['--data-dir', join(directory.path, `died-${name}`), '--no-http'];
    const args = ['start', '--graph', 'synthetic:50', ...place];
    const child = spawn(process.execPath, ['--import', `data:text/javascript,${threadsDie}`, MAIN, ...args]);
    const end = finished(child);
    await once(child.stdout, 'data');
    child.kill('SIGUSR2');
    const { code, err } = await end;
    expect(err).toContain(says);
    expect(code).toBe(1);
  });

  it('takes over after a crash', async () => {
    const dir = join(directory.path, 'crash');
    const [first, line] = await start('--data-dir', dir);
    first.kill('SIGKILL');
    await once(first, 'close');
    expect(existsSync(line.trim().slice('ready '.length))).toBe(true);
    const [second, again] = await start('--data-dir', dir);
    expect(again).toBe(line);
    second.kill();
    await once(second, 'close');
  });
});

describe('the client', () => {
  it('prints a result as indented JSON and exits with 0', async () => {
    const { code, out, err } = await call('getinfo');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^\{\n {3}"id": "0[23][0-9a-f]{64}",\n/);
    expect(JSON.parse(out).version).toBe(VERSION);
  });

  it('prints an error and exits with 1', async () => {
    const { code, out } = await call('listnodes', 'id=xyz');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      code: -32602,
      message: 'id: should be a node id: invalid token (see logs for details)',
      data: { parameter: 'id', reason: 'should be a node id', value: 'xyz' },
    });
  });

  it('exits with 2 if no daemon answers, and with 3 on a wrong command line', async () => {
    const nobody = await run('--rpc-file', join(directory.path, 'nobody'), 'getinfo');
    expect(nobody).toMatchObject({ code: 2, out: '' });
    expect(nobody.err).toContain('no such file; is the daemon running?');
    expect(await call('-k', 'getinfo', 'x')).toMatchObject({ code: 3, out: '' });
    expect(await run()).toMatchObject({ code: 3, out: '' });
  });

  it('prints help as text, of all commands and of one', async () => {
    const all = await call('help');
    const lines = all.out.split('\n');
    expect(lines).toContain('Pay and list payments:');
    expect(lines.filter((line) => /^ {2}listchannels +\S/.test(line))).toHaveLength(1);
    expect(lines.filter((line) => line === '')).toHaveLength(6);
    const one = await call('help', 'listchannels');
    expect(one.out).toMatch(/^# listchannels\n/);
    expect(await call('help', 'nosuch')).toMatchObject({ code: 1 });
    expect(JSON.parse((await call('-J', 'help', 'help')).out).help).toEqual([{ command: 'help [command]' }]);
  });

  it('skips a parameter with null and filters', async () => {
    const { out } = await call('listchannels', 'null', '-F', '{"channels":[{"direction":true}]}');
    const members: string[][] = JSON.parse(out).channels.map(Object.keys);
    expect(members.length).toBeGreaterThan(0);
    for (const names of members) expect(names).toEqual(['direction']);
  });

  it('shows notifications on standard error, and never outputs control characters', async () => {
    const path = join(directory.path, 'fake');
    const server = createServer((socket) => {
      socket.once('data', () => {
        socket.write('{"jsonrpc":"2.0","id":"cli:notifications","result":{}}\n\n');
        for (const level of ['debug', 'unusual']) {
          socket.write(
            `{"jsonrpc":"2.0","method":"message","params":{"id":"x","level":"${level}","message":"\\u001b[2J${level}"}}\n\n`,
          );
        }
        socket.write('{"jsonrpc":"2.0","method":"progress","params":{"id":"x","num":0,"total":4}}\n\n');
      });
    });
    server.on('connection', (socket) => {
      socket.on('data', (bytes) => {
        const id = /"id":("cli:m#\d+")/.exec(String(bytes))?.[1];
        if (id !== undefined) socket.write(`{"jsonrpc":"2.0","id":${id},"result":{"a":"\u009b31m"}}\n\n`);
      });
    });
    await new Promise<void>((resolve) => void server.listen(path, resolve));
    expect(await run('--rpc-file', path, 'm')).toEqual({
      code: 0,
      out: '{\n   "a": "\\u009b31m"\n}\n',
      err: '# \\u001b[2Junusual\n# 1/4\n',
    });
    await new Promise((resolve) => void server.close(resolve));
  });

  it('has the version of the package', async () => {
    expect(VERSION).toBe(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
    expect(await run('--version')).toMatchObject({ code: 0, out: `${VERSION}\n` });
  });
});

describe('a broken key file', () => {
  it("prevents the daemon's start, and stays unchanged", async () => {
    const dir = join(directory.path, 'broken');
    const [child] = await start('--data-dir', dir);
    child.kill();
    await once(child, 'close');
    writeFileSync(join(dir, 'node-key'), 'lost');
    const { code, err } = await run('start', '--data-dir', dir);
    expect(code).toBe(78);
    expect(err).toContain('does not hold a secp256k1 key');
    expect(readFileSync(join(dir, 'node-key'), 'utf8')).toBe('lost');
  });
});
