/**
 * The node that is blamed for a failure, beside real Core Lightning nodes. If the failure arrives while we
 * are down, even if the node restarts as well, the blame is the same as when everything runs: it follows from
 * the failure that the node stored.
 *
 *     a ──10,000,000 sat── b ──10,000,000 sat── c        (we are beside a)
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { answerAt } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { RawClient } from '../../rpc/support.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { ClnNodes, haveNodes, type NodeName, until } from './cln-nodes.ts';

const TIME = 120_000;
const AMOUNT_MSAT = 20_000_000;
// biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
type Json = any;

describeNeeding('lightningd', haveNodes, 'the blame for a failure', () => {
  let nodes: ClnNodes;
  let daemon: Daemon | undefined;
  /** The connection that requested the payment. */
  let payer: RawClient | undefined;
  const ids = new Map<NodeName, string>();
  /** Whether c was killed. */
  let isGone = false;
  /** The blame and the lessons when everything runs. */
  const live = new Map<string, Json>();

  async function start(): Promise<void> {
    daemon = await startTestDaemon(['--network', 'cln', '--developer', ...nodes.besideA()]);
  }
  async function stop(): Promise<void> {
    // Disconnects the client that waits for the payment, so that the daemon can stop.
    payer?.socket.destroy();
    await daemon?.stop();
    daemon = undefined;
  }
  const ask = (method: string, params: object = {}) => answerAt(daemon!.socketPath, method, params);
  /** The first attempt of our latest payment. */
  const attempt = async (): Promise<Json> => (await ask('paystatus')).pay.at(-1)?.attempts[0];

  /** Our report about the first attempt after its failure. */
  async function blame(): Promise<Json> {
    await until(async () => (await attempt())?.failure !== undefined);
    const { failure, learned } = await attempt();
    const { erring_index, erring_node, erring_channel, erring_direction, failcode } = failure.data;
    // A channel's balance is learned only if its other movements are visible.
    const taught = (learned ?? []).filter((line: string) => !line.includes(' can carry '));
    return { erring_index, erring_node, erring_channel, erring_direction, failcode, taught };
  }

  /** Waits for the state before each payment: no HTLC is in flight, and every node can pay. */
  async function rest(): Promise<void> {
    await until(async () => {
      const ends = await Promise.all(
        (['a', 'b', 'c'] as const).map((one) => nodes.call(one, 'listpeerchannels')),
      );
      return ends.every(({ channels }) =>
        channels.every(({ htlcs, reestablished }: Json) => htlcs.length === 0 && reestablished === true),
      );
    });
    await until(async () => {
      const { channels } = await ask('listchannels');
      const { num_active_channels, warning_node_behind } = await ask('getinfo');
      const active = channels.filter((one: Json) => one.active).length;
      return active === 4 && num_active_channels === 1 && warning_node_behind === undefined;
    });
  }

  /** Requests a payment to c, whose HTLC then stays with a stopped node. */
  async function payInto(name: NodeName, method: string, params: object): Promise<void> {
    nodes.signal(name, 'SIGSTOP');
    payer = new RawClient(daemon!.socketPath);
    payer.send(JSON.stringify({ id: 1, method, params: { ...params, retry_for: 1, dev_use_shadow: false } }));
    await until(async () => (await nodes.call('a', 'listpeerchannels')).channels[0].htlcs.length === 1);
  }
  const isFailedInNode = async (): Promise<boolean> => {
    const { payments } = await nodes.call('a', 'listsendpays');
    return payments.at(-1).status === 'failed';
  };

  /** The faults: each begins a payment whose HTLC waits, and returns a function that makes the HTLC fail. */
  const FAILURES: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
    async 'a recipient that does not know the invoice'() {
      const label = `${Date.now()}`;
      const { bolt11 } = await nodes.call('c', 'invoice', {
        amount_msat: AMOUNT_MSAT,
        label,
        description: 'd',
      });
      await nodes.call('c', 'delinvoice', { label, status: 'unpaid' });
      await payInto('c', 'xpay', { invstring: bolt11 });
      return async () => nodes.signal('c', 'SIGCONT');
    },
    async 'a node on the way whose next peer is away'() {
      nodes.signal('c', 'SIGKILL');
      isGone = true;
      await until(async () => {
        const { peers } = await nodes.call('b', 'listpeers', { id: ids.get('c') });
        return peers[0].connected === false;
      });
      await payInto('b', 'keysend', { destination: ids.get('c'), amount_msat: AMOUNT_MSAT });
      return async () => nodes.signal('b', 'SIGCONT');
    },
  };

  const MOMENTS: Readonly<Record<string, (letFail: () => Promise<void>) => Promise<void>>> = {
    'while all are there': (letFail) => letFail(),
    async 'found at our next start'(letFail) {
      await stop();
      await letFail();
      await until(isFailedInNode);
      await start();
    },
    async 'found after a kill of the node, too'(letFail) {
      await stop();
      await letFail();
      await until(isFailedInNode);
      nodes.signal('a', 'SIGKILL');
      await nodes.restart('a');
      await start();
    },
  };

  beforeAll(async () => {
    nodes = await ClnNodes.start();
    for (const name of ['a', 'b', 'c'] as const) ids.set(name, (await nodes.call(name, 'getinfo')).id);
    await start();
  }, TIME);
  afterAll(async () => {
    await stop();
    await nodes?.stop();
  }, TIME);

  const rows = Object.keys(FAILURES).flatMap((what) => Object.keys(MOMENTS).map((moment) => [what, moment]));
  test.each(rows)('%s is blamed, %s', { timeout: TIME }, async (what, moment) => {
    await rest();
    const letFail = await FAILURES[what!]!();
    try {
      await MOMENTS[moment!]!(letFail);
      const told = await blame();
      if (!live.has(what!)) live.set(what!, told);
      expect(told).toEqual(live.get(what!));
      const [index, node, code] = what!.startsWith('a recipient') ? [2, 'c', 0x400f] : [1, 'b', 0x1007];
      expect(told).toMatchObject({
        ...{ erring_index: index, erring_node: ids.get(node as NodeName), failcode: code },
      });
    } finally {
      nodes.signal('b', 'SIGCONT');
      if (isGone) await nodes.restart('c');
      else nodes.signal('c', 'SIGCONT');
      isGone = false;
    }
  });
});
