/**
 * Corrects predicted probabilities, based on the outcomes of earlier predictions: p' = σ(a · logit(p) + b), where a and
 * b are learned by online Newton steps of logistic regression (Platt 1999), starting at a = 1 and b = 0. Old
 * observations fade, so that the correction follows drift.
 */

/** Initial precision of the slope and of the offset. */
const FIRST_COUNT = 30;
/**
 * With each new observation, the weight of all earlier ones is multiplied by this factor, so that about 2,000 count.
 */
const FADING = 0.9995;
/** Logits are limited to ± this value, that is, predictions to 0.03 % … 99.97 %. */
const MAX_LOGIT = 8;
/** The slope is limited to this range, so that a series of surprises cannot reverse the order of predictions. */
const [MIN_SLOPE, MAX_SLOPE] = [0.2, 5];

/** The offset is limited to ± this value. Once it is reached, predictions are meaningless. */
const MAX_OFFSET = 8;

/** The state of a correction, in a form that can be written as JSON. */
export interface RecalibrationState {
  readonly slope: number;
  readonly offset: number;
  /** Entries of the symmetric precision matrix [[aa, ab], [ab, bb]]. */
  readonly precision: readonly [aa: number, ab: number, bb: number];
}

/** Whether a value is a state that `Recalibration` can have. */
export function isRecalibrationState(value: unknown): value is RecalibrationState {
  if (typeof value !== 'object' || value === null) return false;
  const { slope, offset, precision } = value as Partial<Record<keyof RecalibrationState, unknown>>;
  const isNumber = (each: unknown): boolean => typeof each === 'number' && Number.isFinite(each);
  if (!isNumber(slope) || (slope as number) < MIN_SLOPE || (slope as number) > MAX_SLOPE) return false;
  if (!isNumber(offset) || Math.abs(offset as number) > MAX_OFFSET) return false;
  return (
    Array.isArray(precision) && precision.length === 3 && precision.every(isNumber) && isPrecision(precision)
  );
}

/** Maximum entry of a precision matrix. Observations lead to some ten thousand at most. */
const MAX_PRECISION = 1e9;

/** Whether these are entries of a positive semidefinite matrix, except for rounding errors, and not too large. */
const isPrecision = ([aa, ab, bb]: readonly number[]): boolean =>
  Math.min(aa!, bb!) >= 0 && Math.max(aa!, bb!) <= MAX_PRECISION && ab! * ab! <= aa! * bb! * (1 + 1e-6);

/** Learns the correction from pairs of predicted probability and outcome. */
export class Recalibration {
  #slope = 1;
  #offset = 0;
  #aa = FIRST_COUNT;
  #ab = 0;
  #bb = FIRST_COUNT;

  /** The predicted chance after correction. */
  corrected(chance: number): number {
    return logistic(this.#slope * logit(chance) + this.#offset);
  }

  /** Learns from a prediction and its outcome. @param trust weight of the observation, 0 … 1 */
  observe(chance: number, hasArrived: boolean, trust = 1): void {
    const x = logit(chance);
    const expected = this.corrected(chance);
    const weight = trust * expected * (1 - expected);
    this.#aa = FADING * this.#aa + weight * x * x;
    this.#ab = FADING * this.#ab + weight * x;
    this.#bb = FADING * this.#bb + weight;
    const surprise = trust * ((hasArrived ? 1 : 0) - expected);
    const determinant = Math.max(1e-9, this.#aa * this.#bb - this.#ab * this.#ab);
    const slope = this.#slope + ((this.#bb * x - this.#ab) * surprise) / determinant;
    this.#slope = Math.min(MAX_SLOPE, Math.max(MIN_SLOPE, slope));
    const offset = this.#offset + ((this.#aa - this.#ab * x) * surprise) / determinant;
    this.#offset = Math.min(MAX_OFFSET, Math.max(-MAX_OFFSET, offset));
  }

  state(): RecalibrationState {
    return { slope: this.#slope, offset: this.#offset, precision: [this.#aa, this.#ab, this.#bb] };
  }

  /** Restores what `state` returned. */
  restore({ slope, offset, precision: [aa, ab, bb] }: RecalibrationState): void {
    this.#slope = slope;
    this.#offset = offset;
    this.#aa = aa;
    this.#ab = ab;
    this.#bb = bb;
  }
}

function logit(chance: number): number {
  const value = Math.log(chance / (1 - chance));
  return Math.min(MAX_LOGIT, Math.max(-MAX_LOGIT, value));
}

const logistic = (x: number): number => 1 / (1 + Math.exp(-x));
