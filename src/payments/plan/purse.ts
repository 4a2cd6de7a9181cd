/**
 * The purse: several of our nodes, treated as one source of payments (layers/purse-layer.ts). A route found by a search
 * starts at the purse. Its first hop is then removed, and the part is sent by the node at which the rest of the route
 * starts.
 */

import type { Binding } from '../../engine/question/no-route.ts';
import type { Route } from '../../engine/question/route.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import { isVirtualChannel, virtualChannelOf } from '../../layers/purse-layer.ts';
import type { NodeId } from '../../model/node-id.ts';
import { proportionalMsat } from '../../model/policy.ts';
import { PURSE_ID } from '../../model/purse.ts';
import { directionFrom, type ShortChannelId, type ShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { OwnNode, OwnNodes } from '../../network/several/index.ts';
import type { PaymentRequest } from '../payment.ts';
import type { HelpfulTransfer, NodeShare, NoPlan } from './no-plan.ts';
import { recipientOf, whyUnsendable } from './recipient.ts';

/** Our nodes as one source of payments. */
export class Purse {
  /** The node at which searches start. It has no channels of its own. */
  readonly id = PURSE_ID;
  readonly nodes: OwnNodes;
  readonly #book: LayerBook;

  constructor(nodes: OwnNodes, book: LayerBook) {
    this.nodes = nodes;
    this.#book = book;
    this.refresh();
  }

  /** Updates the height that our nodes agree on, and the purse's layer. */
  refresh(): void {
    this.nodes.agreeOnHeight();
    this.#book.purse.refresh(this.id, this.nodes.members(), this.nodes.routable());
  }

  /** Whether prices make some nodes costlier than others. */
  get hasPrices(): boolean {
    return this.nodes.priceSpreadPpm > 0;
  }

  /** The maximum that prices can add to the cost of an amount, in msat. */
  mostPriceMsat(amountMsat: bigint): bigint {
    return proportionalMsat(amountMsat, this.nodes.priceSpreadPpm) + BigInt(this.nodes.list.length);
  }

  /** The direction that leads from the purse to one of our nodes. Undefined for other nodes. */
  directionTo(nodeId: NodeId): ShortChannelIdDir | undefined {
    const node = this.nodes.byId(nodeId);
    return (
      node && { shortChannelId: virtualChannelOf(node.number), direction: directionFrom(this.id, nodeId) }
    );
  }

  /**
   * The nodes that must not or cannot send a part of this payment: those that were not requested, and those that cannot
   * send its payload.
   */
  excludedFrom(request: PaymentRequest): OwnNode[] {
    const { ourNodes } = request;
    return this.nodes.list.filter(
      (node) => (ourNodes !== undefined && !ourNodes.includes(node.nodeId)) || !canSend(node, request),
    );
  }

  /** The nodes that can send only whole payments over blinded paths. Searches for several parts leave them out. */
  onlyWhole(request: PaymentRequest): OwnNode[] {
    if ((request.invoice?.blindedTails.length ?? 0) === 0) return [];
    return this.nodes.list.filter(({ limits }) => limits !== undefined && limits.blindedParts <= 1);
  }

  /**
   * If the refusal concerns a made-up channel, adds each node's possible contribution, and a transfer that would help.
   */
  withShares(noPlan: NoPlan, closed: ReadonlySet<NodeId> = new Set()): NoPlan {
    if (noPlan.kind !== 'noRoute') return noPlan;
    const bound = boundOf(noPlan.noRoute.binding).filter(isVirtualChannel);
    if (bound.length === 0) return noPlan;
    const ourNodes = this.nodes.list.map((node): NodeShare => {
      const why = closed.has(node.nodeId) ? ({ kind: 'leftOut' } as const) : node.whyResting;
      const shortChannelId = virtualChannelOf(node.number);
      return {
        name: node.name,
        shortChannelId,
        maySpendMsat: node.mayPayMsat,
        binds: why === undefined && bound.includes(shortChannelId),
        ...(why !== undefined && { why }),
      };
    });
    const transfer = this.#transferAmong(ourNodes);
    return { ...noPlan, ourNodes, ...(transfer !== undefined && { transfer }) };
  }

  /**
   * A transfer that would help. The payment would use all spendable money of the nodes that limit it (`binds`), so
   * money of the other nodes, including those that this payment leaves out, would be more useful there. Undefined if no
   * money can be moved to these nodes.
   */
  #transferAmong(shares: readonly NodeShare[]): HelpfulTransfer | undefined {
    const to = shares.filter(({ binds }) => binds);
    const from = shares.filter(({ binds, maySpendMsat }) => !binds && maySpendMsat > 0n);
    const hasMsat = from.reduce((sum, { maySpendMsat }) => sum + maySpendMsat, 0n);
    const takesMsat = to.reduce((sum, { name }) => sum + this.nodes.byName(name)!.receivableMsat, 0n);
    const mostMsat = hasMsat < takesMsat ? hasMsat : takesMsat;
    if (mostMsat === 0n) return undefined;
    return { from: from.map(({ name }) => name), to: to.map(({ name }) => name), mostMsat };
  }

  /** Routes without their first hop, which leads from the purse to the sending node. */
  stripped(routes: readonly Route[]): Route[] {
    return routes.map((route) => ({ ...route, path: route.path.slice(1) }));
  }
}

/** The channels that a refusal names as the obstacle. */
function boundOf(binding: Binding): ShortChannelId[] {
  const cut = (of: readonly ShortChannelIdDir[]): ShortChannelId[] =>
    of.map(({ shortChannelId }) => shortChannelId);
  switch (binding.kind) {
    case 'endCapacity':
      return cut(binding.channels);
    case 'direction':
      return [binding.of.shortChannelId, ...cut(binding.cut)];
    case 'capacity':
      return cut(binding.cut);
    default:
      return [];
  }
}

/** Whether the node can send the recipient's payload. */
export const canSend = ({ port }: Pick<OwnNode, 'port'>, request: PaymentRequest): boolean =>
  whyUnsendable(request, port) === undefined;

/** Whether the payment goes to one of our own nodes. */
export function endsAtOurs(purse: Purse, request: PaymentRequest): boolean {
  return purse.nodes.byId(recipientOf(request).routeEnd) !== undefined;
}
