/**
 * The life of HTLCs in a simulated network. They are offered on our channel, forwarded hop by hop with the real onion,
 * and settled or failed back hop by hop. An HTLC locks its amount on its channel from the offer until its result has
 * travelled back to the node that offered it.
 *
 *     us --hold--> node 1 --hold--> node 2 ... recipient        peel, check, offer
 *     us <-------- node 1 <-------- node 2 ... recipient        settle or fail, each after the hop's latency
 */

import { equalBytes, toHex } from '../../bolt/bytes.ts';
import { publicKeysCurve } from '../../bolt/crypto/curve.ts';
import { sha256 } from '../../bolt/crypto/hashes.ts';
import { attribute } from '../../bolt/onion/attribution.ts';
import { encodeFailure, FAILURES } from '../../bolt/onion/failure.ts';
import { plainFailurePacket, wrapFailurePacket } from '../../bolt/onion/failure-packet.ts';
import { checkPayload, decodePayload, FIRST_CUSTOM_TYPE, type HopPayload } from '../../bolt/onion/payload.ts';
import { type PeeledOnion, peelOnion } from '../../bolt/onion/sphinx.ts';
import { WireError } from '../../bolt/wire-error.ts';
import { nodeIdFromBytes } from '../../model/node-id.ts';
import { formatShortChannelIdDir, type ShortChannelId } from '../../model/short-channel-id.ts';
import type { HtlcOutcome } from '../port.ts';
import {
  type ArrivedHtlc,
  forwardedBy,
  isAllowed,
  type OpenedHop,
  openHop,
  paysPolicy,
  peelingKey,
  readable,
} from './blinded-hop.ts';
import { updateOf } from './channel-update.ts';
import { directionOfIndex, type Outgoing } from './channels.ts';
import { PURPOSE } from './draws.ts';
import { judgeForward } from './forwarding.ts';
import { attemptOf, type Htlc, type HtlcOffer, type SentAttempt } from './htlc.ts';
import { type HtlcControl, Recipients } from './own/receiving.ts';
import type { World } from './world.ts';

const DEFAULT_STUCK_MS = 300_000;
const DEFAULT_MULTI_PART_TIMEOUT_MS = 60_000;

type BadOnion =
  | 'invalid_onion_version'
  | 'invalid_onion_hmac'
  | 'invalid_onion_key'
  | 'invalid_onion_blinding';

/** Maximum number of consecutive hops of a blinded path that may lead to the node itself. */
const MAX_DUMMY_HOPS = 10;

/** The functions of our own channels that HTLCs need. */
export interface OwnSide {
  /** Index of our outgoing direction. `undefined` when the channel is not ours. */
  directionIndexOf(scid: ShortChannelId): number | undefined;
  /** Why this HTLC cannot be offered now, as a failure code and text. `undefined` when it can. */
  refusal(directionIndex: number, offer: HtlcOffer): { failureCode: number; reason: string } | undefined;
  /** Called when one of our HTLCs is on our channel. */
  added(htlc: Htlc): void;
}

/** Callbacks that report the progress of our attempts. */
export interface AttemptReport {
  /** Called when the HTLC has been added to our channel. */
  taken(attempt: SentAttempt): void;
  /** Called when a recipient releases the preimage for these parts, which have not travelled back yet. */
  released(parts: readonly Htlc[], preimage: Uint8Array): void;
  closed(channel: number): void;
  ended(attempt: SentAttempt, outcome: HtlcOutcome): void;
}

/** The position of a node in its part of a blinded path. */
interface BlindedPlace {
  readonly payload: HopPayload;
  readonly peeled: PeeledOnion;
  readonly pathKey: Uint8Array;
  readonly arrived: ArrivedHtlc;
}

/** The path id that is used if the path contains none. */
const NO_PATH_ID = new Uint8Array(0);

const blindedFailure = (sha256OfOnion: Uint8Array): Uint8Array =>
  encodeFailure('invalid_onion_blinding', { sha256OfOnion });

/** Moves HTLCs along their routes and back. */
export class HtlcFlow implements HtlcControl {
  readonly recipients: Recipients;
  /** Number of HTLCs in flight on all channels, including our own channels. */
  inFlight = 0;
  private readonly world: World;
  private readonly own: OwnSide;
  private readonly report: AttemptReport;
  /** HTLCs that stay unanswered until they expire, in order of arrival. */
  private readonly stuck = new Set<Htlc>();

  constructor(world: World, own: OwnSide, report: AttemptReport) {
    this.world = world;
    this.own = own;
    this.report = report;
    const timeoutMs = world.options.multiPartTimeoutMs ?? DEFAULT_MULTI_PART_TIMEOUT_MS;
    this.recipients = new Recipients(this, timeoutMs);
  }

  /** Accepts an HTLC from us. A separate event judges it, so the order of calls within one instant does not matter. */
  offer(offer: HtlcOffer): void {
    const attempt = attemptOf(offer);
    this.world.after(0, attempt.order, () => this.start(attempt, offer));
  }

  after(ms: number, order: number, action: () => void): void {
    this.world.after(ms, order, action);
  }

  /** Fails the HTLC at its receiving node, with a failure message of that node. */
  fail(htlc: Htlc, failure: Uint8Array): void {
    this.note(htlc, `fails ${toHex(failure.subarray(0, 2))}`);
    const { pathKey, blindedOnion } = htlc;
    if (pathKey !== undefined) {
      this.failMalformed(htlc, 'invalid_onion_blinding', blindedOnion as Uint8Array);
      return;
    }
    const message = blindedOnion === undefined ? failure : blindedFailure(blindedOnion);
    const secret = htlc.sharedSecret as Uint8Array;
    const packet = plainFailurePacket(secret, message);
    this.returnFailure(htlc, wrapFailurePacket(secret, packet), this.attribution(htlc, packet, undefined));
  }

  settleAll(parts: readonly Htlc[], preimage: Uint8Array): void {
    this.report.released(parts, preimage);
    for (const part of parts) this.settle(part, preimage);
  }

  /** Settles the HTLC at its receiving node, which has the preimage. */
  private settle(htlc: Htlc, preimage: Uint8Array, downstream?: Uint8Array): void {
    this.note(htlc, 'settles');
    const attribution = this.attribution(htlc, undefined, downstream);
    this.travelBack(htlc, () => {
      this.world.channels.settle(htlc.directionIndex, htlc.amountMsat);
      if (htlc.previous !== undefined) return this.settle(htlc.previous, preimage, attribution);
      this.finish(htlc.attempt, { status: 'settled', preimage, ...(attribution && { attribution }) });
    });
  }

  private start(attempt: SentAttempt, offer: HtlcOffer): void {
    const directionIndex = this.own.directionIndexOf(offer.shortChannelId);
    const refusal =
      directionIndex === undefined
        ? { failureCode: FAILURES.unknown_next_peer.code, reason: 'We have no such channel' }
        : this.own.refusal(directionIndex, offer);
    if (refusal !== undefined || directionIndex === undefined) {
      this.finish(attempt, { status: 'refused', ...(refusal as NonNullable<typeof refusal>) });
      return;
    }
    this.add(
      { attempt, directionIndex, amountMsat: offer.amountMsat, cltvExpiry: offer.cltvExpiry },
      offer.onion,
    );
    this.report.taken(attempt);
  }

  /**
   * Offers an HTLC to the node at the other end of a channel. The caller has checked that the offering side has the
   * balance.
   */
  private add(
    terms: Pick<Htlc, 'attempt' | 'directionIndex' | 'amountMsat' | 'cltvExpiry'> &
      Partial<Pick<Htlc, 'previous' | 'pathKey'>>,
    onion: Uint8Array,
  ): void {
    const { channels } = this.world;
    const channel = terms.directionIndex >> 1;
    const node = (directionOfIndex(terms.directionIndex) === 0 ? channels.node2 : channels.node1)[channel]!;
    const htlc: Htlc = {
      previous: undefined,
      pathKey: undefined,
      ...terms,
      hop: terms.previous === undefined ? 0 : terms.previous.hop + 1,
      node,
      arrivedAtMs: 0,
      sharedSecret: undefined,
      blindedOnion: terms.pathKey && sha256(onion),
    };
    channels.hold(htlc.directionIndex, htlc.amountMsat);
    this.inFlight++;
    if (htlc.hop === 0) this.own.added(htlc);
    this.note(htlc, `offers ${htlc.amountMsat} expiry ${htlc.cltvExpiry}`);
    this.world.after(this.latencyMs(htlc), htlc.attempt.order, () => this.arrive(htlc, onion));
  }

  private arrive(htlc: Htlc, onion: Uint8Array): void {
    const { world } = this;
    htlc.arrivedAtMs = world.nowMs;
    const { stuckHtlcs = 0, stuckToExpiry = 0, stuckMs = DEFAULT_STUCK_MS } = world.options.faults ?? {};
    if (world.nodes.is(htlc.node, 'unresponsive')) {
      this.hold(htlc);
      return;
    }
    if (!this.drawn(htlc, stuckHtlcs, PURPOSE.stuck)) {
      this.process(htlc, onion);
      return;
    }
    if (this.drawn(htlc, stuckToExpiry, PURPOSE.stuckToExpiry)) {
      this.hold(htlc);
      return;
    }
    this.note(htlc, `waits ${stuckMs}`);
    world.after(stuckMs, htlc.attempt.order, () => this.process(htlc, onion));
  }

  private process(htlc: Htlc, onion: Uint8Array): void {
    const peeled = this.peel(htlc, onion);
    if (typeof peeled === 'string') {
      const name = htlc.pathKey === undefined ? peeled : 'invalid_onion_blinding';
      this.failMalformed(htlc, name, sha256(onion));
      return;
    }
    htlc.sharedSecret = peeled.sharedSecret;
    const payload = this.readPayload(htlc, peeled, htlc.pathKey !== undefined);
    if (payload instanceof Uint8Array) {
      this.fail(htlc, payload);
      return;
    }
    if (payload.encryptedRecipientData !== undefined) {
      this.processBlinded(htlc, payload, peeled, sha256(onion));
      return;
    }
    if (peeled.next !== undefined) {
      this.forward(htlc, payload, peeled.next);
      return;
    }
    this.receive(htlc, payload, peeled.payload, undefined);
  }

  private receive(htlc: Htlc, payload: HopPayload, bytes: Uint8Array, pathId: Uint8Array | undefined): void {
    const { nodes, nowMs } = this.world;
    this.recipients.receive(htlc, payload, bytes, {
      height: this.world.heightAt(htlc.node),
      nowSeconds: BigInt(Math.floor(nowMs / 1000)),
      secretKey: nodes.secretKey(htlc.node) as Uint8Array,
      takesKeysend: nodes.is(htlc.node, 'takesKeysend'),
      takesMultiPart: nodes.is(htlc.node, 'takesMultiPart'),
      pathId,
    });
  }

  /** Follows a blinded path: to the next node, or through its dummy hops to the node itself as the recipient. */
  private processBlinded(htlc: Htlc, payload: HopPayload, peeled: PeeledOnion, onionHash: Uint8Array): void {
    const { nodes } = this.world;
    const secretKey = nodes.secretKey(htlc.node) as Uint8Array;
    // The introduction node hides why the path failed. It may report the reason only if it is the recipient itself.
    if (peeled.next !== undefined) htlc.blindedOnion ??= onionHash;
    let at: BlindedPlace = {
      ...{ payload, peeled, pathKey: htlc.pathKey ?? (payload.currentPathKey as Uint8Array) },
      arrived: htlc,
    };
    for (let hops = 0; hops <= MAX_DUMMY_HOPS; hops++) {
      const { payload, peeled, pathKey, arrived } = at;
      const encrypted = payload.encryptedRecipientData as Uint8Array;
      const opened = readable(() => openHop(secretKey, pathKey, encrypted));
      if (opened === undefined || !isAllowed(opened.data, arrived)) break;
      if (peeled.next === undefined) {
        this.receive(htlc, payload, peeled.payload, opened.data.pathId ?? NO_PATH_ID);
        return;
      }
      const out = forwardedBy(opened.data, arrived);
      if (out === undefined || opened.data.pathId !== undefined) break;
      const { nextNodeId } = opened.data;
      if (nextNodeId === undefined || !equalBytes(nextNodeId, nodes.idBytes(htlc.node))) {
        this.forwardBlinded(htlc, opened, out, peeled.next);
        return;
      }
      const next = this.pastDummyHop(htlc, peeled.next, secretKey, opened.pathKey);
      if (next === undefined) break;
      at = { ...next, pathKey: opened.pathKey, arrived: out };
    }
    this.fail(htlc, blindedFailure(onionHash));
  }

  /** The node's next layer of the onion, after a hop that leads to the node itself. */
  private pastDummyHop(
    htlc: Htlc,
    onion: Uint8Array,
    secretKey: Uint8Array,
    pathKey: Uint8Array,
  ): Pick<BlindedPlace, 'payload' | 'peeled'> | undefined {
    const key = peelingKey(secretKey, pathKey);
    const peeled = readable(() => peelOnion(onion, key, htlc.attempt.paymentHash, publicKeysCurve));
    const payload = peeled && this.readPayload(htlc, peeled, true);
    if (payload === undefined || payload instanceof Uint8Array || peeled === undefined) return undefined;
    return payload.encryptedRecipientData === undefined ? undefined : { payload, peeled };
  }

  private forwardBlinded(
    htlc: Htlc,
    { data, pathKey }: OpenedHop,
    out: ArrivedHtlc,
    onion: Uint8Array,
  ): void {
    const { channels, nodes } = this.world;
    const { nextNodeId } = data;
    const next = nextNodeId === undefined ? -1 : nodes.indexOf(nodeIdFromBytes(nextNodeId));
    const outgoing =
      data.shortChannelId === undefined
        ? channels.towards(htlc.node, next, out.amountMsat)
        : channels.outgoing(channels.indexOf(data.shortChannelId), htlc.node);
    if (outgoing === undefined || !paysPolicy(data, channels.policy(outgoing.directionIndex))) {
      this.fail(htlc, encodeFailure('unknown_next_peer', {}));
      return;
    }
    this.forwardOver(htlc, outgoing, { ...out, pathKey }, onion);
  }

  /**
   * Peels the node's layer of the onion. If that fails, returns the reason for `update_fail_malformed_htlc` (BOLT 2).
   */
  private peel(htlc: Htlc, onion: Uint8Array): PeeledOnion | BadOnion {
    const secretKey = this.world.nodes.secretKey(htlc.node);
    // Without the node's key nothing can be decrypted. To other nodes, it looks as if the onion was made for a
    // different key.
    if (secretKey === undefined) return 'invalid_onion_hmac';
    try {
      const key = htlc.pathKey === undefined ? secretKey : peelingKey(secretKey, htlc.pathKey);
      return peelOnion(onion, key, htlc.attempt.paymentHash, publicKeysCurve);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      if (error.reason === 'onionVersion') return 'invalid_onion_version';
      if (error.reason === 'onionKey') return 'invalid_onion_key';
      return 'invalid_onion_hmac';
    }
  }

  /** Parses the payload. If that fails, returns `invalid_onion_payload`. */
  private readPayload(
    htlc: Htlc,
    { payload: bytes, next }: PeeledOnion,
    hasPathKey: boolean,
  ): HopPayload | Uint8Array {
    const isFinal = next === undefined;
    const takesCustom = isFinal && this.world.nodes.is(htlc.node, 'takesKeysend');
    try {
      const payload = decodePayload(bytes, (type) => takesCustom && type >= FIRST_CUSTOM_TYPE);
      checkPayload(payload, { isFinal, hasPathKey });
      return payload;
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      const { tlvType = 0n, offset = 0 } = error;
      return encodeFailure('invalid_onion_payload', { tlvType, offset });
    }
  }

  private forward(htlc: Htlc, payload: HopPayload, onion: Uint8Array): void {
    const { channels } = this.world;
    const channel = channels.indexOf(payload.shortChannelId as ShortChannelId);
    const outgoing = channel === -1 ? undefined : channels.outgoing(channel, htlc.node);
    if (outgoing === undefined) {
      this.fail(htlc, encodeFailure('unknown_next_peer', {}));
      return;
    }
    const { amtToForwardMsat: amountMsat, outgoingCltvValue: cltvExpiry } = payload as Required<HopPayload>;
    this.forwardOver(htlc, outgoing, { amountMsat, cltvExpiry, pathKey: undefined }, onion);
  }

  private forwardOver(
    htlc: Htlc,
    outgoing: Outgoing,
    out: Pick<Htlc, 'amountMsat' | 'cltvExpiry' | 'pathKey'>,
    onion: Uint8Array,
  ): void {
    const { channels, nodes } = this.world;
    const request = {
      incomingMsat: htlc.amountMsat,
      incomingExpiry: htlc.cltvExpiry,
      amountMsat: out.amountMsat,
      cltvExpiry: out.cltvExpiry,
      // A blinded path has its own fee and rounding. `paysPolicy` has already checked that the path pays enough.
      isFeeAgreed: out.pathKey !== undefined,
      height: this.world.heightAt(htlc.node),
      // Without its key, our node accepts no payments. To a neighbour that should forward to us, we appear
      // disconnected.
      isConnected:
        !nodes.is(outgoing.nextNode, 'offline') &&
        (outgoing.nextNode !== nodes.ownIndex || nodes.secretKey(nodes.ownIndex) !== undefined),
    };
    const update = (directionIndex: number): Uint8Array => this.updateFrom(htlc.node, directionIndex);
    const failure = judgeForward(channels, outgoing, request, update);
    if (failure !== undefined) {
      this.fail(htlc, failure);
      return;
    }
    this.add(
      { attempt: htlc.attempt, directionIndex: outgoing.directionIndex, ...out, previous: htlc },
      onion,
    );
  }

  private updateFrom(node: number, directionIndex: number): Uint8Array {
    const key = this.world.options.signedUpdates ? this.world.nodes.secretKey(node) : undefined;
    return updateOf(this.world.channels, directionIndex, key);
  }

  /** Fails an HTLC whose node could not read the onion. The previous node returns the failure (BOLT 2, BOLT 4). */
  private failMalformed(htlc: Htlc, name: BadOnion, sha256OfOnion: Uint8Array): void {
    this.note(htlc, `malformed ${name}`);
    this.travelBack(htlc, () => {
      this.world.channels.release(htlc.directionIndex, htlc.amountMsat);
      if (htlc.previous !== undefined)
        return this.fail(htlc.previous, encodeFailure(name, { sha256OfOnion }));
      const failureCode = FAILURES[name].code;
      this.finish(htlc.attempt, {
        status: 'refused',
        failureCode,
        reason: `our first peer failed the HTLC with ${name}`,
      });
    });
  }

  private returnFailure(htlc: Htlc, packet: Uint8Array, attribution: Uint8Array | undefined): void {
    this.travelBack(htlc, () => {
      this.world.channels.release(htlc.directionIndex, htlc.amountMsat);
      const upstream = htlc.previous;
      if (upstream === undefined) {
        return this.finish(htlc.attempt, { status: 'failed', packet, ...(attribution && { attribution }) });
      }
      if (upstream.blindedOnion !== undefined)
        return this.fail(upstream, blindedFailure(upstream.blindedOnion));
      const received = this.garbled(upstream, packet);
      const wrapped = wrapFailurePacket(upstream.sharedSecret as Uint8Array, received);
      this.returnFailure(upstream, wrapped, this.attribution(upstream, received, attribution));
    });
  }

  /**
   * The failure as a node returns it: with one bit flipped if the node corrupts failures, or if this one is drawn to be
   * corrupted. No node on the way can detect that.
   */
  private garbled(htlc: Htlc, packet: Uint8Array): Uint8Array {
    const { garbledFailures = 0 } = this.world.options.faults ?? {};
    const spoils =
      this.world.nodes.is(htlc.node, 'garbles') || this.drawn(htlc, garbledFailures, PURPOSE.garble);
    if (!spoils) return packet;
    this.note(htlc, 'garbles');
    const spoiled = packet.slice();
    spoiled[spoiled.length - 1]! ^= 1;
    return spoiled;
  }

  /** The attribution data that a node returns. Nodes inside a blinded path return none (BOLT 4, "Route Blinding"). */
  private attribution(
    htlc: Htlc,
    packet: Uint8Array | undefined,
    downstream: Uint8Array | undefined,
  ): Uint8Array | undefined {
    if (!this.world.nodes.is(htlc.node, 'attributes') || htlc.pathKey !== undefined) return undefined;
    const heldMs = this.world.nowMs - htlc.arrivedAtMs;
    return attribute(htlc.sharedSecret as Uint8Array, heldMs, packet, downstream);
  }

  /** Runs `done` when the HTLC's result has travelled to the node that offered it. */
  private travelBack(htlc: Htlc, done: () => void): void {
    this.world.after(this.latencyMs(htlc), htlc.attempt.order, () => {
      this.inFlight--;
      done();
    });
  }

  /** Leaves the HTLC unanswered until it expires. */
  private hold(htlc: Htlc): void {
    this.note(htlc, 'is held until it expires');
    this.stuck.add(htlc);
  }

  /**
   * Resolves expired, unanswered HTLCs on the chain. The offering node closes the channel and takes the amount back.
   */
  expireStuck(): void {
    for (const htlc of this.stuck) {
      if (htlc.cltvExpiry > this.world.height) continue;
      this.stuck.delete(htlc);
      this.note(htlc, 'expires');
      this.inFlight--;
      this.world.channels.close(htlc.directionIndex >> 1, this.world.nowMs);
      this.report.closed(htlc.directionIndex >> 1);
      this.world.channels.release(htlc.directionIndex, htlc.amountMsat);
      if (htlc.previous !== undefined) {
        this.fail(htlc.previous, encodeFailure('permanent_channel_failure', {}));
        continue;
      }
      const failureCode = FAILURES.permanent_channel_failure.code;
      const reason = 'The HTLC expired; its channel was closed';
      this.finish(htlc.attempt, { status: 'refused', failureCode, reason });
    }
  }

  private finish(attempt: SentAttempt, outcome: HtlcOutcome): void {
    const detail = outcome.status === 'refused' ? ` ${outcome.failureCode}` : '';
    this.world.log.add(`${this.world.nowMs} ${attempt.attemptId} ${outcome.status}${detail}`);
    this.report.ended(attempt, outcome);
  }

  private drawn(
    { attempt, hop }: Htlc,
    probability: number,
    purpose: (typeof PURPOSE)['stuck' | 'stuckToExpiry' | 'garble'],
  ): boolean {
    return this.world.draws.happens(probability, purpose, attempt.key[0], attempt.key[1], hop);
  }

  private latencyMs({ attempt, hop, directionIndex }: Htlc): number {
    return this.world.latencyMs(
      this.world.channels.shortChannelId(directionIndex),
      attempt.key[0],
      attempt.key[1],
      hop,
    );
  }

  private note(htlc: Htlc, what: string): void {
    const { channels, log, nowMs } = this.world;
    const where = {
      shortChannelId: channels.shortChannelId(htlc.directionIndex),
      direction: directionOfIndex(htlc.directionIndex),
    };
    log.add(`${nowMs} ${htlc.attempt.attemptId} ${htlc.hop} ${formatShortChannelIdDir(where)} ${what}`);
  }
}
