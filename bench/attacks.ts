/**
 * Attacks on the HTTP server of a daemon, and hostile inputs to every parser that sees bytes before a permission is
 * known. FULGURITE_ATTACKED names another build's `build/program/cli/main.js` to attack, to compare with.
 */

import { readFileSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Area, BenchContext } from './context.ts';
import { type BenchDaemon, startDaemonProcess } from './daemon.ts';
import { hostileInputs, PARSERS } from './hostile-inputs.ts';
import { freePort } from './http.ts';

const AREA = 'attacks';
const INPUTS = 100_000;
const QUICK_INPUTS = 6000;
/** Every so many inputs is as long as the parser's longest. */
const LONG_EVERY = 20;
/** Processor time of one input, in milliseconds. */
const TARGET_MS = 5;
/** An input that took longer is read again, because a collection of garbage may have come in between. */
const AGAIN = 4;

/** Runs the sweep over the parsers, then the attacks. */
export const attacksBench: Area = async (context) => {
  sweep(context);
  await attack(context);
};

function processorMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function sweep({ quick, report }: BenchContext): void {
  const each = Math.ceil((quick ? QUICK_INPUTS : INPUTS) / PARSERS.length);
  const rows = PARSERS.map(({ name, seeds, maxLength, read }) => {
    let [slowest, slowestLength, beyond, inputs] = [0, 0, 0, 0];
    const short = hostileInputs(seeds, each - Math.floor(each / LONG_EVERY));
    const long = hostileInputs(seeds, Math.floor(each / LONG_EVERY), maxLength);
    for (const input of inOrder(short, long)) {
      let ms = processorMs(() => read(input));
      for (let again = 0; ms > TARGET_MS && again < AGAIN; again++) {
        ms = Math.min(
          ms,
          processorMs(() => read(input)),
        );
      }
      inputs++;
      if (ms > TARGET_MS) beyond++;
      if (ms > slowest) [slowest, slowestLength] = [ms, input.length];
    }
    report.figure(AREA, { name: `slowest input: ${name}`, value: slowest, unit: 'ms' });
    return {
      parser: name,
      inputs,
      'slowest (ms)': slowest.toFixed(2),
      'its length': slowestLength,
      [`over ${TARGET_MS} ms`]: beyond,
    };
  });
  report.table(AREA, 'processor time of hostile inputs', rows);
}

function* inOrder(...all: Iterable<string>[]): Generator<string, void> {
  for (const inputs of all) yield* inputs;
}

/** What the attacks work on. */
interface Attacked {
  readonly daemon: BenchDaemon;
  readonly port: number;
  readonly log: string;
  readonly rune: string;
  readonly other: string;
  readonly useless: string;
  readonly peer: string;
}

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

const HOST = '127.0.0.1';
const agent = new Agent({ keepAlive: false });

function ask(
  port: number,
  path: string,
  { rune, body, type = 'application/json' }: { rune?: string; body?: string; type?: string } = {},
): Promise<HttpAnswer> {
  return new Promise((resolve) => {
    const headers = { 'Content-Type': type, ...(rune !== undefined && { Rune: rune }) };
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request({ host: HOST, port, path, method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, text }));
      response.on('error', () => resolve({ status: 0, text }));
    });
    sent.on('error', () => resolve({ status: 0, text: '' }));
    sent.end(body);
  });
}

// biome-ignore lint/suspicious/noExplicitAny: each answer has a shape of its own
async function rpc(daemon: BenchDaemon, method: string, params: object = {}): Promise<any> {
  const text = await daemon.client.call(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return JSON.parse(text);
}

async function begin(): Promise<Attacked> {
  const directory = join('/tmp', `fulgurite-attacks-${process.pid}-${Date.now()}`);
  const log = `${directory}.log`;
  const port = await freePort();
  const daemon = await startDaemonProcess(
    'synthetic:1000',
    ['--seed', '7', '--http', `${HOST}:${port}`, '--log-file', log],
    { executable: process.env.FULGURITE_ATTACKED },
  );
  const rune = async (restrictions?: string[][]) =>
    (await rpc(daemon, 'createrune', restrictions === undefined ? {} : { restrictions })).result.rune;
  const { result: channels } = await rpc(daemon, 'listpeerchannels');
  return {
    daemon,
    port,
    log,
    rune: await rune(),
    other: await rune(),
    useless: await rune([['method=none']]),
    peer: channels.channels[0].peer_id,
  };
}

/** Longest of some waits for an answer, in milliseconds, while an attack runs. */
async function whileAttacked(probe: () => Promise<unknown>, run: () => Promise<unknown>): Promise<number> {
  let [isOver, longest] = [false, 0];
  const attackEnds = run().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const began = performance.now();
    await probe();
    longest = Math.max(longest, performance.now() - began);
    await sleep(2);
  }
  await attackEnds;
  return longest;
}

function holders(port: number, count: number, text: string): Socket[] {
  return Array.from({ length: count }, () => {
    const socket = connect(port, HOST);
    socket.on('error', () => undefined).resume();
    socket.write(text);
    return socket;
  });
}

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n${headers}\r\n`;
const repeat = (count: number, run: () => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, run));

/** Each attack, and the harm that it did. */
const ATTACKS: readonly [name: string, harm: (attacked: Attacked) => Promise<string>][] = [
  ['YAML bodies of 60 kB', yamlBodies],
  ['one body of 1 MB that nests 980 deep', deepBody],
  ['GET /ui/%zz and bodies that break off, 500 each', brokenRequests],
  ['eight batches of 10,000 without a rune', strangersBatches],
  ['500 times /openrpc.json', documents],
  ['1,100 connections that are held', heldConnections],
  ['70 followers of one rune', followers],
  ['64 clients of refused batches', refusedBatches],
  ["a fee limit of the caller's choice", greedyHint],
];

async function attack({ report }: BenchContext): Promise<void> {
  const rows: { attack: string; harm: string }[] = [];
  for (const [name, harm] of ATTACKS) {
    const attacked = await begin();
    const told = await harm(attacked).catch((error: unknown) => `failed: ${String(error)}`);
    rows.push({ attack: name, harm: told });
    await attacked.daemon.stop();
    rmSync(attacked.log, { force: true });
  }
  report.table(AREA, 'attacks on a daemon', rows);
}

async function yamlBodies({ daemon, port, useless }: Attacked): Promise<string> {
  const body = '['.repeat(30_000) + ']'.repeat(30_000);
  for (let n = 0; n < 3; n++)
    await ask(port, '/v1/getinfo', { rune: useless, body, type: 'application/yaml' });
  await sleep(1000);
  return isAlive(daemon) ? 'none: the daemon lives' : 'the daemon is dead';
}

function isAlive({ processId }: BenchDaemon): boolean {
  try {
    return process.kill(processId, 0) && !/\) Z /.test(readFileSync(`/proc/${processId}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function deepBody({ daemon, port, rune }: Attacked): Promise<string> {
  const body = `{"a":${'['.repeat(980)}${'1,'.repeat(500_000)}null${']'.repeat(980)}}`;
  const ms = await whileAttacked(
    () => rpc(daemon, 'getinfo'),
    () => ask(port, '/v1/getinfo', { rune, body }),
  );
  return `the socket waits up to ${ms.toFixed(0)} ms`;
}

async function brokenRequests({ port, rune, log }: Attacked): Promise<string> {
  const before = statSync(log).size;
  await repeat(500, () => ask(port, '/ui/%zz'));
  const head = `POST /v1/getinfo HTTP/1.1\r\nHost: ${HOST}\r\nRune: ${rune}\r\nContent-Length: 100\r\n\r\n{`;
  for (let n = 0; n < 10; n++) {
    const sockets = holders(port, 50, head);
    await sleep(100);
    for (const socket of sockets) socket.destroy();
  }
  await sleep(500);
  return `${statSync(log).size - before} bytes of log`;
}

async function strangersBatches({ port, rune }: Attacked): Promise<string> {
  const body = JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ id, method: 'getinfo' })));
  const ms = await whileAttacked(
    () => ask(port, '/v1/getinfo', { rune, body: '{}' }),
    () => repeat(8, () => ask(port, '/', { body })),
  );
  return `an honest caller waits up to ${ms.toFixed(0)} ms`;
}

async function documents({ daemon, port }: Attacked): Promise<string> {
  await ask(port, '/openrpc.json');
  const before = processorTicks(daemon);
  await repeat(500, () => ask(port, '/openrpc.json'));
  return `${(((processorTicks(daemon) - before) * 10) / 500).toFixed(2)} ms of processor time each`;
}

/** Processor time of a process, in hundredths of a second. */
function processorTicks({ processId }: BenchDaemon): number {
  const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

async function heldConnections({ port, rune }: Attacked): Promise<string> {
  const sockets = holders(port, 1100, get('/healthz'));
  await sleep(3000);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => ask(port, '/v1/getinfo', { rune, body: '{}' })),
  );
  for (const socket of sockets) socket.destroy();
  return `${answers.filter(({ status }) => status === 201).length} of 20 honest calls are answered`;
}

async function followers({ port, rune, other }: Attacked): Promise<string> {
  const sockets = holders(port, 70, get('/v1/notifications', `Rune: ${rune}\r\n`));
  await sleep(1500);
  const [honest] = holders(port, 1, get('/v1/notifications', `Rune: ${other}\r\n`));
  const text = await Promise.race([
    new Promise<string>((resolve) => honest!.once('data', (data) => resolve(String(data)))),
    sleep(3000, 'no answer'),
  ]);
  for (const socket of [...sockets, honest!]) socket.destroy();
  return `another rune gets: ${text.split('\r\n')[0]}`;
}

async function refusedBatches({ daemon, port, useless, peer }: Attacked): Promise<string> {
  const requests = Array.from({ length: 5000 }, () => ({ destination: peer, amount_msat: 1000 }));
  const body = JSON.stringify({ source: peer, requests });
  let isOver = false;
  const crowd = repeat(64, async () => {
    while (!isOver) {
      await ask(port, '/v1/getroutes-batch', { rune: useless, body });
      await ask(port, '/', {
        rune: useless,
        body: JSON.stringify({ id: 1, method: 'getroutes-batch', params: { requests } }),
      });
    }
  });
  const waits: number[] = [];
  for (let n = 0; n < 40; n++) {
    const began = performance.now();
    await rpc(daemon, 'keysend', { destination: peer, amount_msat: 1000 + n });
    waits.push(performance.now() - began);
  }
  isOver = true;
  const memory = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.processId}/status`, 'utf8'))![1];
  await crowd;
  waits.sort((a, b) => a - b);
  return `keysend p50 ${waits[20]!.toFixed(1)} ms, most memory ${Math.round(Number(memory) / 1024)} MB`;
}

async function greedyHint({ daemon, port, peer }: Attacked): Promise<string> {
  const limited = async (limit: string): Promise<string> =>
    (await rpc(daemon, 'createrune', { restrictions: [['method=keysend'], [limit]] })).result.rune;
  const { nodes } = (await rpc(daemon, 'listnodes')).result;
  const destination = nodes.at(-1).nodeid;
  const hint = [{ id: peer, scid: '1x1x1', feebase: 1_000_000_000, feeprop: 0, expirydelta: 6 }];
  const params = { destination, amount_msat: 1000, maxfee: 50_000_000_000, routehints: [hint] };
  const body = JSON.stringify(params);
  const [byAmount, byOutgo] = await Promise.all(
    ['pnameamountmsat<10000001', 'outgo<10050001msat'].map(async (limit) =>
      ask(port, '/v1/keysend', { rune: await limited(limit), body }),
    ),
  );
  const { status } = byAmount!;
  return `a limit on the amount: status ${status}; on outgo: ${byOutgo!.text.slice(0, 90)}`;
}
