/**
 * LDK as the recipient of payments that we make: our onions for LDK's BOLT 11 recipients and for blinded
 * paths that LDK has made, peeled by LDK at every node. Nothing is mocked: LDK peels HTLCs on a channel with
 * the same functions.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type {
  KeysManager,
  Logger,
  Option_CVec_u8ZZ_Some,
  PendingHTLCInfo,
  PendingHTLCRouting_Receive,
  Result_PendingHTLCInfoInboundHTLCErrZ_Err,
} from 'lightningdevkit';
import { beforeAll, expect, test } from 'vitest';
import { ByteWriter, toHex } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import type { PaymentPath } from '../../../src/bolt/invoice/bolt12-invoice.ts';
import { nextPathKey, pathSecret } from '../../../src/bolt/onion/blinded-path.ts';
import { createOnion } from '../../../src/bolt/onion/sphinx.ts';
import { msat } from '../../../src/model/msat.ts';
import { nodeIdFromBytes } from '../../../src/model/node-id.ts';
import { forwardingFeeMsat } from '../../../src/model/policy.ts';
import { type ShortChannelId, shortChannelId } from '../../../src/model/short-channel-id.ts';
import { onionHops } from '../../../src/network/onions/htlc-onion.ts';
import type { OutgoingHtlc } from '../../../src/network/port.ts';
import { findTails } from '../../../src/payments/plan/payable-invoice.ts';
import { describeNeeding } from '../../needs.ts';

/**
 * LDK's bindings free an object when it is garbage-collected, even if a call had already taken it over and
 * freed it, which corrupts memory at random moments. This file is short and runs in its own process, so
 * nothing need be freed.
 */
class NothingIsFreed<T> implements FinalizationRegistry<T> {
  readonly [Symbol.toStringTag] = 'FinalizationRegistry';
  register(): void {}
  unregister(): boolean {
    return true;
  }
}

const packageFile = createRequire(import.meta.url).resolve('lightningdevkit/package.json');
const binary = join(dirname(packageFile), 'liblightningjs.wasm');
const HEIGHT = 800_000;
const AMOUNT = 1_000_000n;
const HASH = new Uint8Array(32).fill(0x77);
const SECRET = new Uint8Array(32).fill(0x55);
const SESSION = new Uint8Array(32).fill(0x33);
const ours = shortChannelId(1, 1, 1);
const theirs = shortChannelId(2, 2, 2);

describeNeeding('ldk', existsSync(binary), 'LDK', () => {
  let ldk: typeof import('lightningdevkit');
  let logger: Logger;
  let keys: [KeysManager, KeysManager];
  beforeAll(async () => {
    globalThis.FinalizationRegistry = NothingIsFreed;
    ldk = await import('lightningdevkit');
    await ldk.initializeWasmFromBinary(readFileSync(binary));
    logger = ldk.Logger.new_impl({ log: () => undefined });
    const keysOf = (seed: number) => ldk.KeysManager.constructor_new(new Uint8Array(32).fill(seed), 0n, 0);
    keys = [keysOf(1), keysOf(2)];
  });

  const idOf = (of: KeysManager): Uint8Array => curve.publicKey(of.get_node_secret_key());

  /** The HTLC as its message on the wire (BOLT 2, `update_add_htlc`), read by LDK. */
  function peel(
    of: KeysManager,
    terms: { readonly amountMsat: bigint; readonly cltvExpiry: number },
    onion: Uint8Array,
    pathKey?: Uint8Array,
  ): PendingHTLCInfo {
    const writer = new ByteWriter(2048).put(new Uint8Array(32)).u64(0n).u64(terms.amountMsat).put(HASH);
    writer.u32(terms.cltvExpiry).put(onion);
    if (pathKey !== undefined) writer.u8(0).u8(pathKey.length).put(pathKey);
    const message = ldk.UpdateAddHTLC.constructor_read(writer.finish());
    if (!(message instanceof ldk.Result_UpdateAddHTLCDecodeErrorZ_OK))
      throw new Error('LDK cannot read the HTLC');
    const peeled = ldk.UtilMethods.constructor_peel_payment_onion(
      message.res,
      of.as_NodeSigner(),
      logger,
      HEIGHT,
      false,
    );
    if (peeled instanceof ldk.Result_PendingHTLCInfoInboundHTLCErrZ_OK) return peeled.res;
    const { err } = peeled as Result_PendingHTLCInfoInboundHTLCErrZ_Err;
    throw new Error(`LDK: ${err.get_msg()}`);
  }

  const onionOf = (htlc: Pick<OutgoingHtlc, 'path' | 'finalPayload' | 'blindedEnd'>): Uint8Array =>
    createOnion(onionHops(htlc), { sessionKey: SESSION, associatedData: HASH }).packet;

  const hop = (of: KeysManager, channel: ShortChannelId, amountMsat: bigint, delay: number) => ({
    nodeId: nodeIdFromBytes(idOf(of)),
    shortChannelId: channel,
    amountMsat: msat(amountMsat),
    cltvExpiry: HEIGHT + 1 + delay,
  });

  test('finds secret, total and metadata of its BOLT 11 invoice, and forwards to the node in our onion', () => {
    const paymentMetadata = Uint8Array.of(1, 2, 3);
    const path = [hop(keys[0], ours, AMOUNT + 10n, 100), hop(keys[1], theirs, AMOUNT, 40)];
    const finalPayload = {
      paymentData: { paymentSecret: SECRET, totalMsat: msat(2n * AMOUNT) },
      paymentMetadata,
    };
    const first = peel(keys[0], path[0]!, onionOf({ path, finalPayload }));
    const forward = first.get_routing();
    if (!(forward instanceof ldk.PendingHTLCRouting_Forward)) throw new Error('LDK does not forward');
    expect(forward.short_channel_id).toBe(theirs);
    expect(first.get_outgoing_amt_msat()).toBe(AMOUNT);
    expect(first.get_outgoing_cltv_value()).toBe(HEIGHT + 41);
    const last = peel(keys[1], path[1]!, forward.onion_packet.write());
    const receive = last.get_routing() as PendingHTLCRouting_Receive;
    expect(receive).toBeInstanceOf(ldk.PendingHTLCRouting_Receive);
    expect(toHex(receive.payment_data.get_payment_secret())).toBe(toHex(SECRET));
    expect(receive.payment_data.get_total_msat()).toBe(2n * AMOUNT);
    const metadata = receive.payment_metadata as Option_CVec_u8ZZ_Some;
    expect(toHex(metadata.some)).toBe(toHex(paymentMetadata));
  });

  /** A blinded path made by LDK, with only the recipient or through the other node. */
  function ldkPath(isOverOther: boolean): PaymentPath {
    const [introducing, receiving] = keys;
    const entropy = receiving.as_EntropySource();
    const constraints = ldk.PaymentConstraints.constructor_new(HEIGHT + 2000, 1n);
    const context = ldk.PaymentContext.constructor_bolt12_refund(ldk.Bolt12RefundContext.constructor_new());
    const tlvs = ldk.UnauthenticatedReceiveTlvs.constructor_new(SECRET, constraints, context).authenticate(
      ldk.Nonce.constructor_from_entropy_source(entropy),
      receiving.as_NodeSigner().get_inbound_payment_key(),
    );
    const relay = ldk.PaymentRelay.constructor_new(60, 300, 500);
    const features = ldk.BlindedHopFeatures.constructor_empty();
    const forward = ldk.ForwardTlvs.constructor_new(theirs, relay, constraints, features, null);
    const made = ldk.BlindedPaymentPath.constructor_new(
      isOverOther ? [ldk.PaymentForwardNode.constructor_new(forward, idOf(introducing), 10n ** 9n)] : [],
      idOf(receiving),
      tlvs,
      10n ** 9n,
      24,
      entropy,
    );
    if (!(made instanceof ldk.Result_BlindedPaymentPathNoneZ_OK)) throw new Error('LDK did not make a path');
    const info = made.res.get_payinfo();
    const node = made.res.introduction_node();
    if (!(node instanceof ldk.IntroductionNode_NodeId))
      throw new Error('LDK did not name the introduction node');
    return {
      path: {
        firstNode: node.node_id,
        firstPathKey: made.res.blinding_point(),
        hops: made.res.blinded_hops().map((one) => ({
          blindedNodeId: one.get_blinded_node_id(),
          encryptedRecipientData: one.get_encrypted_payload(),
        })),
      },
      payInfo: {
        feeBaseMsat: info.get_fee_base_msat(),
        feeProportionalMillionths: info.get_fee_proportional_millionths(),
        cltvExpiryDelta: info.get_cltv_expiry_delta(),
        htlcMinimumMsat: msat(info.get_htlc_minimum_msat()),
        htlcMaximumMsat: msat(info.get_htlc_maximum_msat()),
        features: new Uint8Array(0),
      },
    };
  }

  const starts = {
    ownId: nodeIdFromBytes(curve.publicKey(SESSION)),
    nodeOf: () => undefined,
    peerOf: () => undefined,
  };

  test.each([
    ['alone', false],
    ['over another node', true],
  ])('accepts a payment over its own blinded path, to itself %s', (_, isOverOther) => {
    const { tails } = findTails([ldkPath(isOverOther)], starts);
    const tail = tails[0]!;
    const introducing = isOverOther ? keys[0] : keys[1];
    expect(tail.introduction).toBe(nodeIdFromBytes(idOf(introducing)));
    const arriving = AMOUNT + forwardingFeeMsat(tail, AMOUNT);
    const path = [hop(introducing, ours, arriving, tail.cltvExpiryDelta)];
    const { firstPathKey, hops } = tail;
    const blindedEnd = { firstPathKey, hops, amountMsat: msat(AMOUNT), cltvExpiry: HEIGHT + 1 };
    let info = peel(
      introducing,
      path[0]!,
      onionOf({ path, blindedEnd, finalPayload: { totalAmountMsat: msat(3n * AMOUNT) } }),
    );
    let routing = info.get_routing();
    if (isOverOther) {
      if (!(routing instanceof ldk.PendingHTLCRouting_Forward)) throw new Error('LDK does not forward');
      expect(routing.short_channel_id).toBe(theirs);
      // The introduction node keeps 500 msat + 300 ppm and 60 blocks.
      expect(info.get_outgoing_amt_msat()).toBe(AMOUNT);
      expect(info.get_outgoing_cltv_value()).toBe(path[0]!.cltvExpiry - 60);
      const secret = pathSecret(introducing.get_node_secret_key(), firstPathKey);
      const next = { amountMsat: info.get_outgoing_amt_msat(), cltvExpiry: info.get_outgoing_cltv_value() };
      info = peel(keys[1], next, routing.onion_packet.write(), nextPathKey(firstPathKey, secret));
      routing = info.get_routing();
    }
    expect(routing).toBeInstanceOf(ldk.PendingHTLCRouting_Receive);
    const { payment_data, requires_blinded_error } = routing as PendingHTLCRouting_Receive;
    expect(toHex(payment_data.get_payment_secret())).toBe(toHex(SECRET));
    expect(payment_data.get_total_msat()).toBe(3n * AMOUNT);
    expect(Boolean(requires_blinded_error)).toBe(isOverOther);
  });
});
