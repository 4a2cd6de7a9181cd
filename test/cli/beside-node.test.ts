/**
 * The daemon beside a stand-in of a Core Lightning node, which consists of its RPC alone. The tests ask for
 * `getinfo`, `keysend` and the data directory while the node is there, is away, refuses, or is killed in the
 * middle of a payment. The keys are those of BOLT 4's vectors, on this line:
 *
 *     we ──103x1x0── peer ──104x1x0── recipient
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fromHex, toHex } from '../../src/bolt/bytes.ts';
import { sha256 } from '../../src/bolt/hashes.ts';
import { decodePayload } from '../../src/bolt/payload.ts';
import { peelOnion } from '../../src/bolt/sphinx.ts';
import { type Daemon, startDaemon } from '../../src/cli/daemon.ts';
import { parseStartOptions } from '../../src/cli/start-options.ts';
import { FakeNode, type Row } from '../network/cln/fake-node.ts';
import { RawClient } from '../rpc/support.ts';

const OWN = '02eec7245d6b7d2ccb30380bfbe2a3648cd7a942653f5aa340edcea1f283686619';
const PEER = '0324653eac434488002cc06bbfb7f10fe18991e35f9fe4302dbea6d2353dc0ab1c';
const RECIPIENT = '027f31ebc5462c1fdce1b737ecff52d37d75dea43ce11c74d25aa297165faa2007';
const ANOTHER = '032c0b7cf95324a07d05398b240174dc0c2be444d96b159aa6c7f7b1e668680991';
const PEER_KEY = new Uint8Array(32).fill(0x42);
const RECIPIENT_KEY = new Uint8Array(32).fill(0x43);

const silent = { debug() {}, info() {}, unusual() {}, broken() {} };
let home: string;
let node: FakeNode;
let daemon: Daemon | undefined;
let client: RawClient;

async function start(): Promise<void> {
  const where = ['--lightning-rpc-file', node.path, '--data-dir', join(home, 'data')];
  daemon = await startDaemon(parseStartOptions(['--network', 'cln', '--workers', '1', ...where]), silent);
  client = new RawClient(daemon.socketPath);
}

async function stop(): Promise<void> {
  client.socket.destroy();
  await daemon?.stop();
  daemon = undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
async function ask(method: string, params: object = {}): Promise<any> {
  const answer = JSON.parse((await client.ask(JSON.stringify({ id: 1, method, params })))!);
  return answer.error ?? answer.result;
}

const keysend = (more: object = {}) => ask('keysend', { destination: RECIPIENT, amount_msat: 5000, ...more });

/** What the recipient finds in the onion after the peer and the recipient have peeled it. */
function preimageIn({ onion, payment_hash }: Record<string, unknown>): string {
  const hash = fromHex(payment_hash as string);
  const { next } = peelOnion(fromHex(onion as string), PEER_KEY, hash);
  const { payload } = peelOnion(next!, RECIPIENT_KEY, hash);
  const preimage = decodePayload(payload, () => true).keysendPreimage!;
  expect(toHex(sha256(preimage))).toBe(payment_hash);
  return toHex(preimage);
}

const settles = (): void => {
  node.onPart = (row, params) => node.settle(row, preimageIn(params));
};

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((done) => setTimeout(done, 5));
}

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'beside-'));
  node = new FakeNode(join(home, 'lightning-rpc'), OWN, PEER);
  node.beyond = [['104x1x0', PEER, RECIPIENT]];
  await node.start();
});
afterEach(async () => {
  await stop();
  await node.kill();
  rmSync(home, { recursive: true });
});

test('shows the node, its channels as it shows them, and pays over it', async () => {
  await start();
  expect(await ask('getinfo')).toMatchObject({
    id: OWN,
    alias: 'fake',
    blockheight: 111,
    network: 'regtest',
    node_behind: { kind: 'cln', id: OWN, version: 'v26.06' },
  });
  expect(await ask('getinfo')).not.toHaveProperty('warning_node_behind');
  expect((await ask('listpeerchannels')).channels).toMatchObject([
    { peer_id: PEER, short_channel_id: '103x1x0', feerate: { perkw: 253 }, state: 'CHANNELD_NORMAL' },
  ]);
  expect((await ask('listchannels')).channels).toHaveLength(4);
  settles();
  const { amount_msat, amount_sent_msat, status } = await keysend();
  // The shadow adds a thousandth at most; the peer takes its base fee.
  expect([amount_msat >= 5000 && amount_msat <= 5005, amount_sent_msat - amount_msat, status]).toEqual([
    true,
    1000,
    'complete',
  ]);
  expect(node.rows).toMatchObject([{ status: 'complete', amount_msat }]);
});

describe('a node that goes away', () => {
  test('in mid-payment: the caller waits, and gets the preimage when it is back', async () => {
    await start();
    let part: Row | undefined;
    let preimage = '';
    node.onPart = (row, params) => {
      part = row;
      preimage = preimageIn(params);
    };
    const paid = keysend();
    await until(() => part !== undefined);
    await node.kill();
    await until(async () => (await ask2('getinfo')).warning_node_behind !== undefined);
    node.settle(part!, preimage);
    node.nowS += 5;
    await node.start();
    expect(await paid).toMatchObject({ status: 'complete', payment_preimage: preimage });
    expect(node.rows).toHaveLength(1);
  });

  test('takes no payment, and says why; routes are answered all the same', async () => {
    await start();
    await node.kill();
    await until(async () => (await ask('getinfo')).warning_node_behind !== undefined);
    expect(await keysend()).toMatchObject({
      code: -32006,
      message: expect.stringMatching(/^Nothing was sent: the node is away/),
    });
    expect((await ask('listpays')).pays).toEqual([]);
    const query = { source: OWN, destination: RECIPIENT, amount_msat: 5000, layers: ['auto.localchans'] };
    expect(await ask('getroutes', { ...query, maxfee_msat: 5000, final_cltv: 18 })).toHaveProperty('routes');
  });

  test('and we too: what was in flight is found at the next start', async () => {
    await start();
    let preimage = '';
    node.onPart = (_row, params) => {
      preimage = preimageIn(params);
    };
    void keysend().catch(() => undefined);
    await until(() => preimage !== '');
    await stop();
    node.settle(node.rows[0]!, preimage);
    await start();
    await until(async () => (await ask('listpays')).pays[0].status === 'complete');
    expect(node.called('sendonion')).toHaveLength(1);
  });
});

/** Asks over a connection of its own, since the other one waits for a payment. */
// biome-ignore lint/suspicious/noExplicitAny: as `ask`
async function ask2(method: string): Promise<any> {
  const other = new RawClient(daemon!.socketPath);
  const answer = JSON.parse((await other.ask(JSON.stringify({ id: 2, method, params: {} })))!);
  other.socket.destroy();
  return answer.result;
}

describe('a refusal in the node’s words', () => {
  test('of our channel is the binding reason', async () => {
    await start();
    node.onPart = (row) =>
      node.fail(row, {
        code: 204,
        message:
          'failed: WIRE_TEMPORARY_CHANNEL_FAILURE (WIRE_TEMPORARY_CHANNEL_FAILURE: Capacity exceeded - HTLC fee: 1626sat)',
        data: { erring_index: 0, failcode: 0x1007 },
      });
    expect(await keysend()).toMatchObject({
      code: 205,
      message: expect.stringContaining('our channel 103x1x0/0 said: Capacity exceeded - HTLC fee: 1626sat'),
      data: {
        binding: {
          kind: 'own_channel',
          short_channel_id_dir: '103x1x0/0',
          cause: 'balance',
          words: 'Capacity exceeded - HTLC fee: 1626sat',
        },
      },
    });
  });

  test('of the node itself ends the payment', async () => {
    await start();
    node.declines = 'keysend was declined';
    expect(await keysend()).toMatchObject({ code: 214, message: 'keysend was declined' });
    expect(await ask('xkeysend', { destination: RECIPIENT, amount_msat: 5000 })).toMatchObject({ code: 214 });
    expect(node.called('sendonion')).toEqual([]);
  });
});

test('the data directory belongs to the node, and is refused to another', async () => {
  await start();
  await stop();
  await node.kill();
  node.id = ANOTHER;
  await node.start();
  await expect(start()).rejects.toThrow(
    `belongs to node ${OWN} (--network cln --chain regtest), and this start is for node ${ANOTHER}`,
  );
});

test('a node that is not there is a reason not to start', async () => {
  await node.kill();
  await expect(start()).rejects.toThrow(/nobody listens there; is lightningd running/);
});

test('options of the node go with its network, and name one chain', async () => {
  expect(() => parseStartOptions(['--lightning-dir', '/x'])).toThrow(
    '--lightning-dir goes with --network cln',
  );
  expect(() => parseStartOptions(['--graph', 'node'])).toThrow('--graph node goes with --network cln');
  const both = ['--network', 'cln', '--lightning-dir', '/x', '--lightning-rpc-file', '/y'];
  expect(() => parseStartOptions(both)).toThrow('not both');
  const options = parseStartOptions(['--network', 'cln', '--lightning-dir', '/x', '--chain', 'signet']);
  expect(options).toMatchObject({ nodeSocket: '/x/signet/lightning-rpc', graph: 'node' });
  const argv = ['--network', 'cln', '--lightning-rpc-file', node.path, '--chain', 'bitcoin'];
  const started = startDaemon(parseStartOptions([...argv, '--data-dir', join(home, 'data')]), silent);
  await expect(started).rejects.toThrow('--chain is bitcoin, and the node at');
});
