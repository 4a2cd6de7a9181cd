/**
 * Lets a program control a world during a run: it takes nodes offline, changes fees without gossip, reads balances, or
 * ends the run. Calls take effect at the current simulated time. A run stays repeatable if the program bases its
 * decisions only on the data that it receives.
 */
import { FulguriteError } from '../model/errors.ts';
import type { NodeId } from '../model/node-id.ts';
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { LabWorld } from './truth/world.ts';

/** Controls a world. */
export class WorldControl {
  readonly #world: LabWorld;
  readonly #stop: () => void;

  constructor(world: LabWorld, stop: () => void) {
    this.#world = world;
    this.#stop = stop;
  }

  get nowUs(): number {
    return this.#world.nowUs;
  }

  /** Ends the whole run. The results so far are kept and marked as unfinished. */
  stop(): void {
    this.#stop();
  }

  /**
   * Calls `action` at a simulated time, if the run lasts that long. If the time has passed, calls it at the current
   * simulated time.
   */
  at(us: number, action: () => void): void {
    this.#world.after(Math.max(0, us - this.#world.nowUs), 0, action);
  }

  /** The balance of one end of a channel, without HTLCs in flight. @throws FulguriteError `scenario` */
  balanceMsat(of: ShortChannelIdDir): bigint {
    return this.#world.channels.balanceMsat(this.#direction(of));
  }

  /** Takes a node offline, or back online. @throws FulguriteError `scenario` */
  setOnline(nodeId: NodeId, isOnline: boolean): void {
    const node = this.#world.graph.nodeIndex(nodeId);
    if (node < 0) throw unknown('node', nodeId);
    this.#world.availability.set(node, isOnline);
  }

  /**
   * Changes the fees that a direction requires. Gossip does not report the change.
   * @throws FulguriteError `scenario`
   */
  setFees(of: ShortChannelIdDir, feeBaseMsat: number, feeProportionalMillionths: number): void {
    const isU32 = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;
    if (!isU32(feeBaseMsat) || !isU32(feeProportionalMillionths)) {
      throw new FulguriteError('scenario', 'setFees: fees are whole numbers from 0 to 4294967295', {});
    }
    this.#world.policies.setFees(this.#direction(of), feeBaseMsat, feeProportionalMillionths);
  }

  #direction({ shortChannelId, direction }: ShortChannelIdDir): number {
    const channel = this.#world.graph.channelIndex(shortChannelId);
    if (channel < 0) throw unknown('channel', String(shortChannelId));
    return 2 * channel + direction;
  }
}

function unknown(what: string, name: string): FulguriteError {
  return new FulguriteError('scenario', `no ${what} ${name} in this simulation`, { [what]: name });
}
