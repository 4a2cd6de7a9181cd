/**
 * The network port on several nodes at once. It is an adapter over adapters: each HTLC goes to the node that it names,
 * and the reports, outcomes and peers of all nodes are combined.
 *
 * While a node does not respond, its HTLCs are reported as `unknown`. Those of other nodes are reported as usual.
 */
import { FulguriteError } from '../../model/errors.ts';
import { ZERO_MSAT } from '../../model/msat.ts';
import type { NodeHistory } from '../../model/node-history.ts';
import type { NodeId } from '../../model/node-id.ts';
import { added } from '../listeners.ts';
import type {
  HtlcKey,
  HtlcOutcome,
  HtlcState,
  IncomingOnionMessage,
  NetworkCapabilities,
  NetworkIdentity,
  NetworkKind,
  NetworkPort,
  NodeBehind,
  OutcomeListener,
  OutgoingHtlc,
  OutgoingOnionMessage,
  OwnChannelRecord,
  OwnChannelReport,
  Peer,
  SentHtlc,
  TakenHtlc,
} from '../port.ts';
import type { HtlcInFlight, OwnNode } from './own-node.ts';
import type { OwnNodes } from './own-nodes.ts';
import { ReportTickets } from './report-tickets.ts';

/** Carries our onion messages under the purse's own key. */
export type MessageCarrier = Pick<
  NetworkPort,
  'sendOnionMessage' | 'onOnionMessage' | 'connect' | 'disconnect' | 'peers' | 'addresses' | 'capabilities'
>;

/** Our nodes, their common identity, and the carrier of our messages. */
export interface SeveralNetworkOptions {
  readonly identity: NetworkIdentity;
  readonly nodes: OwnNodes;
  readonly messages: MessageCarrier;
  /** Closes the resources that the nodes share. The network itself closes the nodes' ports. */
  readonly close?: () => Promise<void>;
}

/** The network port on several nodes. */
export class SeveralNetwork implements NetworkPort {
  readonly kind: NetworkKind;
  readonly identity: NetworkIdentity;
  readonly capabilities: NetworkCapabilities;
  readonly nodes: OwnNodes;
  readonly sentHtlcs?: (sinceMs: number) => Promise<readonly SentHtlc[]>;
  readonly offerOfName?: (name: string) => Promise<string>;
  readonly nodeHistory?: (sinceS: number) => Promise<NodeHistory>;
  readonly #messages: MessageCarrier;
  readonly #close: () => Promise<void>;
  readonly #tickets = new ReportTickets<OwnNode>(({ problem }) => problem !== undefined);
  readonly #channelListeners = new Set<(report: OwnChannelReport) => void>();
  readonly #blockListeners = new Set<(height: number) => void>();
  readonly #outcomeListeners = new Set<OutcomeListener>();
  readonly #unsubscribe: (() => void)[] = [];
  #height: number;
  #report: OwnChannelReport | undefined;

  constructor({ identity, nodes, messages, close }: SeveralNetworkOptions) {
    const ports = nodes.list.map(({ port }) => port);
    this.identity = identity;
    this.nodes = nodes;
    this.#messages = messages;
    this.#close = close ?? (async () => undefined);
    this.kind = ports.every(({ kind }) => kind === 'simulated') ? 'simulated' : 'several';
    this.capabilities = capabilitiesOf(ports, messages);
    this.#height = nodes.agreeOnHeight();
    if (ports.every(({ sentHtlcs }) => sentHtlcs !== undefined)) {
      this.sentHtlcs = async (sinceMs) =>
        (await Promise.all(ports.map((port) => port.sentHtlcs!(sinceMs)))).flat();
    }
    const resolver = ports.find(({ offerOfName }) => offerOfName !== undefined);
    if (resolver !== undefined) this.offerOfName = (name) => resolver.offerOfName!(name);
    const historians = ports.filter(({ nodeHistory }) => nodeHistory !== undefined);
    if (historians.length > 0) this.nodeHistory = (sinceS) => historyOf(historians, sinceS);
    for (const node of nodes.list) this.#follow(node);
  }

  #follow(node: OwnNode): void {
    const { port } = node;
    this.#unsubscribe.push(
      port.onOwnChannels(({ revision }) => {
        this.#tickets.arrived(node, revision);
        this.#changed();
      }),
      port.onBlock(() => this.#onBlock()),
      port.onOutcome((attemptId, outcome) => this.#ended(node, attemptId, outcome)),
    );
  }

  #changed(): void {
    this.#report = undefined;
    const report = this.ownChannels();
    for (const listener of this.#channelListeners) listener(report);
  }

  #onBlock(): void {
    const height = this.nodes.agreeOnHeight();
    if (height === this.#height) return;
    this.#height = height;
    for (const listener of this.#blockListeners) listener(height);
  }

  #ended(node: OwnNode, attemptId: string, outcome: HtlcOutcome): void {
    const htlc = node.inFlight.get(attemptId);
    if (node.inFlight.delete(attemptId)) node.recent.note(outcome.status === 'settled', htlc!);
    for (const listener of this.#outcomeListeners) listener(attemptId, outcome);
  }

  /** The first check that found a problem, or the first check if none did. Undefined if every node trusts its graph. */
  graphCheck(): ReturnType<NetworkPort['graphCheck']> {
    const checks = this.nodes.list.flatMap(({ port }) => port.graphCheck() ?? []);
    return checks.find(({ problem }) => problem !== undefined) ?? checks[0];
  }

  /** All nodes as one node, which is unreachable only while all of them are. Undefined if the nodes are simulated. */
  nodeBehind(): NodeBehind | undefined {
    const behind = this.nodes.list.flatMap(({ port }) => port.nodeBehind() ?? []);
    const first = behind[0];
    if (first === undefined) return undefined;
    const areAllAway = behind.every(({ problem }) => problem !== undefined);
    const { nodeId, alias, color, version, addresses = [] } = first;
    return {
      ...{ nodeId, alias, color, version, addresses },
      ...(areAllAway && { problem: behind.map(({ problem }) => problem).join('; ') }),
      details: () => first.details(),
    };
  }

  blockHeight(): number {
    return this.#height;
  }

  onBlock(listener: (height: number) => void): () => void {
    return added(this.#blockListeners, listener);
  }

  /** Waits until the channels of all reachable nodes are stable. The wait for each node is bounded. */
  readonly settled = async (): Promise<void> => {
    await Promise.all(this.#present().map((port) => port.settled?.()));
  };

  readonly refreshed = async (): Promise<void> => {
    await Promise.all(this.#present().map((port) => port.refreshed?.()));
  };

  #present(): NetworkPort[] {
    return this.nodes.list
      .filter(({ settings, problem }) => settings.state !== 'off' && problem === undefined)
      .map(({ port }) => port);
  }

  ownChannels(): OwnChannelReport {
    this.#report ??= {
      revision: this.#tickets.level,
      channels: this.nodes.list.flatMap((node) => {
        const isGone = node.problem !== undefined;
        return node
          .channels()
          .map((channel) => (isGone ? { ...channel, usable: false, spendableMsat: ZERO_MSAT } : channel));
      }),
    };
    return this.#report;
  }

  onOwnChannels(listener: (report: OwnChannelReport) => void): () => void {
    return added(this.#channelListeners, listener);
  }

  /** Rows of all nodes that respond. @throws the error of the first node when no node responds */
  async ownChannelRecords(): Promise<readonly OwnChannelRecord[]> {
    const asked = await Promise.allSettled(
      this.nodes.list.map(async ({ nodeId, port }) => {
        const records = await port.ownChannelRecords();
        return records.map((record) => ({ ...record, ownNodeId: nodeId }));
      }),
    );
    const told = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    if (told.length === 0 && asked[0]?.status === 'rejected') throw asked[0].reason;
    return told.flat();
  }

  async send(htlc: OutgoingHtlc, mayLeave?: () => boolean): Promise<TakenHtlc> {
    const node = this.#nodeOf(htlc);
    node.inFlight.set(htlc.attemptId, inFlightOf(htlc));
    const { channelsRevision } = await node.port.send(htlc, mayLeave);
    if (node.port.ownChannels().revision >= channelsRevision)
      return { channelsRevision: this.#tickets.level };
    return { channelsRevision: this.#tickets.take(node, channelsRevision) };
  }

  #nodeOf({ fromNode }: HtlcKey): OwnNode {
    const node = fromNode === undefined ? undefined : this.nodes.byId(fromNode);
    if (node !== undefined) return node;
    throw new FulguriteError('nodeAway', `node ${fromNode ?? 'unknown'} is not among our nodes`, {
      node_id: fromNode,
    });
  }

  onOutcome(listener: OutcomeListener): () => void {
    return added(this.#outcomeListeners, listener);
  }

  /**
   * Queries each node for its own HTLCs, and waits for all of them. The HTLCs of a node that does not respond are
   * `unknown`.
   */
  async outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>> {
    const states = new Map<string, HtlcState>(
      keys.map(({ attemptId }) => [attemptId, { status: 'unknown' }]),
    );
    await Promise.all(
      this.nodes.list.map(async (node) => {
        const own = keys.filter(({ fromNode }) => fromNode === node.nodeId);
        if (own.length === 0) return;
        const told = await node.port.outcomes(own).catch(() => new Map<string, HtlcState>());
        for (const [attemptId, state] of told) {
          states.set(attemptId, state);
          if (state.status === 'pending')
            node.inFlight.set(attemptId, node.inFlight.get(attemptId) ?? UNKNOWN_HTLC);
          else if (state.status !== 'unknown') node.inFlight.delete(attemptId);
        }
      }),
    );
    return states;
  }

  async sendOnionMessage(message: OutgoingOnionMessage): Promise<void> {
    await this.#messages.sendOnionMessage(message);
  }

  onOnionMessage(listener: (message: IncomingOnionMessage) => void): () => void {
    return this.#messages.onOnionMessage(listener);
  }

  connect(nodeId: NodeId, addresses?: readonly string[]): Promise<Peer> {
    return this.#messages.connect(nodeId, addresses);
  }

  disconnect(nodeId: NodeId): Promise<boolean> {
    return this.#messages.disconnect(nodeId);
  }

  /**
   * Every peer of our nodes or of our own key, listed once. A peer counts as connected if it is connected to at least
   * one of our nodes, or under our own key.
   */
  peers(): readonly Peer[] {
    const found = new Map<NodeId, Peer>();
    for (const peer of [...this.#messages.peers(), ...this.nodes.list.flatMap(({ port }) => port.peers())]) {
      if (found.get(peer.nodeId)?.connected !== true) found.set(peer.nodeId, peer);
    }
    return [...found.values()];
  }

  bindings(): readonly string[] {
    return [...new Set(this.nodes.list.flatMap(({ port }) => port.bindings()))];
  }

  addresses(nodeId: NodeId): readonly string[] {
    for (const { port } of this.nodes.list) {
      const known = port.addresses(nodeId);
      if (known.length > 0) return known;
    }
    return this.#messages.addresses(nodeId);
  }

  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const listeners of [this.#channelListeners, this.#blockListeners, this.#outcomeListeners])
      listeners.clear();
    await Promise.all(this.nodes.list.map(({ port }) => port.close()));
    await this.#close();
  }
}

const UNKNOWN_HTLC: HtlcInFlight = { amountMsat: 0n, feeMsat: 0n };

function inFlightOf({ path, blindedEnd }: OutgoingHtlc): HtlcInFlight {
  const amountMsat: bigint = path[0]?.amountMsat ?? 0n;
  const arrivesMsat: bigint = blindedEnd?.amountMsat ?? path.at(-1)?.amountMsat ?? amountMsat;
  return { amountMsat, feeMsat: amountMsat - arrivesMsat };
}

/** What all nodes together can do. HTLC limits belong to single nodes, so there are none here. */
function capabilitiesOf(ports: readonly NetworkPort[], messages: MessageCarrier): NetworkCapabilities {
  const all = ports.map(({ capabilities }) => capabilities);
  const remembered = all.flatMap(({ rememberedHtlcs }) => rememberedHtlcs ?? []);
  const { onionMessages, connects, disconnects } = messages.capabilities;
  return {
    pays: all.some(({ pays }) => pays),
    repeatsSends: all.every(({ repeatsSends }) => repeatsSends),
    ...{ onionMessages, connects, disconnects },
    ...(remembered.length > 0 && { rememberedHtlcs: Math.min(...remembered) }),
  };
}

/** What the payments and forwards of all nodes showed. A node that does not respond is left out. */
async function historyOf(ports: readonly NetworkPort[], sinceS: number): Promise<NodeHistory> {
  const found: NodeHistory[] = [];
  for (const port of ports) {
    try {
      found.push(await port.nodeHistory!(sinceS));
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
    }
  }
  return {
    limits: found.flatMap(({ limits }) => limits),
    answers: found.flatMap(({ answers }) => answers),
    xpayRecords: Uint8Array.from(Buffer.concat(found.map(({ xpayRecords }) => xpayRecords))),
  };
}
