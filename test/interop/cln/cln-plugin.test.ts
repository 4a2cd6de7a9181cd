/**
 * Our engine as a plugin of real Core Lightning nodes, which pay with their own xpay. In a it replaces
 * cln-askrene from the start; in b it runs beside cln-askrene and then replaces it. On the network
 *
 *     a ──10,000,000 sat── b ──10,000,000 sat── c ──5,000,000 sat, not announced── d
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NodeError } from '../../../src/network/cln/answer.ts';
import { isSince } from '../../lightningd/release.ts';
import { describeNeeding } from '../../needs.ts';
import { ClnNodes, haveNodes, type NodeName, until } from './cln-nodes.ts';

const TIME = 120_000;
const PLUGIN = fileURLToPath(new URL('../../../bin/fulgurite-plugin', import.meta.url));
// biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
type Json = any;

describeNeeding('lightningd', haveNodes, 'as a plugin of real nodes', () => {
  let nodes: ClnNodes;
  const ids = new Map<NodeName, string>();
  /** The nodes' release. Tests of features that it lacks are skipped. */
  let version: string;
  const call = (name: NodeName, method: string, params: object = {}): Promise<Json> =>
    nodes.call(name, method, params);
  /** The result, or the code of the error. */
  const tryCall = (name: NodeName, method: string, params: object = {}): Promise<Json> =>
    call(name, method, params).catch((error: unknown) => {
      if (error instanceof NodeError) return { code: error.code, message: error.message };
      throw error;
    });
  const log = (name: NodeName): string => readFileSync(join(nodes.directory, name, 'log'), 'utf8');
  const invoice = async (name: NodeName, amount_msat: number): Promise<string> => {
    const label = `${Date.now()}-${Math.random()}`;
    return (await call(name, 'invoice', { amount_msat, label, description: 'd' })).bolt11;
  };
  const query = (from: NodeName, to: NodeName, amount_msat: number) => ({
    source: ids.get(from),
    destination: ids.get(to),
    amount_msat,
    layers: ['auto.localchans', 'auto.sourcefree'],
    maxfee_msat: 1_000_000,
    final_cltv: 18,
  });

  /** Process ids of the children of a process, by their command lines. */
  function children(parent: number): { pid: number; line: string }[] {
    const list = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(parent)], { encoding: 'utf8' });
    return [...list.matchAll(/^\s*(\d+) (.*)$/gm)].map(([, pid, line]) => ({
      pid: Number(pid),
      line: line!,
    }));
  }
  /** Process id of the engine of a node's plugin. Undefined while there is none. */
  function engine(name: NodeName): number | undefined {
    const plugin = children(nodes.pid(name)).find(({ line }) => line.includes('fulgurite-plugin'));
    return plugin && children(plugin.pid)[0]?.pid;
  }
  const isUp = (name: NodeName): Promise<boolean> =>
    call(name, 'fulgurite-getinfo').then(({ plugin }) => plugin.engine === 'up');

  beforeAll(async () => {
    nodes = await ClnNodes.start([
      `--plugin=${PLUGIN}`,
      '--disable-plugin=cln-askrene',
      '--fulgurite-workers=1',
    ]);
    for (const name of ['a', 'b', 'c', 'd'] as const) ids.set(name, (await call(name, 'getinfo')).id);
    ({ version } = await call('a', 'getinfo'));
    await until(() => isUp('a'));
    await until(async () => (await call('a', 'getroutes', query('a', 'c', 1_000))).routes.length === 1);
  }, TIME);
  afterAll(async () => {
    await nodes?.stop();
  }, TIME);

  test("the node's own xpay uses our routes, and updates our layers", { timeout: TIME }, async () => {
    expect(await call('a', 'fulgurite-getinfo')).toMatchObject({
      network: 'regtest',
      network_kind: 'cln',
      node_behind: { id: ids.get('a'), version },
      plugin: { replaces_cln_askrene: true, engine: 'up', takes_over: [] },
    });
    const before = log('a').length;
    const paid = await call('a', 'xpay', { invstring: await invoice('c', 50_000_000) });
    expect(paid).toMatchObject({ amount_msat: 50_000_000, successful_parts: 1 });
    expect(log('a').slice(before)).toContain(
      'plugin-fulgurite-plugin: notify msg debug: Final answer has 1 flows',
    );
    const learned = async () =>
      (await call('a', 'askrene-listlayers', { layer: 'xpay' })).layers[0].impressions;
    // Older versions of xpay reported only what they learned from failures. The releases v26.06.N are such versions.
    if (isSince(version, 'v26.06-1') && !/^v26\.06\.\d/.test(version)) {
      await until(async () => (await learned()).some((one: Json) => one.amount_msat === 50_000_000));
    }
    await until(async () => (await call('a', 'askrene-listreservations')).reservations.length === 0);
    expect(log('a')).not.toContain('BROKEN');
  });

  test('xpay pays an offer of the unannounced d, while both fetch invoices', { timeout: TIME }, async () => {
    const offers = await Promise.all(
      (['b', 'c', 'd'] as const).map((name) =>
        call(name, 'offer', { amount: '5000msat', description: `of ${name}` }),
      ),
    );
    const fetched = await Promise.all(
      offers.flatMap(({ bolt12 }) => [
        call('a', 'fulgurite-fetchinvoice', { offer: bolt12 }),
        call('a', 'fetchinvoice', { offer: bolt12 }),
      ]),
    );
    expect(fetched.map(({ invoice: text }) => text.slice(0, 4))).toEqual(Array(6).fill('lni1'));
    const offered = await tryCall('a', 'xpay', { invstring: offers[2].bolt12 });
    // Older releases of xpay accept no offers. With them, the test pays a fetched invoice.
    const paid = /unexpected prefix lno/.test(offered.message)
      ? await call('a', 'xpay', { invstring: fetched[5]!.invoice })
      : offered;
    expect(paid).toHaveProperty('payment_preimage');
    expect(await call('a', 'fulgurite-xpay', { invstring: fetched[2]!.invoice })).toHaveProperty(
      'payment_preimage',
    );
  });

  test('takes over commands of the node on request, and returns them', { timeout: TIME }, async () => {
    const ours = async () => (await call('a', 'fulgurite-listpays')).pays.length;
    const keysend = () => call('a', 'keysend', { destination: ids.get('c'), amount_msat: 1_234 });
    const before = await ours();
    expect(await keysend()).toMatchObject({ status: 'complete' });
    expect(await ours()).toBe(before);
    if (!isSince(version, 'v25.12')) {
      const refused = await tryCall('a', 'setconfig', { config: 'fulgurite-take-over', val: 'keysend' });
      expect(refused).toMatchObject({ code: -32602, message: expect.stringContaining('v25.12') });
      return;
    }
    await call('a', 'setconfig', { config: 'fulgurite-take-over', val: 'keysend' });
    expect(await keysend()).toMatchObject({ status: 'complete' });
    expect(await ours()).toBe(before + 1);
    await call('a', 'setconfig', { config: 'fulgurite-take-over', val: '' });
    expect(await keysend()).toMatchObject({ status: 'complete' });
    expect(await ours()).toBe(before + 1);
  });

  test('its options are those of cln-askrene', { timeout: TIME }, async () => {
    const shown = (await call('a', 'listconfigs', { config: 'askrene-timeout' })).configs['askrene-timeout'];
    expect(shown).toMatchObject({ value_int: 10, dynamic: true, plugin: PLUGIN });
    await call('a', 'setconfig', { config: 'askrene-timeout', val: '0' });
    expect(await tryCall('a', 'getroutes', query('a', 'c', 1_000))).toEqual({
      code: 210,
      message: 'linear_routes: timed out after deadline',
    });
    await call('a', 'setconfig', { config: 'askrene-timeout', val: '10' });
    expect(await call('a', 'getroutes', query('a', 'c', 1_000))).toHaveProperty('routes');
    const bad = await tryCall('a', 'setconfig', { config: 'askrene-timeout', val: 'soon' });
    expect(bad.code).toBe(-32602);
    const filter = { command_to_check: 'getroutes', ...query('a', 'c', 1_000), maxparts: 'many' };
    expect((await tryCall('a', 'check', filter)).message).toContain('invalid token \'"many"\'');
  });

  test('whenever the engine is killed, the payment arrives or an error gives the reason', {
    timeout: TIME,
  }, async () => {
    for (let round = 0; round < 6; round++) {
      const invstring = await invoice('c', 2_000 + round);
      const paid = tryCall('a', 'xpay', { invstring, retry_for: 20 });
      await new Promise((done) => setTimeout(done, 4 * round ** 3));
      const pid = engine('a');
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      const outcome = await paid;
      expect(
        [round, typeof outcome.payment_preimage, typeof outcome.code].filter((one) => one === 'undefined'),
      ).toHaveLength(1);
      expect((await call('a', 'getinfo')).id).toBe(ids.get('a'));
      await until(() => isUp('a'));
    }
    expect(await call('a', 'xpay', { invstring: await invoice('c', 2_500) })).toHaveProperty(
      'payment_preimage',
    );
    await until(async () => (await call('a', 'askrene-listreservations')).reservations.length === 0);
    expect(log('a')).not.toContain('BROKEN');
  });

  test('when its process is killed, lightningd restarts it at the engine’s request, and the node pays', {
    timeout: TIME,
  }, async () => {
    const pidOf = () => children(nodes.pid('a')).find(({ line }) => line.includes('fulgurite-plugin'))?.pid;
    const [node, before] = [nodes.pid('a'), pidOf()!];
    process.kill(before, 'SIGKILL');
    await until(async () => pidOf() !== undefined && pidOf() !== before && (await isUp('a')));
    expect(await call('a', 'fulgurite-getinfo')).toMatchObject({ plugin: { replaces_cln_askrene: true } });
    expect(await call('a', 'xpay', { invstring: await invoice('c', 2_600) })).toHaveProperty(
      'payment_preimage',
    );
    expect(nodes.pid('a')).toBe(node);
  });

  test('pays the unannounced d by a keysend along a route hint', { timeout: TIME }, async () => {
    const { channels } = await call('d', 'listpeerchannels');
    const { remote } = channels[0].updates;
    // The channel has scid_alias, so c forwards under the alias that it gave to d, and not under the
    // channel's own id.
    const hint = {
      id: ids.get('c'),
      scid: channels[0].alias.remote,
      feebase: Number(remote.fee_base_msat),
      feeprop: remote.fee_proportional_millionths,
      expirydelta: remote.cltv_expiry_delta,
    };
    const paid = await call('a', 'fulgurite-keysend', {
      ...{ destination: ids.get('d'), amount_msat: 4_321, routehints: [[hint]] },
    });
    expect(paid).toMatchObject({ status: 'complete', amount_msat: 4_321 });
    const { invoices } = await call('d', 'listinvoices', { payment_hash: paid.payment_hash });
    expect(invoices).toMatchObject([{ status: 'paid', amount_received_msat: 4_321 }]);
  });

  test('a restart of the node restores the layers, including those that the node had stored', {
    timeout: TIME,
  }, async () => {
    await call('a', 'askrene-create-layer', { layer: 'mine', persistent: true });
    await call('a', 'askrene-inform-channel', {
      ...{ layer: 'mine', short_channel_id_dir: '1x2x3/1', amount_msat: 7, inform: 'unconstrained' },
    });
    // A constraint as cln-askrene stores it: at most 4,999 msat over 7x8x9/0.
    const hex = '000300000700000800090000000000' + '6b02a9f700010000000000001387';
    await call('a', 'datastore', { key: ['askrene', 'layers', 'theirs'], hex });
    const before = (await call('a', 'askrene-listlayers', { layer: 'mine' })).layers;
    await nodes.signal('a', 'SIGKILL');
    await nodes.restart('a');
    await nodes.connected('a');
    await until(() => isUp('a'));
    expect((await call('a', 'askrene-listlayers', { layer: 'mine' })).layers).toEqual(before);
    const { layers } = await call('a', 'askrene-listlayers', { layer: 'theirs' });
    expect(layers[0].constraints).toEqual([
      { short_channel_id_dir: '7x8x9/0', timestamp: 1795336695, maximum_msat: 4999 },
    ]);
  });

  test('beside cln-askrene, it gives the same answers under different command names', {
    timeout: TIME,
  }, async () => {
    await call('b', 'plugin', { subcommand: 'start', plugin: PLUGIN });
    await until(() => isUp('b'));
    expect((await call('b', 'fulgurite-getinfo')).plugin.replaces_cln_askrene).toBe(false);
    for (const to of ['a', 'c'] as const) {
      for (const amount of [1, 1_000, 123_456_789, 1_000_000_000]) {
        const theirs = await call('b', 'getroutes', query('b', to, amount));
        const ours = await call('b', 'fulgurite-getroutes', query('b', to, amount));
        // Members that are newer than the node's release are only in our answers.
        const members = Object.keys(theirs.routes[0].path[0]);
        const shown = ({ path }: Json) => path.map((hop: Json) => members.map((member) => hop[member]));
        expect(ours.routes.map(shown)).toEqual(theirs.routes.map(shown));
      }
    }
    await call('b', 'plugin', { subcommand: 'stop', plugin: 'fulgurite-plugin' });
  });

  test('replaces cln-askrene in a running node', { timeout: TIME }, async () => {
    const plugins = (await call('b', 'plugin', { subcommand: 'list' })).plugins as { name: string }[];
    const xpay = plugins.find(({ name }) => name.endsWith('/cln-xpay'))!.name;
    for (const plugin of ['cln-xpay', 'cln-askrene'])
      await call('b', 'plugin', { subcommand: 'stop', plugin });
    await call('b', 'plugin', { subcommand: 'start', plugin: PLUGIN });
    await call('b', 'plugin', { subcommand: 'start', plugin: xpay });
    await until(() => isUp('b'));
    expect((await call('b', 'fulgurite-getinfo')).plugin.replaces_cln_askrene).toBe(true);
    expect((await call('b', 'askrene-listlayers')).layers.map(({ layer }: Json) => layer)).toContain('xpay');
    expect(await call('b', 'xpay', { invstring: await invoice('c', 3_000) })).toHaveProperty(
      'payment_preimage',
    );
  });
});
