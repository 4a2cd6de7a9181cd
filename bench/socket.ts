/**
 * Report: the socket alone, with the smallest command there is. Latency of one request after the other, and
 * throughput of requests sent without waiting.
 *
 *     socket [PIPELINED]   (requests per pipelined run, default 100,000)
 *
 * The service is a process of its own, as in real life; this one is the client.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Bench } from 'tinybench';
import { defineCommandFor, optional } from '../src/rpc/command.ts';
import { createDispatcher } from '../src/rpc/dispatcher.ts';
import { string } from '../src/rpc/param-types.ts';
import { createRegistry } from '../src/rpc/registry.ts';
import { listenOnSocket } from '../src/rpc/socket-server.ts';

const REQUEST = '{"jsonrpc":"2.0","id":"bench:echo#1","method":"echo","params":["hello"]}';
const REQUESTS_PER_WRITE = 1000;
const NEWLINE = 0x0a;

const [first, second] = process.argv.slice(2);
if (first === 'serve') await serve(second!);
else await report(Number(first ?? 100_000));

async function serve(path: string): Promise<void> {
  const silent = () => undefined;
  const log = { debug: silent, info: silent, unusual: silent, broken: console.error };
  const echo = defineCommandFor<object>()({
    name: 'echo',
    summary: '',
    description: '',
    category: 'utility',
    params: { text: optional(string, '') },
    result: {},
    handler: ({ text }) => ({ text }),
  });
  await listenOnSocket({ path, dispatcher: createDispatcher(createRegistry([echo]), {}, log), log });
  process.send?.('ready');
}

async function report(pipelined: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-bench-'));
  const path = join(directory, 'rpc');
  const server = fork(fileURLToPath(import.meta.url), ['serve', path]);
  try {
    await once(server, 'message');
    await measure(connect(path), pipelined);
  } finally {
    await stopped(server);
    rmSync(directory, { recursive: true });
  }
}

async function measure(socket: Socket, pipelined: number): Promise<void> {
  const bench = new Bench({ time: 2000 });
  bench.add('one request, one answer', () => exchange(socket, 1));
  bench.add(`${pipelined} requests pipelined`, () => exchange(socket, pipelined));
  await bench.run();
  for (const { name, result } of bench.tasks) {
    if (!('latency' in result)) continue;
    const { p50, p99 } = result.latency;
    const requests = name.startsWith('one') ? 1 : pipelined;
    const perSecond = ((requests / p50) * 1000).toFixed(0);
    console.log(`${name}: p50 ${p50.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms, ${perSecond} requests/s`);
  }
  socket.destroy();
}

/** Sends so many requests and resolves when as many answers have come. */
function exchange(socket: Socket, requests: number): Promise<void> {
  return new Promise((resolve) => {
    let newlines = 0;
    socket.on('data', function count(chunk) {
      for (const byte of chunk as Buffer) if (byte === NEWLINE) newlines++;
      if (newlines < requests * 2) return;
      socket.off('data', count);
      resolve();
    });
    for (let sent = 0; sent < requests; sent += REQUESTS_PER_WRITE) {
      socket.write(REQUEST.repeat(Math.min(REQUESTS_PER_WRITE, requests - sent)));
    }
  });
}

async function stopped(child: ChildProcess): Promise<void> {
  child.kill();
  await once(child, 'exit');
}
