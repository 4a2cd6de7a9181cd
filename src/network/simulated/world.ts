/**
 * The whole state of a simulated network: clock, chain, nodes, channels, future events, and the log of past events. The
 * flows of HTLCs and of messages act on it.
 */
import { Draws } from '../../model/draws.ts';
import { EventQueue } from '../../model/event-queue.ts';
import { SimulatedChannels } from './channels.ts';
import { PURPOSE } from './draws.ts';
import { EventLog } from './event-log.ts';
import { type NetworkMap, youngestBlock } from './network-map.ts';
import { SimulatedNodes } from './nodes.ts';
import { DEFAULT_START_MS, type SimulationOptions } from './options.ts';

/** Maximum number of channels of our own. */
export const MAX_OWN_CHANNELS = 4096;

const DEFAULT_LATENCY_MS = { least: 10, most: 100 };
const DEFAULT_JITTER_MS = 10;
const DEFAULT_BLOCK_INTERVAL_MS = 600_000;
/** Number of confirmations after which a channel is announced (BOLT 7). */
const ANNOUNCEMENT_DEPTH = 6;
/** Order among the events of one instant. Blocks come before all attempts. */
const ORDER_BLOCK = -1;

/** The whole state of a simulated network. */
export class World {
  readonly options: SimulationOptions;
  readonly draws: Draws;
  readonly nodes: SimulatedNodes;
  readonly channels: SimulatedChannels;
  readonly queue = new EventQueue();
  readonly log: EventLog;
  /** UNIX milliseconds. */
  nowMs: number;
  /** Chain height in our view. */
  height: number;
  /** Called after each new block. */
  onBlock: () => void = () => undefined;

  constructor(map: NetworkMap, options: SimulationOptions) {
    this.options = options;
    this.draws = new Draws(options.seed ?? 1);
    this.nodes = new SimulatedNodes(map, options, this.draws);
    this.channels = new SimulatedChannels(map, MAX_OWN_CHANNELS, this.draws, options.balances ?? 'uniform');
    this.log = new EventLog(options.onEvent);
    this.nowMs = options.startMs ?? DEFAULT_START_MS;
    this.height = options.startHeight ?? youngestBlock(map) + ANNOUNCEMENT_DEPTH;
    this.scheduleBlock();
    this.changeUnreportedPolicies(map.channelCount);
  }

  /** Runs `action` after `ms`, in the given order among the events of that instant. */
  after(ms: number, order: number, action: () => void): void {
    this.queue.schedule(this.nowMs + ms, order, action);
  }

  /** Runs all events up to a time, and sets the clock to that time. */
  advanceTo(timeMs: number): void {
    for (;;) {
      const next = this.queue.nextAt;
      if (next === undefined || next > timeMs) break;
      this.step();
    }
    this.nowMs = Math.max(this.nowMs, timeMs);
  }

  /** Advances the clock to the next event, and runs that event. */
  step(): void {
    const event = this.queue.take();
    if (event === undefined) return;
    this.nowMs = Math.max(this.nowMs, event.at);
    event.run();
  }

  /** Chain height in a node's view. */
  heightAt(node: number): number {
    return this.height + this.nodes.heightOffset(node);
  }

  /**
   * Time in ms that an HTLC, its result, or an onion message takes from one node to the next. `scid` is the channel, or
   * for an onion message a number for its sender and receiver. `a`, `b`, `hop` identify the HTLC or message.
   */
  latencyMs(scid: bigint, a: number, b: number, hop: number): number {
    const { latencyMs = DEFAULT_LATENCY_MS, jitterMs = DEFAULT_JITTER_MS } = this.options;
    const share = this.draws.uniformOf(PURPOSE.latency, scid);
    // The share is squared because most channels are fast and few are slow.
    const usual = latencyMs.least + (latencyMs.most - latencyMs.least) * share * share;
    return Math.round(usual + jitterMs * this.draws.uniform(PURPOSE.jitter, a, b, hop));
  }

  /** Sets the chain's height. @throws RangeError when it would fall. */
  setHeight(height: number): void {
    if (height < this.height) throw new RangeError('the chain does not shrink');
    this.height = height;
    this.log.add(`${this.nowMs} block ${height}`);
    this.onBlock();
  }

  /** Schedules the next block. Intervals are exponentially distributed, at least a tenth of the mean. */
  private scheduleBlock(): void {
    const { blockIntervalMs = DEFAULT_BLOCK_INTERVAL_MS } = this.options;
    const draw = this.draws.uniform(PURPOSE.blockInterval, this.height);
    const interval = blockIntervalMs * (0.1 - 0.9 * Math.log(1 - draw));
    this.after(Math.ceil(interval), ORDER_BLOCK, () => {
      this.setHeight(this.height + 1);
      this.scheduleBlock();
    });
  }

  /** Without gossip, changes the fees of some directions to between zero and three times the fees in the graph. */
  private changeUnreportedPolicies(channelCount: number): void {
    const share = this.options.faults?.unreportedPolicies ?? 0;
    if (share === 0) return;
    for (let directionIndex = 0; directionIndex < 2 * channelCount; directionIndex++) {
      if (!this.draws.happens(share, PURPOSE.unreportedPolicy, directionIndex)) continue;
      const factor = 3 * this.draws.uniform(PURPOSE.unreportedFactor, directionIndex);
      const { feeBaseMsat, feeProportionalMillionths } = this.channels.policy(directionIndex);
      const policy = {
        feeBaseMsat: Math.min(0xffff_ffff, Math.round(feeBaseMsat * factor)),
        feeProportionalMillionths: Math.min(0xffff_ffff, Math.round(feeProportionalMillionths * factor)),
      };
      this.channels.setPolicy(directionIndex, policy, Math.floor(this.nowMs / 1000));
    }
  }
}
