/**
 * Several nodes of ours as one source of payments (layers/purse-layer.ts). A route of a search begins at the purse; its
 * first hop is taken off, and the node at which it then begins sends the part.
 */

import type { Binding } from '../engine/question/no-route.ts';
import type { Route } from '../engine/question/route.ts';
import type { LayerBook } from '../layers/layer-book.ts';
import { isMadeChannel, madeChannelOf } from '../layers/purse-layer.ts';
import type { NodeId } from '../model/node-id.ts';
import { proportionalMsat } from '../model/policy.ts';
import { directionFrom, type ShortChannelId, type ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { OwnNode, OwnNodes } from '../network/several/index.ts';
import type { NodeShare, NoPlan } from './no-plan.ts';
import type { PaymentRequest } from './payment.ts';
import { recipientOf, whyUnsendable } from './recipient.ts';

/** Our nodes, as payments use them. */
export class Purse {
  /** The node at which searches begin. It has no channel of its own. */
  readonly id: NodeId;
  readonly nodes: OwnNodes;
  readonly #book: LayerBook;

  constructor(id: NodeId, nodes: OwnNodes, book: LayerBook) {
    this.id = id;
    this.nodes = nodes;
    this.#book = book;
    this.refresh();
  }

  /** Brings the layer of the purse up to date with its nodes. */
  refresh(): void {
    this.nodes.agreeOnHeight();
    this.#book.purse.refresh(this.id, this.nodes.members(), this.nodes.routable());
  }

  /** Whether prices make some nodes dearer than others. */
  get hasPrices(): boolean {
    return this.nodes.priceSpreadPpm > 0;
  }

  /** The most that prices can add to the cost of an amount, in msat. */
  mostPriceMsat(amountMsat: bigint): bigint {
    return proportionalMsat(amountMsat, this.nodes.priceSpreadPpm) + BigInt(this.nodes.list.length);
  }

  /** The direction that leads from the purse to one of its nodes. Undefined for other nodes. */
  directionTo(nodeId: NodeId): ShortChannelIdDir | undefined {
    const node = this.nodes.byId(nodeId);
    return node && { shortChannelId: madeChannelOf(node.number), direction: directionFrom(this.id, nodeId) };
  }

  /** The nodes that cannot take a part of this payment: not among those asked for, or they cannot send its payload. */
  excludedFrom(request: PaymentRequest): OwnNode[] {
    const { ourNodes } = request;
    return this.nodes.list.filter(
      (node) => (ourNodes !== undefined && !ourNodes.includes(node.nodeId)) || !canSend(node, request),
    );
  }

  /**
   * The nodes that can send only a whole payment over a blinded path. They are left out of a search for several parts.
   */
  onlyWhole(request: PaymentRequest): OwnNode[] {
    if ((request.invoice?.blindedTails.length ?? 0) === 0) return [];
    return this.nodes.list.filter(({ limits }) => limits !== undefined && limits.blindedParts <= 1);
  }

  /** The same refusal, with what each node could give if the refusal speaks of a made channel. */
  withShares(noPlan: NoPlan, closed: ReadonlySet<NodeId> = new Set()): NoPlan {
    if (noPlan.kind !== 'noRoute' || !boundOf(noPlan.noRoute.binding).some(isMadeChannel)) return noPlan;
    const ourNodes = this.nodes.list.map((node): NodeShare => {
      const why = closed.has(node.nodeId) ? ({ kind: 'leftOut' } as const) : node.whyResting;
      return {
        name: node.name,
        shortChannelId: madeChannelOf(node.number),
        maySpendMsat: node.mayPayMsat,
        ...(why !== undefined && { why }),
      };
    });
    return { ...noPlan, ourNodes };
  }

  /** Routes as their nodes send them: without the hop from the purse. */
  stripped(routes: readonly Route[]): Route[] {
    return routes.map((route) => ({ ...route, path: route.path.slice(1) }));
  }
}

/** The channels that a refusal names. */
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

/** Whether the node can send what the recipient's payload needs. */
export const canSend = ({ port }: Pick<OwnNode, 'port'>, request: PaymentRequest): boolean =>
  whyUnsendable(request, port) === undefined;

/** Whether the payment goes to one of our own nodes. */
export function endsAtOurs(purse: Purse, request: PaymentRequest): boolean {
  return purse.nodes.byId(recipientOf(request).routeEnd) !== undefined;
}
