/**
 * Lessons of attempts: exported, compared, imported as a whole or refused, kept over a restart, and shown in
 * plans.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../rpc/support.ts';
import { DaemonHere } from './daemon-here.ts';

const OPTIONS = ['--graph', 'synthetic:300', '--seed', '7', '--no-http'];

interface Part {
  readonly probability_ppm: number;
  readonly odds: {
    readonly balances_ppm: number;
    readonly nodes_ppm: number;
    readonly searched_ppm: number;
    readonly unknown_hops: number;
  };
  readonly route: readonly object[];
}

describe('what was learned', () => {
  const directory = temporaryDirectory();
  const home = (name: string): string => join(directory.path, name);
  let taught: DaemonHere;
  let fresh: DaemonHere;
  let ids: string[];

  beforeAll(async () => {
    taught = await DaemonHere.start(home('a'), OPTIONS);
    fresh = await DaemonHere.start(home('b'), OPTIONS);
    const { nodes } = await taught.result('listnodes');
    ids = nodes.map(({ nodeid }: { nodeid: string }) => nodeid);
    for (const destination of ids.slice(20, 45)) {
      await taught.call('keysend', { destination, amount_msat: 50_000_000, retry_for: 5 });
    }
  }, 120_000);
  afterAll(async () => {
    await taught?.stop();
    await fresh?.stop();
    directory.remove();
  });

  test('an export is compared, imported completely, and kept over a restart', async () => {
    const learned = await taught.result('exportlearned');
    expect(learned).toMatchObject({ chain: 'bitcoin', simulated_network: true });
    expect(learned.state.observed).toBeGreaterThan(20);
    expect(learned.state.times.nodes.length).toBeGreaterThan(5);
    const before = await fresh.result('exportlearned');
    const compared = await fresh.result('importlearned', { learned, dry_run: true });
    expect(compared).toMatchObject({ imported: false, unknown_nodes: 0, nodes: learned.state.nodes.length });
    expect(compared.weights_moved_ppm).toBeGreaterThan(0);
    expect((await fresh.result('exportlearned')).state).toEqual(before.state);
    expect(await fresh.result('importlearned', { learned })).toMatchObject({ imported: true });
    const { state } = await fresh.result('exportlearned');
    expect(state).toEqual(learned.state);
    const same = await fresh.result('importlearned', { learned, dry_run: true });
    expect(same).toMatchObject({ nodes_differing: 0, weights_moved_ppm: 0 });
    await fresh.stop();
    fresh = await DaemonHere.start(home('b'), OPTIONS);
    expect((await fresh.result('exportlearned')).state).toEqual(learned.state);
  }, 60_000);

  test('attempts show their odds before and after the correction', async () => {
    const { slope, offset } = (await taught.result('exportlearned')).state.correction;
    const start = (await taught.result('listodds')).odds.at(-1).id + 1;
    await taught.call('keysend', { destination: ids[50], amount_msat: 50_000_000, retry_for: 0 });
    const [first] = (await taught.result('listodds', { start, limit: 1 })).odds;
    const before = first.uncorrected_ppm / 1e6;
    const logit = Math.min(8, Math.max(-8, Math.log(before / (1 - before))));
    expect(Math.abs(first.probability_ppm - 1e6 / (1 + Math.exp(-slope * logit - offset)))).toBeLessThan(5);
    expect(first.probability_ppm).not.toBe(first.uncorrected_ppm);
  });

  test('an import that is invalid, too large, or from a different chain or network is refused completely', async () => {
    const learned = await taught.result('exportlearned');
    const before = await fresh.result('exportlearned');
    const { state } = learned;
    const node = `02${'ab'.repeat(32)}`;
    const wrong: object[] = [
      { ...learned, chain: 'regtest' },
      { ...learned, simulated_network: false },
      { chain: 'bitcoin', simulated_network: true },
      { ...learned, state: { ...state, weights: state.weights.map(() => 1) } },
      { ...learned, state: { ...state, weights: [-1, ...state.weights.slice(1)] } },
      { ...learned, state: { ...state, correction: { slope: 1e9, offset: 0, precision: [1, 0, 1] } } },
      ...[
        [1e300, 1e300, 1e300],
        [-1, 0, 1],
        [1, 2, 1],
      ].map((precision) => ({
        ...learned,
        state: { ...state, correction: { ...state.correction, precision } },
      })),
      { ...learned, state: { ...state, nodes: [[node, -1, 0, 0]] } },
      { ...learned, state: { ...state, nodes: [['nobody', 1, 0, 0]] } },
      { ...learned, state: { ...state, nodes: [[node, 1, 0, 0, -1]] } },
      { ...learned, state: { ...state, nodes: [[node, 1, 0, 0, 1, 1]] } },
      { ...learned, state: { ...state, nodes: Array.from({ length: 20_001 }, () => [node, 1, 0, 0]) } },
      { ...learned, state: { ...state, times: 1 } },
      { ...learned, state: { ...state, times: { ...state.times, mean: -1 } } },
      { ...learned, state: { ...state, times: { ...state.times, nodes: [[node, 1e12, 1, 0]] } } },
      { ...learned, state: { ...state, times: { ...state.times, nodes: [['nobody', 1, 1, 0]] } } },
      { ...learned, state: { ...state, times: { ...state.times, nodes: [[node, 1, 1, 0, 0.5]] } } },
      { ...learned, state: { ...state, times: { ...state.times, nodes: [[node, 1, 1, 0, 2, 1]] } } },
      { ...learned, state: { ...state, times: { ...state.times, nodes: [[node, 1, 1, 0, 0.5, -1]] } } },
      { ...learned, state: { ...state, version: 9 } },
    ];
    for (const one of wrong) {
      const error = await fresh.error('importlearned', { learned: one });
      expect(error).toMatchObject({ code: -32602, data: { parameter: 'learned' } });
    }
    const { state: _, ...withoutState } = learned;
    expect((await fresh.error('importlearned', { learned: withoutState })).message).toContain(
      'learned: state: not an object',
    );
    expect((await fresh.error('importlearned', { learned: [1] })).data.parameter).toBe('learned');
    expect((await fresh.error('importlearned', { learned: {} })).message).toContain(
      'as exportlearned returns',
    );
    expect((await fresh.result('exportlearned')).state).toEqual(before.state);
  });

  test('beliefs of a different node become a layer: either all of them or none', async () => {
    const { beliefs } = await taught.result('listbeliefs');
    expect(beliefs.length).toBeGreaterThan(20);
    await fresh.call('askrene-create-layer', { layer: 'others', persistent: true });
    const into = (given: unknown, more: object = {}) =>
      ({ layer: 'others', chain: 'bitcoin', beliefs: given, ...more }) as Record<string, unknown>;
    const [first] = beliefs;
    const wrong: [object, string][] = [
      [into(beliefs, { chain: 'testnet' }), 'chain'],
      [into([...beliefs, { ...first, minimum_msat: first.capacity_msat, maximum_msat: 1 }]), 'beliefs'],
      [into([...beliefs, { ...first, maximum_msat: first.capacity_msat + 1 }]), 'beliefs'],
      [into([...beliefs, { ...first, maximum_msat: -1 }]), 'beliefs'],
      [into([...beliefs, { ...first, timestamp: 2 ** 40 }]), 'beliefs'],
      [into([...beliefs, { ...first, timestamp: undefined }]), 'beliefs'],
      [into([...beliefs, { ...first, short_channel_id_dir: '1x1x1/0' }]), 'beliefs'],
      [into([...beliefs, 7]), 'beliefs'],
      [into(beliefs, { layer: 'nobody' }), 'layer'],
      [into(new Array(100_001).fill(0)), 'beliefs'],
    ];
    for (const [params, parameter] of wrong)
      expect(await fresh.error('importbeliefs', params)).toMatchObject({ code: -32602, data: { parameter } });
    expect((await fresh.result('listbeliefs', { layer: 'others' })).num_beliefs).toBe(0);

    const more = [...beliefs, { ...first, short_channel_id_dir: '1x1x1/0' }];
    expect(await fresh.result('importbeliefs', into(more, { ignore_unknown: true }))).toMatchObject({
      beliefs: beliefs.length,
      unknown: 1,
    });
    const shown = (list: Record<string, unknown>[]) =>
      new Map(
        list.map(({ short_channel_id_dir, minimum_msat, maximum_msat }) => [
          short_channel_id_dir,
          [minimum_msat, maximum_msat],
        ]),
      );
    const taken = shown((await fresh.result('listbeliefs', { layer: 'others' })).beliefs);
    // The layer has no constraint for a direction about which nothing is known any longer.
    const known = beliefs.filter(
      ({ minimum_msat, maximum_msat, capacity_msat }: Record<string, unknown>) =>
        minimum_msat !== 0 || maximum_msat !== capacity_msat,
    );
    expect(taken).toEqual(shown(known));
  });

  test('a plan splits its odds into those of balances and those of nodes that may be offline', async () => {
    const { bolt11 } = await taught.result('simulatedinvoice', { id: ids[30], amount_msat: 200_000_000 });
    const { parts } = (await taught.result('planxpay', { invstring: bolt11 })) as { parts: Part[] };
    expect(parts.length).toBeGreaterThan(0);
    const { slope, offset } = (await taught.result('exportlearned')).state.correction;
    for (const { odds, route, probability_ppm } of parts) {
      expect(odds.unknown_hops).toBeLessThan(route.length);
      for (const part of [odds.balances_ppm, odds.nodes_ppm, odds.searched_ppm]) {
        expect(part).toBeGreaterThan(0);
        expect(part).toBeLessThanOrEqual(1_000_000);
      }
      const product = (odds.balances_ppm * odds.nodes_ppm) / 1e12;
      const corrected = 1 / (1 + Math.exp(-slope * Math.log(product / (1 - product)) - offset));
      expect(Math.abs(1e6 * corrected - probability_ppm)).toBeLessThan(50);
    }
  });

  test('with --no-learned-odds there is nothing to export, import or split', async () => {
    const plain = await DaemonHere.start(home('c'), [...OPTIONS, '--no-learned-odds']);
    try {
      expect(await plain.error('exportlearned')).toMatchObject({ code: -32005 });
      const learned = await taught.result('exportlearned');
      expect(await plain.error('importlearned', { learned })).toMatchObject({ code: -32005 });
      const { parts } = await plain.result('plankeysend', { destination: ids[30], amount_msat: 1000 });
      expect(parts[0].odds).toBeUndefined();
    } finally {
      await plain.stop();
    }
  });
});
