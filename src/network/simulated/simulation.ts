/**
 * A whole Lightning network in memory, deterministic and single-threaded, without I/O or a clock. The owner advances
 * its time. The same seed, and the same calls at the same times, give the same event log.
 *
 * A simulation outlives its user: our side may crash and return while its HTLCs continue (see OutcomeBook).
 */
import { FAILURES } from '../../bolt/onion/failure.ts';
import type { OnionMessage } from '../../bolt/onion/onion-message.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { WirePolicy } from '../../model/policy.ts';
import { formatShortChannelIdDir, type ShortChannelIdDir } from '../../model/short-channel-id.ts';
import type {
  HtlcOutcome,
  NetworkCapabilities,
  NetworkIdentity,
  OwnChannelReport,
  SentHtlc,
} from '../port.ts';
import { totalsOf } from './channel-life.ts';
import { MAINNET_CHAIN_HASH } from './channel-update.ts';
import { directionOfIndex } from './channels.ts';
import { type Htlc, type HtlcOffer, hopsOf, type SentAttempt, sentHtlcOf } from './htlc.ts';
import { HtlcFlow } from './htlc-flow.ts';
import { INIT_FEATURES } from './init-features.ts';
import type { JournalContent, JournalEntry } from './journal.ts';
import { MessageFlow, type MessageHandler } from './message-flow.ts';
import type { NetworkMap } from './network-map.ts';
import type { Trait } from './nodes.ts';
import type { SimulationOptions } from './options.ts';
import { type KnownState, OutcomeBook, REMEMBERED_OUTCOMES } from './outcomes.ts';
import type { DescribedChannel } from './own/described-channel.ts';
import { OwnChannels } from './own/own-channels.ts';
import { wayToUs } from './own/paid-to-us.ts';
import type { SimulatedInvoice } from './own/receiving.ts';
import { type InvoiceWishes, simulatedInvoice } from './own/simulated-invoice.ts';
import { World } from './world.ts';

/** What this network can do: everything except ending a connection. */
export const CAPABILITIES: NetworkCapabilities = {
  pays: true,
  repeatsSends: true,
  rememberedHtlcs: REMEMBERED_OUTCOMES,
  onionMessages: true,
  sendsOnions: true,
  connects: true,
  disconnects: false,
};

/** Maximum number of attempts that may be pending at once. */
const MAX_PENDING_ATTEMPTS = 100_000;

/** The outcome of an HTLC that `offerHtlc` refused as `busy`. @throws any other error. */
export function refusedAsBusy(error: unknown): HtlcOutcome {
  if (!(error instanceof FulguriteError) || error.name !== 'busy') throw error;
  const failureCode = FAILURES.temporary_node_failure.code;
  return { status: 'refused', failureCode, reason: error.message };
}

/** A payment that has reached a node, with the node's secret key. */
export interface ReceivedPayment {
  readonly nodeId: NodeId;
  readonly secretKey: Uint8Array;
  readonly paymentHash: Uint8Array;
}

/** Called with each payment that a node has accepted. */
export type PaymentHandler = (received: ReceivedPayment) => void;

/** Counters of a simulation at one moment of its virtual time. */
export interface SimulationStats {
  readonly nowMs: number;
  readonly height: number;
  readonly events: number;
  readonly pendingAttempts: number;
  readonly htlcsInFlight: number;
  readonly repeatedPayments: number;
  readonly messagesDelivered: number;
  readonly messagesDropped: number;
}

/** A simulated network, whose owner advances its time. */
export class Simulation {
  readonly identity: NetworkIdentity;
  readonly outcomes = new OutcomeBook();
  /**
   * Called when our channels have changed enough for a new report, such as after the end of one of our HTLCs, or when a
   * peer has connected or disconnected.
   */
  onOwnChannelsChanged: () => void = () => undefined;
  onBlock: (height: number) => void = () => undefined;
  /** Called when an HTLC has been added to our channel, or was refused, now or at an earlier offer. */
  onTaken: (attemptId: string, channelsRevision: number) => void = () => undefined;
  /**
   * Called when the outcome of attempts is decided, before anything else learns it: with all parts of a payment when
   * the recipient releases the preimage, and with each failed attempt when its failure has reached our node.
   */
  onDecided: (entries: readonly JournalEntry[]) => void = () => undefined;
  /** Called when a channel is closed. The time is UNIX milliseconds. */
  onClosed: (scid: bigint, atMs: number) => void = () => undefined;
  /** Called with the outcome of each finished attempt, and again when that attempt is offered once more. */
  onAnswer: (attemptId: string, outcome: HtlcOutcome) => void = () => undefined;
  onOnionMessage: (from: NodeId, message: OnionMessage) => void = () => undefined;
  /** Called when a node releases the preimage of a payment that has reached it. */
  onReceived: PaymentHandler = () => undefined;
  private readonly world: World;
  private readonly own: OwnChannels;
  private readonly htlcs: HtlcFlow;
  private readonly messages: MessageFlow;
  private channelsRevision = 0;
  /** Attempts offered in this instant, whose HTLCs are neither on our channel nor refused yet. */
  private readonly unjudged = new Set<string>();

  /**
   * @throws FulguriteError `graphSource` or `invalidParams` when the network cannot be created with these
   *   options.
   */
  constructor(map: NetworkMap, options: SimulationOptions) {
    this.world = new World(map, options);
    this.own = new OwnChannels(this.world, degrees(map));
    this.htlcs = new HtlcFlow(this.world, this.own, {
      taken: ({ attemptId }) => {
        this.unjudged.delete(attemptId);
        this.onTaken(attemptId, ++this.channelsRevision);
      },
      released: (parts, preimage) => this.released(parts, preimage),
      closed: (channel) => this.onClosed(this.world.channels.shortChannelIds[channel]!, this.world.nowMs),
      ended: (attempt, outcome) => this.end(attempt, outcome),
    });
    this.world.onBlock = () => {
      this.htlcs.expireStuck();
      this.onBlock(this.world.height);
    };
    this.messages = new MessageFlow(this.world, (from, message) => {
      this.onOnionMessage(this.world.nodes.id(from), message);
    });
    // `ownNodeId` has no channels here, but the peers of our nodes accept its messages.
    if (options.ownNodes !== undefined) for (const peer of this.own.peers()) this.messages.connect(peer);
    this.identity = { nodeId: options.ownNodeId, features: INIT_FEATURES, chainHash: MAINNET_CHAIN_HASH };
  }

  get nowMs(): number {
    return this.world.nowMs;
  }

  get height(): number {
    return this.world.height;
  }

  /** Time of the next event, in UNIX milliseconds. There is always a next event, at the latest the next block. */
  get nextEventAtMs(): number {
    return this.world.queue.nextAt as number;
  }

  /** Whether nothing of ours is in flight. */
  get isIdle(): boolean {
    return this.outcomes.pendingCount === 0 && this.htlcs.inFlight === 0;
  }

  /**
   * Restores the state of an earlier run of this network. Call it before anything happens.
   * @throws RangeError when the balances are impossible in this network.
   */
  restore({ outcomes, shifts, traffic, closures, openedAtMs, height }: JournalContent): void {
    const { channels } = this.world;
    for (const [attemptId, outcome] of outcomes) this.outcomes.restore(attemptId, outcome);
    for (const [scid, gainMsat] of shifts) {
      const channel = channels.indexOf(scid);
      if (channel === -1) throw new RangeError(`no channel ${scid}`);
      channels.setBalance(channel, channels.balance(2 * channel) + gainMsat);
    }
    for (const [scid, atMs] of closures) {
      const channel = channels.indexOf(scid);
      if (channel !== -1) channels.close(channel, atMs);
    }
    this.own.restore(traffic, openedAtMs);
    if (height > this.world.height) this.world.setHeight(height);
  }

  advanceTo(timeMs: number): void {
    this.world.advanceTo(timeMs);
  }

  /** Runs the next event, regardless of its time. */
  step(): void {
    this.world.step();
  }

  /**
   * Advances the time until nothing of ours is in flight, but at most by `limitMs`. Returns false if something is still
   * in flight.
   */
  runUntilIdle(limitMs = 30 * 24 * 3600 * 1000): boolean {
    const endMs = this.world.nowMs + limitMs;
    while (!this.isIdle && this.nextEventAtMs <= endMs) this.world.step();
    return this.isIdle;
  }

  /** Raises the height by one or more blocks. Stuck HTLCs may expire. */
  setHeight(height: number): void {
    this.world.setHeight(height);
    this.ownChannelsChanged();
  }

  ownChannels(): OwnChannelReport {
    return { revision: this.channelsRevision, channels: this.own.list() };
  }

  ownChannelRecords(): DescribedChannel[] {
    return this.own.records();
  }

  /**
   * Accepts an HTLC. If its attempt is already known, nothing is sent, and the outcome of the first offer is reported
   * again. If it was first offered in this same instant, the report of the first offer is still to come.
   * @throws FulguriteError `busy` when too many are pending. The HTLC has then not left, and never will.
   */
  offerHtlc(offer: HtlcOffer): void {
    const { attemptId } = offer;
    const known = this.outcomes.lookUp(attemptId);
    if (this.unjudged.has(attemptId)) return;
    if (known.status !== 'unknown') {
      this.onTaken(attemptId, this.channelsRevision);
      if (known.status !== 'pending') this.onAnswer(attemptId, known);
      return;
    }
    if (this.outcomes.pendingCount >= MAX_PENDING_ATTEMPTS) {
      throw new FulguriteError('busy', 'too many HTLCs in flight');
    }
    this.outcomes.open(sentHtlcOf(offer));
    this.unjudged.add(attemptId);
    this.htlcs.offer(offer);
  }

  /** What is known about each attempt, in the given order. */
  lookUpHtlcs(attemptIds: readonly string[]): KnownState[] {
    return attemptIds.map((attemptId) => this.outcomes.lookUp(attemptId));
  }

  /** Our HTLCs in flight, and our HTLCs that settled in this run and are still remembered. */
  sentHtlcs(): SentHtlc[] {
    return this.outcomes.list();
  }

  /** Sends to one of our peers. A message to any other node is dropped. */
  sendOnionMessage(to: NodeId, message: OnionMessage): void {
    const { nodes } = this.world;
    this.messages.send(nodes.ownIndex, nodes.indexOf(to), message);
  }

  /** Sets the handler that answers messages on behalf of the nodes. */
  setMessageHandler(handler: MessageHandler): void {
    this.messages.handler = handler;
  }

  /** Connects us to a node. False if it does not exist or is offline. */
  connect(nodeId: NodeId): boolean {
    const node = this.node(nodeId);
    if (node === undefined || this.world.nodes.is(node, 'offline')) return false;
    this.messages.connect(node);
    return true;
  }

  /** Whether the node has a channel with us or is connected. */
  isPeer(nodeId: NodeId): boolean {
    const node = this.node(nodeId);
    return node !== undefined && (this.messages.isConnectedToUs(node) || this.own.peers().includes(node));
  }

  /** Whether the node exists and is online. */
  isOnline(nodeId: NodeId): boolean {
    const node = this.node(nodeId);
    return node !== undefined && !this.world.nodes.is(node, 'offline');
  }

  /** Sets or clears a special behaviour of a node. @throws FulguriteError `invalidParams` for unknown nodes. */
  setTrait(nodeId: NodeId, trait: Trait, value: boolean): void {
    this.world.nodes.set(this.requireNode(nodeId), trait, value);
    this.world.log.add(`${this.world.nowMs} ${nodeId} ${trait} ${value}`);
    this.own.noteConnections();
    this.ownChannelsChanged();
  }

  /** Puts the node's view of the chain this many blocks ahead of ours. */
  setHeightOffset(nodeId: NodeId, blocks: number): void {
    this.world.nodes.setHeightOffset(this.requireNode(nodeId), blocks);
  }

  /** The current policy of a direction. @throws FulguriteError `invalidParams` for unknown channels. */
  policy(direction: ShortChannelIdDir): WirePolicy {
    return this.world.channels.policy(this.requireDirection(direction));
  }

  /** Changes a policy without gossip. Payers learn it from failures. */
  setPolicy(direction: ShortChannelIdDir, policy: Partial<WirePolicy>): void {
    const directionIndex = this.requireDirection(direction);
    this.world.channels.setPolicy(directionIndex, policy, Math.floor(this.world.nowMs / 1000));
    this.world.log.add(`${this.world.nowMs} ${formatShortChannelIdDir(direction)} changes its policy`);
  }

  /** The amount that the source node of the direction can send. Invisible to payers, but not to tests and reports. */
  balanceMsat(direction: ShortChannelIdDir): bigint {
    return this.world.channels.balance(this.requireDirection(direction));
  }

  /**
   * Divides a channel's capacity: the source of this direction gets the balance. Nothing may be in flight on
   * the channel.
   */
  setBalance({ shortChannelId, direction }: ShortChannelIdDir, balanceMsat: bigint): void {
    const channel = this.requireDirection({ shortChannelId, direction }) >> 1;
    const capacity = this.world.channels.capacityMsat[channel]!;
    this.world.channels.setBalance(channel, direction === 0 ? balanceMsat : capacity - balanceMsat);
    this.own.observeAll();
    this.ownChannelsChanged();
  }

  /** Registers that the node can be paid for this preimage. Returns the payment hash. */
  addInvoice(nodeId: NodeId, invoice: SimulatedInvoice): Uint8Array {
    return this.htlcs.recipients.addInvoice(this.requireNode(nodeId), invoice);
  }

  /**
   * Makes the node issue an invoice for which it will accept payment. @throws FulguriteError `invalidParams` for
   * unknown nodes
   */
  issueInvoice(nodeId: NodeId, wishes: InvoiceWishes): string {
    const { nodes } = this.world;
    const node = nodeId === nodes.id(nodes.ownIndex) ? nodes.ownIndex : this.requireNode(nodeId);
    const invoice = simulatedInvoice(this.world, node, wishes);
    if (invoice !== undefined) return invoice;
    throw new FulguriteError('invalidParams', `the key of ${nodeId} is unknown`, { node_id: nodeId });
  }

  /**
   * Lets a node pay us an amount, for which we release the preimage. Repeating the call pays nothing, as long as the
   * attempt is among the remembered outcomes. @returns the fee that the payer bears
   * @throws FulguriteError `invalidParams` for unknown nodes; `routeNotFound`
   */
  payUs(
    from: NodeId,
    { attemptId, amountMsat, preimage }: { attemptId: string; amountMsat: bigint; preimage: Uint8Array },
  ): { readonly feeMsat: bigint } {
    const { channels, nodes, height, log, nowMs } = this.world;
    const payer = this.requireNode(from);
    if (this.outcomes.lookUp(attemptId).status === 'settled') return { feeMsat: 0n };
    const hops = nodes.is(payer, 'offline')
      ? undefined
      : wayToUs(this.world, payer, nodes.ownIndex, amountMsat);
    if (hops === undefined) {
      throw new FulguriteError('routeNotFound', `${from} has no way to pay us ${amountMsat}msat`, {
        node_id: from,
      });
    }
    for (const { directionIndex, amountMsat: moved } of hops) {
      channels.hold(directionIndex, moved);
      channels.settle(directionIndex, moved);
    }
    const outcome = { status: 'settled', preimage } as const;
    const shifts = hops.map(({ directionIndex, amountMsat: moved }): readonly [bigint, bigint] => [
      channels.shortChannelId(directionIndex),
      directionOfIndex(directionIndex) === 0 ? -moved : moved,
    ]);
    this.outcomes.restore(attemptId, outcome);
    this.onDecided([{ attemptId, outcome, shifts, traffic: [], height }]);
    log.add(`${nowMs} ${from} pays us ${amountMsat}`);
    this.own.observeAll();
    this.ownChannelsChanged();
    return { feeMsat: (hops[0] as { amountMsat: bigint }).amountMsat - amountMsat };
  }

  /** SHA-256 over everything that has happened so far. */
  logDigest(): string {
    return this.world.log.digest();
  }

  /**
   * Checks that no msat was created or lost: every channel adds up to its capacity, and no amount is held when no HTLC
   * is in flight. Returns the faults as text. Empty if there are none.
   */
  checkConservation(): string[] {
    const wrong = this.world.channels.violations().map((scid) => `channel ${scid} does not add up`);
    const held = this.world.channels.totalInFlightMsat();
    if (this.htlcs.inFlight === 0 && held !== 0n) wrong.push(`${held} msat are held by no HTLC`);
    return wrong;
  }

  stats(): SimulationStats {
    const { nowMs, height, log } = this.world;
    return {
      nowMs,
      height,
      events: log.lines,
      pendingAttempts: this.outcomes.pendingCount,
      htlcsInFlight: this.htlcs.inFlight,
      repeatedPayments: this.htlcs.recipients.repeatedPayments,
      messagesDelivered: this.messages.delivered,
      messagesDropped: this.messages.dropped,
    };
  }

  private released(parts: readonly Htlc[], preimage: Uint8Array): void {
    this.onDecided(parts.map((part) => this.settled(part, preimage)));
    const { nodes } = this.world;
    const { node, attempt } = parts[0] as Htlc;
    const secretKey = nodes.secretKey(node) as Uint8Array;
    this.onReceived({ nodeId: nodes.id(node), secretKey, paymentHash: attempt.paymentHash });
  }

  /**
   * The journal entry of a part whose preimage is released. It describes the part as settled on all channels, up to our
   * node.
   */
  private settled(part: Htlc, preimage: Uint8Array): JournalEntry {
    const { channels } = this.world;
    const hops = hopsOf(part);
    const own = hops.at(-1) as Htlc;
    return {
      attemptId: part.attempt.attemptId,
      outcome: { status: 'settled', preimage },
      shifts: hops.map(({ directionIndex, amountMsat }) => [
        channels.shortChannelId(directionIndex),
        directionOfIndex(directionIndex) === 0 ? -amountMsat : amountMsat,
      ]),
      traffic: [[channels.shortChannelId(own.directionIndex), totalsOf(own.amountMsat, true)]],
      height: this.world.height,
    };
  }

  private end(attempt: SentAttempt, outcome: HtlcOutcome): void {
    const { attemptId } = attempt;
    this.unjudged.delete(attemptId);
    const traffic = this.own.ended(attempt, outcome.status === 'settled');
    if (outcome.status !== 'settled') {
      const entry = { attemptId, outcome, shifts: [], traffic: traffic === undefined ? [] : [traffic] };
      this.onDecided([{ ...entry, height: this.world.height }]);
    }
    this.ownChannelsChanged();
    this.outcomes.end(attemptId, outcome);
    if (outcome.status === 'refused') this.onTaken(attemptId, this.channelsRevision);
    this.onAnswer(attemptId, outcome);
  }

  private ownChannelsChanged(): void {
    this.channelsRevision++;
    this.onOwnChannelsChanged();
  }

  private node(nodeId: NodeId): number | undefined {
    const node = this.world.nodes.indexOf(nodeId);
    return node === -1 || node === this.world.nodes.ownIndex ? undefined : node;
  }

  private requireNode(nodeId: NodeId): number {
    const node = this.node(nodeId);
    if (node === undefined)
      throw new FulguriteError('invalidParams', `no node ${nodeId}`, { node_id: nodeId });
    return node;
  }

  private requireDirection(direction: ShortChannelIdDir): number {
    const channel = this.world.channels.indexOf(direction.shortChannelId);
    if (channel === -1) {
      throw new FulguriteError('invalidParams', `no channel ${formatShortChannelIdDir(direction)}`);
    }
    return 2 * channel + direction.direction;
  }
}

/** For each node, the number of its channels that are enabled in at least one direction. */
function degrees({ nodeCount, channelCount, node1, node2, policyFlags }: NetworkMap): Uint32Array {
  const degree = new Uint32Array(nodeCount);
  const enabled = 2;
  for (let channel = 0; channel < channelCount; channel++) {
    if (((policyFlags[2 * channel]! | policyFlags[2 * channel + 1]!) & enabled) === 0) continue;
    degree[node1[channel]!]!++;
    degree[node2[channel]!]!++;
  }
  return degree;
}
