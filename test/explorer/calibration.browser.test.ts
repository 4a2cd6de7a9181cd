/** The page of stated odds: a node that promises too much is told at a glance. */
import { expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';

const OPTIONS = ['--graph', 'synthetic:150', '--seed', '7'];
/** A verdict needs 50 attempts. */
const PAYMENTS = 75;

describeInBrowser('the page of odds', OPTIONS, (bench) => {
  test('says that nothing can be said of no attempts', () =>
    bench.on('calibration', async ({ page }) => {
      await page.getByRole('heading', { level: 1, name: 'Too few attempts to say' }).waitFor();
      expect(await page.locator('svg.plot').count()).toBe(0);
    }));

  test('a layer that says more than is true makes odds that are too high, and the page says so', async () => {
    await expectTheWorst();
    await bench.on('calibration', async (opened) => {
      const { page } = opened;
      await page.getByRole('heading', { level: 1, name: 'The stated odds are too high' }).waitFor();
      expect(await page.title()).toContain('too high');
      const crosses = await page.locator('svg.plot .plot-dot.wrong').count();
      expect(crosses).toBeGreaterThan(0);
      // A dot that is too low in the picture stands below the line: its share is smaller than its odds.
      const circle = page.locator('svg.plot .plot-dot.wrong circle').last();
      const [cx, cy] = await Promise.all([circle.getAttribute('cx'), circle.getAttribute('cy')]);
      const line = (await page.locator('.plot-true').getAttribute('d'))!.match(/[\d.]+/g)!.map(Number);
      const [x0, y0, x1, y1] = line as [number, number, number, number];
      expect(Number(cy)).toBeGreaterThan(y0 + ((Number(cx) - x0) / (x1 - x0)) * (y1 - y0));
      await page.locator('details.twin summary').click();
      const rows = await page.locator('details.twin tbody tr').allTextContents();
      expect(rows).toHaveLength(10);
      expect(await opened.misfits()).toEqual([]);
    });
  });

  /** Pays much to many, with a layer that says of every channel that all its money is on either side. */
  async function expectTheWorst(): Promise<void> {
    const { daemon } = bench;
    await daemon.result('askrene-create-layer', { layer: 'lies' });
    const { channels } = await daemon.result('listchannels');
    interface Channel {
      readonly short_channel_id: string;
      readonly direction: number;
      readonly amount_msat: number;
    }
    await Promise.all(
      channels.map(({ short_channel_id, direction, amount_msat }: Channel) => {
        const short_channel_id_dir = `${short_channel_id}/${direction}`;
        const lie = { layer: 'lies', short_channel_id_dir, amount_msat, inform: 'unconstrained' };
        return daemon.result('askrene-inform-channel', lie);
      }),
    );
    // A third of the largest channel of its recipient mostly fits into one part.
    const largest = new Map<string, number>();
    for (const { destination, amount_msat } of channels) {
      largest.set(destination, Math.max(largest.get(destination) ?? 0, Math.min(amount_msat, 3_000_000_000)));
    }
    for (const [destination, capacity] of [...largest].slice(0, PAYMENTS)) {
      const payment = { destination, amount_msat: Math.floor(capacity / 3), retry_for: 0, layers: ['lies'] };
      // Nobody waits for the answer: a part whose other parts fail comes back only after a minute.
      daemon.call('xkeysend', payment).catch(() => undefined);
    }
    await expect
      .poll(async () => (await daemon.result('listodds')).odds.length, { timeout: 60_000 })
      .toBeGreaterThan(59);
  }
});
