/**
 * Beside real Core Lightning nodes: our records of payments are compared with the nodes' own, while nodes are
 * stopped, hung, killed and replaced. On the network
 *
 *     a ──10,000,000 sat── b ──10,000,000 sat── c ──5,000,000 sat, not announced── d        (we are beside a)
 */
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { answerAt } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { memoryLog } from '../../rpc/support.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { ClnNodes, haveNodes, type NodeName, until } from './cln-nodes.ts';

const TIME = 120_000;
/** Number of payments in the first test, and how many of them are concurrent. */
const KEYSENDS = Number(process.env.KEYSENDS ?? 100);
const AT_ONCE = Number(process.env.AT_ONCE ?? 10);

describeNeeding('lightningd', haveNodes, 'beside real nodes', () => {
  let nodes: ClnNodes;
  let daemon: Daemon;
  let log: ReturnType<typeof memoryLog>;
  let socket: string;
  const ids = new Map<NodeName, string>();

  const ask = (method: string, params: object = {}) => answerAt(daemon.socketPath, method, params);

  async function start(): Promise<void> {
    const where = ['--lightning-rpc-file', socket, '--data-dir', join(nodes.directory, 'ours')];
    log = memoryLog();
    daemon = await startTestDaemon(['--network', 'cln', '--developer', ...where], log);
  }

  const keysend = (to: NodeName, amount_msat: number, more: object = {}) =>
    ask('keysend', { destination: ids.get(to), amount_msat, ...more });

  /** The amount that a node received by this hash; undefined if none. */
  async function received(name: NodeName, hash: string): Promise<number | undefined> {
    const { invoices } = await nodes.call(name, 'listinvoices', { payment_hash: hash });
    return invoices.find(({ status }: { status: string }) => status === 'paid')?.amount_received_msat;
  }

  /** Our latest payment. */
  const newest = async () => (await ask('listpays')).pays.at(-1);

  /** The rows for a hash in node a's database. */
  const rows = async (hash: string) =>
    (await nodes.call('a', 'listsendpays', { payment_hash: hash })).payments as { status: string }[];

  const ready = (): Promise<void> =>
    until(async () => {
      const { channels } = await ask('listpeerchannels');
      const { warning_node_behind: warning, num_active_channels } = await ask('getinfo');
      // The channel of an absent peer is gossiped as disabled, and some time after the peer's return as
      // enabled again.
      const public4 = (await ask('listchannels')).channels.filter((one: { active: boolean }) => one.active);
      const isUp = warning === undefined && num_active_channels === 1 && channels[0].reestablished === true;
      return isUp && public4.length === 4;
    });

  beforeAll(async () => {
    nodes = await ClnNodes.start();
    socket = join(nodes.directory, 'socket');
    symlinkSync(nodes.socketPath('a'), socket);
    for (const name of ['a', 'b', 'c', 'd'] as const) ids.set(name, (await nodes.call(name, 'getinfo')).id);
    await start();
    await until(async () => (await ask('listnodes')).nodes.length === 3);
  }, TIME);
  afterAll(async () => {
    await daemon?.stop();
    await nodes?.stop();
  }, TIME);
  beforeEach(ready, TIME);

  test(`${KEYSENDS} keysends at ${AT_ONCE} a time are all received, to the msat`, {
    timeout: 10 * TIME,
  }, async () => {
    const paid: { payment_hash: string; amount_msat: number; status: string }[] = [];
    let next = 0;
    const payer = async (): Promise<void> => {
      while (next < KEYSENDS) paid.push(await keysend('c', 1_000 + next++, { retry_for: 300 }));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, payer));
    expect(paid.filter(({ status }) => status !== 'complete')).toEqual([]);
    expect(paid).toHaveLength(KEYSENDS);
    const { invoices } = await nodes.call('c', 'listinvoices');
    const got = new Map<string, number>(
      invoices.map((one: { payment_hash: string; amount_received_msat: number }) => [
        one.payment_hash,
        one.amount_received_msat,
      ]),
    );
    expect(got.size).toBe(KEYSENDS);
    const sum = (amounts: Iterable<number>) => [...amounts].reduce((all, one) => all + one, 0);
    expect(sum(got.values())).toBe(sum(paid.map(({ amount_msat }) => amount_msat)));
    expect(paid.map(({ payment_hash }) => got.get(payment_hash))).toEqual(
      paid.map(({ amount_msat }) => amount_msat),
    );
  });

  test('offers of b, c and the unannounced d are paid, each with a separate invoice', {
    timeout: TIME,
  }, async () => {
    for (const name of ['b', 'c', 'd'] as const) {
      const { bolt12 } = await nodes.call(name, 'offer', { amount: '5000msat', description: `of ${name}` });
      expect(await ask('fetchinvoice', { offer: bolt12 })).toHaveProperty('invoice');
      const { payment_preimage, code, message } = await ask('xpay', { invstring: bolt12 });
      expect([name, code, message, typeof payment_preimage]).toEqual([name, undefined, undefined, 'string']);
      const { invoices } = await nodes.call(name, 'listinvoices');
      const paid = invoices.filter(
        (one: { bolt12?: string; status: string }) => one.bolt12 && one.status === 'paid',
      );
      expect(paid).toHaveLength(1);
    }
  });

  test('our channels are those that the node would route over', { timeout: TIME }, async () => {
    // Earlier payments are settled at both ends, so the balance no longer changes.
    await until(async () => {
      const ends = await Promise.all([
        nodes.call('a', 'listpeerchannels'),
        nodes.call('b', 'listpeerchannels'),
      ]);
      return ends.every(({ channels }) =>
        channels.every(({ htlcs }: { htlcs: unknown[] }) => htlcs.length === 0),
      );
    });
    const { channels } = await nodes.call('a', 'listpeerchannels');
    const { spendable_msat } = channels[0];
    await until(async () => (await ask('listpeerchannels')).channels[0].spendable_msat === spendable_msat);
    const query = (amount_msat: number) => ({
      source: ids.get('a'),
      destination: ids.get('b'),
      amount_msat,
      layers: ['auto.localchans', 'auto.sourcefree'],
      maxfee_msat: 1_000_000,
      final_cltv: 18,
    });
    // For amounts within a satoshi of the maximum, v26.06 reports that it does not know why it finds no
    // route.
    for (const amount of [1, Math.floor(spendable_msat / 1000) * 1000, spendable_msat + 1]) {
      const ours = await ask('getroutes', query(amount));
      const theirs = await nodes.call('a', 'getroutes', query(amount)).catch(() => undefined);
      expect([amount, ours.routes?.length]).toEqual([amount, theirs?.routes.length]);
    }
  });

  test('if the recipient is away, the last channel is blamed, not ours', { timeout: TIME }, async () => {
    nodes.signal('c', 'SIGKILL');
    await until(async () => {
      const { peers } = await nodes.call('b', 'listpeers', { id: ids.get('c') });
      return peers[0].connected === false;
    });
    const failed = await keysend('c', 2_000);
    expect(failed).toMatchObject({ code: 205, data: { erring_index: 1, erring_node: ids.get('b') } });
    await nodes.restart('c');
    await nodes.connected('b');
    await ready();
    expect(await keysend('c', 2_000)).toMatchObject({ status: 'complete' });
  });

  test('if our first peer is away, it is named as the reason', { timeout: TIME }, async () => {
    nodes.signal('b', 'SIGKILL');
    await until(async () => (await ask('getinfo')).num_active_channels === 0);
    const { code, data } = await keysend('c', 2_000);
    expect([code, data.binding.kind]).toEqual([205, 'source_capacity']);
    await nodes.restart('b');
    await nodes.connected('a');
    await nodes.connected('b');
    await ready();
    expect(await keysend('c', 2_000)).toMatchObject({ status: 'complete' });
  });

  test('a node that hangs and then continues has paid once', { timeout: TIME }, async () => {
    nodes.signal('a', 'SIGSTOP');
    const paid = keysend('c', 3_001);
    await new Promise((done) => setTimeout(done, 500));
    nodes.signal('a', 'SIGCONT');
    const { status, payment_hash, amount_msat } = await paid;
    expect(status).toBe('complete');
    expect(await received('c', payment_hash)).toBe(amount_msat);
    expect(await rows(payment_hash)).toHaveLength(1);
  });

  test('a node killed with an HTLC in flight: the caller waits, and gets the true outcome', {
    timeout: TIME,
  }, async () => {
    // c does not answer, so the HTLC stays in flight.
    nodes.signal('c', 'SIGSTOP');
    const paid = keysend('c', 3_002, { retry_for: 1 });
    // A node that is killed before it has committed the HTLC loses it; another test below does that.
    await until(async () => {
      const { channels } = await nodes.call('a', 'listpeerchannels');
      return channels[0].htlcs[0]?.state === 'SENT_ADD_ACK_REVOCATION';
    });
    nodes.signal('a', 'SIGKILL');
    await until(async () => (await ask('getinfo')).warning_node_behind !== undefined);
    await nodes.restart('a');
    nodes.signal('c', 'SIGCONT');
    const { status, payment_hash, amount_msat } = await paid;
    expect(status).toBe('complete');
    expect(await received('c', payment_hash)).toBe(amount_msat);
    expect(await rows(payment_hash)).toHaveLength(1);
  });

  test('the daemon stopped and the node killed with an HTLC in flight: the HTLC is found, and the payment is complete', {
    timeout: TIME,
  }, async () => {
    nodes.signal('c', 'SIGSTOP');
    void keysend('c', 3_003).catch(() => undefined);
    await until(async () => (await ask('listpeerchannels')).channels[0].htlcs.length === 1);
    const { payment_hash } = await newest();
    await daemon.stop();
    nodes.signal('a', 'SIGKILL');
    await nodes.restart('a');
    nodes.signal('c', 'SIGCONT');
    await start();
    await until(async () => (await newest()).status === 'complete');
    expect(await newest()).toMatchObject({ payment_hash });
    expect(await rows(payment_hash)).toMatchObject([{ status: 'complete' }]);
    expect(await received('c', payment_hash)).toBeGreaterThanOrEqual(3_003);
  });

  test.each<[string, (payment_hash: string) => Promise<unknown>]>([
    ['by hand', (payment_hash) => nodes.call('a', 'delpay', { payment_hash, status: 'complete' })],
    ['by autoclean', () => nodes.call('a', 'autoclean-once', { subsystem: 'succeededpays', age: 1 })],
  ])(
    'after a row was deleted %s while we were away, the node’s bookkeeper, if it has one, shows the payment',
    {
      timeout: TIME,
    },
    async (_, deleteRow) => {
      nodes.signal('c', 'SIGSTOP');
      void keysend('c', 3_005).catch(() => undefined);
      await until(async () => (await ask('listpeerchannels')).channels[0].htlcs.length === 1);
      const { payment_hash } = await newest();
      await daemon.stop();
      nodes.signal('c', 'SIGCONT');
      await until(async () => (await rows(payment_hash))[0]?.status === 'complete');
      await until(async () => {
        await deleteRow(payment_hash).catch(() => undefined);
        return (await rows(payment_hash)).length === 0;
      });
      await start();
      // A node before v25.09 has no bookkeeper records of this payment. With such a node, the outcome remains
      // unknown, and nothing is sent again.
      const hasBooks = await nodes
        .call('a', 'help', { command: 'listchannelmoves' })
        .then(Boolean, () => false);
      const doubt = `the outcome of ${payment_hash} part 1 is not certain yet`;
      await until(async () =>
        hasBooks
          ? (await newest()).status === 'complete'
          : log.lines.some((line) => line.includes(doubt)) && (await newest()).status === 'pending',
      );
      expect(await newest()).toMatchObject({ payment_hash });
      expect(await rows(payment_hash)).toEqual([]);
      expect(await received('c', payment_hash)).toBeGreaterThanOrEqual(3_005);
    },
  );

  test('a node killed between accepting and committing: the dead part is detected, and paid again once', {
    timeout: TIME,
  }, async () => {
    nodes.signalSubdaemon('a', 'lightning_channeld', 'SIGSTOP');
    const paid = keysend('c', 3_004, { retry_for: 60 });
    let hash = '';
    await until(async () => {
      hash = (await newest()).payment_hash;
      const [row] = await rows(hash);
      return row?.status === 'pending';
    });
    // The row has a time in whole seconds, so the node must be started in a later second.
    await new Promise((done) => setTimeout(done, 2_100));
    nodes.signal('a', 'SIGKILL');
    await nodes.restart('a');
    await nodes.connected('a');
    const { status, payment_hash, amount_msat, code, message } = await paid;
    expect([code, message, payment_hash]).toEqual([undefined, undefined, hash]);
    expect(status).toBe('complete');
    expect(await received('c', hash)).toBe(amount_msat);
    // The node's database keeps the dead row forever.
    expect((await rows(hash)).map((row) => row.status)).toEqual(['pending', 'complete']);
  });

  test('a recipient that sees a longer chain is blamed, and paid when we have caught up', {
    timeout: TIME,
  }, async () => {
    const LEAD = 3;
    const height = async (name: NodeName) => (await nodes.call(name, 'getinfo')).blockheight as number;
    const restart = async (options: readonly string[]) => {
      nodes.signal('a', 'SIGKILL');
      await nodes.restart('a', options);
      await nodes.connected('a');
    };
    // From now on, node a polls for blocks only once a day.
    await restart(['--dev-bitcoind-poll=86400']);
    await ready();
    const ours = await height('a');
    nodes.mine(LEAD);
    await until(async () => (await height('b')) === ours + LEAD && (await height('c')) === ours + LEAD);
    // As the recipient of a keysend, v26.06 refuses a second HTLC with the same hash, and gives a different reason.
    const second = keysend('c', 2_102, { retry_for: 100 });
    const label = `${Date.now()}`;
    const { bolt11 } = await nodes.call('c', 'invoice', { amount_msat: 2_101, label, description: 'd' });
    const paid = ask('xpay', { invstring: bolt11, retry_for: 100, dev_use_shadow: false });
    const attempts = async () => (await ask('paystatus')).pay.at(-1)?.attempts;
    await until(async () => (await attempts())[0]?.failure !== undefined);
    expect((await attempts())[0].failure.data).toMatchObject({
      ...{ erring_index: 2, erring_node: ids.get('c'), failcode: 0x400f },
    });
    await restart([]);
    expect(await paid).toMatchObject({ amount_msat: 2_101 });
    expect(await attempts()).toHaveLength(2);
    const kept = await second;
    if (kept.code === undefined) expect(await received('c', kept.payment_hash)).toBe(kept.amount_msat);
    else {
      expect(kept).toMatchObject({
        code: 203,
        message: expect.stringContaining(`height ${ours + LEAD}, but we are at ${ours}`),
        data: { recipient_height: ours + LEAD, own_height: ours, failcode: 0x4016 },
      });
    }
    const { invoices } = await nodes.call('c', 'listinvoices', { label });
    expect(invoices).toMatchObject([{ status: 'paid', amount_received_msat: 2_101 }]);
  });

  test('a different node at the socket is not used', { timeout: TIME }, async () => {
    const relink = (name: NodeName): void => {
      rmSync(socket);
      symlinkSync(nodes.socketPath(name), socket);
    };
    relink('b');
    nodes.signal('a', 'SIGKILL');
    await until(async () => (await ask('getinfo')).warning_node_behind?.includes(ids.get('b')));
    expect(await keysend('c', 2_000)).toMatchObject({ code: -32006 });
    relink('a');
    await nodes.restart('a');
    await nodes.connected('a');
    await ready();
    expect(await keysend('c', 2_000)).toMatchObject({ status: 'complete' });
  });

  test('the node shows the payer’s label', { timeout: TIME }, async () => {
    const { payment_hash } = await keysend('c', 2_345, { label: 'rent for May' });
    const { payments } = await nodes.call('a', 'listsendpays', { payment_hash });
    expect(payments).toMatchObject([
      { status: 'complete', label: expect.stringMatching(/^fulgurite-[0-9a-f]{32} rent for May$/) },
    ]);
    const { pays } = await nodes.call('a', 'listpays', { payment_hash });
    expect(pays).toMatchObject([{ label: expect.stringMatching(/ rent for May$/) }]);
  });
});
