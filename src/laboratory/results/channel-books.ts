/**
 * The number of forwards and the fees of each direction, and the fees that each node earned, from settled attempts. The
 * fee for a hop belongs to the node where the hop starts. The sender's first hop earns nothing.
 */
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { PaymentOutcome } from '../payment-run.ts';
import type { LabWorld } from '../truth/world.ts';

/** Keeps counts and sums by direction index and by node index. */
export class ChannelBooks {
  readonly #world: LabWorld;
  readonly forwards: Uint32Array;
  readonly feesMsat: BigUint64Array;
  readonly nodeFeesMsat: Float64Array;
  readonly sent: Uint32Array;
  readonly received: Uint32Array;
  readonly startingMsat: BigInt64Array;
  /** Share of depleted channels at each snapshot. */
  readonly depletion: { readonly atUs: number; readonly share: number }[] = [];

  constructor(world: LabWorld) {
    const { graph } = world;
    this.#world = world;
    this.forwards = new Uint32Array(2 * graph.channelCount);
    this.feesMsat = new BigUint64Array(2 * graph.channelCount);
    this.nodeFeesMsat = new Float64Array(graph.nodeCount);
    this.sent = new Uint32Array(graph.nodeCount);
    this.received = new Uint32Array(graph.nodeCount);
    this.startingMsat = startingMsat(world);
  }

  add({ order, outcome, attempts }: PaymentOutcome): void {
    if (outcome === 'complete') {
      this.sent[order.sender]!++;
      this.received[order.receiver]!++;
    }
    for (const { route, end } of attempts) {
      if (end.kind !== 'settled') continue;
      for (let hop = 1; hop < route.directions.length; hop++) {
        const direction = route.directions[hop]!;
        const feeMsat = route.amountsMsat[hop - 1]! - route.amountsMsat[hop]!;
        this.forwards[direction]!++;
        this.feesMsat[direction]! += feeMsat;
        this.nodeFeesMsat[this.#world.tail(direction)]! += Number(feeMsat);
      }
    }
  }

  /** Current share of depleted channels: those with one side below a twentieth of the capacity. */
  depleted(): number {
    return depletedShare(this.#world.graph, (direction) => this.#world.channels.balanceMsat(direction));
  }

  /** Records the current share of depleted channels. */
  look(atUs: number): void {
    this.depletion.push({ atUs, share: this.depleted() });
  }

  depletedAtStart(): number {
    const { graph } = this.#world;
    return depletedShare(graph, (direction) => {
      const ofFirst = this.startingMsat[direction >>> 1]!;
      return (direction & 1) === 0 ? ofFirst : graph.capacityMsat[direction >>> 1]! - ofFirst;
    });
  }
}

function startingMsat({ graph, channels }: LabWorld): BigInt64Array {
  return BigInt64Array.from({ length: graph.channelCount }, (_, channel) =>
    channels.balanceMsat(2 * channel),
  );
}

function depletedShare(
  { channelCount, capacityMsat }: ChannelGraph,
  balanceMsat: (direction: number) => bigint,
): number {
  let depleted = 0;
  for (let channel = 0; channel < channelCount; channel++) {
    const twentieth = capacityMsat[channel]! / 20n;
    if (balanceMsat(2 * channel) < twentieth || balanceMsat(2 * channel + 1) < twentieth) depleted++;
  }
  return channelCount === 0 ? 0 : depleted / channelCount;
}
