/** Metrics of the process: nothing is sampled before the first scrape, which already contains all metrics. */
import perfHooks from 'node:perf_hooks';
import { afterEach, expect, test, vi } from 'vitest';
import { ProcessMetrics } from '../../src/metrics/index.ts';

afterEach(() => vi.restoreAllMocks());

test('sample the lag of the event loop from the first scrape on', async () => {
  const sampled = vi.spyOn(perfHooks, 'monitorEventLoopDelay');
  const metrics = new ProcessMetrics();
  expect(sampled).not.toHaveBeenCalled();
  const first = await metrics.text();
  const lag = Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(first)?.[1]);
  expect(lag).toBeGreaterThan(0);
  expect(lag).toBeLessThan(60);
  expect(first).toMatch(/^process_resident_memory_bytes \d+$/m);
  await metrics.text();
  expect(sampled).toHaveBeenCalledTimes(1);
  metrics.close();
});

test('a lag without samples is spelled as Prometheus spells it', async () => {
  const metrics = new ProcessMetrics();
  // The lag is sampled every 10 ms, so of several scrapes at once some have no sample.
  for (let scrape = 0; scrape < 6; scrape++) expect(await metrics.text()).not.toMatch(/ Nan$/m);
  metrics.close();
});
