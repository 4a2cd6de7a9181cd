/**
 * A node of the simulated network pays names; a signed zone contains offers of the network's nodes for them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { signedRoot } from './signed-root.ts';
import { serveZones, txtName, type ZoneServer } from './zones.ts';

const directory = mkdtempSync(join(tmpdir(), 'fulgurite-names-'));
const GRAPH = ['--network', 'simulated', '--graph', 'synthetic:60', '--seed', '7', '--no-http'];
let node: DaemonHere;
let server: ZoneServer;
let offer: string;

beforeAll(async () => {
  const before = await DaemonHere.start(join(directory, 'before'), GRAPH);
  const { offers } = await before.result('listsimulatedoffers');
  offer = offers.find((one: { kind: string }) => one.kind === 'fixed').bolt12;
  expect((await before.error('xpay', { invstring: 'tea@shop.test' })).message).toContain('--name-resolver');
  expect((await before.error('fetchbip353', ['tea@shop.test'])).code).toBe(-32005);
  await before.stop();
  const { anchor, records } = signedRoot([
    {
      name: txtName('tea', 'shop.test'),
      text: `bitcoin:bc1qx?label=Tea%20shop&amount=0.00000010&lno=${offer}`,
    },
    { name: txtName('coins', 'shop.test'), text: 'bitcoin:bc1qx' },
    { name: txtName('other', 'shop.test'), text: `BITCOIN:?LNO=lno1zzz&lno=${offer}` },
    { name: txtName('must', 'shop.test'), text: `bitcoin:?req-future=1&lno=${offer}` },
    { name: txtName('none', 'shop.test'), text: 'v=spf1 -all' },
  ]);
  server = await serveZones(records);
  const names = ['--name-resolver', server.dns, '--name-anchor', anchor];
  node = await DaemonHere.start(join(directory, 'node'), [...GRAPH, ...names]);
});

afterAll(async () => {
  await node?.stop();
  server?.close();
  rmSync(directory, { recursive: true, force: true });
});

test('a name is resolved, proven and paid, with an invoice for that name', async () => {
  expect(await node.result('fetchbip353', ['₿tea@shop.test'])).toEqual({
    proof: expect.stringMatching(/^[0-9a-f]+$/),
    instructions: [
      { description: 'Tea shop', offer, offchain_amount_msat: 10_000 },
      { description: 'Tea shop', onchain: 'bc1qx', onchain_amount_sat: 10 },
    ],
  });
  const paid = await node.result('xpay', { invstring: 'tea@shop.test' });
  expect(paid).toMatchObject({ simulated: true, payment_preimage: expect.any(String) });
  const { pays } = await node.result('listpays');
  expect(await node.result('decode', [pays.at(-1).bolt12])).toMatchObject({
    invreq_bip_353_name: { name: 'tea', domain: 'shop.test' },
  });
});

test('the first offer for our chain is paid', async () => {
  expect(await node.result('xpay', ['other@shop.test'])).toMatchObject({
    payment_preimage: expect.any(String),
  });
});

test('names that cannot be paid fail with the reason, and nothing is paid', async () => {
  const { pays } = await node.result('listpays');
  for (const [name, reason] of [
    ['coins', 'instructions'],
    ['must', 'instructions'],
    ['none', 'instructions'],
    ['absent', 'absent'],
  ]) {
    const error = await node.error('xpay', { invstring: `${name}@shop.test` });
    expect(error).toMatchObject({ code: -32009, data: { reason } });
  }
  expect((await node.result('listpays')).pays).toHaveLength(pays.length);
});
