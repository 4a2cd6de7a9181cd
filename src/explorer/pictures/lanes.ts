/**
 * A payment over time: one lane for each attempt, from its start to its end, and the state of each attempt at any
 * moment. Times are milliseconds after the payment began.
 */

/** The data of an attempt that its lane and the sums (`spreadAt`) need. Times are UNIX seconds. */
export interface LaneAttempt {
  readonly status: 'pending' | 'complete' | 'failed';
  readonly created_at: number;
  readonly completed_at?: number | undefined;
  readonly amount_msat: number | bigint;
}

/** The lane of an attempt. */
export interface AttemptLane {
  readonly startMs: number;
  /** Undefined while the attempt is in progress. */
  readonly endMs: number | undefined;
  readonly end: 'pending' | 'complete' | 'failed';
}

/** The lanes of a payment in the order of its attempts. */
export function lanesOf(beganAt: number, attempts: readonly LaneAttempt[]): AttemptLane[] {
  const after = (time: number): number => Math.max(0, Math.round((time - beganAt) * 1000));
  return attempts.map(({ created_at, completed_at, status }) => {
    const startMs = after(created_at);
    const endMs =
      status === 'pending' || completed_at === undefined ? undefined : Math.max(startMs, after(completed_at));
    return { startMs, endMs, end: status };
  });
}

/** The state of an attempt at a moment. `future`: it has not begun. */
export type LaneState = 'future' | 'pending' | 'complete' | 'failed';

/** The state of a lane at a moment. */
export function stateAt({ startMs, endMs, end }: AttemptLane, atMs: number): LaneState {
  if (atMs < startMs) return 'future';
  return endMs === undefined || atMs < endMs ? 'pending' : end;
}

/** The moments at which any attempt changes its state, in order and without duplicates. */
export function momentsOf(lanes: readonly AttemptLane[]): number[] {
  const all = lanes.flatMap(({ startMs, endMs }) => (endMs === undefined ? [startMs] : [startMs, endMs]));
  return [...new Set(all)].sort((a, b) => a - b);
}

/** The amounts of a payment by state at a moment, in msat. Failed attempts do not count. */
export interface Spread {
  readonly arrivedMsat: bigint;
  readonly inFlightMsat: bigint;
}

/** The amounts that have arrived and that are in flight at a moment. */
export function spreadAt(
  lanes: readonly AttemptLane[],
  attempts: readonly LaneAttempt[],
  atMs: number,
): Spread {
  const sum = (wanted: LaneState): bigint =>
    attempts.reduce(
      (total, { amount_msat }, index) =>
        stateAt(lanes[index]!, atMs) === wanted ? total + BigInt(amount_msat) : total,
      0n,
    );
  return { arrivedMsat: sum('complete'), inFlightMsat: sum('pending') };
}

/** A round step for an axis of this length, with at most `most` steps: 1, 2 or 5 times a power of ten. */
export function roundStep(length: number, most: number): number {
  if (!(length > 0)) return 1;
  const least = length / most;
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
}

/** The marks of an axis from 0 to `length`. */
export function axisMarks(length: number, most = 5): number[] {
  const step = roundStep(length, most);
  return Array.from({ length: Math.floor(length / step + 1e-9) + 1 }, (_, index) => index * step);
}
