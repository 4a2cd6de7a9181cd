/**
 * A simulation in real time: it takes requests and posts at most one report per turn of the event loop. Apart from its
 * journal, it reaches the outside only through the function that posts reports, so it can run in any thread.
 */
import { performance } from 'node:perf_hooks';
import type { OnionMessage } from '../../bolt/onion/onion-message.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { HtlcOutcome } from '../port.ts';
import type { HtlcOffer } from './htlc.ts';
import { fingerprintOf, NetworkJournal } from './journal.ts';
import {
  CONTROLS,
  type ControlName,
  type ControlReply,
  type FromNetwork,
  type NetworkThreadData,
  plainBytes,
  plainMessage,
  type ToNetwork,
} from './messages.ts';
import { refusedAsBusy, Simulation } from './simulation.ts';

/** Maximum sleep in milliseconds, which bounds how far the clock may lag. */
const MAX_SLEEP_MS = 1000;

/** Runs a simulation in real time, and posts a report after each turn in which something happened. */
export class NetworkHost {
  readonly simulation: Simulation;
  private readonly post: (report: FromNetwork) => void;
  private readonly journal: NetworkJournal | undefined;
  private readonly startedMs: number;
  private readonly originMs = performance.now();
  private timer: NodeJS.Timeout | undefined;
  private turn: NodeJS.Immediate | undefined;
  private channelsChanged = true;
  private taken: [string, number][] = [];
  private outcomes: [string, HtlcOutcome][] = [];
  private messages: [NodeId, OnionMessage][] = [];
  private replies: ControlReply[] = [];

  /** @throws FulguriteError when the network or its journal cannot be created from the data. */
  constructor(
    { map, options, journalPath, recover }: NetworkThreadData,
    post: (report: FromNetwork) => void,
  ) {
    this.post = post;
    this.startedMs = options.startMs ?? Date.now();
    const simulation = new Simulation(map, { ...options, startMs: this.startedMs });
    this.simulation = simulation;
    if (journalPath !== undefined) {
      this.journal = new NetworkJournal(
        journalPath,
        fingerprintOf(map, options),
        this.startedMs,
        undefined,
        recover,
      );
      simulation.restore(this.journal.content);
    }
    simulation.onOwnChannelsChanged = () => {
      this.channelsChanged = true;
    };
    simulation.onOnionMessage = (from, message) => void this.messages.push([from, message]);
    simulation.onTaken = (attemptId, channelsRevision) => void this.taken.push([attemptId, channelsRevision]);
    simulation.onAnswer = (attemptId, outcome) => void this.outcomes.push([attemptId, outcome]);
    simulation.onDecided = (entries) => this.journal?.add(...entries);
    simulation.onClosed = (scid, atMs) => this.journal?.addClosure(scid, atMs);
    this.report({ identity: simulation.identity });
    this.sleep();
  }

  /** Processes requests. Their consequences are reported after this turn. */
  receive(requests: readonly ToNetwork[]): void {
    this.advance();
    for (const request of requests) this.serve(request);
    this.turn ??= setImmediate(() => this.pump());
  }

  close(): void {
    clearTimeout(this.timer);
    clearImmediate(this.turn);
    this.journal?.close();
  }

  private serve(request: ToNetwork): void {
    switch (request[0]) {
      case 'offer': {
        const { onion, paymentHash, ...terms } = request[1];
        const offer = { ...terms, onion: plainBytes(onion), paymentHash: plainBytes(paymentHash) };
        this.offer(offer);
        break;
      }
      case 'message':
        this.simulation.sendOnionMessage(request[1], plainMessage(request[2]));
        break;
      case 'control':
        this.replies.push(this.control(request[1], request[2], request[3]));
    }
  }

  /** Offers an HTLC. An HTLC that cannot be accepted is refused and forgotten, so the attempt may be repeated. */
  private offer(offer: HtlcOffer): void {
    try {
      this.simulation.offerHtlc(offer);
    } catch (error) {
      this.outcomes.push([offer.attemptId, refusedAsBusy(error)]);
      this.taken.push([offer.attemptId, this.simulation.ownChannels().revision]);
    }
  }

  private control(id: number, name: ControlName, args: readonly unknown[]): ControlReply {
    try {
      if (!CONTROLS.includes(name)) throw new FulguriteError('internal', `unknown operation ${name}`);
      const method = this.simulation[name] as (...args: readonly unknown[]) => unknown;
      return [id, method.apply(this.simulation, args as unknown[])];
    } catch (error) {
      const kind = error instanceof FulguriteError ? error.name : 'internal';
      return [id, null, kind, (error as Error).message];
    }
  }

  private pump(): void {
    this.turn = undefined;
    this.advance();
    this.report({});
    this.sleep();
  }

  private advance(): void {
    this.simulation.advanceTo(this.startedMs + Math.floor(performance.now() - this.originMs));
  }

  /**
   * Posts a report after writing the journal, so that reports never precede it. While the journal cannot be written,
   * there are no reports.
   */
  private report(first: Pick<FromNetwork, 'identity'>): void {
    if (!this.remember()) return;
    const { taken, outcomes, messages, replies } = this;
    const channels = this.channelsChanged ? { channels: this.simulation.ownChannels() } : {};
    [this.taken, this.outcomes, this.messages, this.replies, this.channelsChanged] = [[], [], [], [], false];
    const { height } = this.simulation;
    this.post({ ...first, ...channels, height, taken, outcomes, messages, replies });
  }

  /** Writes the journal. False when the disk is full or gone; the next report retries, at most a second later. */
  private remember(): boolean {
    try {
      this.journal?.flush();
      return true;
    } catch (error) {
      if (error instanceof FulguriteError && error.name === 'storeFailed') return false;
      throw error;
    }
  }

  private sleep(): void {
    clearTimeout(this.timer);
    const nowMs = this.startedMs + (performance.now() - this.originMs);
    const waitMs = Math.min(MAX_SLEEP_MS, Math.max(0, Math.ceil(this.simulation.nextEventAtMs - nowMs)));
    this.timer = setTimeout(() => this.wake(), waitMs);
  }

  /** Advances the simulation, and posts a report if something happened. */
  private wake(): void {
    const { height } = this.simulation;
    this.advance();
    const { taken, outcomes, messages, replies } = this;
    const count = taken.length + outcomes.length + messages.length + replies.length;
    const silent = count === 0 && !this.channelsChanged;
    if (!silent || this.simulation.height !== height) this.report({});
    this.sleep();
  }
}
