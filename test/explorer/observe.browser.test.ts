/** The pages of beliefs, of fetches and of figures, and their use of memory. */
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser, soon } from './browser.ts';

const OPTIONS = ['--graph', 'synthetic:200', '--seed', '7'];

interface Offer {
  readonly kind: string;
  readonly bolt12: string;
}

describeInBrowser('the pages of what happened', OPTIONS, (bench) => {
  let offers: readonly Offer[];
  const offer = (kind: string): string => offers.find((one) => one.kind === kind)!.bolt12;

  beforeAll(async () => {
    const { daemon } = bench;
    ({ offers } = await daemon.result('listsimulatedoffers'));
    const { nodes } = await daemon.result('listnodes');
    for (const { nodeid } of nodes.slice(0, 5)) {
      await daemon.call('xkeysend', { destination: nodeid, amount_msat: '20000sat', retry_for: 0 });
    }
    await daemon.call('fetchinvoice', { offer: offer('any_amount'), amount_msat: 70_000 });
    await daemon.call('fetchinvoice', { offer: offer('refusing'), amount_msat: 70_000 });
  });

  test('beliefs are labelled bars, in the node’s order, and one has a history', () =>
    bench.on('beliefs', async (opened) => {
      const { page } = opened;
      const rows = page.locator('.virtual li');
      await rows.first().waitFor();
      const { beliefs, num_beliefs } = await bench.daemon.result('listbeliefs', { sort: 'widest' });
      await page.getByLabel('Order').selectOption('widest');
      const shown = (): Promise<string | null> => rows.first().locator('code').textContent();
      await soon(shown).toBe(beliefs[0].short_channel_id_dir);
      expect(await rows.first().getAttribute('aria-setsize')).toBe(String(num_beliefs));
      // The thick part ends at the minimum, on a bar whose 200 units represent the capacity.
      const { minimum_msat, capacity_msat } = beliefs[0];
      const known = Number(await rows.first().locator('.bounds-known').getAttribute('width'));
      expect(known).toBeCloseTo((200 * minimum_msat) / capacity_msat, 6);
      await rows.first().getByRole('button').click();
      await page.getByRole('heading', { name: `Channel ${beliefs[0].short_channel_id_dir}` }).waitFor();
      await page.getByRole('region', { name: 'Records of the channel, newest first' }).waitFor();
      expect(new URL(page.url()).searchParams.get('channel')).toBe(beliefs[0].short_channel_id_dir);
      expect(await opened.misfits()).toEqual([]);
    }));

  test('odds are counted in tenths, as the node lists them', () =>
    bench.on('calibration', async (opened) => {
      const { page } = opened;
      await page.getByRole('heading', { name: 'Predicted odds and actual outcomes' }).waitFor();
      const { odds } = await bench.daemon.result('listodds', {});
      const groups = page.getByRole('table', { name: 'The groups as a table' });
      await page.locator('summary', { hasText: 'The groups as a table' }).click();
      const rows = await groups.locator('tbody tr').all();
      const counts = await Promise.all(rows.map((row) => row.locator('td, th').nth(1).textContent()));
      const expected = Array.from(
        { length: 10 },
        (_, tenth) =>
          odds.filter(
            ({ probability_ppm }: { probability_ppm: number }) =>
              Math.min(9, Math.floor(probability_ppm / 100_000)) === tenth,
          ).length,
      );
      expect(counts.map(Number)).toEqual(expected);
      const arrived = odds.filter((one: { arrived: boolean }) => one.arrived).length;
      const share = await page
        .locator('.figures')
        .getByText('of all attempts arrived')
        .locator('..')
        .textContent();
      expect(Number.parseFloat(share!)).toBeCloseTo((100 * arrived) / odds.length, 0);
      expect(await opened.misfits()).toEqual([]);
    }));

  test('a fetch shows its steps, and the invoice beside the offer', () =>
    bench.on('fetch', async (opened) => {
      const { page } = opened;
      await page.getByRole('link', { name: '1', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: /^An invoice for 70\ssat arrived in/ }).waitFor();
      await page.getByText('answered', { exact: true }).waitFor();
      expect(await page.getByText('≠ differs').count()).toBe(0);
      expect(await opened.misfits()).toEqual([]);
    }));

  test('the form fetches with a permitting rune, and opens the result', async () => {
    const { rune } = await bench.daemon.result('createrune', { restrictions: [['method=fetchinvoice']] });
    await bench.on('fetch', async (opened) => {
      const { page } = opened;
      await page.getByRole('textbox', { name: /^Offer/ }).waitFor();
      expect(await opened.misfits()).toEqual([]);
      await page.getByRole('textbox', { name: /^Offer/ }).fill(offer('any_amount'));
      await page.getByLabel('Amount in sat').fill('80');
      await page.locator('.fetch-form input[name="rune"]').fill(rune);
      await page.getByRole('button', { name: 'Fetch', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: /^An invoice for 80\ssat arrived in/ }).waitFor();
    });
  });

  test('a refused fetch shows who refused, with the issuer’s text', () =>
    bench.on('fetch/2', async ({ page }) => {
      await page.getByRole('heading', { name: 'The issuer’s message' }).waitFor();
      const { fetches } = await bench.daemon.result('listfetches', { number: 2 });
      expect(await page.locator('blockquote').textContent()).toBe(fetches[0].failure.data.error);
      await page.getByText('Nothing was paid.').waitFor();
    }));

  test('figures come every second', () =>
    bench.on('metrics-view', async (opened) => {
      const { page } = opened;
      const searches = page.locator('.metric', { hasText: 'Memory of the node' }).locator('.metric-line');
      // Two samples are enough for a line.
      await soon(() => searches.last().getAttribute('d')).toMatch(/^M.*L/);
      expect(await opened.misfits()).toEqual([]);
    }));
});
