/**
 * Tasks of a user on the page about their own node: its channels, its refused payments, links with mistakes,
 * a stop.
 */
import { expect, test } from 'vitest';
import { describeInBrowser, type ExplorerPage, soon } from './browser.ts';

/** More than the total capacity of our channels, in msat. */
const TOO_MUCH = 900_000_000_000;

describeInBrowser('the own node on the page', ['--graph', 'synthetic:200', '--seed', '7'], (bench) => {
  const noMisfits = async (opened: ExplorerPage) => expect(await opened.misfits()).toEqual([]);
  const channels = async (): Promise<
    { peer_id: string; short_channel_id: string; spendable_msat: number; to_us_msat: number }[]
  > => (await bench.daemon.result('listpeerchannels')).channels;

  test('own channels show what each can send, and links to them lead there', () =>
    bench.on('channels', async (opened) => {
      const { page } = opened;
      const own = await channels();
      await page.getByRole('heading', { name: 'Our channels' }).waitFor();
      await soon(() => page.locator('.own-channel').count()).toBe(own.length);
      const grouped = (msat: number): string =>
        `${String(msat / 1000).replace(/\B(?=(\d{3})+$)/g, '\u202f')}\u202fsat`;
      expect(await page.locator('.own-channel').first().textContent()).toContain(
        grouped(own[0]!.spendable_msat),
      );
      await noMisfits(opened);
      // Where an amount is too wide for its card, it wraps between groups of digits.
      await page.setViewportSize({ width: 700, height: 800 });
      const lines = await page.locator('.figure .amount').evaluateAll((amounts) =>
        amounts.flatMap((one) => {
          const range = document.createRange();
          return [...one.childNodes]
            .filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent !== '')
            .map((node) => {
              range.selectNodeContents(node);
              return [node.textContent, range.getClientRects().length] as const;
            });
        }),
      );
      expect(lines.length).toBeGreaterThan(4);
      expect(lines.filter(([, count]) => count > 1)).toEqual([]);
      // The graph does not have a channel that is not announced.
      const last = own.at(-1)!;
      await opened.visit(`map?channel=${last.short_channel_id}`);
      await soon(() => new URL(page.url()).pathname).toBe('/ui/channels');
      await page.locator('.own-channel').first().getByText(last.short_channel_id).waitFor();
    }));

  test('a refused payment is in the list, with amount and reason, and counts in the success rate', () =>
    bench.on('', async (opened) => {
      const { page } = opened;
      const near = (await channels())[0]!.peer_id;
      await bench.daemon.result('xkeysend', { destination: near, amount_msat: 1_000_000 });
      await bench.daemon.error('xkeysend', { destination: near, amount_msat: TOO_MUCH });
      const { payments } = await bench.daemon.result('listpayments');
      expect(payments.map(({ status }: { status: string }) => status)).toEqual(['complete', 'failed']);
      // The page first gets the payment from events, and after a reload from the journal.
      for (const again of [false, true]) {
        if (again) await page.reload();
        const row = page.getByRole('row').filter({ hasText: 'failed' });
        await row.getByText('900\u202f000\u202f000\u202fsat').waitFor();
        await row.locator('.reason').waitFor();
      }
      expect(await page.locator('.reason').textContent()).toContain('usable set of paths');
      await page.getByText('arrived: 1 of 2 payments since the start, refused ones included').waitFor();
      await noMisfits(opened);
      // On a phone, no part of a row is cut off.
      await page.setViewportSize({ width: 390, height: 800 });
      const box = (await page.getByRole('region', { name: 'The last payments' }).boundingBox())!;
      const inner = await page
        .getByRole('region', { name: 'The last payments' })
        .evaluate((one) => one.scrollWidth);
      expect(inner).toBeLessThanOrEqual(Math.ceil(box.width));
    }));

  test('mistakes in a link are named', () =>
    bench.on('', async (opened) => {
      const { page } = opened;
      for (const name of ['route', 'why']) {
        await opened.visit(`${name}?to=zzz&amount=lots&maxparts=x`);
        const faults = page.locator('.address-faults');
        await faults.getByText('to=zzz is not the id of a node').waitFor();
        await faults.getByText('amount=lots is not an amount').waitFor();
        await faults.getByText('maxparts=x is not a whole number').waitFor();
      }
      await opened.visit('map?node=zzz');
      await page.getByText('The link contains no valid node id').waitFor();
    }));

  test('low odds are explained in words, with an amount that has even odds', () =>
    bench.on('', async (opened) => {
      const { page } = opened;
      const { id } = await bench.daemon.result('getinfo');
      const { nodes } = await bench.daemon.result('listnodes');
      const odds = async (destination: string, amount_msat: number): Promise<number> => {
        const limits = { source: id, layers: ['auto.localchans', 'auto.sourcefree'], final_cltv: 18 };
        const route = { ...limits, destination, amount_msat, maxfee_msat: amount_msat / 100, maxparts: 16 };
        return (await bench.daemon.result('getroutes', route).catch(() => undefined))?.probability_ppm ?? 0;
      };
      let found: { nodeid: string; sat: number } | undefined;
      for (const { nodeid } of nodes.slice(100)) {
        for (const sat of [200_000, 1_000_000, 5_000_000]) {
          const ppm = nodeid === id ? 0 : await odds(nodeid, sat * 1000);
          if (ppm > 0 && ppm < 400_000) found ??= { nodeid, sat };
        }
        if (found !== undefined) break;
      }
      expect(found).toBeDefined();
      await opened.visit(`route?to=${found!.nodeid}&amount=${found!.sat}`);
      await page.getByText(/The first attempt will probably fail/).waitFor();
      const link = page.getByRole('link', { name: /even odds$/ });
      await link.waitFor();
      const asked = new URL((await link.getAttribute('href'))!, page.url()).searchParams.get('amount')!;
      expect(await odds(found!.nodeid, Number(asked) * 1000)).toBeGreaterThanOrEqual(500_000);
      await link.click();
      await soon(() => page.getByText(/The first attempt will probably fail/).count()).toBe(0);
      // The button at the top leads to the button that pays, on a phone too.
      await page.setViewportSize({ width: 390, height: 800 });
      await page.getByRole('link', { name: 'Pay this …' }).click();
      await soon(async () => {
        const box = await page.getByRole('button', { name: /^Pay .* …$/ }).boundingBox();
        return box !== null && box.y >= 0 && box.y < 800;
      }).toBe(true);
    }));

  test('a rebalancing is drawn as before and after, and its limits are in the address', () =>
    bench.on('channels', async (opened) => {
      const { page } = opened;
      const { peer_id: destination } = (await channels())[0]!;
      await bench.daemon.result('xkeysend', { destination, amount_msat: 6_000_000_000 });
      await page.getByRole('link', { name: /^Move money between them/ }).click();
      await page.getByRole('heading', { name: 'Moving money between our channels' }).waitFor();
      await page.getByRole('textbox', { name: /of all/ }).fill('100000');
      await page.getByRole('textbox', { name: /of each part/ }).fill('50000');
      await page.getByRole('button', { name: 'Show the plan' }).click();
      await soon(() => new URL(page.url()).search).toBe('?maxfee=100000&ppm=50000');
      const plan = await bench.daemon.result('planrebalance', { maxfee: '100000sat', maxfee_ppm: 50_000 });
      await soon(() => page.locator('.moved-channel').count()).toBe(plan.channels.length);
      expect(plan.parts.length).toBeGreaterThan(0);
      const own = await channels();
      const first = page.locator('.moved-channel').first();
      const scid = await first.locator('code').last().textContent();
      const before = own.find(({ short_channel_id }) => short_channel_id === scid)!.spendable_msat;
      expect(await first.locator('dd .amount').first().getAttribute('title')).toBe(
        `${String(before).replace(/\B(?=(\d{3})+$)/g, '\u202f')}\u202fmsat`,
      );
      await page.getByText(/^fulgurite -k rebalance maxfee=100000000/).waitFor();
      await noMisfits(opened);
      await opened.visit('rebalance?maxfee=lots&ppm=x');
      const faults = page.locator('.address-faults');
      await faults.getByText('maxfee=lots is not an amount').waitFor();
      await faults.getByText('ppm=x is not a whole number up to 1000000').waitFor();
    }));

  test('a stopped service is reported, and the page continues when it is back', async () => {
    const opened = await bench.open('');
    const { page } = opened;
    await page.getByText('live', { exact: true }).waitFor();
    await bench.daemon.stop();
    await page
      .getByText(/The service does not answer: it was stopped/)
      .first()
      .waitFor();
    await bench.startDaemon();
    await soon(() => page.getByText(/The service does not answer/).count()).toBe(0);
    await opened.leave();
  });
});
