/**
 * Circles: routes from our node back to itself, and moves of money between our channels. An independent check
 * is applied to every route: it begins and ends at our node, uses no channel twice or in both directions, and has
 * exact amounts and fees. No cycle of at most four hops is both cheaper and more likely than a circle of one part.
 * `CIRCLES` is the number of random queries (default 25).
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { obstacleJson } from '../../src/commands/payments/own-money/rebalance-params.ts';
import { Draws } from '../../src/model/draws.ts';
import { msat } from '../../src/model/msat.ts';
import { parseShortChannelId } from '../../src/model/short-channel-id.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { DaemonHere } from './daemon-here.ts';
import { DaemonProcess } from './daemon-process.ts';

const COUNT = Number(process.env.CIRCLES ?? 25);
const LAYERS = ['auto.localchans', 'auto.sourcefree', 'auto.allow_circular'];
const PATIENCE = { timeout: 60_000, interval: 50 };

interface Hop {
  readonly short_channel_id_dir: string;
  readonly node_id_in: string;
  readonly node_id_out: string;
  readonly amount_in_msat: number;
  readonly amount_out_msat: number;
  readonly cltv_in: number;
  readonly cltv_out: number;
}
interface Answer {
  readonly probability_ppm: number;
  readonly routes: readonly { readonly amount_msat: number; readonly path: readonly Hop[] }[];
}
interface Terms {
  readonly from: string;
  readonly to: string;
  readonly base: number;
  readonly ppm: number;
  readonly delay: number;
  readonly most: number;
  readonly least: number;
  readonly capacity: number;
}
interface OwnRow {
  readonly short_channel_id: string;
  readonly peer_id: string;
  readonly spendable_msat: number;
  readonly receivable_msat: number;
  readonly to_us_msat: number;
  readonly total_msat: number;
}

const feeOf = ({ base, ppm }: Terms, amount: number): number => base + Math.floor((amount * ppm) / 1e6);

describe('circles', () => {
  const directory = temporaryDirectory();
  let daemon: DaemonHere;
  let us: string;
  let own: OwnRow[];
  /** Fee and limits of every direction, including ours, by short channel id and direction. */
  const terms = new Map<string, Terms>();

  const channelsOf = async (): Promise<OwnRow[]> => (await daemon.result('listpeerchannels')).channels;

  beforeAll(async () => {
    const options = ['--graph', 'synthetic:40', '--seed', '7', '--no-http'];
    daemon = await DaemonHere.start(join(directory.path, 'home'), options);
    us = (await daemon.result('getinfo')).id;
    own = await channelsOf();
    for (const channel of (await daemon.result('listchannels')).channels) {
      terms.set(`${channel.short_channel_id}/${channel.direction}`, {
        ...{ from: channel.source, to: channel.destination, base: channel.base_fee_millisatoshi },
        ...{ ppm: channel.fee_per_millionth, delay: channel.delay, capacity: channel.amount_msat },
        ...{ most: channel.htlc_maximum_msat, least: channel.htlc_minimum_msat },
      });
    }
    for (const { short_channel_id, peer_id, spendable_msat, receivable_msat } of own) {
      const out = us < peer_id ? 0 : 1;
      const common = { base: 1000, ppm: 100, delay: 40, least: 1 };
      // The balances of our channels are known exactly, and our own hops cost nothing.
      terms.set(`${short_channel_id}/${out}`, {
        ...{ ...common, base: 0, ppm: 0, delay: 0, from: us, to: peer_id },
        ...{ most: spendable_msat, capacity: Number.POSITIVE_INFINITY },
      });
      terms.set(`${short_channel_id}/${1 - out}`, {
        ...{ ...common, from: peer_id, to: us, most: receivable_msat, capacity: Number.POSITIVE_INFINITY },
      });
    }
  }, 60_000);
  afterAll(async () => {
    await daemon?.stop();
    directory.remove();
  });

  const ask = (amount_msat: number, more: object = {}) =>
    daemon.call('getroutes', {
      ...{
        source: us,
        destination: us,
        amount_msat,
        layers: LAYERS,
        maxfee_msat: 10_000_000,
        final_cltv: 18,
      },
      ...more,
    });

  /** Checks an answer and returns its fee. */
  function judge(answer: Answer, amount: number, out: readonly string[], into: readonly string[]): number {
    const used = new Map<string, string>();
    let [delivered, fee] = [0, 0];
    for (const { path, amount_msat } of answer.routes) {
      const ids = path.map(({ short_channel_id_dir }) => short_channel_id_dir.split('/') as [string, string]);
      expect(path[0]!.node_id_in).toBe(us);
      expect(path.at(-1)!.node_id_out).toBe(us);
      expect(out).toContain(ids[0]![0]);
      expect(into).toContain(ids.at(-1)![0]);
      expect(new Set(ids.map(([id]) => id)).size).toBe(ids.length);
      for (const [id, direction] of ids) {
        expect([undefined, direction]).toContain(used.get(id));
        used.set(id, direction);
      }
      for (const [index, hop] of path.entries()) {
        const known = terms.get(hop.short_channel_id_dir)!;
        expect([hop.node_id_in, hop.node_id_out]).toEqual([known.from, known.to]);
        expect(hop.amount_in_msat).toBe(hop.amount_out_msat + feeOf(known, hop.amount_out_msat));
        expect(hop.cltv_in).toBe(hop.cltv_out + known.delay);
        expect(hop.amount_out_msat).toBeGreaterThanOrEqual(known.least);
        expect(hop.amount_out_msat).toBeLessThanOrEqual(known.most);
        if (index > 0) expect(hop.amount_in_msat).toBe(path[index - 1]!.amount_out_msat);
      }
      expect(path.at(-1)!.amount_out_msat).toBe(amount_msat);
      delivered += amount_msat;
      fee += path[0]!.amount_in_msat - amount_msat;
    }
    expect(delivered).toBe(amount);
    return fee;
  }

  /** The fee and the probability of each cycle of at most four hops. */
  function cycles(amount: number, out: readonly string[], into: readonly string[]) {
    const towards = new Map<string, [string, Terms][]>();
    for (const [key, one] of terms) towards.set(one.to, [...(towards.get(one.to) ?? []), [key, one]]);
    const found: { fee: number; probability: number }[] = [];
    const walk = (at: string, carried: number, probability: number, used: readonly string[]): void => {
      for (const [key, one] of towards.get(at) ?? []) {
        const id = key.split('/')[0]!;
        const passed = used.includes(id) || carried > one.most || carried < one.least;
        if (passed || one.capacity < carried) continue;
        if (used.length === 0 && !into.includes(id)) continue;
        const chance =
          probability *
          (one.capacity === Number.POSITIVE_INFINITY ? 1 : (one.capacity - carried) / one.capacity);
        const before = carried + feeOf(one, carried);
        if (one.from === us) {
          if (used.length > 0 && out.includes(id)) found.push({ fee: before - amount, probability: chance });
        } else if (used.length < 3) walk(one.from, before, chance, [...used, id]);
      }
    };
    walk(us, amount, 1, []);
    return found;
  }

  test('random circles are exact, and no short cycle beats a circle of one part', async () => {
    const draws = new Draws(3);
    let answered = 0;
    for (let n = 0; n < COUNT; n++) {
      const amount = Math.floor(10 ** (4 + 5.2 * draws.uniform(1, n)));
      const maxparts = draws.uniform(2, n) < 0.5 ? 1 : 8;
      const some = (purpose: number): string[] | undefined => {
        if (draws.uniform(purpose, n) < 0.5) return undefined;
        return own
          .map(({ short_channel_id: id }) => id)
          .filter((_, at) => draws.uniform(purpose, n, at + 1) < 0.6);
      };
      const [out, into] = [some(3), some(4)];
      const { result, error } = await ask(amount, {
        maxparts,
        source_channels: out,
        destination_channels: into,
      });
      const all = own.map(({ short_channel_id: id }) => id);
      if (error !== undefined) {
        expect(JSON.stringify(error)).not.toContain(`02${'00'.repeat(31)}01`);
        expect([205, 206, 210, 215, 220, -32602]).toContain(error.code);
        if (maxparts === 1) expect(cycles(amount, out ?? all, into ?? all)).toEqual([]);
        continue;
      }
      answered++;
      const fee = judge(result, amount, out ?? all, into ?? all);
      if (result.routes.length > 1) continue;
      const better = cycles(amount, out ?? all, into ?? all).filter(
        (one) => one.fee < fee && one.probability * 1e6 > result.probability_ppm + 1,
      );
      expect(better).toEqual([]);
    }
    expect(answered).toBeGreaterThan(COUNT / 2);
  }, 300_000);

  test('is refused without the layer, for a node that is not ours, and with channels that are not ours', async () => {
    const plain = await ask(1000, { layers: ['auto.localchans'] });
    expect(plain.error).toMatchObject({ code: -32602, data: { parameter: 'destination' } });
    const other = (await daemon.result('listnodes')).nodes[0].nodeid;
    const elsewhere = await ask(1000, { source: other, destination: other });
    expect(elsewhere.error).toMatchObject({ data: { parameter: 'source' } });
    const foreign = await ask(1000, { source_channels: ['1x1x1'] });
    expect(foreign.error).toMatchObject({ data: { parameter: 'source_channels' } });
    // The layer has no effect where source and destination differ.
    const limits = { source: us, destination: other, amount_msat: 1000, maxfee_msat: 10_000, final_cltv: 18 };
    const with_ = await daemon.result('getroutes', { ...limits, layers: LAYERS });
    expect(with_).toEqual(await daemon.result('getroutes', { ...limits, layers: LAYERS.slice(0, 2) }));
    expect(await daemon.result('askrene-difflayers', { ...limits, layers: LAYERS })).toMatchObject({
      changed: false,
    });
  });

  test('a rebalancing moves the planned amounts, and we lose only the fees', async () => {
    const [first, second, third] = own.map(({ short_channel_id }) => short_channel_id);
    const targets = [
      { short_channel_id: first, percent: 30 },
      { short_channel_id: second, percent: 90 },
      { short_channel_id: third, percent: 85.5 },
    ];
    const limits = { maxfee: '20000sat', maxfee_ppm: 5000, targets };
    const plan = await daemon.result('planrebalance', limits);
    expect(plan.amount_msat).toBeGreaterThan(0);
    expect(plan.fee_msat).toBeLessThanOrEqual(20_000_000);
    for (const part of plan.parts) expect(part.fee_msat * 1e6).toBeLessThanOrEqual(part.amount_msat * 5000);
    const before = await channelsOf();
    const done = await daemon.result('rebalance', limits);
    const after = await vi.waitFor(async () => {
      const { pays } = await daemon.result('listpays');
      expect(pays.filter(({ status }: { status: string }) => status === 'pending')).toEqual([]);
      return channelsOf();
    }, PATIENCE);
    const sum = (rows: readonly OwnRow[]): number => rows.reduce((total, row) => total + row.to_us_msat, 0);
    expect(sum(before) - sum(after)).toBe(done.fee_msat);
    expect(done.amount_msat).toBeGreaterThan(0);
    const gained = (id: string | undefined): number =>
      after.find((row) => row.short_channel_id === id)!.to_us_msat -
      before.find((row) => row.short_channel_id === id)!.to_us_msat;
    expect(gained(first)).toBe(-(done.amount_msat + done.fee_msat));
    expect(gained(second) + gained(third)).toBe(done.amount_msat);
    const { movements } = await daemon.result('ledger');
    const kinds = movements.map(({ kind }: { kind: string }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['transfer']));
    const fees = movements.reduce((total: number, { fee_msat }: { fee_msat: number }) => total + fee_msat, 0);
    expect(fees).toBe(done.fee_msat);
  }, 60_000);

  test('no part of a plan uses up the fee limit that a different part needs', async () => {
    const rows = await channelsOf();
    const share = ({ spendable_msat, receivable_msat }: OwnRow): number =>
      (100 * spendable_msat) / (spendable_msat + receivable_msat);
    // Small moves, which succeed: half of the channels give a little, and the other half receive it.
    const targets = rows.map((row, at) => ({
      short_channel_id: row.short_channel_id,
      percent: Math.min(99, Math.max(1, share(row) + (at % 2 === 0 ? -0.3 : 0.3))),
    }));
    const limits = { maxfee_ppm: 20_000, least_msat: '1000sat', targets, retry_for: 5 };
    const plan = await daemon.result('planrebalance', { ...limits, maxfee: '10000sat' });
    expect(plan.parts.length).toBeGreaterThan(1);
    const done = await daemon.result('rebalance', { ...limits, maxfee: plan.fee_msat });
    expect(done.fee_msat).toBeLessThanOrEqual(plan.fee_msat);
    const pairs = (parts: readonly { out: string; in: string }[]): Set<string> =>
      new Set(parts.map((part) => `${part.out} ${part.in}`));
    expect(pairs(done.parts)).toEqual(pairs(plan.parts));
    expect(done.parts.some(({ status }: { status: string }) => status === 'complete')).toBe(true);
  }, 60_000);

  test('impossible requests are explained: no channels to move between, too expensive, unknown channels', async () => {
    const [first] = own.map(({ short_channel_id }) => short_channel_id);
    const alone = { maxfee: '100sat', targets: [{ short_channel_id: first, percent: 5 }] };
    expect(await daemon.result('planrebalance', alone)).toMatchObject({ amount_msat: 0, parts: [] });
    const cheap = await daemon.result('planrebalance', {
      ...{ maxfee: 1, maxfee_ppm: 0, least_msat: '1sat' },
      targets: own.map(({ short_channel_id }, at) => ({ short_channel_id, percent: at % 2 === 0 ? 20 : 95 })),
    });
    expect(cheap.amount_msat).toBe(0);
    expect([205, 206]).toContain(cheap.obstacle.code);
    expect(cheap.obstacle.message).not.toMatch(/layer|shortest path/);
    const unknown = { maxfee: 1, targets: [{ short_channel_id: '1x1x1', percent: 50 }] };
    expect((await daemon.error('planrebalance', unknown)).data.parameter).toBe('targets');
    const small = { maxfee: 1, amount_msat: 4_999_999, least_msat: 5_000_000 };
    expect(await daemon.error('planrebalance', small)).toMatchObject({
      ...{ code: -32602, data: { parameter: 'amount_msat' } },
      message: 'amount_msat: should be at least least_msat, which is 5000000msat',
    });
    expect(await daemon.result('planrebalance', { ...small, amount_msat: 5_000_000 })).toBeDefined();
    const wrong = { maxfee: 1, targets: [{ short_channel_id: first, percent: 101 }] };
    expect((await daemon.error('rebalance', wrong)).data.parameter).toBe('targets');
  });
});

test('a part that costs more than its limit is the reason for not moving the whole amount', () => {
  const part = {
    ...{ out: parseShortChannelId('1x1x1')!, in: parseShortChannelId('2x2x2')! },
    ...{ amountMsat: msat(3_000_000n), feeMsat: msat(1_501n), route: {} as never },
  };
  const limits = {
    ...{ maxfeeMsat: msat(10_000n), maxfeePpm: 500, worthPpm: () => 400 },
    ...{ mostMsat: undefined, leastMsat: msat(1n) },
  };
  expect(obstacleJson({ obstacle: undefined, tooCostly: [part], limits })).toEqual({
    code: 206,
    message: 'Failed: Moving 3000000msat into 2x2x2 costs 501 ppm, more than the limit of 400 ppm',
  });
  expect(obstacleJson({ obstacle: undefined, tooCostly: [], limits })).toBeUndefined();
});

test('kills during rebalancings lose no money: our total balance falls only by the fees', async () => {
  const directory = temporaryDirectory();
  const home = join(directory.path, 'home');
  const options = ['--graph', 'synthetic:40', '--seed', '7'];
  let daemon = await DaemonProcess.start(home, options);
  try {
    const rows = async (): Promise<OwnRow[]> => (await daemon.result('listpeerchannels')).channels;
    const sum = (list: readonly OwnRow[]): number => list.reduce((total, row) => total + row.to_us_msat, 0);
    const before = await rows();
    for (let kill = 0; kill < 3; kill++) {
      const targets = before.map(({ short_channel_id }, at) => ({
        short_channel_id,
        percent: at % 2 === kill % 2 ? 40 : 90,
      }));
      const moving = daemon
        .call('rebalance', { maxfee: '50000sat', maxfee_ppm: 5000, targets })
        .catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 60 + 70 * kill));
      await daemon.stop('SIGKILL');
      await moving;
      daemon = await DaemonProcess.start(home, options);
    }
    await vi.waitFor(async () => {
      const { pays } = await daemon.result('listpays');
      expect(pays.filter(({ status }: { status: string }) => status === 'pending')).toEqual([]);
    }, PATIENCE);
    const { movements } = await daemon.result('ledger');
    const fees = movements.reduce((total: number, { fee_msat }: { fee_msat: number }) => total + fee_msat, 0);
    await vi.waitFor(async () => expect(sum(before) - sum(await rows())).toBe(fees), PATIENCE);
  } finally {
    await daemon.stop();
    directory.remove();
  }
}, 180_000);
