/**
 * The plugin as it is installed, in a stand-in for lightningd: it is started by its path, with a real engine,
 * and killed.
 *
 *     stand-in ── A ── B ── C
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { encodeInvoiceError } from '../../src/bolt/invoice/bolt12-invoice.ts';
import { CHAIN_HASHES, encodeOffer } from '../../src/bolt/invoice/bolt12-offer.ts';
import { encodeBolt12String } from '../../src/bolt/invoice/bolt12-string.ts';
import { runPluginCommand } from '../../src/cli/plugin/plugin-command.ts';
import { nodeIdToBytes } from '../../src/model/node-id.ts';
import { onionAlong } from '../../src/network/onion-message-end.ts';
import { HISTORY_LAYER } from '../../src/payments/learn/learning.ts';
import { manifest } from '../../src/plugin/manifest.ts';
import { parseJson } from '../../src/rpc/json-token.ts';
import { toJson } from '../../src/rpc/json-write.ts';
import { A, C, callNode, type LineNode, lineNode, OWN_ID } from '../lightningd/line-node.ts';
import { readManifest } from '../lightningd/manifest.ts';
import type { StandInOptions } from '../lightningd/stand-in.ts';
import { until } from '../until.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
type Json = any;

const PLUGIN = {
  path: fileURLToPath(new URL('../../bin/fulgurite-plugin', import.meta.url)),
  isImportant: true,
};

let made: LineNode | undefined;
afterEach(async () => {
  await made?.close();
  made = undefined;
});

function nodeWithPlugin(more: Partial<StandInOptions> = {}): LineNode {
  made = lineNode({ plugins: [PLUGIN], options: { 'fulgurite-workers': '1' }, ...more });
  return made;
}

/** Process id of the engine: the only child of the plugin, which is our only child. */
function enginePid(): number {
  const childrenOf = (pid: number) =>
    [
      ...execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(pid)], { encoding: 'utf8' }).matchAll(
        /^\s*(\d+) (.*)$/gm,
      ),
    ].map(([, child, line]) => ({ child: Number(child), line: line! }));
  const plugin = childrenOf(process.pid).find(({ line }) => line.includes('fulgurite-plugin'))!;
  return childrenOf(plugin.child)[0]!.child;
}

const ROUTE = {
  source: OWN_ID,
  destination: C,
  amount_msat: 1_000_000,
  layers: ['auto.localchans', 'auto.sourcefree'],
  maxfee_msat: 100_000,
  final_cltv: 18,
};

describe('lightningd accepts the manifest', () => {
  const releases = ['v25.02', 'v25.05', 'v25.09', 'v25.12', 'v26.04', 'v26.06'];
  test.each(releases.flatMap((release) => [true, false].map((isInPlace) => [release, isInPlace] as const)))(
    'of %s, replacing cln-askrene: %s',
    (release, isInPlace) => {
      const taken: string[] = [];
      const answer = { result: manifest({ isInPlace, isDeveloper: true, nodeVersion: release }) };
      const read = readManifest(parseJson(toJson(answer)), {
        release,
        // If the plugin does not replace cln-askrene, cln-askrene already has these names.
        ownerOf: (name) => (!isInPlace && /^(getroutes|askrene-)/.test(name) ? 'cln-askrene' : undefined),
        isOptionTaken: (name) => !isInPlace && name.startsWith('askrene-'),
        onOptionClash: (name) => taken.push(name),
      });
      expect(taken).toEqual([]);
      expect(read).not.toHaveProperty('disable');
    },
  );
});

test('killing the engine loses no layer, no reservation and no payment, and the node continues', async () => {
  const all = nodeWithPlugin();
  await all.node.start();
  const paid = await callNode(all, 'fulgurite-xkeysend', { destination: C, amount_msat: 5_000 });
  expect(paid).toHaveProperty('payment_preimage');
  expect(await callNode(all, 'askrene-create-layer', { layer: 'xpay', persistent: true })).toHaveProperty(
    'layers',
  );
  await callNode(all, 'askrene-create-layer', { layer: 'xpay-1' });
  const of = { layer: 'xpay-1', short_channel_id_dir: '1x1x1/0' };
  await callNode(all, 'askrene-update-channel', { ...of, enabled: false });
  await callNode(all, 'askrene-reserve', { path: [{ ...of, amount_msat: '7msat' }] });
  const before = await callNode(all, 'askrene-listlayers');
  expect(before.layers.find(({ layer }: Json) => layer === 'xpay-1').channel_updates).toHaveLength(1);

  process.kill(enginePid(), 'SIGKILL');
  const [route, layers, aged] = await Promise.all([
    callNode(all, 'getroutes', ROUTE),
    callNode(all, 'askrene-listlayers'),
    callNode(all, 'askrene-age', { layer: 'xpay', cutoff: 1 }),
  ]);
  expect(route.routes).toHaveLength(1);
  // After each start, the results of the node's own payments are read from the node again.
  const kept = (list: Json[]) => list.filter(({ layer }) => layer !== HISTORY_LAYER).toSorted(byName);
  expect(kept(layers.layers)).toEqual(kept(before.layers));
  expect(aged).toEqual({ layer: 'xpay', num_removed: 0 });
  expect(await callNode(all, 'askrene-unreserve', { path: [{ ...of, amount_msat: 7 }] })).toEqual({});
  const { pays } = await callNode(all, 'fulgurite-listpays');
  expect(pays.map(({ status }: Json) => status)).toEqual(['complete']);
  expect((await callNode(all, 'fulgurite-getinfo')).plugin).toMatchObject({
    engine: 'up',
    engine_restarts: 1,
  });
  expect((await callNode(all, 'fulgurite-getinfo')).node_behind.plugin).toBe(true);
  expect(all.node.crashed).toBeUndefined();

  const pid = enginePid();
  await all.node.stop();
  await until(() => isGone(pid));
});

test('the script that `plugin install` writes starts the plugin and its engine', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'plugin-installed-'));
  try {
    const path = join(directory, 'fulgurite-plugin');
    await runPluginCommand(['install', path]);
    const all = nodeWithPlugin({ plugins: [{ ...PLUGIN, path }] });
    await all.node.start();
    expect((await callNode(all, 'getroutes', ROUTE)).routes).toHaveLength(1);
    const pid = enginePid();
    await all.node.stop();
    await until(() => isGone(pid));
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('an invoice request and its reply go through the node, without an address to connect to', async () => {
  const all = nodeWithPlugin();
  const refusal = encodeInvoiceError({ error: 'sold out' });
  // A gets the request and answers over its reply path.
  all.simulation.setMessageHandler(({ content: { replyPath, invoiceRequest }, send }) => {
    const content = { invoiceError: invoiceRequest === undefined ? undefined : refusal };
    if (replyPath !== undefined) send(OWN_ID, onionAlong({ route: [OWN_ID], path: replyPath, content }, A));
  });
  await all.node.start();
  const offer = encodeOffer({
    ...{ offerChains: [CHAIN_HASHES.regtest], offerAmount: 10_000n, offerDescription: 'coffee' },
    offerIssuerId: nodeIdToBytes(A),
  });
  const answer = await callNode(all, 'fulgurite-fetchinvoice', { offer: encodeBolt12String('lno', offer) });
  expect(answer).toBe('1004 Remote node sent failure message');
  expect(all.node.crashed).toBeUndefined();
});

test('a layer of a hundred thousand records is imported while calls already wait', async () => {
  const all = nodeWithPlugin({ version: 'v25.02' });
  // Constraints as cln-askrene stores them, each for a different channel: at most 4,999 msat.
  const records = Array.from({ length: 100_000 }, (_, channel) => {
    return `0003${channel.toString(16).padStart(16, '0')}00000000006b02a9f700010000000000001387`;
  });
  all.node.datastore.put({ key: ['askrene', 'layers', 'big'], hex: `${records.join('')}0009ff` });
  await all.node.start();
  const aged = await callNode(all, 'askrene-age', { layer: 'big', cutoff: 2 ** 40 });
  expect(aged).toEqual({ layer: 'big', num_removed: 100_000 });
  const told = all.node.logged.map(({ line }) => line).join('\n');
  expect(told).toContain(': 100000 entries');
  expect(told).toContain('has the unknown type 9');
});

const byName = (a: Json, b: Json): number => (a.layer < b.layer ? -1 : 1);

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
