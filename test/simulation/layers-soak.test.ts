/**
 * The soak test of layers, for SOAK_SECONDS (default 5). There must be no error and no memory growth. At the
 * end the node, its disk and its workers must agree with the model.
 */
import { expect, it } from 'vitest';
import { type SoakResult, soakLayers } from './layers-soak.ts';

/**
 * In five seconds some 6,000 requests arrive between the two compared readings. So the test notices a growth
 * of 2 kB per request. A longer run notices less growth per request.
 */
const SECONDS = Number(process.env.SOAK_SECONDS ?? 5);
/** Noise in the memory readings: code being compiled, and requests in progress. */
const SLACK_BYTES = 12 * 1024 * 1024;

it(
  'a node serves 50 clients for any length of time',
  async () => {
    const result = await soakLayers(SECONDS, 1, SECONDS > 30 ? say : undefined);
    report(result);
    expect(result.errors).toEqual([]);
    expect(result.workersReplaced).toBe(0);
    expect(result.routesFound).toBeGreaterThan(0);
    expect(result.layers.node).toBe(result.layers.model);
    expect(result.persistent.disk).toBe(result.persistent.model);
    expect(result.answers.node).toEqual(result.answers.model);
    for (const bytes of [result.heapBytes, result.kernelBytes]) {
      const [warm, end] = [bytes.slice(5, 10), bytes.slice(-5)];
      expect(Math.min(...end)).toBeLessThan(Math.max(...warm) + SLACK_BYTES);
    }
  },
  (SECONDS + 60) * 1000,
);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function report({
  seconds,
  mutations,
  queries,
  routesFound,
  listings,
  heapBytes,
  kernelBytes,
}: SoakResult): void {
  const megabytes = (bytes: readonly number[]) =>
    bytes.map((value) => Math.round(value / 1e5) / 10).join(' ');
  say(
    `${seconds.toFixed(0)} s: ${mutations} mutations, ${queries} queries (${routesFound} found routes), ${listings} listings\n` +
      `heap MB: ${megabytes(heapBytes)}\nkernels MB: ${megabytes(kernelBytes)}`,
  );
}
