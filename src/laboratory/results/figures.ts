/**
 * Gathers what a summary needs of each payment, in columns, and sums it up.
 *
 * Figures count payments that begin after the warm-up. Intervals are those of statistics.ts, over batches of equal
 * numbers of payments by start time.
 */
import type { PaymentOutcome } from '../payment-run.ts';
import { batchMeans, type Estimate, quantileOf } from './statistics.ts';

/** How well stated odds held. */
export interface Calibration {
  /** Mean of (stated − arrived)². */
  readonly brier: number;
  /** Mean of −ln of the stated chance of what happened, stated chances kept within 1e-6 … 1 − 1e-6. */
  readonly logLoss: number;
  /** By tenths of the stated chance. */
  readonly bins: readonly { readonly stated: number; readonly arrived: number; readonly count: number }[];
}

/** The summary of one router. */
export interface RouterFigures {
  readonly router: string;
  readonly payments: number;
  readonly complete: number;
  readonly success: Estimate;
  /** Share of the amount that arrived. */
  readonly successByAmount: Estimate;
  readonly attempts: Estimate;
  /** Fees of completed payments, in ppm of their amounts. */
  readonly feePpm: Estimate;
  readonly feeMsat: bigint;
  readonly deliveredMsat: bigint;
  /** Time from start to end of completed payments. */
  readonly settleUs: { readonly p50: number; readonly p95: number; readonly p99: number };
  /** Liquidity locked by all attempts, in msat · s: the sum over hops of amount times duration. */
  readonly lockedMsatSeconds: number;
  readonly reasons: Readonly<Record<string, number>>;
  /** Of failed payments: how many the network could have carried when they ended, of how many that were checked. */
  readonly possible: { readonly possible: number; readonly checked: number };
  /** Odds of single attempts, and of whole first plans. */
  readonly ofAttempts: Calibration;
  readonly ofPlans: Calibration;
}

const BINS = 10;
const LEAST_CHANCE = 1e-6;

/** Sums of stated chances and outcomes. */
class Odds {
  #count = 0;
  #brier = 0;
  #logLoss = 0;
  readonly #bins = Array.from({ length: BINS }, () => ({ stated: 0, arrived: 0, count: 0 }));

  add(probabilityPpm: number, hasArrived: boolean): void {
    const stated = probabilityPpm / 1e6;
    const kept = Math.min(1 - LEAST_CHANCE, Math.max(LEAST_CHANCE, stated));
    this.#count++;
    this.#brier += (stated - (hasArrived ? 1 : 0)) ** 2;
    this.#logLoss -= Math.log(hasArrived ? kept : 1 - kept);
    const bin = this.#bins[Math.min(BINS - 1, Math.floor(stated * BINS))]!;
    bin.count++;
    bin.stated += stated;
    if (hasArrived) bin.arrived++;
  }

  calibration(): Calibration {
    return {
      brier: this.#brier / this.#count,
      logLoss: this.#logLoss / this.#count,
      bins: this.#bins.map(({ stated, arrived, count }) => ({
        stated: stated / count,
        arrived: arrived / count,
        count,
      })),
    };
  }
}

/** One payment as the summary keeps it. */
interface Row {
  readonly id: number;
  readonly isComplete: boolean;
  readonly amountMsat: number;
  readonly feeMsat: number;
  readonly attempts: number;
  readonly settleUs: number;
}

/** Gathers the figures of one router. */
export class FigureKeeper {
  readonly #router: string;
  readonly #warmUpUs: number;
  readonly #batches: number;
  readonly #rows: Row[] = [];
  readonly #reasons: Record<string, number> = {};
  readonly #attemptOdds = new Odds();
  readonly #planOdds = new Odds();
  #feeMsat = 0n;
  #deliveredMsat = 0n;
  #lockedMsatSeconds = 0;
  #possible = 0;
  #checked = 0;

  constructor(router: string, warmUpUs: number, batches: number) {
    this.#router = router;
    this.#warmUpUs = warmUpUs;
    this.#batches = batches;
  }

  /** @param isPossible of a failed payment: whether the network could carry it. Undefined where nobody looked. */
  add(outcome: PaymentOutcome, isPossible: boolean | undefined): void {
    const { order, endedUs, attempts, feeMsat, firstProbabilityPpm } = outcome;
    if (order.startUs < this.#warmUpUs) return;
    const isComplete = outcome.outcome === 'complete';
    this.#rows.push({
      id: order.id,
      isComplete,
      amountMsat: Number(order.amountMsat),
      feeMsat: Number(feeMsat),
      attempts: attempts.length,
      settleUs: endedUs - order.startUs,
    });
    if (isComplete) {
      this.#feeMsat += feeMsat;
      this.#deliveredMsat += order.amountMsat;
    } else this.#reasons[outcome.outcome] = (this.#reasons[outcome.outcome] ?? 0) + 1;
    if (isPossible !== undefined) this.#checked++;
    if (isPossible === true) this.#possible++;
    this.#addAttempts(outcome);
    if (firstProbabilityPpm !== undefined && attempts.length > 0) {
      this.#planOdds.add(
        firstProbabilityPpm,
        isComplete && attempts.every(({ end }) => end.kind === 'settled'),
      );
    }
  }

  #addAttempts({ attempts }: PaymentOutcome): void {
    for (const { route, sentUs, endedUs, end } of attempts) {
      const hops = end.kind === 'settled' ? route.directions.length : end.index;
      const lockedMsat = route.amountsMsat.slice(0, hops).reduce((sum, amount) => sum + Number(amount), 0);
      this.#lockedMsatSeconds += (lockedMsat * (endedUs - sentUs)) / 1e6;
      if (route.probabilityPpm !== undefined)
        this.#attemptOdds.add(route.probabilityPpm, end.kind === 'settled');
    }
  }

  figures(): RouterFigures {
    const rows = this.#rows.sort((a, b) => a.id - b.id);
    const complete = rows.filter(({ isComplete }) => isComplete);
    const settle = Float64Array.from(complete, ({ settleUs }) => settleUs).sort();
    const over = (of: readonly Row[], value: (row: Row) => number, weight: (row: Row) => number): Estimate =>
      this.#estimate(of, value, weight);
    const one = (): number => 1;
    return {
      router: this.#router,
      payments: rows.length,
      complete: complete.length,
      success: over(rows, ({ isComplete }) => Number(isComplete), one),
      successByAmount: over(
        rows,
        ({ isComplete }) => Number(isComplete),
        ({ amountMsat }) => amountMsat,
      ),
      attempts: over(rows, ({ attempts }) => attempts, one),
      feePpm: over(
        complete,
        ({ feeMsat, amountMsat }) => (1e6 * feeMsat) / amountMsat,
        ({ amountMsat }) => amountMsat,
      ),
      feeMsat: this.#feeMsat,
      deliveredMsat: this.#deliveredMsat,
      settleUs: {
        p50: quantileOf(settle, 0.5),
        p95: quantileOf(settle, 0.95),
        p99: quantileOf(settle, 0.99),
      },
      lockedMsatSeconds: this.#lockedMsatSeconds,
      reasons: this.#reasons,
      possible: { possible: this.#possible, checked: this.#checked },
      ofAttempts: this.#attemptOdds.calibration(),
      ofPlans: this.#planOdds.calibration(),
    };
  }

  /** A weighted mean with its interval over batches. The mean is that of all rows. */
  #estimate(rows: readonly Row[], value: (row: Row) => number, weight: (row: Row) => number): Estimate {
    const size = Math.ceil(rows.length / this.#batches);
    const meanOf = (of: readonly Row[]): number => {
      let [sum, total] = [0, 0];
      for (const row of of) {
        sum += value(row) * weight(row);
        total += weight(row);
      }
      return sum / total;
    };
    const means: number[] = [];
    for (let at = 0; at < rows.length; at += size) means.push(meanOf(rows.slice(at, at + size)));
    const { mean, low, high } = batchMeans(means);
    const whole = meanOf(rows);
    return { mean: whole, low: whole + low - mean, high: whole + high - mean };
  }

  /** The rows in the order of payments, for comparisons in pairs. */
  get rows(): readonly Row[] {
    return this.#rows;
  }
}

/** The difference of two routers on the same payments: second minus first. */
export interface PairedDifference {
  readonly first: string;
  readonly second: string;
  readonly success: Estimate;
  readonly attempts: Estimate;
  /** Over payments that both completed. */
  readonly feePpm: Estimate;
  /** Payments that one completed and the other did not. */
  readonly onlyFirst: number;
  readonly onlySecond: number;
}

/** Compares two routers payment by payment. Both played the same traffic. */
export function pairedDifference(
  [firstName, first]: readonly [string, FigureKeeper],
  [secondName, second]: readonly [string, FigureKeeper],
  batches: number,
): PairedDifference {
  const others = new Map(second.rows.map((row) => [row.id, row]));
  const pairs = first.rows.flatMap((row): [Row, Row][] => {
    const other = others.get(row.id);
    return other === undefined ? [] : [[row, other]];
  });
  const mean = (of: readonly [Row, Row][], value: (row: Row) => number): Estimate => {
    const size = Math.max(1, Math.ceil(of.length / batches));
    const means: number[] = [];
    for (let at = 0; at < of.length; at += size) {
      const batch = of.slice(at, at + size);
      means.push(batch.reduce((sum, [a, b]) => sum + value(b) - value(a), 0) / batch.length);
    }
    return batchMeans(means);
  };
  const both = pairs.filter(([a, b]) => a.isComplete && b.isComplete);
  return {
    first: firstName,
    second: secondName,
    success: mean(pairs, ({ isComplete }) => Number(isComplete)),
    attempts: mean(pairs, ({ attempts }) => attempts),
    feePpm: mean(both, ({ feeMsat, amountMsat }) => (1e6 * feeMsat) / amountMsat),
    onlyFirst: pairs.filter(([a, b]) => a.isComplete && !b.isComplete).length,
    onlySecond: pairs.filter(([a, b]) => !a.isComplete && b.isComplete).length,
  };
}
