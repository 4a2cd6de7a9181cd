/**
 * Our daemon and the LND beside it, each killed at random moments while keysends are in flight. In the end no
 * payment is lost and none is made twice: our records, the recipient's receipts, LND's payments and the
 * callers' answers agree.
 *
 *     callers ── our daemon ── a (LND) ── b, d ── c        SIGKILL to our daemon or to a, KILLS times
 *
 * `KILLS` and `SEED` in the environment set the number of kills, their times and their targets. After
 * `MINUTES` there are no further kills, and the number so far is accepted.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../../src/gossip/random.ts';
import { answerAt } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { haveBoth, LndNodes, until } from './lnd-nodes.ts';

const KILLS = Number(process.env.KILLS ?? 4);
const SEED = BigInt(process.env.SEED ?? 1);
const MINUTES = Number(process.env.MINUTES ?? Number.POSITIVE_INFINITY);
/** Number of concurrent keysends, and the maximum pause before the next kill. */
const CALLERS = 6;
const MAX_PAUSE_MS = 3_000;
const MAIN = resolve(import.meta.dirname, '../../../build/program/cli/main.js');
const TIME = 300_000 + KILLS * 60_000;
const PENDING_MS = 240_000;
const MAX_RECONCILES = 6;

interface Told {
  readonly amount_msat: number;
  readonly payment_hash?: string;
  readonly status?: string;
  readonly code?: number;
  readonly message?: string;
}

describeNeeding('lnd', haveBoth, 'kills beside a real LND', () => {
  const random = seededRandom(SEED, 1);
  let nodes: LndNodes;
  let daemon: ChildProcess;
  /** The answers that callers received. */
  const told: Told[] = [];
  let unheard = 0;
  let isOver = false;

  const socketPath = () => join(nodes.directory, 'ours', 'rpc');

  const ask = (method: string, params: object = {}) => answerAt(socketPath(), method, params);

  async function start(): Promise<void> {
    const options = ['start', '--network', 'lnd', '--workers', '1', '--rpc-file', socketPath()];
    daemon = spawn(process.execPath, [MAIN, ...options, ...nodes.besideA()], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await until(async () => (await ask('getinfo')).id !== undefined);
  }

  async function killOurs(): Promise<void> {
    const ended = new Promise((done) => daemon.once('exit', done));
    daemon.kill('SIGKILL');
    await ended;
    await start();
  }

  async function killNode(): Promise<void> {
    await nodes.kill('a');
    await nodes.restart('a');
    await nodes.connected('a');
  }

  /** Pays one keysend after the other, each with a different amount. */
  async function call(caller: number): Promise<void> {
    for (let n = 0; !isOver; n++) {
      const amount_msat = 10_000 + CALLERS * n + caller;
      try {
        const params = { destination: nodes.id('c'), amount_msat, retry_for: 60 };
        told.push({ ...(await ask('keysend', params)), amount_msat });
      } catch {
        unheard++;
      }
      await sleep(100);
    }
  }

  async function settled(): Promise<void> {
    const end = Date.now() + PENDING_MS;
    for (;;) {
      const { pays } = await ask('listpays').catch(() => ({ pays: [{ status: 'pending' }] }));
      const open = pays.filter(({ status }: Told) => status === 'pending');
      if (open.length === 0) return;
      if (Date.now() > end) throw new Error(`${open.length} payments are still pending`);
      await sleep(500);
    }
  }

  /** Describes what LND and we know about payments on which the records disagree. */
  async function explain(differences: readonly { payment_hash: string }[], ofLnd: readonly object[]) {
    const { channels } = await nodes.call('a', 'listchannels');
    say(`${differences.length} differences`);
    for (const { payment_hash } of differences) {
      const { payments: ours } = await ask('listsendpays', { payment_hash });
      const row = ofLnd.find((one) => 'payment_hash' in one && one.payment_hash === payment_hash);
      say(JSON.stringify({ ours, row }));
    }
    for (const { chan_id, active, pending_htlcs } of channels) {
      say(JSON.stringify({ chan_id, active, pending_htlcs }));
    }
  }

  beforeAll(async () => {
    nodes = await LndNodes.start();
    await start();
    await until(async () => (await ask('listnodes')).nodes.length === 4);
  }, 900_000);
  afterAll(async () => {
    isOver = true;
    daemon?.kill('SIGKILL');
    await nodes?.stop();
  }, 120_000);

  test('lose no payment and make none twice', { timeout: TIME }, async () => {
    const callers = Array.from({ length: CALLERS }, (_, caller) => call(caller));
    const hits = { ours: 0, node: 0 };
    const completed = (): number => told.filter(({ code }) => code === undefined).length;
    const endMs = Date.now() + 60_000 * MINUTES;
    for (let kill = 1; kill <= KILLS && Date.now() < endMs; kill++) {
      // Even on a slow machine, payments end between two kills.
      const before = completed();
      await until(async () => completed() > before);
      await sleep(Math.floor(MAX_PAUSE_MS * random()));
      const isOurs = random() < 0.5;
      await (isOurs ? killOurs() : killNode());
      hits[isOurs ? 'ours' : 'node']++;
      if (kill % 5 === 0) say(`${kill} kills, ${told.length} answers`);
    }
    isOver = true;
    await Promise.all(callers);
    await settled();

    const { pays } = (await ask('listpays')) as {
      pays: { payment_hash: string; status: string; amount_msat: number }[];
    };
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
    const { payments } = await nodes.call(
      'a',
      'listpayments',
      '--max_payments=100000',
      '--include_incomplete',
    );
    const ofLnd = payments as { payment_hash: string; status: string; value_msat: string }[];
    const stuck = ofLnd.filter(({ status }) => status === 'IN_FLIGHT').length;
    say(
      `seed ${SEED}: ${hits.ours + hits.node} kills (${hits.ours} ours, ${hits.node} of the node), ${pays.length} payments, ` +
        `${complete.length} complete, ${pays.length - complete.length} failed, ${unheard} callers unheard, ` +
        `${stuck} that LND believes to be in flight for ever`,
    );
    for (const [words, count] of errors) say(`  ${count} × ${words}`);
    // Payments that we report as complete were received once, exactly to the msat, and nothing else was
    // received.
    expect(new Map(complete.map((pay) => [pay.payment_hash, pay.amount_msat]))).toEqual(received);
    // LND paid each complete payment once, and nothing else.
    const paid = ofLnd.filter(({ status }) => status === 'SUCCEEDED');
    expect(new Map(paid.map((row) => [row.payment_hash, Number(row.value_msat)]))).toEqual(received);
    // In the end the books agree: a part that LND believes to be in flight is proven lost once its channel accepts
    // HTLCs again.
    for (let asked = 1; ; asked++) {
      const books = await ask('reconcile');
      if (books.unexplained_msat === 0 && books.differences.length === 0) break;
      if (asked === MAX_RECONCILES) expect(books).toMatchObject({ unexplained_msat: 0, differences: [] });
      await explain(books.differences, ofLnd);
      await sleep(10_000);
    }
    // Callers received the true outcome.
    const states = new Map(pays.map(({ payment_hash, status }) => [payment_hash, status]));
    for (const { payment_hash, status } of told) {
      if (payment_hash !== undefined && status !== undefined) expect(states.get(payment_hash)).toBe(status);
    }
    const answered = told.filter(({ code }) => code === undefined).length;
    expect(complete.length).toBeGreaterThanOrEqual(answered);
    expect(answered).toBeGreaterThan(hits.ours + hits.node);
    // A killed node must not lead to the error that there is no route.
    expect([...errors.keys()].filter((words) => words.startsWith('205'))).toEqual([]);
  });
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
