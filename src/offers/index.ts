/** The entry point of the offers room. It assembles what a node needs to fetch and issue invoices. */
import { curve } from '../bolt/crypto/curve.ts';
import type { BlindedPath } from '../bolt/onion/blinded-path.ts';
import { FEATURE, hasFeature } from '../bolt/peer/features.ts';
import type { AnnouncedNode } from '../model/channel-graph.ts';
import { type Clock, realClock } from '../model/clock.ts';
import { type NodeId, nodeIdFromBytes } from '../model/node-id.ts';
import type { MessagePort, NetworkPort } from '../network/port.ts';
import type { OfferRepository } from '../store/offer-repository.ts';
import { InvoiceFetcher } from './fetch.ts';
import type { FetchEventListener } from './fetch-event.ts';
import { type MessageGraph, MessageRoutes } from './message-routes.ts';
import { type MessageListener, OnionMessenger } from './messenger.ts';
import { type OwnHop, openOwnHop } from './own-hop.ts';
import { OwnOffers } from './own-offers.ts';
import { PayerKeys } from './payer-keys.ts';
import { RecentFetches } from './recent-fetches.ts';
import { ReleaseRequests, type ReleaseWait } from './release-request.ts';

export type { FetchedInvoice } from './fetch.ts';
export type { CancelParameters, FetchParameters } from './fetch-parameters.ts';
export { type RecentFetch, RecentFetches } from './recent-fetches.ts';

/** The offers room as commands use it. */
export interface Offers {
  readonly chainHash: Uint8Array;
  readonly fetcher: InvoiceFetcher;
  /** The latest fetches, ended or in progress. */
  readonly recentFetches: Pick<RecentFetches, 'list'>;
  readonly own: OwnOffers;
  /**
   * Asks the recipient of a static invoice (`lni1…`) to release our payment, and waits for the release.
   * @throws OfferRefused when too many releases are awaited
   */
  requestRelease(invoice: string, timeoutMs: number): ReleaseWait;
  nowSeconds(): bigint;
  /** The secret key that signs our requests with this metadata. */
  payerKey(metadata: Uint8Array): Uint8Array;
  /** Opens our own hop of a blinded path that begins at our node. @throws WireError if the path was not made for us */
  openOwnHop(path: BlindedPath): OwnHop;
  close(): void;
}

/** What the offers room needs from the node. */
export interface OffersOptions {
  /** Port of the node with the key `nodeSecretKey`. Carries its onion messages. */
  readonly port: NetworkPort;
  /** Carries the onion messages of fetches. It may have a different node id. Default: `port`. */
  readonly fetchPort?: MessagePort;
  readonly graph: MessageGraph & { readonly announcements: ReadonlyMap<number, AnnouncedNode> };
  readonly nodeSecretKey: Uint8Array;
  readonly repository: OfferRepository;
  /** Whether even nodes that do not announce onion messages accept them, as on a simulated network. */
  readonly allTakeMessages: boolean;
  /** Whether we may connect to nodes for a fetch, that is, `fetchinvoice-noconnect` is not set. */
  readonly mayConnect: boolean;
  readonly clock?: Clock;
  /** Notified of every fetch of an invoice. Default: no listener. */
  readonly onEvent?: FetchEventListener;
  /** Notified of every onion message that is received, was sent, or could not be sent. Default: no listener. */
  readonly onMessage?: MessageListener;
}

/** Assembles the fetching and the issuing side. Resolves once the stored offers are loaded. */
export async function openOffers(options: OffersOptions): Promise<Offers> {
  const {
    port,
    fetchPort = port as MessagePort,
    graph,
    nodeSecretKey,
    repository,
    allTakeMessages,
    mayConnect,
    clock = realClock,
    onEvent,
  } = options;
  const { chainHash } = port.identity;
  const takesMessages = (node: number): boolean => {
    const features = graph.announcements.get(node)?.features;
    return allTakeMessages || (features !== undefined && hasFeature(features, FEATURE.option_onion_messages));
  };
  const routes = new MessageRoutes(graph);
  const { onMessage } = options;
  // The node of a port may be one whose key only that node knows.
  const keyId = nodeIdFromBytes(curve.publicKey(nodeSecretKey));
  const messengerOf = (of: MessagePort): OnionMessenger => {
    const secretKey = of.identity.nodeId === keyId ? nodeSecretKey : undefined;
    return new OnionMessenger({ port: of, routes, secretKey, takesMessages, onMessage });
  };
  const messenger = messengerOf(port);
  const fetching = fetchPort === port ? messenger : messengerOf(fetchPort);
  const front = (): NodeId | undefined => bestFront(port);
  const payerKeys = new PayerKeys(nodeSecretKey);
  const releases = new ReleaseRequests({ messenger: fetching, clock, mayConnect });
  const recentFetches = new RecentFetches(clock);
  return {
    chainHash,
    fetcher: new InvoiceFetcher({
      messenger: fetching,
      payerKeys,
      series: repository,
      clock,
      chainHash,
      mayConnect,
      onEvent(one) {
        recentFetches.note(one);
        onEvent?.(one);
      },
    }),
    recentFetches,
    requestRelease: (invoice, timeoutMs) => releases.request(invoice, timeoutMs),
    own: await OwnOffers.open({ messenger, nodeSecretKey, chainHash, repository, clock, front }),
    payerKey: (metadata) => payerKeys.secretKey(metadata),
    openOwnHop: (path) => openOwnHop(nodeSecretKey, path),
    nowSeconds: () => BigInt(Math.floor(clock.nowMs() / 1000)),
    close() {
      messenger.close();
      fetching.close();
    },
  };
}

/** The connected peer from which we can receive the most, among those that accept onion messages. */
function bestFront(port: NetworkPort): NodeId | undefined {
  const receivable = new Map<string, bigint>();
  for (const { peerId, receivableMsat } of port.ownChannels().channels) {
    receivable.set(peerId, (receivable.get(peerId) ?? 0n) + receivableMsat);
  }
  const peers = port
    .peers()
    .filter((peer) => peer.connected && hasFeature(peer.features, FEATURE.option_onion_messages));
  const rank = (nodeId: string): bigint => receivable.get(nodeId) ?? -1n;
  return peers.sort((a, b) => (rank(a.nodeId) > rank(b.nodeId) ? -1 : 1))[0]?.nodeId;
}
