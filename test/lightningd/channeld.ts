/**
 * The node's channels, peers and HTLCs, backed by a simulated network in which it is our own node. Turns of the
 * event loop drive the time of the network: after every change, it runs until nothing more happens within TURN_MS of
 * its own clock.
 *
 * A test can hold the network (`hold`), so that HTLCs stay where they are. It can also stop the process between the
 * node and its peers (`stop`), so that HTLCs that the node has accepted are not sent.
 */

import { toHex } from '../../src/bolt/bytes.ts';
import { FAILURES } from '../../src/bolt/onion/failure.ts';
import { formatShortChannelId } from '../../src/model/short-channel-id.ts';
import type { HtlcOutcome } from '../../src/network/port.ts';
import type { HtlcOffer, Simulation } from '../../src/network/simulated/index.ts';
import type { DescribedChannel } from '../../src/network/simulated/own/described-channel.ts';
import type { WaitIndexes } from './wait-indexes.ts';

/**
 * Maximum advance of the network's clock per turn, in milliseconds. Any HTLC that is not stuck ends sooner.
 */
const TURN_MS = 60_000;

/** An HTLC of ours, as the node's database keeps it. */
interface StoredHtlc {
  readonly attemptId: string;
  readonly created_index: bigint;
  updated_index: bigint | undefined;
  readonly short_channel_id: string;
  readonly id: number;
  readonly expiry: number;
  readonly amount_msat: bigint;
  readonly payment_hash: string;
  isOver: boolean;
}

/**
 * How an HTLC ended: as the network reports, or refused by our own side of the channel with a BOLT 4 failure code.
 */
export type ChannelOutcome =
  | Exclude<HtlcOutcome, { status: 'decoded' }>
  | { readonly status: 'local'; readonly code: number; readonly why: string };

/** Code and text with which `channeld` refuses an HTLC, from the reason that the simulated network gives. */
function localWords(reason: string, offer: HtlcOffer): { code: number; why: string } {
  const { code } = FAILURES.temporary_channel_failure;
  if (reason.startsWith('Capacity exceeded')) return { code, why: 'Capacity exceeded - HTLC fee: 0sat' };
  if (reason.startsWith('Too many HTLCs')) return { code, why: 'Too many HTLCs' };
  if (reason.startsWith('Below the channel')) {
    return { code: FAILURES.amount_below_minimum.code, why: 'HTLC too small (1msat minimum)' };
  }
  if (reason.startsWith('The HTLC has expired')) {
    return { code: FAILURES.incorrect_cltv_expiry.code, why: `Invalid cltv_expiry ${offer.cltvExpiry}` };
  }
  return { code, why: reason };
}

/** Adds HTLCs to the channels of the simulated network, and reports how they end. */
export class Channeld {
  readonly simulation: Simulation;
  readonly #indexes: WaitIndexes;
  readonly #offers = new Map<string, HtlcOffer>();
  readonly #stored: StoredHtlc[] = [];
  /** HTLCs that the node has accepted, but not yet this process. Lost when the node is killed. */
  #queue: HtlcOffer[] = [];
  #words: { code: number; why: string } | undefined;
  #isHeld = false;
  #isStopped = false;
  #isUp = false;
  #turn: NodeJS.Immediate | undefined;
  /** Outcomes that occurred while the node was down. They are reported when it is up again. */
  #ended: [string, ChannelOutcome][] = [];
  onEnded: (attemptId: string, outcome: ChannelOutcome) => void = () => undefined;
  onHeight: (height: number) => void = () => undefined;
  onPeersChanged: () => void = () => undefined;

  constructor(simulation: Simulation, indexes: WaitIndexes) {
    this.simulation = simulation;
    this.#indexes = indexes;
    simulation.onTaken = (attemptId) => this.#added(attemptId);
    simulation.onAnswer = (attemptId, outcome) => this.#answered(attemptId, outcome);
    simulation.onBlock = (height) => this.onHeight(height);
  }

  get height(): number {
    return this.simulation.height;
  }

  /** Called when the node process has started. */
  up(): void {
    this.#isUp = true;
    this.#isStopped = false;
    const ended = this.#ended;
    this.#ended = [];
    for (const [attemptId, outcome] of ended) this.onEnded(attemptId, outcome);
    this.#move();
  }

  /** Called when the node process is gone. Its HTLCs that were not handed over are lost. */
  down(): void {
    this.#isUp = false;
    for (const { attemptId } of this.#queue) this.#offers.delete(attemptId);
    this.#queue = [];
  }

  /** While held, HTLCs stay where they are. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#move();
  }

  /** Suspends or resumes this process, as SIGSTOP and SIGCONT do. */
  stop(isStopped: boolean): void {
    this.#isStopped = isStopped;
    this.#takeQueue();
  }

  /** Refuses the next HTLC with this reason, for limits that the simulated network does not have. */
  refuseNext(code: number, why: string): void {
    this.#words = { code, why };
  }

  /** Sets the height of the chain. */
  mineTo(height: number): void {
    this.simulation.setHeight(height);
    this.#move();
  }

  /** Takes an HTLC that the node has accepted. */
  add(offer: HtlcOffer): void {
    this.#offers.set(offer.attemptId, offer);
    this.#queue.push(offer);
    setImmediate(() => this.#takeQueue());
  }

  /** All HTLCs that were ever on a channel of ours, as `listhtlcs` shows them. */
  everHtlcs(): readonly StoredHtlc[] {
    return this.#stored;
  }

  records(): readonly DescribedChannel[] {
    return this.simulation.ownChannelRecords();
  }

  close(): void {
    clearImmediate(this.#turn);
  }

  #takeQueue(): void {
    if (this.#isStopped || !this.#isUp) return;
    const queue = this.#queue;
    this.#queue = [];
    for (const offer of queue) this.#offer(offer);
  }

  /** Adds an HTLC to its channel, or refuses it. Forwarding takes time on the network's clock. */
  #offer(offer: HtlcOffer): void {
    const words = this.#words;
    this.#words = undefined;
    if (words !== undefined) {
      this.#tell(offer.attemptId, { status: 'local', ...words });
      return;
    }
    this.simulation.offerHtlc(offer);
    this.simulation.advanceTo(this.simulation.nowMs);
    this.#move();
  }

  /** Lets the network continue in a later turn of the event loop. */
  #move(): void {
    if (this.#turn !== undefined || this.#isHeld || !this.#isUp) return;
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      if (this.#isHeld || !this.#isUp) return;
      const { simulation } = this;
      const endMs = simulation.nowMs + TURN_MS;
      while (!simulation.isIdle && simulation.nextEventAtMs <= endMs) simulation.step();
    });
  }

  #added(attemptId: string): void {
    const offer = this.#offers.get(attemptId);
    if (offer === undefined || this.#stored.some((htlc) => htlc.attemptId === attemptId)) return;
    const short_channel_id = formatShortChannelId(offer.shortChannelId);
    const payment_hash = toHex(offer.paymentHash);
    const onChannel = this.records().flatMap(({ htlcs }) => htlcs);
    const id = onChannel.find((htlc) => toHex(htlc.paymentHash) === payment_hash)?.id;
    // An HTLC that was refused at once was never on the channel.
    if (id === undefined) return;
    const details = { short_channel_id, payment_hash, direction: 'out', htlc_id: id };
    const created_index = this.#indexes.count('htlcs', 'created', details);
    this.#stored.push({
      ...{ attemptId, created_index, updated_index: undefined, short_channel_id, id, payment_hash },
      ...{ expiry: offer.cltvExpiry, amount_msat: offer.amountMsat, isOver: false },
    });
  }

  #answered(attemptId: string, outcome: HtlcOutcome): void {
    const htlc = this.#stored.find((one) => one.attemptId === attemptId);
    if (htlc !== undefined && !htlc.isOver) {
      htlc.isOver = true;
      const { short_channel_id, payment_hash, id: htlc_id } = htlc;
      const details = { short_channel_id, payment_hash, direction: 'out', htlc_id };
      htlc.updated_index = this.#indexes.count('htlcs', 'updated', details);
    }
    if (outcome.status === 'decoded') throw new Error('a simulated network decodes no failures');
    const offer = this.#offers.get(attemptId)!;
    const isLocal = outcome.status === 'refused' && (outcome.failureCode & 0x8000) === 0;
    this.#tell(attemptId, isLocal ? { status: 'local', ...localWords(outcome.reason, offer) } : outcome);
  }

  #tell(attemptId: string, outcome: ChannelOutcome): void {
    this.#offers.delete(attemptId);
    if (this.#isUp) this.onEnded(attemptId, outcome);
    else this.#ended.push([attemptId, outcome]);
  }
}
