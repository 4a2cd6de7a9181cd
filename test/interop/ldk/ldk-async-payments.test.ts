/**
 * Payments of static invoices (bolts#1149), with nothing mocked: node a of Core Lightning sends them, our daemon is beside it,
 * and two whole nodes of the Rust crate lightning (LDK 0.2) receive them:
 *
 *     a ── S ── R        S serves the static invoice of R and keeps messages for it; R is offline until told otherwise
 *
 * The program listens on loopback, and prints one line of JSON per event: `ready` with `node_id` and `port` of S and the
 * `offer` of R, then `invoice_served`, `message_kept`, `claimable`, `claimed`, `htlc_failed`. It takes commands, one a line, and
 * answers each with `done`: `online` and `offline` for R; `forget` and `keep` for messages to R that S gets while it is offline;
 * `refuse` and `claim` for what R does with payments.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Daemon, startDaemon } from '../../../src/cli/daemon/daemon.ts';
import { parseStartOptions } from '../../../src/cli/options/start-options.ts';
import { describeNeeding } from '../../needs.ts';
import { memoryLog, RawClient } from '../../rpc/support.ts';
import { ClnNodes, haveNodes, until } from '../cln/cln-nodes.ts';

const PROGRAM = process.env.FULGURITE_LDK_STATIC;
const TIME = 120_000;
const POLL = { timeout: 60_000 };

interface Told {
  readonly event: string;
  readonly command?: string;
  readonly payment_hash?: string;
  readonly amount_msat?: number;
  readonly offer?: string;
  readonly node_id?: string;
  readonly port?: number;
}

/** The two LDK nodes. */
class Recipient {
  readonly told: Told[] = [];
  readonly #process: ChildProcess;

  constructor(program: string) {
    this.#process = spawn(program, ['async'], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#process.stdout! }).on('line', (line) => this.told.push(JSON.parse(line)));
  }

  async ready(): Promise<Required<Pick<Told, 'node_id' | 'port' | 'offer'>>> {
    await until(async () => this.of('ready').length > 0);
    return this.of('ready')[0] as Required<Pick<Told, 'node_id' | 'port' | 'offer'>>;
  }

  of(event: string): Told[] {
    return this.told.filter((one) => one.event === event);
  }

  async do(command: string): Promise<void> {
    const before = this.of('done').length;
    this.#process.stdin!.write(`${command}\n`);
    await until(async () => this.of('done').length > before);
  }

  end(): void {
    this.#process.stdin!.end();
  }
}

describeNeeding('ldkStatic', PROGRAM !== undefined && haveNodes, 'a static invoice of LDK, paid', () => {
  let nodes: ClnNodes;
  let daemon: Daemon;
  let ldk: Recipient;
  let offer: string;

  // biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
  async function ask(method: string, params: object = {}): Promise<any> {
    const client = new RawClient(daemon.socketPath);
    const answer = JSON.parse((await client.ask(JSON.stringify({ id: 1, method, params })))!);
    client.socket.destroy();
    return answer.error ?? answer.result;
  }

  beforeAll(async () => {
    ldk = new Recipient(PROGRAM!);
    nodes = await ClnNodes.start();
    const { node_id: id, port, offer: made } = await ldk.ready();
    offer = made;
    await nodes.call('a', 'connect', { id: `${id}@127.0.0.1:${port}` });
    await nodes.call('a', 'fundchannel', { id, amount: 5_000_000, announce: false, mindepth: 0 });
    await until(async () => {
      const { channels } = await nodes.call('a', 'listpeerchannels', { id });
      return channels.some((one: { state: string }) => one.state === 'CHANNELD_NORMAL');
    });
    daemon = await startDaemon(
      parseStartOptions(['--network', 'cln', '--workers', '1', '--pay-static-invoices', ...nodes.besideA()]),
      memoryLog(),
    );
  }, TIME);
  afterAll(async () => {
    await daemon?.stop();
    await nodes?.stop();
    ldk?.end();
  }, 120_000);
  beforeEach(() => ldk.do('offline'));

  const claimedMsat = (hash: string): number | undefined =>
    ldk.of('claimed').find((one) => one.payment_hash === hash)?.amount_msat;

  test('waits for the recipient, visibly, and pays when it comes online', { timeout: TIME }, async () => {
    const paid = ask('xpay', { invstring: offer, amount_msat: 7_000_000, retry_for: 120 });
    await expect.poll(() => ldk.of('message_kept').length, POLL).toBeGreaterThan(0);
    const { pays } = await ask('listpays', { status: 'pending' });
    expect(pays).toMatchObject([{ pending_reason: 'waiting for the recipient to come online' }]);
    expect((await nodes.call('a', 'listsendpays')).payments).toEqual([]);
    await ldk.do('online');
    expect(await paid).toMatchObject({ amount_msat: 7_000_000, successful_parts: 1, failed_parts: 0 });
    expect(claimedMsat(pays[0].payment_hash)).toBe(7_000_000);
    const rows = (await nodes.call('a', 'listsendpays')).payments;
    expect(rows).toMatchObject([{ status: 'complete', payment_hash: pays[0].payment_hash }]);
  });

  test('tells the caller when the recipient stays offline, and frees the key', {
    timeout: TIME,
  }, async () => {
    const before = (await nodes.call('a', 'listsendpays')).payments.length;
    const asked = { invstring: offer, amount_msat: 2_000_000, retry_for: 5, idempotency_key: 'later' };
    const error = await ask('xpay', asked);
    expect(error).toMatchObject({ code: -32011, message: expect.stringContaining('Nothing was paid') });
    expect((await nodes.call('a', 'listsendpays')).payments.length).toBe(before);
    await ldk.do('online');
    // R's answer to the earlier message comes over a path that is no longer valid.
    expect(await ask('xpay', asked)).toMatchObject({ amount_msat: 2_000_000, failed_parts: 0 });
    expect(ldk.of('claimed').filter((one) => one.amount_msat === 2_000_000)).toHaveLength(1);
  });
});
