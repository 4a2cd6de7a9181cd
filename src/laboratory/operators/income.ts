/**
 * Income and expenses of operators: fees earned by forwarding, minus fees paid to move liquidity between their own
 * channels. Sums are kept per day of simulated time, from which confidence intervals are computed (statistics.ts).
 */

import { msat } from '../../model/msat.ts';
import type { SettledForward } from '../../model/own-channel.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { PaymentOutcome } from '../payment-run.ts';
import { batchMeans, type Estimate } from '../results/statistics.ts';
import type { LabWorld } from '../truth/world.ts';

/** Length of a batch: a day in microseconds. */
const DAY_US = 86_400e6;

/** A forward of a node, and when it was settled. */
interface TimedForward extends SettledForward {
  readonly atUs: number;
}

/** The income of the operators of one world. Amounts are sums over all operators, in msat. */
export interface Income {
  readonly earnedMsat: bigint;
  readonly spentMsat: bigint;
  readonly netMsat: bigint;
  /** Amount moved between the operators' own channels. */
  readonly movedMsat: bigint;
  /** Net income of each complete day, or of the incomplete day if the run is shorter than a day. */
  readonly days: readonly number[];
  readonly netPerDay: Estimate;
}

/** Keeps the accounts of the operators of one world. */
export class IncomeBooks {
  readonly #world: LabWorld;
  readonly #forwards: ReadonlyMap<number, TimedForward[]>;
  readonly #netOfDay = new Map<number, number>();
  #earnedMsat = 0n;
  #spentMsat = 0n;
  #movedMsat = 0n;

  constructor(world: LabWorld, operators: readonly number[]) {
    this.#world = world;
    this.#forwards = new Map(operators.map((node) => [node, []]));
  }

  /** Records what operators forwarded and earned in the settled attempts of a payment. */
  forwarded({ order, attempts }: PaymentOutcome): void {
    const { graph } = this.#world;
    for (const { route, end, endedUs } of attempts) {
      if (end.kind !== 'settled') continue;
      const { directions, amountsMsat } = route;
      for (let hop = 1; hop < directions.length; hop++) {
        const node = this.#world.tail(directions[hop]!);
        const forwards = node === order.sender ? undefined : this.#forwards.get(node);
        if (forwards === undefined) continue;
        const scid = (direction: number): ShortChannelId =>
          graph.shortChannelIds[direction >>> 1]! as ShortChannelId;
        const [inMsat, outMsat] = [msat(amountsMsat[hop - 1]!), msat(amountsMsat[hop]!)];
        forwards.push({
          in: scid(directions[hop - 1]!),
          out: scid(directions[hop]!),
          inMsat,
          outMsat,
          atUs: endedUs,
        });
        this.#earnedMsat += inMsat - outMsat;
        this.#add(endedUs, inMsat - outMsat);
      }
    }
  }

  /** Records an amount that an operator moved between its own channels, and the fee that it paid for this. */
  moved(amountMsat: bigint, feeMsat: bigint): void {
    this.#movedMsat += amountMsat;
    this.#spentMsat += feeMsat;
    this.#add(this.#world.nowUs, -feeMsat);
  }

  forwardsSince(node: number, sinceUs: number): SettledForward[] {
    return this.#forwards.get(node)!.filter(({ atUs }) => atUs >= sinceUs);
  }

  /**
   * @param untilUs end of the last payment; the incomplete day at this time is excluded from the daily figures, unless
   *   it is the only day
   */
  income(untilUs: number): Income {
    const count = Math.max(1, Math.floor(untilUs / DAY_US));
    const days = Array.from({ length: count }, (_, day) => this.#netOfDay.get(day) ?? 0);
    return {
      earnedMsat: this.#earnedMsat,
      spentMsat: this.#spentMsat,
      netMsat: this.#earnedMsat - this.#spentMsat,
      movedMsat: this.#movedMsat,
      days,
      netPerDay: batchMeans(days),
    };
  }

  #add(atUs: number, gainMsat: bigint): void {
    const day = Math.floor(atUs / DAY_US);
    this.#netOfDay.set(day, (this.#netOfDay.get(day) ?? 0) + Number(gainMsat));
  }
}

/** The difference between the net incomes per day of two worlds: the second minus the first, paired day by day. */
export function incomeDifference(first: Income, second: Income): Estimate {
  const days = Math.min(first.days.length, second.days.length);
  return batchMeans(Array.from({ length: days }, (_, day) => second.days[day]! - first.days[day]!));
}
