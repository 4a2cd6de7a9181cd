/** The page of predicted odds: an overconfident node is recognisable at a glance. */
import { expect, test } from 'vitest';
import { describeInBrowser } from '../browser.ts';

const OPTIONS = ['--graph', 'synthetic:150', '--seed', '7'];
const BUCKETS = 10;
const ATTEMPTS_PER_BUCKET = 40;

/**
 * Attempts of which half as many arrived as predicted. These are made up, because the daemon's own
 * predictions adapt.
 */
function twiceTooHigh() {
  return Array.from({ length: BUCKETS * ATTEMPTS_PER_BUCKET }, (_, index) => {
    const predicted = ((index % BUCKETS) + 0.5) / BUCKETS;
    const arrived = Math.floor(index / BUCKETS) < (ATTEMPTS_PER_BUCKET * predicted) / 2;
    return {
      id: index + 1,
      created_at: 1_795_000_000 + index,
      amount_msat: 1000,
      probability_ppm: Math.round(1e6 * predicted),
      // Half of the corrected odds, so the odds were true before the correction.
      uncorrected_ppm: Math.round(5e5 * predicted),
      hops: 2,
      arrived,
    };
  });
}

describeInBrowser('the page of odds', OPTIONS, (bench) => {
  test('reports that there is no verdict without attempts', () =>
    bench.on('calibration', async ({ page }) => {
      await page.getByRole('heading', { level: 1, name: 'Too few attempts to say' }).waitFor();
      expect(await page.locator('svg.plot').count()).toBe(0);
    }));

  test('odds that are too high are reported at the top', async () => {
    await bench.on('calibration', async (opened) => {
      const { page } = opened;
      await page.route('**/rpc', async (route) => {
        const { id, method } = route.request().postDataJSON();
        if (method !== 'listodds') await route.fallback();
        else await route.fulfill({ json: { jsonrpc: '2.0', id, result: { odds: twiceTooHigh() } } });
      });
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'The predicted odds are too high' }).waitFor();
      expect(await page.title()).toContain('too high');
      const crosses = await page.locator('svg.plot .plot-dot.wrong').count();
      expect(crosses).toBeGreaterThan(0);
      // A dot below the line has a share that is smaller than its odds.
      const circle = page.locator('svg.plot .plot-dot.wrong circle').last();
      const [cx, cy] = await Promise.all([circle.getAttribute('cx'), circle.getAttribute('cy')]);
      const line = (await page.locator('.plot-true').getAttribute('d'))!.match(/[\d.]+/g)!.map(Number);
      const [x0, y0, x1, y1] = line as [number, number, number, number];
      expect(Number(cy)).toBeGreaterThan(y0 + ((Number(cx) - x0) / (x1 - x0)) * (y1 - y0));
      await page.locator('details.twin summary').first().click();
      const rows = await page.locator('details.twin').first().locator('tbody tr').allTextContents();
      expect(rows).toHaveLength(10);
      const corrected = page.getByRole('table', { name: 'Before and after the correction' });
      const [before, after] = await corrected.locator('tbody tr').allInnerTexts();
      expect(before).toMatch(/before\s+400\s+25\s%\s+25\s%/);
      expect(after).toMatch(/after, as predicted\s+400\s+50\s%\s+25\s%/);
      expect(await opened.misfits()).toEqual([]);
    });
  });
});
