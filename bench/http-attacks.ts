/** Attacks over HTTP: bodies, crowds and refusals that cost others their answers, and fees that the caller chooses. */
import { readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Attack,
  type Attacked,
  ask,
  get,
  HOST,
  holders,
  isAlive,
  processorTicks,
  repeat,
  rpc,
  whileAttacked,
} from './attacked.ts';
import type { BenchDaemon } from './daemon.ts';
import { quantile, timedAsync } from './measure.ts';

/** All attacks of this file. */
export const HTTP_ATTACKS: readonly Attack[] = [
  ['YAML bodies of 60 kB', yamlBodies],
  ['one body of 1 MB that nests 980 deep', deepBody],
  ['GET /ui/%zz and bodies that break off, 500 each', brokenRequests],
  ['eight batches of 10,000 without a rune', strangersBatches],
  ['500 times /openrpc.json', documents],
  ['1,100 connections that are held', heldConnections],
  ['70 followers of one rune', followers],
  ['64 clients of batches that are not permitted', refusedBatches],
  ['64 clients of batches with a wrong request', wrongBatches],
  ["a fee limit of the caller's choice", greedyHint],
];

async function yamlBodies({ daemon, port, useless }: Attacked): Promise<string> {
  const body = '['.repeat(30_000) + ']'.repeat(30_000);
  for (let n = 0; n < 3; n++)
    await ask(port, '/v1/getinfo', { rune: useless, body, type: 'application/yaml' });
  await sleep(1000);
  return isAlive(daemon) ? 'none: the daemon still runs' : 'the daemon has died';
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

function refusedBatches({ daemon, port, useless, peer }: Attacked): Promise<string> {
  const requests = Array.from({ length: 5000 }, () => ({ destination: peer, amount_msat: 1000 }));
  const body = JSON.stringify({ source: peer, requests });
  const rpcBody = JSON.stringify({ id: 1, method: 'getroutes-batch', params: { requests } });
  return keysendsBeside(daemon, peer, async () => {
    await ask(port, '/v1/getroutes-batch', { rune: useless, body });
    await ask(port, '/', { rune: useless, body: rpcBody });
  });
}

/** Permitted batches whose last request is invalid. */
function wrongBatches({ daemon, port, other, peer }: Attacked): Promise<string> {
  const right = Array.from({ length: 8000 }, () => ({ destination: peer, amount_msat: 1000 }));
  const body = JSON.stringify({ source: peer, layers: [], maxfee_msat: 1000, requests: [...right, {}] });
  return keysendsBeside(daemon, peer, () => ask(port, '/v1/getroutes-batch', { rune: other, body }));
}

/** How long keysends take while 64 clients send one call after the other. */
async function keysendsBeside(
  daemon: BenchDaemon,
  peer: string,
  call: () => Promise<unknown>,
): Promise<string> {
  const alone = await keysendMs(daemon, peer, 40);
  let isOver = false;
  const crowd = repeat(64, async () => {
    while (!isOver) await call();
  });
  const beset = await keysendMs(daemon, peer, 40);
  isOver = true;
  const memory = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.processId}/status`, 'utf8'))![1];
  await crowd;
  return `keysend p50 ${beset.toFixed(1)} ms, without the crowd ${alone.toFixed(1)} ms; maximum memory ${Math.round(Number(memory) / 1024)} MB`;
}

/** The median of some keysends over the socket, in milliseconds. */
async function keysendMs(daemon: BenchDaemon, destination: string, count: number): Promise<number> {
  const waits: number[] = [];
  for (let n = 0; n < count; n++) {
    const { ms } = await timedAsync(() => rpc(daemon, 'keysend', { destination, amount_msat: 1000 }));
    waits.push(ms);
  }
  return quantile(waits, 0.5);
}

async function greedyHint({ daemon, port, peer }: Attacked): Promise<string> {
  const limited = async (limit: string): Promise<string> =>
    (await rpc(daemon, 'createrune', { restrictions: [['method=keysend'], [limit]] })).result.rune;
  const { nodes } = (await rpc(daemon, 'listnodes')).result;
  const destination = nodes.at(-1).nodeid;
  const hint = [{ id: peer, scid: '1x1x1', feebase: 1_000_000_000, feeprop: 0, expirydelta: 6 }];
  const params = { destination, amount_msat: 1000, maxfee: 50_000_000_000, routehints: [hint] };
  const body = JSON.stringify(params);
  const told: string[] = [];
  for (const limit of ['pnameamountmsat<10000001', 'outgo<10050001msat']) {
    const { status, text } = await ask(port, '/v1/keysend', { rune: await limited(limit), body });
    told.push(`${limit}: ${status} ${JSON.parse(text).message ?? 'paid'}`);
  }
  return told.join('; ');
}
