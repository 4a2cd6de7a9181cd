/**
 * Blinded paths to a simulated node (BOLT 12, "Invoices"), over existing channels. They are built backwards from the
 * recipient, over its neighbours and their neighbours, and each hop has the terms of its channel. Some paths end in
 * dummy hops, which lead from the recipient to itself and hide its distance.
 *
 *     introduction ──▶ neighbour ──▶ recipient ──▶ recipient (dummy)
 */

import { publicKeysCurve } from '../bolt/crypto/curve.ts';
import type { PaymentPath } from '../bolt/invoice/bolt12-invoice.ts';
import {
  type BlindedPath,
  blinded,
  createUnblindedPath,
  sealRecipientData,
} from '../bolt/onion/blinded-path.ts';
import {
  decodeEncryptedData,
  type EncryptedData,
  encodeEncryptedData,
  encodePadded,
  type PaymentRelay,
  pathTotals,
} from '../bolt/onion/encrypted-data.ts';
import { type Msat, msat } from '../model/msat.ts';
import { NODE_ID_BYTES } from '../model/node-id.ts';
import type { ShortChannelId } from '../model/short-channel-id.ts';
import type { NetworkMap } from '../network/simulated/index.ts';

/** Final blocks that the recipient requires to claim a payment, as commonly used on the main network. */
export const MIN_FINAL_CLTV_EXPIRY_DELTA = 18;
/**
 * Number of blocks for which a path can be used, added to the blocks that the path itself needs. A week, as in Core
 * Lightning.
 */
const EXPIRY_SLACK_BLOCKS = 1008;
/** The bits `POLICY_KNOWN` and `POLICY_ENABLED` of the graph's flags. */
const ENABLED = 3;

/** A channel direction that leads to a node, and the node where it starts. */
interface Lead {
  readonly node: number;
  readonly directionIndex: number;
}

/** The desired shape of a path. */
export interface PathPlan {
  /** Number of channels from the introduction node to the recipient. */
  readonly hops: number;
  /** Number of dummy hops at the end, from the recipient to itself. */
  readonly dummies: number;
  /** Whether the introduction node is identified by its channel instead of its id. */
  readonly byChannel?: boolean;
}

/** The recipient's side of a payment over blinded paths. */
export interface PathTarget {
  /** Index of the recipient. */
  readonly node: number;
  readonly pathId: Uint8Array;
  readonly amountMsat: Msat;
  readonly height: number;
  /** Returns the secret key of a simulated node. With the keys, paths are made faster. */
  readonly secretKeyOf?: (node: number) => Uint8Array | undefined;
}

/** A path to a recipient, which can be used for several payments. Only the data of its last hop differ. */
interface ReusedPath extends PaymentPath {
  /** The data of the last hop. Its path id is that of the first payment. */
  readonly last: EncryptedData;
  /** The secret shared with the last hop. */
  readonly lastSecret: Uint8Array;
}

/** Builds blinded paths over a simulated network. */
export class PaymentPaths {
  readonly #map: NetworkMap;
  /** Paths made for the current height. */
  readonly #kept = new Map<string, ReusedPath>();
  #keptHeight: number | undefined;
  #leads: Map<number, Lead[]> | undefined;

  constructor(map: NetworkMap) {
    this.#map = map;
  }

  /**
   * Builds a path for each plan. Each reaches the recipient over a different channel. A path is shorter than planned if
   * the search reaches a dead end, and begins at the recipient itself if no channel to the recipient is left.
   * @param secretOf returns 32 secret bytes for the path with this number, if a new path is needed
   */
  build(
    target: PathTarget,
    plans: readonly PathPlan[],
    secretOf: (index: number) => Uint8Array,
  ): PaymentPath[] {
    const used = new Set<number>();
    return plans.map((plan, index) => {
      const channels = this.#wayTo(target.node, plan.hops, target.amountMsat, used);
      return this.#path(target, plan, channels, () => secretOf(index));
    });
  }

  /** The channels of a path, in forward order. No two paths have the same last channel. */
  #wayTo(recipient: number, hops: number, amountMsat: Msat, used: Set<number>): Lead[] {
    const way: Lead[] = [];
    const visited = new Set([recipient]);
    let node = recipient;
    while (way.length < hops) {
      const lead = this.#leadsTo(node).find(
        ({ node: from, directionIndex }) =>
          !visited.has(from) && !used.has(directionIndex) && this.#carries(directionIndex, amountMsat),
      );
      if (lead === undefined) break;
      if (way.length === 0) used.add(lead.directionIndex);
      visited.add(lead.node);
      way.unshift(lead);
      node = lead.node;
    }
    return way;
  }

  #path(target: PathTarget, plan: PathPlan, way: readonly Lead[], secretOf: () => Uint8Array): PaymentPath {
    const { path, payInfo, last, lastSecret } = this.#reusedPath(target, plan, way, secretOf);
    const { blindedNodeId } = path.hops.at(-1)!;
    const data = encodeEncryptedData({ ...last, pathId: target.pathId });
    const end = { blindedNodeId, encryptedRecipientData: sealRecipientData(lastSecret, data) };
    return { path: { ...path, hops: [...path.hops.slice(0, -1), end] }, payInfo };
  }

  /**
   * The path over this way. It is made once for each block height. A real node would make a new one for each invoice,
   * but keys of simulated nodes are public, so new keys would hide nothing.
   */
  #reusedPath(
    target: PathTarget,
    plan: PathPlan,
    way: readonly Lead[],
    secretOf: () => Uint8Array,
  ): ReusedPath {
    const { node, height, pathId } = target;
    if (this.#keptHeight !== height) this.#kept.clear();
    this.#keptHeight = height;
    const directions = way.map(({ directionIndex }) => directionIndex);
    const key = [node, pathId.length, plan.dummies, plan.byChannel, ...directions].join();
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      kept = this.#makePath(target, plan, way, secretOf());
      this.#kept.set(key, kept);
    }
    return kept;
  }

  #makePath(target: PathTarget, plan: PathPlan, way: readonly Lead[], secret: Uint8Array): ReusedPath {
    const relays = way.map(({ directionIndex }) => this.#relay(directionIndex));
    const totals = pathTotals(relays, MIN_FINAL_CLTV_EXPIRY_DELTA);
    const expiryOf = (hop: number): number => {
      const before = relays.slice(0, hop).reduce((sum, { cltvExpiryDelta }) => sum + cltvExpiryDelta, 0);
      return target.height + EXPIRY_SLACK_BLOCKS + totals.cltvExpiryDelta - before;
    };
    const id = this.#idBytes(target.node);
    const constraints = (hop: number) => ({ maxCltvExpiry: expiryOf(hop), htlcMinimumMsat: msat(1n) });
    const forwards = way.map(
      ({ directionIndex }, hop): EncryptedData => ({
        shortChannelId: this.#map.shortChannelIds[directionIndex >> 1]! as ShortChannelId,
        paymentRelay: relays[hop]!,
        paymentConstraints: constraints(hop),
      }),
    );
    const dummy: EncryptedData = {
      nextNodeId: id,
      paymentRelay: { cltvExpiryDelta: 0, feeBaseMsat: 0, feeProportionalMillionths: 0 },
      paymentConstraints: constraints(way.length),
    };
    const last = { pathId: target.pathId, paymentConstraints: constraints(way.length) };
    const dummies = Array.from({ length: plan.dummies }, () => dummy);
    const data = encodePadded([...forwards, ...dummies, last]);
    const nodes = [...way.map(({ node }) => node), ...dummies.map(() => target.node), target.node];
    const pathNodes = nodes.map((node, hop) => ({
      nodeId: this.#idBytes(node),
      data: data[hop]!,
      secretKey: target.secretKeyOf?.(node),
    }));
    const unblinded = createUnblindedPath(pathNodes, secret, publicKeysCurve);
    const path = blinded(unblinded, pathNodes, publicKeysCurve);
    const limits = way.map(({ directionIndex }) => directionIndex);
    return {
      path: plan.byChannel && way.length > 0 ? this.#byChannel(path, way[0]!.directionIndex) : path,
      payInfo: {
        feeBaseMsat: Number(totals.feeBaseMsat),
        feeProportionalMillionths: Number(totals.feeProportionalMillionths),
        cltvExpiryDelta: totals.cltvExpiryDelta,
        htlcMinimumMsat: msat(
          limits.reduce(
            (most, directionIndex) => largest(most, this.#map.htlcMinimumMsat[directionIndex]!),
            1n,
          ),
        ),
        htlcMaximumMsat: this.#mostAcross(limits),
        features: new Uint8Array(0),
      },
      last: decodeEncryptedData(data.at(-1)!),
      lastSecret: unblinded.hops.at(-1)!.secret,
    };
  }

  /** Identifies the introduction node of a path as the source of its first channel. */
  #byChannel(path: BlindedPath, directionIndex: number): BlindedPath {
    const shortChannelId = this.#map.shortChannelIds[directionIndex >> 1]! as ShortChannelId;
    return { ...path, firstNode: { shortChannelId, direction: directionIndex & 1 ? 1 : 0 } };
  }

  #mostAcross(directionIndexes: readonly number[]): Msat {
    const { htlcMaximumMsat, capacityMsat } = this.#map;
    const most = directionIndexes.map((directionIndex) =>
      smallest(htlcMaximumMsat[directionIndex]!, capacityMsat[directionIndex >> 1]!),
    );
    return msat(most.reduce(smallest, 2_100_000_000_000_000_000n));
  }

  #relay(directionIndex: number): PaymentRelay {
    const { feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta } = this.#map;
    return {
      feeBaseMsat: feeBaseMsat[directionIndex]!,
      feeProportionalMillionths: feeProportionalMillionths[directionIndex]!,
      cltvExpiryDelta: cltvExpiryDelta[directionIndex]!,
    };
  }

  #carries(directionIndex: number, amountMsat: Msat): boolean {
    return (
      this.#map.htlcMinimumMsat[directionIndex]! <= amountMsat &&
      this.#mostAcross([directionIndex]) >= amountMsat
    );
  }

  /** Enabled directions to a node, largest channels first. */
  #leadsTo(node: number): readonly Lead[] {
    this.#leads ??= this.#findLeads();
    return this.#leads.get(node) ?? [];
  }

  #findLeads(): Map<number, Lead[]> {
    const { channelCount, node1, node2, policyFlags, capacityMsat } = this.#map;
    const leads = new Map<number, Lead[]>();
    const add = (to: number, lead: Lead): void => {
      const known = leads.get(to);
      if (known === undefined) leads.set(to, [lead]);
      else known.push(lead);
    };
    for (let channel = 0; channel < channelCount; channel++) {
      if (policyFlags[2 * channel] === ENABLED)
        add(node2[channel]!, { node: node1[channel]!, directionIndex: 2 * channel });
      if (policyFlags[2 * channel + 1] === ENABLED) {
        add(node1[channel]!, { node: node2[channel]!, directionIndex: 2 * channel + 1 });
      }
    }
    const bySize = (a: Lead, b: Lead): number =>
      Number(capacityMsat[b.directionIndex >> 1]! - capacityMsat[a.directionIndex >> 1]!);
    for (const list of leads.values()) list.sort(bySize);
    return leads;
  }

  /** The id of a node as bytes, as the codec of blinded paths needs it. */
  #idBytes(node: number): Uint8Array {
    return this.#map.nodeIds.slice(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES);
  }
}

const largest = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smallest = (a: bigint, b: bigint): bigint => (a < b ? a : b);
