/**
 * Our daemons and the nodes beside them, each killed at random moments while keysends are in flight. In the
 * end no payment is lost and none is made twice: our records, the recipient's receipts and the callers'
 * answers agree.
 *
 *     a ── b ── c ── d        all pay c; SIGKILL to a, b, d and the daemon beside each, KILLS times in all
 *
 * The payments of a go through b, which is killed as well. `KILLS` and `SEED` in the environment set the
 * number of kills, their times and their targets. After `MINUTES` there are no further kills, and the number
 * so far is accepted.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../../src/gossip/random.ts';
import { describeNeeding } from '../../needs.ts';
import { ClnNodes, haveNodes, type NodeName } from './cln-nodes.ts';
import { KilledPayer } from './killed-payer.ts';

const KILLS = Number(process.env.KILLS ?? 6);
const SEED = BigInt(process.env.SEED ?? 1);
const MINUTES = Number(process.env.MINUTES ?? Number.POSITIVE_INFINITY);
const PAYERS: readonly NodeName[] = ['a', 'b', 'd'];
const TIME = 900_000 + KILLS * 60_000;

interface Pay {
  readonly payment_hash: string;
  readonly status: string;
  readonly amount_msat: number;
}

describeNeeding('lightningd', haveNodes, 'kills beside real nodes', () => {
  let nodes: ClnNodes;
  let payers: KilledPayer[] = [];

  beforeAll(async () => {
    nodes = await ClnNodes.start();
    const recipient = (await nodes.call('c', 'getinfo')).id;
    payers = PAYERS.map(
      (name, stream) => new KilledPayer(nodes, name, recipient, seededRandom(SEED, stream + 1)),
    );
    for (const payer of payers) await payer.start();
  }, 900_000);
  afterAll(async () => {
    for (const payer of payers) payer.stop();
    await nodes?.stop();
  }, 120_000);

  test('lose no payment and make none twice', { timeout: TIME }, async () => {
    const endMs = Date.now() + 60_000 * MINUTES;
    const kills = (): number => payers.reduce((sum, payer) => sum + payer.kills, 0);
    await Promise.all(payers.map((payer) => payer.killUntil(() => kills() >= KILLS || Date.now() > endMs)));
    await Promise.all(payers.map((payer) => payer.settle()));

    const complete: Pay[] = [];
    for (const payer of payers) complete.push(...(await judge(payer)));
    say(`seed ${SEED}: ${kills()} kills, ${complete.length} payments complete`);
    // Payments that we report as complete were received once, exactly to the msat, and nothing else was
    // received.
    const { invoices } = await nodes.call('c', 'listinvoices');
    const received = new Map<string, number>(
      invoices
        .filter(({ status }: { status: string }) => status === 'paid')
        .map((one: { payment_hash: string; amount_received_msat: number }) => [
          one.payment_hash,
          one.amount_received_msat,
        ]),
    );
    expect(new Map(complete.map((pay) => [pay.payment_hash, pay.amount_msat]))).toEqual(received);
    expect(complete).toHaveLength(received.size);
  });

  /** Compares one daemon with its node and its callers. @returns the payments that it reports as complete */
  async function judge(payer: KilledPayer): Promise<Pay[]> {
    const { name, hits, told } = payer;
    const pays: Pay[] = (await payer.ask('listpays')).pays;
    const complete = pays.filter(({ status }) => status === 'complete');
    const books = await payer.ask('reconcile');
    say(
      `${name}: ${hits.ours} kills of ours, ${hits.node} of the node, ${pays.length} payments, ${complete.length} complete, ` +
        `${pays.length - complete.length} failed, ${payer.unheard} callers unheard, ${books.unexplained_msat} msat unexplained, ` +
        `${books.difference_count} differences, ${books.open?.length} open`,
    );
    const errors = countErrors(payer);
    for (const [words, count] of errors) say(`  ${count} × ${words}`);
    // The node paid each complete payment once.
    const rows = (await nodes.call(name, 'listsendpays', { status: 'complete' })).payments;
    expect(rows.map((row: Pay) => row.payment_hash).sort()).toEqual(
      complete.map((pay) => pay.payment_hash).sort(),
    );
    expect(books).toMatchObject({ unexplained_msat: 0, differences: [], open: [] });
    // Callers received the true outcome.
    const states = new Map(pays.map(({ payment_hash, status }) => [payment_hash, status]));
    for (const { payment_hash, status } of told) {
      if (payment_hash !== undefined && status !== undefined) expect(states.get(payment_hash)).toBe(status);
    }
    const answered = told.filter(({ code }) => code === undefined).length;
    expect(complete.length).toBeGreaterThanOrEqual(answered);
    // A killed node of ours must not lead to the error that there is no route. But when b is away, there is
    // indeed no route for node a.
    if (name !== 'a') expect([...errors.keys()].filter((words) => words.startsWith('205'))).toEqual([]);
    return complete;
  }
});

/** Number of error answers, by code and beginning of the message. */
function countErrors({ told }: KilledPayer): Map<string, number> {
  const errors = new Map<string, number>();
  for (const { code, message = '' } of told) {
    if (code === undefined) continue;
    const words = `${code} ${message}`.slice(0, 160);
    errors.set(words, (errors.get(words) ?? 0) + 1);
  }
  return errors;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
