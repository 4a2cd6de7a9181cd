/**
 * Metrics of the process itself: memory, processor time, garbage collection, and lag of the event loop.
 *
 * The lag is sampled a hundred times per second, which takes 0.4 % of a processor even when the process is idle. So
 * sampling starts with the first scrape.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Registry } from 'prom-client';

/** How long the first scrape waits, in milliseconds, so that it includes some samples of the lag. */
const FIRST_SAMPLES_MS = 50;

/** Measures the process from the first scrape on. */
export class ProcessMetrics {
  #registry: Registry | undefined;

  /** The metrics in Prometheus's text format. */
  async text(): Promise<string> {
    if (this.#registry === undefined) {
      this.#registry = new Registry();
      collectDefaultMetrics({ register: this.#registry });
      await sleep(FIRST_SAMPLES_MS);
    }
    // prom-client spells it wrong. A lag is not a number if it was not sampled since the last scrape.
    return (await this.#registry.metrics()).replaceAll(/ Nan$/gm, ' NaN');
  }

  close(): void {
    this.#registry?.clear();
  }
}
