/**
 * Failures that LND sends only with options that few operators set, or after two minutes: a real LND reports
 * them, and we read them.
 *
 *          b, which forwards nothing
 *        /                           \
 *     a                               c        all of them LND
 *        \                           /
 *          d, which forwards HTLCs of at most 500 blocks
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { KEYSEND_PREIMAGE_TYPE } from '../../../src/bolt/onion/payload.ts';
import type { HtlcAttempt } from '../../../src/network/lnd/answers.ts';
import { GrpcClient } from '../../../src/network/lnd/client/grpc-client.ts';
import { outcomeOf } from '../../../src/network/lnd/failure-of.ts';
import { describeNeeding } from '../../needs.ts';
import { haveLnd, LndNodes } from './lnd-nodes.ts';

const AMOUNT_MSAT = 5_000;
const FEE_MSAT = 1_001;
const FINAL_BLOCKS = 90;
const DELAY_BLOCKS = 80;

describeNeeding('lnd', haveLnd, 'failures that are rare on a real LND', () => {
  let nodes: LndNodes;
  let client: GrpcClient;

  beforeAll(async () => {
    const lnd = process.env.FULGURITE_TEST_LND_A;
    const ofOthers = { b: ['--rejecthtlc'], d: ['--max-cltv-expiry=500'] };
    nodes = await LndNodes.start([], lnd, 'lnd', ofOthers);
    const { address, certPath, adminPath } = nodes.placeOf('a');
    client = new GrpcClient({ address, certPath, macaroonPath: adminPath });
    await client.reconnect();
  }, 900_000);
  afterAll(async () => {
    await client?.close();
    await nodes?.stop();
  }, 120_000);

  const channelBetween = async (from: 'a' | 'b' | 'd', to: 'b' | 'c' | 'd'): Promise<string> => {
    const { channels } = await nodes.call(from, 'listchannels');
    const found = channels.find((one: { remote_pubkey: string }) => one.remote_pubkey === nodes.id(to));
    return found.scid ?? found.chan_id;
  };

  /** The outcome of a part to c. */
  async function sent(
    over: 'b' | 'd',
    hash: Uint8Array,
    last: object,
    blocks = FINAL_BLOCKS,
  ): Promise<ReturnType<typeof outcomeOf>> {
    const expiry = (await nodes.call('a', 'getinfo')).block_height + blocks;
    const part = { amt_to_forward_msat: String(AMOUNT_MSAT), expiry };
    const route = {
      total_time_lock: expiry + DELAY_BLOCKS,
      total_amt_msat: String(AMOUNT_MSAT + FEE_MSAT),
      hops: [
        { chan_id: await channelBetween('a', over), pub_key: nodes.id(over), ...part },
        { chan_id: await channelBetween(over, 'c'), pub_key: nodes.id('c'), ...part, ...last },
      ],
    };
    return outcomeOf(await client.call<HtlcAttempt>('SendToRouteV2', { payment_hash: hash, route }, 300_000));
  }

  const keysend = (): readonly [Uint8Array, object] => {
    const preimage = randomBytes(32);
    return [sha256(preimage), { custom_records: { [String(KEYSEND_PREIMAGE_TYPE)]: preimage } }];
  };

  test('a node that forwards nothing', { timeout: 300_000 }, async () => {
    expect(await sent('b', ...keysend())).toMatchObject({
      ...{ status: 'decoded', sourceIndex: 1 },
      failure: { name: 'channel_disabled', isComplete: true },
    });
  });

  test('more blocks than a forwarding node accepts', { timeout: 300_000 }, async () => {
    expect(await sent('d', ...keysend(), 900)).toMatchObject({
      ...{ status: 'decoded', sourceIndex: 1 },
      failure: { name: 'expiry_too_far', isComplete: true },
    });
    expect(await sent('d', ...keysend())).toMatchObject({ status: 'settled' });
  });

  test('a part that the recipient held in vain while waiting for the others', {
    timeout: 600_000,
  }, async () => {
    const { r_hash, payment_addr } = await nodes.call('c', 'addinvoice', '--amt_msat', 2 * AMOUNT_MSAT);
    const mpp_record = {
      payment_addr: Buffer.from(payment_addr, 'hex'),
      total_amt_msat: String(2 * AMOUNT_MSAT),
    };
    expect(await sent('d', Buffer.from(r_hash, 'hex'), { mpp_record })).toMatchObject({
      ...{ status: 'decoded', sourceIndex: 2 },
      failure: { name: 'mpp_timeout', isComplete: true },
    });
  });
});
