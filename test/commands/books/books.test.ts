/** `ledger` and `reconcile` of a daemon: their results agree with the balances. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../rpc/support.ts';
import { DaemonHere } from '../daemon-here.ts';

const directory = temporaryDirectory();
const home = join(directory.path, 'home');
let node: DaemonHere;
let hadMsat: number;

const ownMsat = async (): Promise<number> =>
  (await node.result('listfunds')).channels.reduce(
    (sum: number, { our_amount_msat }: { our_amount_msat: number }) => sum + our_amount_msat,
    0,
  );

beforeAll(async () => {
  node = await DaemonHere.start(home, ['--graph', 'synthetic:200', '--seed', '7']);
  hadMsat = await ownMsat();
  const { nodes } = await node.result('listnodes');
  const { channels } = await node.result('listpeerchannels');
  for (let n = 1; n <= 12; n++) {
    const label = n === 3 ? '=SUM(A1), "then"\nmore' : `payment ${n}`;
    const params = {
      destination: nodes[n].nodeid,
      amount_msat: n * 3_000_001,
      idempotency_key: `k${n}`,
      label,
    };
    await node.call('xkeysend', params);
  }
  // Two more payments: one in several parts, and one that fails because there is no route.
  const peer = channels[1].peer_id;
  await node.call('xkeysend', {
    destination: peer,
    amount_msat: '17000000sat',
    maxfee: '500000sat',
    idempotency_key: 'parts',
  });
  await node.call('xkeysend', {
    destination: nodes[20].nodeid,
    amount_msat: '999000000sat',
    idempotency_key: 'never',
  });
}, 120_000);
afterAll(async () => {
  await node.stop();
  directory.remove();
});

test('the ledger sums to the change of our balances, and debits equal credits', async () => {
  const { movements, paid_msat, fees_msat, in_flight_msat, balance_change_msat } =
    await node.result('ledger');
  expect((await ownMsat()) - hadMsat).toBe(balance_change_msat);
  expect(-(paid_msat + fees_msat + in_flight_msat)).toBe(balance_change_msat);
  expect(balance_change_msat).toBeLessThan(-17_000_000_000);
  const { payments } = await node.result('listsendpays', { status: 'complete' });
  expect(movements).toHaveLength(payments.length);
  for (const { entries } of movements) {
    const sum = entries.reduce(
      (so: number, { debit_msat = 0, credit_msat = 0 }: Record<string, number>) =>
        so + debit_msat - credit_msat,
      0,
    );
    expect(sum).toBe(0);
  }
});

test('each page begins where the previous one ended, and together they are complete', async () => {
  const whole = (await node.result('ledger', { refunds: true })).movements;
  const read: unknown[] = [];
  let start: number | undefined = 1;
  for (let pages = 0; start !== undefined && pages < 100; pages++) {
    const page = await node.result('ledger', { refunds: true, start, limit: 2 });
    expect(page.movements.length).toBeLessThanOrEqual(2);
    read.push(...page.movements);
    start = page.next_start;
  }
  expect(read).toEqual(whole);
  const later = whole[5].time;
  const { movements } = await node.result('ledger', { refunds: true, since: Math.ceil(later) });
  expect(movements).toEqual(whole.filter(({ time }: { time: number }) => time >= Math.ceil(later)));
});

test('CSV in the columns of phoenixd and of the bookkeeper has the same sums', async () => {
  const { fees_msat, balance_change_msat } = await node.result('ledger');
  const rows = async (format: string): Promise<string[][]> =>
    (await node.result('ledger', { format })).lines.map((line: string) =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell!),
    );
  const column = (table: string[][], name: string): string[] =>
    table.slice(1).map((cells) => cells[table[0]!.indexOf(name)]!);
  const sum = (cells: readonly string[]): number => cells.reduce((so, cell) => so + Number(cell), 0);
  const own = await rows('csv');
  expect(sum(column(own, 'balance_change_msat'))).toBe(balance_change_msat);
  // A payee or a caller cannot inject a formula into a spreadsheet.
  expect(column(own, 'label')).toContain(`"'=SUM(A1), ""then""\nmore"`);
  const phoenixd = await rows('phoenixd');
  expect(phoenixd[0]!.slice(0, 9)).toEqual([
    'date',
    'id',
    'type',
    'amount_msat',
    'fee_credit_msat',
    'mining_fee_sat',
    'service_fee_msat',
    'payment_hash',
    'tx_id',
  ]);
  expect(sum(column(phoenixd, 'amount_msat'))).toBe(balance_change_msat);
  expect(new Set(column(phoenixd, 'id')).size).toBe(phoenixd.length - 1);
  const koinly = await rows('koinly');
  const msat = (name: string): number =>
    column(koinly, name).reduce((so, cell) => so + Number(cell.replace('.', '')), 0);
  expect(msat('Fee Amount')).toBe(fees_msat);
  expect(-(msat('Sent Amount') + msat('Fee Amount'))).toBe(balance_change_msat);
});

test('our books agree with the network and with a correct list of the application', async () => {
  const { payments } = await node.result('listpayments', { limit: 100, start: 1 });
  const complete = payments.filter(({ status }: { status: string }) => status === 'complete');
  const found = await node.result('reconcile');
  expect(found).toMatchObject({ unexplained_msat: 0, differences: [], open: [], pending: { count: 0 } });
  expect(found.complete.count).toBe(complete.length);
  expect(found.node_htlcs).toBe((await node.result('ledger')).movements.length);
  const lines = complete.map(
    ({ payment_hash, amount_msat }: { payment_hash: string; amount_msat: number }) =>
      `${payment_hash},${amount_msat}`,
  );
  writeFileSync(join(home, 'list.csv'), ['key,amount_msat', ...lines].join('\n'));
  const listed = await node.result('reconcile', { file: 'list.csv' });
  expect(listed).toMatchObject({ list_unexplained_msat: 0, differences: [] });
});

test('a list with a failed and an unknown payment is reported as unexplained', async () => {
  const { differences, list_unexplained_msat } = await node.result('reconcile', {
    csv: 'amount_msat,key\n5,never\n7,unknown\n',
    since: 4_000_000_000,
  });
  expect(list_unexplained_msat).toBe(12);
  expect(differences).toMatchObject([
    { kind: 'missing_payment', key: 'never' },
    { kind: 'missing_payment', key: 'unknown' },
  ]);
  const all = await node.result('reconcile', { csv: 'amount_msat,key\n5,never\n' });
  expect(all.differences).toContainEqual(
    expect.objectContaining({ kind: 'not_paid', key: 'never', list_msat: 5 }),
  );
});

test.each([
  [{ file: '../rune-secret' }, 'should be the name of a .csv file'],
  [{ file: '/etc/passwd' }, 'should be the name of a .csv file'],
  [{ file: 'absent.csv' }, 'ENOENT'],
  [{ file: 'list.csv', csv: '' }, 'either {csv} or {file}'],
  [{ csv: 'key,amount_msat\na,1\na,1\n' }, 'line 3: the key of line 2 is repeated'],
])('refuses %j', async (params, message) => {
  const { code, message: said } = await node.error('reconcile', params);
  expect([code, said]).toEqual([-32602, expect.stringContaining(message)]);
});
