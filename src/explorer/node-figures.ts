/**
 * Figures of a busy node: payments per second and success rate, computed from events, and the search time, from the
 * metrics.
 */
import type { StatsEventData } from './event-types.ts';

/** Number of seconds over which a rate is computed. An event with figures arrives once a second. */
const WINDOW = 10;

/** Rates over the last seconds. */
export class Rates {
  #stats: StatsEventData[] = [];

  add(stats: StatsEventData): void {
    this.#stats = [...this.#stats, stats].slice(-WINDOW - 1);
  }

  get last(): StatsEventData | undefined {
    return this.#stats.at(-1);
  }

  /** Payments finished per second. Undefined until two events have arrived. */
  get paymentsPerSecond(): number | undefined {
    const [first, last] = [this.#stats[0], this.#stats.at(-1)];
    if (first === undefined || last === undefined || last.time <= first.time) return undefined;
    return (endedOf(last) - endedOf(first)) / (last.time - first.time);
  }

  /** Share of finished payments that arrived, since the node started. Undefined without payments. */
  get successShare(): number | undefined {
    const last = this.last;
    if (last === undefined || endedOf(last) === 0) return undefined;
    return last.payments_complete / endedOf(last);
  }
}

const endedOf = ({ payments_complete: complete, payments_failed: failed }: StatsEventData): number =>
  complete + failed;

/**
 * The median of a histogram, over all its label sets, in seconds. `metrics` is in the text format of Prometheus. Values
 * are assumed to be evenly distributed within a bucket. Undefined without values.
 */
export function medianOf(metrics: string, family: string): number | undefined {
  const cumulative = new Map<number, number>();
  for (const [, labels = '', count] of metrics.matchAll(
    new RegExp(`^${family}_bucket\\{([^}]*)\\} (\\d+)`, 'gm'),
  )) {
    const bound = /le="([^"]+)"/.exec(labels)?.[1] ?? '';
    const limit = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
    cumulative.set(limit, (cumulative.get(limit) ?? 0) + Number(count));
  }
  const buckets = [...cumulative].sort(([a], [b]) => a - b);
  const all = buckets.at(-1)?.[1] ?? 0;
  if (all === 0) return undefined;
  let [below, counted] = [0, 0];
  for (const [limit, count] of buckets) {
    if (count >= all / 2) {
      if (limit === Number.POSITIVE_INFINITY) return below;
      return below + ((limit - below) * (all / 2 - counted)) / (count - counted);
    }
    [below, counted] = [limit, count];
  }
  return undefined;
}
