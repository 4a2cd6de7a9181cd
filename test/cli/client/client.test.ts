/** The client against a service with scripted answers. */
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  EXIT_ANSWERED,
  EXIT_ERROR,
  EXIT_INTERRUPTED,
  EXIT_PENDING,
  EXIT_TRANSPORT,
  EXIT_USAGE,
  runClient,
} from '../../../src/cli/client/client.ts';
import { prettyJson } from '../../../src/cli/client/pretty.ts';
import { openDataDirectory } from '../../../src/cli/files/data-directory.ts';
import { programName } from '../../../src/cli/program-name.ts';
import { FulguriteClient, RpcError } from '../../../src/client/client.ts';
import { parseJson } from '../../../src/rpc/json-token.ts';
import { memoryLog, temporaryDirectory } from '../../rpc/support.ts';
import { screenAfter } from '../terminal.ts';

const directory = temporaryDirectory();
const path = join(directory.path, 'rpc');
afterAll(() => directory.remove());

let server: Server | undefined;
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise<void>((resolve) => {
    if (server === undefined) resolve();
    else server.close(() => resolve());
  });
  server = undefined;
});

/** Serves one call: `answer` receives the call's id, a function to write with, and the call. */
async function serve(
  answer: (id: string, write: (message: object) => void, request: string) => void,
): Promise<void> {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      const id = /"id":"(cli:(?!notifications)[^"]*)"/.exec(String(bytes))?.[1];
      if (id !== undefined)
        answer(id, (message) => socket.write(`${JSON.stringify(message)}\n\n`), String(bytes));
    });
  });
  await new Promise<void>((resolve) => void server?.listen(path, resolve));
}

const serveResult = (result: unknown) => serve((id, write) => write({ jsonrpc: '2.0', id, result }));
const serveError = (error: object) => serve((id, write) => write({ jsonrpc: '2.0', id, error }));

/** Runs the client with these arguments. */
async function run(argv: string[], interrupted?: AbortSignal, onTerminal = false) {
  let [out, err] = ['', ''];
  const screen = { write: (text: string) => (err += text), size: () => ({ columns: 120, rows: 0 }) };
  const code = await runClient(['--rpc-file', path, ...argv], {
    out: (text) => (out += text),
    err: (text) => (err += text),
    interrupted,
    ...(onTerminal && { screen }),
  });
  return { code, out, err };
}

const HASH = 'ab'.repeat(32);
const attempt = (partid: number) => ({
  ...{ status: 'pending', partid, amount_msat: 1000, amount_sent_msat: 1001, probability_ppm: 1 },
  ...{ created_at: 1, route: [] },
});
const told = (partid: number) => ({
  jsonrpc: '2.0',
  method: 'message',
  params: { level: 'debug', message: 'attempt', payment_hash: HASH, attempt: attempt(partid) },
});

describe('the outcome of a payment', () => {
  it.each([
    [
      'is not known yet',
      { code: -5, message: 'stopping', data: { status: 'pending', payment_hash: HASH } },
      EXIT_PENDING,
    ],
    ['is under way already', { code: 200, message: 'under way', data: { status: 'pending' } }, EXIT_PENDING],
    ['is that it failed', { code: 209, message: 'failed', data: { attempts: [] } }, EXIT_ERROR],
    ['is that it was paid before', { code: 219, message: 'paid', data: { status: 'complete' } }, EXIT_ERROR],
  ])('%s', async (_, error, code) => {
    await serveError(error);
    expect((await run(['xpay', 'lnbc1'])).code).toBe(code);
  });

  it('is unknown when the connection breaks, and the client explains how to find out', async () => {
    await serve((_id, write) => {
      write(told(0));
      setImmediate(() => {
        for (const socket of sockets) socket.destroy();
      });
    });
    const { code, err } = await run(['xpay', 'lnbc1']);
    expect(code).toBe(EXIT_TRANSPORT);
    expect(err).toContain('The payment continues in the service');
    expect(err).toContain(`waitsendpay ${HASH}`);
  });
});

describe('Ctrl-C', () => {
  it('during a payment reports that it continues, its hash, and how to see its outcome', async () => {
    const controller = new AbortController();
    await serve((_id, write) => {
      write(told(0));
      // The client may read the attempt before or after the interruption.
      setImmediate(() => setImmediate(() => controller.abort()));
    });
    const { code, err } = await run(['xkeysend', 'x', '1000'], controller.signal);
    expect(code).toBe(EXIT_INTERRUPTED);
    if (err.includes('payment_hash')) {
      expect(err).toContain('The payment continues in the service');
      expect(err).toContain(
        `payment_hash ${HASH}\nTo see the result: ${programName()} waitsendpay ${HASH}\n`,
      );
    } else {
      expect(err).toContain('If the payment has started, it continues');
    }
  });

  it('before anything is known about a payment reports where it would be listed', async () => {
    const { code, err } = await run(['keysend'], AbortSignal.abort());
    expect(code).toBe(EXIT_INTERRUPTED);
    expect(err).toBe(
      `\nInterrupted. If the payment has started, it continues. See: ${programName()} listpays\n`,
    );
  });

  it('distinguishes read-only commands from those that change something', async () => {
    expect((await run(['getroutes'], AbortSignal.abort())).err).toBe('\nInterrupted.\n');
    expect((await run(['offer'], AbortSignal.abort())).err).toBe(
      '\nInterrupted. The service may still execute offer.\n',
    );
  });
});

describe('help', () => {
  it('of a command is shown if --help or -h follows it, without a service', async () => {
    for (const flag of ['--help', '-h']) {
      const { code, out } = await run(['getroutes', flag]);
      expect(code).toBe(EXIT_ANSWERED);
      expect(out).toMatch(/^# getroutes\n/);
    }
    const { code, err } = await run(['getroutess', '--help']);
    expect([code, err]).toEqual([
      EXIT_USAGE,
      `fulgurite: Unknown command getroutess. Did you mean getroutes? All commands: ${programName()} help\n`,
    ]);
  });

  it('lists the service’s commands in groups, including those unknown to this client', async () => {
    const help = ['keysend destination amount_msat', 'getinfo', 'newone a'].map((command) => ({ command }));
    await serveResult({ help, 'format-hint': 'simple' });
    const { out } = await run(['help']);
    expect(out).toMatch(/^Pay and list payments:\n {2}keysend +\S.* \(deprecated\)\n\n/);
    expect(out).toContain('\nThis node, its peers and the network:\n  getinfo ');
    expect(out).toContain('Other commands, unknown to this client:\n  newone\n');
    expect(out).toContain(`Details of a command: ${programName()} help COMMAND\n`);
  });
});

describe('a named argument after positional ones', () => {
  it.each([
    [['maxfee=5sat'], { destination: '02ab', amount_msat: '1sat', maxfee: '5sat' }],
    [
      ['-o', 'maxfee=5sat'],
      ['02ab', '1sat', 'maxfee=5sat'],
    ],
    [['order=17'], ['02ab', '1sat', 'order=17']],
  ])('%j', async (args, expected) => {
    let params: unknown;
    await serve((id, write, request) => {
      params = JSON.parse(request.slice(request.lastIndexOf('{"jsonrpc"'))).params;
      write({ jsonrpc: '2.0', id, result: {} });
    });
    await run(['keysend', '02ab', '1sat', ...args]);
    expect(params).toEqual(expected);
  });

  it('with an unknown name is refused before anything is sent', async () => {
    const { code, err } = await run(['keysend', '02ab', '1sat', 'maxfe=5sat']);
    expect([code, err]).toEqual([
      EXIT_USAGE,
      "fulgurite: Unknown parameter maxfe. Did you mean maxfee? If 'maxfe=5sat' is a value, add -o\n",
    ]);
  });
});

describe('an error', () => {
  it('of an unknown command suggests the intended one', async () => {
    await serveError({ code: -32601, message: "Unknown command 'keysed'" });
    const { code, out, err } = await run(['keysed', 'x']);
    expect(code).toBe(EXIT_ERROR);
    expect(JSON.parse(out).code).toBe(-32601);
    expect(err).toBe(`Did you mean keysend? All commands: ${programName()} help\n`);
  });

  it('of an amount shows the forms that work', async () => {
    const data = { parameter: 'amount_msat', reason: 'should be a millisatoshi amount', value: '1000sats' };
    await serveError({ code: -32602, message: 'amount_msat: …', data });
    expect((await run(['keysend', 'x', '1000sats'])).err).toMatch(
      /^Did you mean 1000sat \(1000 sat = 1000000 msat\)/,
    );
  });

  it('of usage suggests the intended option', async () => {
    const { code, err } = await run(['--jsn', 'getinfo']);
    expect([code, err]).toEqual([EXIT_USAGE, 'fulgurite: Unknown option --jsn. Did you mean --json?\n']);
  });

  it('without a service explains how to start one', async () => {
    const { err } = await run(['getinfo']);
    expect(err).toContain('no such file; is the daemon running?');
    expect(err).toContain(
      `\nStart one: ${programName()} start. If it runs elsewhere, specify its --data-dir`,
    );
  });
});

it('a payment in several parts ends without a pending part', async () => {
  await serve((id, write) => {
    for (let part = 0; part < 16; part++) write(told(part));
    write({ jsonrpc: '2.0', id, result: { payment_preimage: HASH, successful_parts: 16 } });
  });
  const { err } = await run(['xpay', 'lni1'], undefined, true);
  const rows = screenAfter(err).filter((line) => / {2}(pending|arrived) /.test(line));
  expect(rows).toHaveLength(16);
  expect(rows.filter((row) => !row.includes('arrived'))).toEqual([]);
});

describe('the client as a library', () => {
  it('gives exact numbers, and errors with their data', async () => {
    await serve((id, write) => {
      if (id.startsWith('cli:bad')) write({ id, error: { code: 205, message: 'no', data: { a: [1] } } });
      else write({ id, result: { a: 1, b: [true, null, 'x', 1.5] } });
    });
    const client = new FulguriteClient(path);
    expect(await client.callByName('m', { amount_msat: 2n ** 63n })).toEqual({
      a: 1,
      b: [true, null, 'x', 1.5],
    });
    const error = await client.callByName('bad').catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ code: 205, message: 'no', data: { a: [1] } });
  });
});

describe('a long answer', () => {
  it('is written in pieces of about 64 KiB', () => {
    const list = JSON.stringify(
      Array.from({ length: 10_000 }, (_, index) => ({ index, text: 'x'.repeat(20) })),
    );
    const pieces = [...prettyJson(parseJson(list))];
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    expect(pieces).toHaveLength(Math.ceil(length / 65_536));
    expect(pieces.join('')).toBe(JSON.stringify(JSON.parse(list), null, 3));
  });
});

describe('a data directory', () => {
  const log = memoryLog();
  const options = (dataDirectory: string) =>
    ({ dataDirectory, network: 'simulated', chain: 'bitcoin', recover: false }) as const;

  it('that is in use is reported with the process that uses it, and what to do', () => {
    const home = join(directory.path, 'home');
    const first = openDataDirectory(options(home), log);
    expect(() => openDataDirectory(options(home), log)).toThrow(
      `${home} is in use by another Fulgurite daemon. Call it (${programName()} --data-dir ${home} getinfo), stop it`,
    );
    first.store.close();
  });

  it('that cannot be written is refused at once', () => {
    expect(() => openDataDirectory(options('/proc/x/y'), log)).toThrow(/^cannot create the data directory: /);
  });
});
