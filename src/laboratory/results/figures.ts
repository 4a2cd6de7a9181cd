/**
 * Collects the data of each payment for a summary, in columns, and summarises it.
 *
 * Figures count payments that begin after the warm-up. Confidence intervals are computed as in statistics.ts, from
 * batches with equal numbers of payments in order of start time.
 */
import type { PaymentOutcome } from '../payment-run.ts';
import { PlayedRows } from './played-rows.ts';
import { batchMeans, type Estimate, quantileOf } from './statistics.ts';

/** How well the predicted probabilities matched the outcomes. */
export interface Calibration {
  /** Mean of (predicted − arrived)². */
  readonly brier: number;
  /**
   * Mean of −ln of the probability that was predicted for the actual outcome. Probabilities are limited to 1e-6 … 1 −
   * 1e-6.
   */
  readonly logLoss: number;
  /** The attempts or plans grouped by predicted probability, in steps of a tenth. */
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
  /** Percentiles of the time from the start to the end of completed payments, in microseconds. */
  readonly settleUs: { readonly p50: number; readonly p95: number; readonly p99: number };
  /** Liquidity locked by all attempts, in msat · s: the sum over hops of amount times duration. */
  readonly lockedMsatSeconds: number;
  readonly reasons: Readonly<Record<string, number>>;
  /**
   * `checked`: number of failed payments that were checked. `possible`: number of those that the network could have
   * carried when they ended.
   */
  readonly possible: { readonly possible: number; readonly checked: number };
  /** Calibration of the odds of single attempts, and of the odds of complete first plans. */
  readonly ofAttempts: Calibration;
  readonly ofPlans: Calibration;
}

const BINS = 10;
const MIN_CHANCE = 1e-6;

/** Sums of predicted probabilities and outcomes. */
class Odds {
  #count = 0;
  #brier = 0;
  #logLoss = 0;
  readonly #bins = Array.from({ length: BINS }, () => ({ stated: 0, arrived: 0, count: 0 }));

  add(probabilityPpm: number, hasArrived: boolean): void {
    const stated = probabilityPpm / 1e6;
    const kept = Math.min(1 - MIN_CHANCE, Math.max(MIN_CHANCE, stated));
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

/** Collects the figures of a router. */
export class FigureCollector {
  readonly #router: string;
  readonly #warmUpUs: number;
  readonly #batches: number;
  readonly #rows = new PlayedRows();
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

  /**
   * @param isPossible for a failed payment, whether the network could have carried it. Undefined if this was not
   *   checked
   */
  add(outcome: PaymentOutcome, isPossible: boolean | undefined): void {
    const { order, endedUs, attempts, feeMsat, firstProbabilityPpm } = outcome;
    if (order.startUs < this.#warmUpUs) return;
    const isComplete = outcome.outcome === 'complete';
    this.#rows.add({
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
    const rows = this.#rows;
    const all = rows.inOrder();
    const complete = all.filter((row) => rows.isComplete(row));
    const settle = Float64Array.from(complete, (row) => rows.settleUs(row)).sort();
    const succeeded = (row: number): number => Number(rows.isComplete(row));
    const amount = (row: number): number => rows.amountMsat(row);
    const one = (): number => 1;
    return {
      router: this.#router,
      payments: all.length,
      complete: complete.length,
      success: this.#estimate(all, succeeded, one, 1),
      successByAmount: this.#estimate(all, succeeded, amount, 1),
      attempts: this.#estimate(all, (row) => rows.attempts(row), one),
      feePpm: this.#estimate(complete, (row) => rows.feePpm(row), amount),
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

  /**
   * The weighted mean of all rows, with a confidence interval from the means of batches, limited to the values from 0 to
   * `most` that the mean can have.
   */
  #estimate(
    rows: Uint32Array,
    value: (row: number) => number,
    weight: (row: number) => number,
    most = Number.POSITIVE_INFINITY,
  ): Estimate {
    const size = Math.ceil(rows.length / this.#batches);
    const meanOf = (of: Uint32Array): number => {
      let [sum, total] = [0, 0];
      for (const row of of) {
        sum += value(row) * weight(row);
        total += weight(row);
      }
      return sum / total;
    };
    const means: number[] = [];
    for (let at = 0; at < rows.length; at += size) means.push(meanOf(rows.subarray(at, at + size)));
    const { mean, low, high } = batchMeans(means);
    const whole = meanOf(rows);
    return { mean: whole, low: Math.max(0, whole + low - mean), high: Math.min(most, whole + high - mean) };
  }

  /** The collected data of each payment. */
  get rows(): PlayedRows {
    return this.#rows;
  }
}

/** The rows of the same payment for two routers. */
type RowPair = readonly [first: number, second: number];

/** The difference between two routers on the same payments: the second minus the first. */
export interface PairedDifference {
  readonly first: string;
  readonly second: string;
  readonly success: Estimate;
  readonly attempts: Estimate;
  /** Difference of the fees in ppm, over payments that both routers completed. */
  readonly feePpm: Estimate;
  /** Number of payments that only the first router completed, and number of those that only the second completed. */
  readonly onlyFirst: number;
  readonly onlySecond: number;
  /** Difference of the operators' net income per day, in msat. Only with `network.operators`. */
  readonly netPerDay?: Estimate;
}

/**
 * Compares two routers that played the same traffic, payment by payment. The last batch may be smaller than the others.
 */
export function pairedDifference(
  [firstName, first]: readonly [string, FigureCollector],
  [secondName, second]: readonly [string, FigureCollector],
  batches: number,
): PairedDifference {
  const a = first.rows;
  const b = second.rows;
  const others = new Map(Array.from(b.inOrder(), (row) => [b.id(row), row]));
  const pairs = Array.from(a.inOrder()).flatMap((row): RowPair[] => {
    const other = others.get(a.id(row));
    return other === undefined ? [] : [[row, other]];
  });
  const mean = (of: readonly RowPair[], value: (rows: PlayedRows, row: number) => number): Estimate => {
    const size = Math.max(1, Math.ceil(of.length / batches));
    const means: number[] = [];
    for (let at = 0; at < of.length; at += size) {
      const batch = of.slice(at, at + size);
      const sum = batch.reduce((total, [one, other]) => total + value(b, other) - value(a, one), 0);
      means.push(sum / batch.length);
    }
    const whole = of.reduce((total, [one, other]) => total + value(b, other) - value(a, one), 0) / of.length;
    const { mean: ofBatches, low, high } = batchMeans(means);
    return { mean: whole, low: whole + low - ofBatches, high: whole + high - ofBatches };
  };
  const both = pairs.filter(([one, other]) => a.isComplete(one) && b.isComplete(other));
  return {
    first: firstName,
    second: secondName,
    success: mean(pairs, (rows, row) => Number(rows.isComplete(row))),
    attempts: mean(pairs, (rows, row) => rows.attempts(row)),
    feePpm: mean(both, (rows, row) => rows.feePpm(row)),
    onlyFirst: pairs.filter(([one, other]) => a.isComplete(one) && !b.isComplete(other)).length,
    onlySecond: pairs.filter(([one, other]) => !a.isComplete(one) && b.isComplete(other)).length,
  };
}
