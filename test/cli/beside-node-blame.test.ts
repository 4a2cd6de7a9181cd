/**
 * The node that is blamed for a failure, beside a stand-in for lightningd. The blame is the same if the
 * failure arrives while we and the node run, if we find it at our next start, and if the node was killed in
 * between.
 *
 *     we ── node ── A ── B ── C             indexes: 0 we, 1 A, 2 B, 3 C
 */
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { FAILURES } from '../../src/bolt/onion/failure.ts';
import { DaemonHere } from '../commands/daemon-here.ts';
import { A, B, C, type LineNode, lineNode, START_HEIGHT } from '../lightningd/line-node.ts';
import { RawClient } from '../rpc/support.ts';
import { until } from '../until.ts';

let all: LineNode;
let daemon: DaemonHere | undefined;
/** The connection that requested the payment. */
let payer: RawClient | undefined;

async function start(): Promise<void> {
  daemon = await DaemonHere.start(join(all.directory, 'data'), all.daemonOptions);
}

async function stop(): Promise<void> {
  // Disconnects the client that waits for the payment, so that the daemon can stop.
  payer?.socket.destroy();
  await daemon?.stop();
  daemon = undefined;
}

const ask = (method: string, params: object = {}) => daemon!.answer(method, params);

afterEach(async () => {
  await stop();
  await all.close();
});

/** The first attempt of the payment to C. */
const attempt = async () => (await ask('paystatus')).pay[0]?.attempts[0];

/** The failure of the first attempt. */
async function failure(): Promise<unknown> {
  await until(async () => (await attempt())?.failure !== undefined);
  const { erring_index, erring_node, failcode } = (await attempt()).failure.data;
  return { erring_index, erring_node, failcode };
}

/** Sends an HTLC, and holds it in flight while something happens. */
async function inFlight(happens: () => Promise<void>): Promise<void> {
  const { node } = all;
  node.channeld.hold(true);
  payer = new RawClient(daemon!.socketPath);
  const params = { destination: C, amount_msat: 5_000, retry_for: 1 };
  payer.send(JSON.stringify({ id: 1, method: 'keysend', params }));
  await until(() => node.channeld.everHtlcs().length === 1);
  await happens();
}

const MOMENTS: Readonly<Record<string, () => Promise<void>>> = {
  async 'while all run'() {
    await inFlight(async () => all.node.channeld.hold(false));
  },
  async 'found at our next start'() {
    await inFlight(async () => {
      await stop();
      all.node.channeld.hold(false);
      await start();
    });
  },
  async 'when the node was killed'() {
    await inFlight(async () => {
      await all.node.kill();
      await until(async () => (await ask('getinfo')).warning_node_behind !== undefined);
      all.node.channeld.hold(false);
      await all.node.start();
    });
  },
};

const CASES: Readonly<
  Record<string, { setUp: () => void; later?: () => void; index: number; at: string; code: number }>
> = {
  'a recipient that takes no keysends': {
    setUp: () => all.simulation.setTrait(C, 'takesKeysend', false),
    ...{ index: 3, at: C, code: FAILURES.invalid_onion_payload.code },
  },
  'a recipient that is away': {
    setUp: () => all.simulation.setTrait(C, 'offline', true),
    ...{ index: 2, at: B, code: FAILURES.temporary_channel_failure.code },
  },
  'a node on the way that is away': {
    setUp: () => all.simulation.setTrait(B, 'offline', true),
    ...{ index: 1, at: A, code: FAILURES.temporary_channel_failure.code },
  },
  'a recipient that holds the HTLC until it expires': {
    setUp: () => all.simulation.setTrait(C, 'unresponsive', true),
    later: () => all.node.channeld.mineTo(Math.max(START_HEIGHT + 3_000, all.node.channeld.height + 1)),
    ...{ index: 2, at: B, code: FAILURES.permanent_channel_failure.code },
  },
};

/**
 * A restart of our daemon takes some seconds, because the stop waits for the payment. So only one case
 * includes it.
 */
const ROWS = Object.keys(CASES).flatMap((name) =>
  Object.keys(MOMENTS)
    .filter((moment) => moment !== 'found at our next start' || name === 'a recipient that is away')
    .map((moment) => [name, moment] as const),
);

test.each(ROWS)('%s is blamed, %s', async (name, moment) => {
  const { setUp, later, index, at, code } = CASES[name]!;
  all = lineNode();
  await all.node.start();
  await start();
  // We must not learn of the fault before the HTLC has arrived.
  setUp();
  await MOMENTS[moment]!();
  if (later !== undefined) {
    // The HTLC is on all three channels, and stays there.
    await until(() => all.simulation.stats().htlcsInFlight === 3);
    await until(async () => {
      later();
      return (await attempt())?.failure !== undefined;
    });
  }
  expect(await failure()).toEqual({ erring_index: index, erring_node: at, failcode: code });
  expect(all.node.payments.rows[0]!.status).toBe('failed');
});
