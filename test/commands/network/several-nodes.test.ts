/**
 * Several simulated nodes used as one, through a daemon: listings, settings, restarts, payments and refusals.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startDaemon } from '../../../src/cli/daemon/daemon.ts';
import { parseStartOptions } from '../../../src/cli/options/start-options.ts';
import { memoryLog, temporaryDirectory } from '../../rpc/support.ts';
import { DaemonHere } from '../daemon-here.ts';

const OPTIONS = [
  ...['--graph', 'synthetic:300', '--seed', '7', '--workers', '1', '--developer', '--no-http'],
  ...['--node', 'a=simulated', '--node', 'b=simulated', '--node', 'c=simulated'],
];

interface NodeRow {
  readonly name: string;
  readonly id: string;
  readonly spendable_msat: number;
  readonly may_spend_msat: number;
  readonly receivable_msat: number;
  readonly resting?: string;
  readonly last_hour: { readonly settled: number; readonly fee_msat: number };
}
interface Part {
  readonly node: string;
  readonly amount_msat: number;
}

describe('a daemon with several nodes', () => {
  const directory = temporaryDirectory();
  const home = join(directory.path, 'home');
  let daemon: DaemonHere;

  beforeAll(async () => {
    daemon = await DaemonHere.start(home, OPTIONS);
  });
  afterAll(async () => {
    await daemon?.stop();
    directory.remove();
  });

  const rows = async (): Promise<NodeRow[]> => (await daemon.result('listournodes')).nodes;
  const row = async (node: string): Promise<NodeRow> =>
    (await daemon.result('listournodes', { node })).nodes[0];
  const someone = async (): Promise<string> => (await daemon.result('listnodes')).nodes[5].nodeid;
  const invoice = async (amount_msat: number | string, id?: string): Promise<string> =>
    (await daemon.result('simulatedinvoice', { id: id ?? (await someone()), amount_msat, hints: 8 })).bolt11;

  test('lists its nodes, also in getinfo', async () => {
    const nodes = await rows();
    expect(nodes.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(3);
    expect(await daemon.result('getinfo')).toMatchObject({
      id: nodes[0]!.id,
      our_nodes: ['a', 'b', 'c'],
      network_kind: 'simulated',
      num_active_channels: 24,
    });
  });

  test('shows what each node could send over time, including before a restart', async () => {
    const balances = async () =>
      (await daemon.result('listournodes', { node: 'a', history_hours: 1 })).nodes[0].balances;
    await vi.waitFor(async () => expect(await balances()).toHaveLength(1), { timeout: 20_000 });
    const [first] = await balances();
    expect(first.spendable_msat).toBe((await row('a')).spendable_msat);
    await daemon.stop();
    daemon = await DaemonHere.start(home, OPTIONS);
    await vi.waitFor(async () => expect(await balances()).toHaveLength(2), { timeout: 20_000 });
    expect((await balances())[0]).toEqual(first);
    expect((await row('a')) as object).not.toHaveProperty('balances');
    expect(await daemon.error('listournodes', { history_hours: 721 })).toMatchObject({ code: -32602 });
  });

  test('pays an amount that no single node has from several, and shows which node sent what', async () => {
    const most = Math.max(...(await rows()).map(({ may_spend_msat }) => may_spend_msat));
    const amount = most + 1_000_000_000;
    const params = { destination: await someone(), amount_msat: amount, maxfee: 10_000_000_000 };
    const paid = await daemon.result('xkeysend', params);
    expect(paid.amount_msat).toBeGreaterThanOrEqual(amount);
    const { pays } = await daemon.result('listpays');
    const shares: Part[] = pays.at(-1).nodes;
    expect(shares.length).toBeGreaterThan(1);
    expect(shares.reduce((sum, { amount_msat }) => sum + amount_msat, 0)).toBe(paid.amount_msat);
    const { payments } = await daemon.result('listsendpays');
    for (const { node } of payments) expect(['a', 'b', 'c']).toContain(node);
    // A payment is complete with its first part; the others end a moment later.
    await vi.waitFor(async () => {
      const hour = (await rows()).reduce((sum, { last_hour }) => sum + last_hour.fee_msat, 0);
      expect(hour).toBe(paid.amount_sent_msat - paid.amount_msat);
    }, 20_000);
  });

  test('pays from the named nodes, or from a single node', async () => {
    const bolt11 = await invoice('1000sat');
    const plan = await daemon.result('planxpay', { invstring: bolt11, nodes: ['c'] });
    expect(new Set(plan.parts.map(({ node }: Part) => node))).toEqual(new Set(['c']));
    expect(plan.from_each_node).toBeUndefined();
    const whole = await daemon.result('planxpay', { invstring: bolt11, one_node: true });
    expect(new Set(whole.parts.map(({ node }: Part) => node)).size).toBe(1);
    expect(whole.from_each_node).toHaveLength(3);
    const fees = whole.from_each_node.flatMap(({ fee_msat }: { fee_msat?: number }) => fee_msat ?? []);
    expect(whole.fee_msat).toBeLessThanOrEqual(Math.max(...fees));
    expect(await daemon.error('planxpay', { invstring: bolt11, nodes: ['z'] })).toMatchObject({
      code: -32602,
    });
  });

  test('a floor is respected, and a price moves payments to a different node', async () => {
    const before = await row('a');
    await daemon.result('setournode', { node: 'a', floor: before.spendable_msat - 1_000_000 });
    expect(await row('a')).toMatchObject({ may_spend_msat: 1_000_000 });
    const refused = await daemon.error('plantransfer', { from: 'a', to: 'b', amount_msat: 2_000_000 });
    expect(refused).toMatchObject({
      code: 215,
      data: { our_nodes: [{ node: 'a' }, { node: 'b' }, { node: 'c' }] },
    });
    expect(refused.message).toMatch(
      /Our nodes may spend: a 1000000msat, b \d+msat \(not used for this payment\)/,
    );
    expect(await daemon.error('transfer', { from: 'a', to: 'b', amount_msat: 2_000_000 })).toMatchObject({
      code: 215,
    });
    const { warning_floor } = await daemon.result('setournode', { node: 'a', floor: before.spendable_msat });
    expect(warning_floor).toMatch(/sends nothing/);
    expect((await row('a')).resting).toMatch(/floor/);
    await daemon.result('setournode', { node: 'a', floor: 0, price: 100_000 });
    await daemon.result('setournode', { node: 'b', price: -100_000 });
    const plan = await daemon.result('planxpay', { invstring: await invoice('100sat') });
    expect(plan.parts.map(({ node }: Part) => node)).toEqual(['b']);
    await daemon.result('setournode', { node: 'b', state: 'rest' });
    const elsewhere = await daemon.result('planxpay', { invstring: await invoice('100sat') });
    expect(elsewhere.parts.map(({ node }: Part) => node)).toEqual(['c']);
    await daemon.result('setournode', { node: 'b', state: 'on', price: 0 });
    await daemon.result('setournode', { node: 'a', state: 'drain', price: 0 });
    const drained = await daemon.result('planxpay', { invstring: await invoice('100sat') });
    expect(drained.parts.map(({ node }: Part) => node)).toEqual(['a']);
    await daemon.result('setournode', { node: 'a', state: 'on', largest_part: 0, max_htlcs: 0 });
  });

  test('a refusal names the limiting node and a transfer as the remedy, and the transfer works', async () => {
    const { spendable_msat } = await row('a');
    await daemon.result('setournode', { node: 'a', floor: spendable_msat - 1_000_000 });
    const ask = { invstring: await invoice('2000sat'), nodes: ['a'] };
    const refused = await daemon.error('planxpay', ask);
    expect(refused).toMatchObject({
      code: 215,
      data: {
        our_nodes: [
          { node: 'a', binds: true, may_spend_msat: 1_000_000 },
          { node: 'b', binds: false, resting: 'not used for this payment' },
          { node: 'c', binds: false },
        ],
        transfer: { from: ['b', 'c'], to: ['a'] },
      },
    });
    expect(refused.message).toMatch(/A transfer from b or c to a would add up to \d+msat\.$/);
    await daemon.result('transfer', { from: 'b', to: 'a', amount_msat: '5000sat' });
    expect(await daemon.result('planxpay', ask)).toMatchObject({ amount_msat: 2_000_000 });
    await daemon.result('setournode', { node: 'a', floor: 0 });
    const all = (await rows()).reduce((sum, { may_spend_msat }) => sum + may_spend_msat, 0);
    const beyond = await daemon.error('planxpay', { invstring: await invoice(all + 1), maxfee: all });
    expect(beyond.data.our_nodes.map(({ binds }: { binds: boolean }) => binds)).toEqual([true, true, true]);
    expect(beyond.data.transfer).toBeUndefined();
  });

  test('a maximum part and a maximum number of HTLCs limit a node', async () => {
    await daemon.result('setournode', { node: 'a', largest_part: '1sat' });
    const bolt11 = await invoice('1000sat');
    expect(await daemon.error('planxpay', { invstring: bolt11, nodes: ['a'] })).toMatchObject({ code: 205 });
    await daemon.result('setournode', { node: 'a', largest_part: 0 });
    expect(await daemon.result('planxpay', { invstring: bolt11, nodes: ['a'] })).toMatchObject({
      amount_msat: 1_000_000,
    });
  });

  test('a transfer moves an amount between nodes; the sender loses that amount plus the fee', async () => {
    const [before, other] = [await row('c'), await row('b')];
    const plan = await daemon.result('plantransfer', { from: 'c', to: 'b', amount_msat: '50000sat' });
    expect(new Set(plan.parts.map(({ node }: Part) => node))).toEqual(new Set(['c']));
    const moved = await daemon.result('transfer', {
      from: 'c',
      to: 'b',
      amount_msat: '50000sat',
      idempotency_key: 'm',
    });
    expect(moved.amount_msat).toBe(50_000_000);
    const again = await daemon.result('transfer', {
      from: 'c',
      to: 'b',
      amount_msat: '50000sat',
      idempotency_key: 'm',
    });
    expect(again).toEqual(moved);
    expect((await row('c')).spendable_msat).toBe(before.spendable_msat - moved.amount_sent_msat);
    expect((await row('b')).spendable_msat).toBe(other.spendable_msat + moved.amount_msat);
    const { id } = await row('b');
    const own = await daemon.result('simulatedinvoice', { id, amount_msat: 1000 });
    expect(await daemon.error('xpay', { invstring: own.bolt11 })).toMatchObject({
      code: -32602,
      data: { node: 'b' },
    });
    expect(await daemon.error('keysend', { destination: id, amount_msat: 1000 })).toMatchObject({
      code: -32602,
    });
  });

  test('a refused transfer gives the reason', async () => {
    const ask = async (more: object) => [
      await daemon.error('transfer', { from: 'a', to: 'b', amount_msat: 1_000_000, ...more }),
      await daemon.error('plantransfer', { from: 'a', to: 'b', amount_msat: 1_000_000, ...more }),
    ];
    for (const error of await ask({ to: 'a' })) expect(error).toMatchObject({ code: -32602 });
    for (const error of await ask({ maxdelay: 5000 })) expect(error).toMatchObject({ code: 217 });
    for (const error of await ask({ maxfee: 0 })) expect(error).toMatchObject({ code: 206 });
    for (const error of await ask({ from: 'z' })) expect(error).toMatchObject({ code: -32602 });
  });

  test('settings survive a restart, and change only if they can be stored', async () => {
    await daemon.result('setournode', { node: 'b', floor: 12_345, price: -7, max_htlcs: 9 });
    chmodSync(home, 0o500);
    const isRoot = process.getuid?.() === 0;
    if (!isRoot) {
      expect(await daemon.error('setournode', { node: 'b', floor: 1 })).toMatchObject({ code: -32003 });
    }
    chmodSync(home, 0o700);
    await daemon.stop();
    daemon = await DaemonHere.start(home, OPTIONS);
    expect((await daemon.result('listournodes', { node: 'b' })).nodes[0]).toMatchObject({
      floor_msat: 12_345,
      price_ppm: -7,
      max_htlcs: 9,
    });
  });

  test('a damaged settings file prevents the start', async () => {
    await daemon.stop();
    const file = join(home, 'own-nodes.json');
    const text = readFileSync(file, 'utf8');
    for (const bad of ['', '{', '[]', '{"version":2,"nodes":[]}', text.replace('"on"', '"off?"')]) {
      writeFileSync(file, bad);
      const start = startDaemon(parseStartOptions([...OPTIONS, '--data-dir', home]), memoryLog());
      await expect(start).rejects.toThrow(/own-nodes.json is damaged/);
    }
    writeFileSync(file, text);
    daemon = await DaemonHere.start(home, OPTIONS);
    expect(await rows()).toHaveLength(3);
  });
});

test('a daemon with one node lists no nodes, and refuses node names', async () => {
  const directory = temporaryDirectory();
  const daemon = await DaemonHere.start(join(directory.path, 'home'), [
    '--graph',
    'synthetic:60',
    '--no-http',
  ]);
  try {
    expect(await daemon.result('listournodes')).toMatchObject({ nodes: [] });
    expect(await daemon.error('setournode', { node: 'a' })).toMatchObject({ code: -32602 });
  } finally {
    await daemon.stop();
    directory.remove();
  }
});
