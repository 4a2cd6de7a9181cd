/**
 * Our channels as routes see them, beside a real Core Lightning node: over each single channel, in both
 * directions, we and the node's own cln-askrene find the same route, or none, at the same moment. Node a has
 * every kind of channel:
 *
 *     a ══ b     announced, and later spliced; and one that b opened, in use before it is in a block
 *     a ══ d     opened by us, in use before they are in a block, not announced. For one of them, a does not
 *                have d's terms at first. Later d is away
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { NodeError } from '../../../src/network/cln/answer.ts';
import { answerAt } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { ClnNodes, haveNodes, type NodeName, until } from './cln-nodes.ts';

const TIME = 120_000;
const ZERO_CONF = fileURLToPath(new URL('../zero-conf-plugin.mjs', import.meta.url));
// biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
type Json = any;

describeNeeding('lightningd', haveNodes, 'channels of every kind, beside a real node,', () => {
  let nodes: ClnNodes;
  let daemon: Daemon;
  const ids = new Map<NodeName, string>();
  /** Number of the layer that disables all channels but one. */
  let layer = 0;

  const call = (name: NodeName, method: string, params: object = {}): Promise<Json> =>
    nodes.call(name, method, params);
  const ours = (method: string, params: object = {}) => answerAt(daemon.socketPath, method, params);
  const theirs = (method: string, params: object = {}): Promise<Json> =>
    call('a', method, params).catch((error: unknown) => {
      if (error instanceof NodeError) return { code: error.code };
      throw error;
    });

  const channelsOfA = async (): Promise<Json[]> => (await call('a', 'listpeerchannels')).channels;
  const scidOf = (channel: Json): string => channel.short_channel_id ?? channel.alias.local;

  /** For each channel, whether the peer has sent its terms. */
  const everyoneTold = (channels: Json[]): boolean =>
    channels.every(({ updates }) => updates?.remote !== undefined);

  /** Waits until nothing changes on node a's channels and we have the node's report about them. */
  async function settle(isTold = everyoneTold): Promise<void> {
    await until(async () => {
      const shown = ['state', 'peer_connected', 'spendable_msat', 'receivable_msat', 'updates'];
      const inShort = (channels: Json[]) =>
        JSON.stringify(channels.map((channel) => shown.map((member) => channel[member])));
      const { channels } = await ours('listpeerchannels');
      const now = await channelsOfA();
      return isTold(now) && inShort(channels) === inShort(now);
    });
  }

  /**
   * Compares the routes that we and the node find over one of node a's channels, for amounts up to its maximum and
   * beyond.
   */
  async function compare(channel: Json, all: readonly Json[]): Promise<void> {
    const name = `alone-${layer++}`;
    for (const ask of [ours, theirs]) {
      await ask('askrene-create-layer', { layer: name });
      for (const other of all.filter((one) => one !== channel)) {
        for (const direction of [0, 1]) {
          const short_channel_id_dir = `${scidOf(other)}/${direction}`;
          await ask('askrene-update-channel', { layer: name, short_channel_id_dir, enabled: false });
        }
      }
    }
    const ways = [
      { source: ids.get('a'), destination: channel.peer_id, most: channel.spendable_msat },
      { source: channel.peer_id, destination: ids.get('a'), most: channel.receivable_msat },
    ];
    for (const { most, ...ends } of ways) {
      // For amounts within a satoshi of the maximum, v26.06 reports that it does not know why it finds no
      // route.
      const inSat = Math.floor(most / 1_000) * 1_000;
      for (const amount_msat of new Set([1, 1_234_567, Math.floor(inSat / 2), inSat, most + 1])) {
        if (amount_msat === 0) continue;
        const query = { ...ends, amount_msat, layers: ['auto.localchans', name] };
        const [one, other] = await Promise.all(
          [ours, theirs].map((ask) => ask('getroutes', { ...query, maxfee_msat: 1e9, final_cltv: 18 })),
        );
        // Members that are newer than the node's release are only in our answers.
        const members = Object.keys(other.routes?.[0].path[0] ?? {});
        const shown = ({ path }: Json) => path.map((hop: Json) => members.map((member) => hop[member]));
        const paths = (answer: Json) => answer.routes?.map(shown);
        expect([scidOf(channel), amount_msat, paths(one)]).toEqual([
          scidOf(channel),
          amount_msat,
          paths(other),
        ]);
      }
    }
  }

  async function compareAll(isTold?: typeof everyoneTold): Promise<Json[]> {
    await settle(isTold);
    const channels = await channelsOfA();
    for (const channel of channels) await compare(channel, channels);
    return channels;
  }

  beforeAll(async () => {
    nodes = await ClnNodes.start();
    for (const name of ['a', 'b', 'c', 'd'] as const) ids.set(name, (await call(name, 'getinfo')).id);
    daemon = await startTestDaemon(['--network', 'cln', ...nodes.besideA()]);
    await until(async () => (await ours('listchannels')).channels.length >= 4);
  }, TIME);
  afterAll(async () => {
    await daemon?.stop();
    await nodes?.stop();
  }, TIME);

  test('agree before they are in a block, whichever side opened them', { timeout: TIME }, async () => {
    for (const name of ['a', 'd'] as const) {
      await call(name, 'plugin', { subcommand: 'start', plugin: ZERO_CONF });
    }
    const addressOf = async (name: NodeName) => {
      const { binding } = await call(name, 'getinfo');
      return `${ids.get(name)}@${binding[0].address}:${binding[0].port}`;
    };
    await call('a', 'connect', { id: await addressOf('d') });
    const terms = { amount: 1_000_000, announce: false, mindepth: 0, push_msat: 200_000_000 };
    await call('a', 'fundchannel', { id: ids.get('d'), ...terms });
    await call('b', 'fundchannel', { id: ids.get('a'), ...terms });
    await until(async () => (await channelsOfA()).every(({ state }) => state === 'CHANNELD_NORMAL'));
    const channels = await compareAll();
    // The node lists its peers in any order.
    const kinds = channels.map(
      ({ opener, short_channel_id }) => `${opener} ${short_channel_id !== undefined}`,
    );
    expect(kinds.toSorted()).toEqual(['local false', 'local true', 'remote false']);
  });

  test('agree if the peer has not sent its terms', { timeout: TIME }, async () => {
    // The node learns the terms of its peers from its gossip daemon.
    nodes.signalSubdaemon('a', 'lightning_gossipd', 'SIGSTOP');
    try {
      const terms = { amount: 1_000_000, announce: false, mindepth: 0, push_msat: 200_000_000 };
      await call('a', 'fundchannel', { id: ids.get('d'), ...terms });
      await until(async () => (await channelsOfA()).every(({ state }) => state === 'CHANNELD_NORMAL'));
      const channels = await compareAll((all) => all.some(({ updates }) => updates.remote === undefined));
      const told = channels.map(({ updates }) => updates.remote !== undefined);
      expect(told.toSorted()).toEqual([false, true, true, true]);
    } finally {
      nodes.signalSubdaemon('a', 'lightning_gossipd', 'SIGCONT');
    }
    await compareAll();
  });

  test('agree if the peer is away', { timeout: TIME }, async () => {
    nodes.signal('d', 'SIGKILL');
    await until(async () => (await channelsOfA()).some(({ peer_connected }) => !peer_connected));
    await compareAll();
  });

  test('agree during a splice and after it', { timeout: TIME }, async () => {
    // The channel with b that is in a block. The node lists its peers in any order.
    const announced = (await channelsOfA()).find(
      ({ peer_id, short_channel_id }) => peer_id === ids.get('b') && short_channel_id !== undefined,
    );
    const { channel_id, short_channel_id: before } = announced;
    const spliced = async () => (await channelsOfA()).find((one) => one.channel_id === channel_id);
    const { psbt } = await call('a', 'addpsbtoutput', { satoshi: 100_000 });
    const begun = await call('a', 'splice_init', {
      channel_id,
      relative_amount: -105_801,
      initialpsbt: psbt,
    });
    const first = await call('a', 'splice_update', { channel_id, psbt: begun.psbt });
    const second = await call('a', 'splice_update', { channel_id, psbt: first.psbt });
    await call('a', 'splice_signed', { channel_id, psbt: second.psbt });
    await until(async () => (await spliced()).state === 'CHANNELD_AWAITING_SPLICE');
    await compareAll();
    nodes.mine(6);
    await until(async () => (await spliced()).short_channel_id !== before);
    await until(async () => (await spliced()).state === 'CHANNELD_NORMAL');
    await compareAll();
  });
});
