/**
 * The pages of layers: the sizes of layers, the entries of a large one, and the effect of a layer on an
 * answer.
 */
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser, soon } from './browser.ts';

const OPTIONS = ['--graph', 'synthetic:100', '--seed', '7'];
const AMOUNT = 50_000_000;

interface Hop {
  readonly short_channel_id_dir: string;
}

describeInBrowser('the pages of layers', OPTIONS, (bench) => {
  let destination: string;
  /** The route without a layer, and the hop of that route that the layer `shut` disables. */
  let path: readonly Hop[];
  let shut: string;

  beforeAll(async () => {
    const { daemon } = bench;
    const { id } = await daemon.result('getinfo');
    const { nodes } = await daemon.result('listnodes');
    for (const { nodeid } of nodes) {
      const { result } = await daemon.call('getroutes', {
        source: id,
        destination: nodeid,
        amount_msat: AMOUNT,
        layers: ['auto.localchans', 'auto.sourcefree'],
        maxfee_msat: AMOUNT / 20,
        final_cltv: 18,
      });
      [destination, path] = [nodeid, result?.routes[0]?.path ?? []];
      if (path.length >= 4 && result?.routes.length === 1) break;
    }
    shut = path[1]!.short_channel_id_dir;
    await daemon.result('askrene-create-layer', { layer: 'shut' });
    await daemon.result('askrene-update-channel', {
      layer: 'shut',
      short_channel_id_dir: shut,
      enabled: false,
    });
    await daemon.result('askrene-create-layer', { layer: '<b>\u202eodd' });
  });

  test('lists layers by size, with hostile names as text', () =>
    bench.on('layers', async (opened) => {
      const { page } = opened;
      await page.getByRole('heading', { level: 1, name: /^\d\slayers$/ }).waitFor();
      await page.getByRole('link', { name: '<b>\u25a1odd' }).waitFor();
      const { layers } = await bench.daemon.result('listlayers');
      expect(await page.getByRole('region', { name: 'All layers' }).locator('tbody tr').count()).toBe(
        layers.length,
      );
      expect(await opened.misfits()).toEqual([]);
      // Each layer has its own page, and the back button leads to the list.
      await page.getByRole('link', { name: 'shut' }).click();
      await page.getByRole('heading', { level: 1, name: 'Layer shut' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: /^\d\slayers$/ }).waitFor();
    }));

  test('overlays both answers, and names the entry that made the difference', () =>
    bench.on(`layers/shut`, async (opened) => {
      const { page } = opened;
      await page.getByLabel('To', { exact: true }).fill(destination);
      await page.getByLabel('Amount').fill('50 000 sat');
      expect(await page.getByLabel('B names shut').isChecked()).toBe(true);
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByText(/^The answer changes|^Under B there is no route/).waitFor();
      const { before, after } = await bench.daemon.result('askrene-difflayers', {
        source: (await bench.daemon.result('getinfo')).id,
        destination,
        amount_msat: AMOUNT,
        layers: ['auto.localchans', 'auto.sourcefree'],
        compare_layers: ['auto.localchans', 'auto.sourcefree', 'shut'],
        maxfee_msat: AMOUNT / 20,
        final_cltv: 18,
      });
      const channels = (side: { routes?: { path: Hop[] }[] }): string[] =>
        (side.routes ?? []).flatMap((route) => route.path.map((hop) => hop.short_channel_id_dir));
      const drawn = async (usage: string): Promise<string[]> =>
        (await page.locator(`svg.overlay path.${usage} title`).allTextContents()).sort();
      const [a, b] = [new Set(channels(before)), new Set(channels(after))];
      expect(await drawn('before')).toEqual([...a].filter((one) => !b.has(one)).sort());
      expect(await drawn('after')).toEqual([...b].filter((one) => !a.has(one)).sort());
      expect(await drawn('before')).toContain(shut);
      const cause = page.getByRole('region', { name: 'Entries that may be the cause' }).locator('tbody tr');
      expect(await cause.allTextContents()).toEqual([`shutterms changed${shut}off`]);
      expect(await opened.misfits()).toEqual([]);
    }));

  test('accepts an alias as node, refuses an unknown one, and keeps the chosen layers', () =>
    bench.on('layers', async ({ page }) => {
      const { nodes } = await bench.daemon.result('listnodes', { id: destination });
      await page.getByLabel('B names shut').check();
      await page.getByLabel('Amount').fill('50 000 sat');
      const to = page.getByLabel('To', { exact: true });
      await to.fill('nobody is called so');
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByRole('alert').getByText('No node has this alias or id').waitFor();
      await to.fill(nodes[0].alias);
      await page.getByRole('option').first().waitFor();
      await to.press('Enter');
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByText(/^The answer changes|^Under B there is no route/).waitFor();
      const query = new URL(page.url()).searchParams;
      expect([query.get('to'), query.get('b')]).toEqual([destination, 'shut']);
      // A colleague who opens the address sees the alias too.
      await page.reload();
      await soon(() => to.inputValue()).toBe(nodes[0].alias);
    }));

  test('a hundred thousand entries are drawn as a few dozen rows, and can be scrolled to the end', () =>
    bench.on('', async (opened) => {
      const { page } = opened;
      await page.route('**/rpc', async (route) => {
        const { id, method } = route.request().postDataJSON();
        if (method !== 'askrene-listlayers') return route.continue();
        // A made-up answer for a layer of 100,000 entries, because filling a real one would take half a minute.
        const constraints = Array.from({ length: 100_000 }, (_, index) => ({
          short_channel_id_dir: `${500_000 + index}x1x0/1`,
          timestamp: 1_700_000_000,
          maximum_msat: 1000 * index,
        }));
        const none = {
          created_channels: [],
          channel_updates: [],
          biases: [],
          node_biases: [],
          disabled_nodes: [],
        };
        const layers = [{ layer: 'shut', persistent: false, constraints, ...none }];
        return route.fulfill({ json: { jsonrpc: '2.0', id, result: { layers } } });
      });
      await opened.visit('layers/shut');
      await page.getByText('100\u202f000\u202fentries shown of 100\u202f000.').waitFor();
      const rows = page.locator('.virtual li');
      expect(await rows.count()).toBeLessThan(60);
      await page.locator('.virtual').evaluate((list) => {
        list.scrollTop = list.scrollHeight;
      });
      await page.getByText('599999x1x0/1').waitFor();
      expect(await rows.last().getAttribute('aria-posinset')).toBe('100000');
      expect(await rows.count()).toBeLessThan(60);
      await page.getByLabel('Channel or node contains').fill('500007x');
      await soon(() => rows.count()).toBe(1);
    }));
});
