/**
 * Our daemon and the node beside it, each killed at random moments while keysends are in flight. In the end no payment is
 * lost and none is made twice: what we tell, what the recipient received and what the callers were told agree.
 *
 *     callers ── our daemon ── a ── b ── c        SIGKILL to our daemon or to a, KILLS times
 *
 * `KILLS` and `SEED` in the environment set how many kills there are, and when and whom they hit. After `MINUTES` there are no
 * further kills, and those so far count.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../../src/gossip/random.ts';
import { describeNeeding } from '../../needs.ts';
import { RawClient } from '../../rpc/support.ts';
import { ClnNodes, haveNodes, until } from './cln-nodes.ts';

const KILLS = Number(process.env.KILLS ?? 4);
const SEED = BigInt(process.env.SEED ?? 1);
const MINUTES = Number(process.env.MINUTES ?? Number.POSITIVE_INFINITY);
/** Keysends that are always under way, and the longest pause before the next kill. */
const CALLERS = 10;
const MOST_PAUSE_MS = 3_000;
const MAIN = resolve(import.meta.dirname, '../../../build/program/cli/main.js');
const TIME = 300_000 + KILLS * 60_000;

interface Told {
  readonly amount_msat: number;
  readonly payment_hash?: string;
  readonly status?: string;
  readonly code?: number;
  readonly message?: string;
}

describeNeeding('lightningd', haveNodes, 'kills beside a real node', () => {
  const random = seededRandom(SEED, 1);
  let nodes: ClnNodes;
  let daemon: ChildProcess;
  let recipient = '';
  /** What the callers were told, as far as they heard anything. */
  const told: Told[] = [];
  let unheard = 0;
  let isOver = false;

  const socketPath = () => join(nodes.directory, 'ours', 'rpc');

  // biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each method gives
  async function ask(method: string, params: object = {}): Promise<any> {
    const client = new RawClient(socketPath());
    try {
      const line = await client.ask(JSON.stringify({ id: 1, method, params }));
      if (line === undefined) throw new Error('the connection ended');
      const answer = JSON.parse(line);
      return answer.error ?? answer.result;
    } finally {
      client.socket.destroy();
    }
  }

  async function start(): Promise<void> {
    const options = [
      'start',
      '--network',
      'cln',
      '--workers',
      '1',
      '--rpc-file',
      socketPath(),
      ...nodes.besideA(),
    ];
    daemon = spawn(process.execPath, [MAIN, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
    await until(async () => (await ask('getinfo')).id !== undefined);
  }

  async function killOurs(): Promise<void> {
    const ended = new Promise((done) => daemon.once('exit', done));
    daemon.kill('SIGKILL');
    await ended;
    await start();
  }

  async function killNode(): Promise<void> {
    nodes.signal('a', 'SIGKILL');
    await nodes.restart('a');
    await nodes.connected('a');
  }

  /** Pays one keysend after the other, each with an amount of its own. */
  async function call(caller: number): Promise<void> {
    for (let n = 0; !isOver; n++) {
      const amount_msat = 1_000 + CALLERS * n + caller;
      try {
        const params = { destination: recipient, amount_msat, retry_for: 60 };
        told.push({ ...(await ask('keysend', params)), amount_msat });
      } catch {
        unheard++;
      }
      await sleep(100);
    }
  }

  beforeAll(async () => {
    nodes = await ClnNodes.start();
    recipient = (await nodes.call('c', 'getinfo')).id;
    await start();
    await until(async () => (await ask('listnodes')).nodes.length === 3);
  }, 900_000);
  afterAll(async () => {
    isOver = true;
    daemon?.kill('SIGKILL');
    await nodes?.stop();
  }, 120_000);

  test('lose no payment and make none twice', { timeout: TIME }, async () => {
    const callers = Array.from({ length: CALLERS }, (_, caller) => call(caller));
    const hits = { ours: 0, node: 0 };
    const endMs = Date.now() + 60_000 * MINUTES;
    for (let kill = 1; kill <= KILLS && Date.now() < endMs; kill++) {
      await sleep(Math.floor(MOST_PAUSE_MS * random()));
      const isOurs = random() < 0.5;
      await (isOurs ? killOurs() : killNode());
      hits[isOurs ? 'ours' : 'node']++;
      if (kill % 20 === 0) say(`${kill} kills, ${told.length} answers`);
    }
    isOver = true;
    await Promise.all(callers);
    await until(async () => (await ask('listpays')).pays.every((pay: Told) => pay.status !== 'pending'));
    await until(async () => {
      const { channels } = await nodes.call('a', 'listpeerchannels');
      return channels.every(({ htlcs }: { htlcs: unknown[] }) => htlcs.length === 0);
    });

    const pays: { payment_hash: string; status: string; amount_msat: number }[] = (await ask('listpays'))
      .pays;
    const { invoices } = await nodes.call('c', 'listinvoices');
    const received = new Map<string, number>(
      invoices
        .filter(({ status }: { status: string }) => status === 'paid')
        .map((one: { payment_hash: string; amount_received_msat: number }) => [
          one.payment_hash,
          one.amount_received_msat,
        ]),
    );
    const complete = pays.filter(({ status }) => status === 'complete');
    const errors = new Map<string, number>();
    for (const { code, message = '' } of told) {
      if (code === undefined) continue;
      const words = `${code} ${message}`.slice(0, 160);
      errors.set(words, (errors.get(words) ?? 0) + 1);
    }
    say(
      `seed ${SEED}: ${hits.ours + hits.node} kills (${hits.ours} ours, ${hits.node} of the node), ${pays.length} payments, ` +
        `${complete.length} complete, ${pays.length - complete.length} failed, ${unheard} callers unheard`,
    );
    for (const [words, count] of errors) say(`  ${count} × ${words}`);
    // What we call complete was received once, to the msat, and nothing else was received.
    expect(new Map(complete.map((pay) => [pay.payment_hash, pay.amount_msat]))).toEqual(received);
    expect(complete).toHaveLength(received.size);
    // The node paid each of them once.
    const rows = (await nodes.call('a', 'listsendpays', { status: 'complete' })).payments;
    expect(rows).toHaveLength(received.size);
    // So the books close.
    expect(await ask('reconcile')).toMatchObject({ unexplained_msat: 0, differences: [], open: [] });
    // Callers were told the truth.
    const states = new Map(pays.map(({ payment_hash, status }) => [payment_hash, status]));
    for (const { payment_hash, status } of told) {
      if (payment_hash !== undefined && status !== undefined) expect(states.get(payment_hash)).toBe(status);
    }
    const answered = told.filter(({ code }) => code === undefined).length;
    expect(complete.length).toBeGreaterThanOrEqual(answered);
    // A node that is killed is no reason to say that there is no route.
    expect([...errors.keys()].filter((words) => words.startsWith('205'))).toEqual([]);
  });
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
