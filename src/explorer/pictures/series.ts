/**
 * Samples of some figures over time, in fixed memory: new samples overwrite the oldest. Lines are interrupted at gaps
 * in time, such as a lost connection.
 */

/** Number of samples kept: a quarter of an hour at one sample per second. */
export const KEPT_SAMPLES = 900;
/** A time between samples longer than this many seconds is a gap. */
const GAP_S = 3;

/** Keeps recent samples of named figures. */
export class Samples<N extends string> {
  readonly #capacity: number;
  readonly #times: Float64Array;
  readonly #values: Readonly<Record<N, Float64Array>>;
  #count = 0;

  constructor(names: readonly N[], capacity = KEPT_SAMPLES) {
    this.#capacity = capacity;
    this.#times = new Float64Array(capacity);
    const columns = names.map((name) => [name, new Float64Array(capacity)] as const);
    this.#values = Object.fromEntries(columns) as unknown as Record<N, Float64Array>;
  }

  get size(): number {
    return Math.min(this.#count, this.#capacity);
  }

  /**
   * Adds a sample. `time` is in seconds. Unknown figures are NaN. A sample that is not later than the last one is
   * ignored.
   */
  add(time: number, values: Readonly<Record<N, number>>): void {
    if (this.size > 0 && time <= this.timeAt(this.size - 1)) return;
    const place = this.#count++ % this.#capacity;
    this.#times[place] = time;
    for (const name of Object.keys(this.#values) as N[]) this.#values[name][place] = values[name];
  }

  /** The time of a sample in seconds. Index 0 is the oldest sample. */
  timeAt(index: number): number {
    return this.#times[this.#placeOf(index)]!;
  }

  /** The value of a figure in a sample. Index 0 is the oldest sample. */
  valueAt(name: N, index: number): number {
    return this.#values[name][this.#placeOf(index)]!;
  }

  /** The value of a figure in the latest sample. NaN if it is unknown. */
  last(name: N): number {
    return this.size === 0 ? Number.NaN : this.valueAt(name, this.size - 1);
  }

  /** The largest known value of these figures. 0 if there is none. */
  largest(names: readonly N[]): number {
    let most = 0;
    for (const name of names) {
      for (let index = 0; index < this.size; index++) {
        const value = this.valueAt(name, index);
        if (value > most) most = value;
      }
    }
    return most;
  }

  /**
   * The line of a figure as an SVG path. Times from `from` to `to` are mapped to x from 0 to `width`, and values from 0
   * to `most` to y from `height` up to 0. Coordinates have one decimal.
   */
  path(name: N, { from, to, most, width, height }: PlotFrame): string {
    let [text, isDown] = ['', false];
    let before = Number.NEGATIVE_INFINITY;
    for (let index = 0; index < this.size; index++) {
      const time = this.timeAt(index);
      const value = this.valueAt(name, index);
      if (time < from || Number.isNaN(value)) {
        isDown = false;
        continue;
      }
      if (time - before > GAP_S) isDown = false;
      before = time;
      const x = (((time - from) / (to - from)) * width).toFixed(1);
      const y = (height - (Math.min(value, most) / (most || 1)) * height).toFixed(1);
      text += `${isDown ? 'L' : 'M'}${x} ${y}`;
      isDown = true;
    }
    return text;
  }

  #placeOf(index: number): number {
    return this.#count <= this.#capacity ? index : (this.#count + index) % this.#capacity;
  }
}

/** The area in which a line is drawn. */
export interface PlotFrame {
  readonly from: number;
  readonly to: number;
  readonly most: number;
  readonly width: number;
  readonly height: number;
}
