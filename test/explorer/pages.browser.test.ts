/**
 * The start page, the map, routes and refusals in a browser, against a node on a simulated network. Each
 * journey uses only what a person can see and press. Axe checks each page in a phone-sized and in a desktop
 * window, in both colour schemes.
 */
import { expect, test } from 'vitest';
import { describeInBrowser, type ExplorerPage, soon } from './browser.ts';

/** A network in which the farthest nodes are several hops away. */
const OPTIONS = ['--graph', 'synthetic:200', '--seed', '7'];
/** Far more than the capacity of any channel of this network. */
const TOO_MUCH = '9000000000';

describeInBrowser('pages of the explorer', OPTIONS, (bench) => {
  const nodes = async (): Promise<{ nodeid: string; alias: string }[]> =>
    (await bench.daemon.result('listnodes')).nodes;
  const recipient = async () => (await nodes()).find(({ alias }) => alias === 'synthetic-120')!;
  const noMisfits = async (opened: ExplorerPage) => expect(await opened.misfits()).toEqual([]);

  test('from the start page to routes: by alias, with the keyboard alone', () =>
    bench.on('', async (opened) => {
      const { page } = opened;
      const { nodeid } = await recipient();
      await page.getByLabel('Whom').focus();
      await page.keyboard.type('synthetic-120');
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('textbox', { name: 'How much' }).focus();
      await page.keyboard.type('20 000');
      await page.keyboard.press('Enter');
      await page.getByRole('list', { name: 'Parts', exact: true }).waitFor();
      const { searchParams } = new URL(page.url());
      expect([searchParams.get('to'), searchParams.get('amount')]).toEqual([nodeid, '20 000']);
      // The page shows the node's answer.
      const { id } = await bench.daemon.result('getinfo');
      const { routes } = await bench.daemon.result('getroutes', {
        source: id,
        destination: nodeid,
        amount_msat: 20_000_000,
        layers: ['auto.localchans', 'auto.sourcefree'],
        maxfee_msat: 200_000,
        final_cltv: 18,
        maxparts: 16,
      });
      const answered = routes.flatMap((route: { path: { short_channel_id_dir: string }[] }) =>
        route.path.map((hop) => hop.short_channel_id_dir),
      );
      expect(await page.locator('.hop-scid').allTextContents()).toEqual(answered);
      await page
        .getByText(/Cheaper or likelier|Pay 20/)
        .first()
        .waitFor();
      // Arrow keys move along the hops.
      await page.locator('h1').click();
      await page.keyboard.press('h');
      await page.keyboard.press('ArrowRight');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(answered[1]);
      await page.keyboard.press('ArrowLeft');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(answered[0]);
      await noMisfits(opened);
      // After a rotation or in a narrow window, the map still shows where the routes end.
      await page.setViewportSize({ width: 360, height: 640 });
      await soon(async () => {
        const [mark, pane] = await Promise.all(
          ['.end-mark.goal', '.map-pane'].map((one) => page.locator(one).boundingBox()),
        );
        return mark!.x >= pane!.x && mark!.x + mark!.width <= pane!.x + pane!.width;
      }).toBe(true);
      await page.goBack();
      await page.getByRole('heading', { name: 'Whom do you want to pay?' }).waitFor();
    }));

  test('text pasted into the search is recognised', () =>
    bench.on('', async (opened) => {
      const { page } = opened;
      const [{ short_channel_id: scid }] = (await bench.daemon.result('listchannels')).channels;
      await page.keyboard.press('/');
      await page.keyboard.type(scid);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: `Channel ${scid}` }).waitFor();
      const { nodeid } = await recipient();
      const { bolt11 } = await bench.daemon
        .result('simulatedinvoice', { id: nodeid, amount_msat: 5000 })
        .catch(() => ({}));
      if (bolt11 !== undefined) {
        await page.locator('#search').fill(bolt11);
        await page.locator('#search').press('Enter');
        await page.getByRole('heading', { name: 'An invoice' }).waitFor();
      }
      await page.locator('#search').fill('synthetic-1');
      await page.locator('#search').press('Enter');
      await page
        .getByRole('link', { name: 'synthetic-120', exact: true })
        .or(page.getByText(/nodes that match/i))
        .first()
        .waitFor();
      await noMisfits(opened);
    }));

  test('why not: the cut, its source, and a remedy that yields a route', () =>
    bench.on('', async (opened) => {
      const { page } = opened;
      const { nodeid } = await recipient();
      await opened.visit(`route?to=${nodeid}&amount=${TOO_MUCH}`);
      await page.getByRole('link', { name: 'Why not, and what would help?' }).click();
      await page.locator('.why-panel').waitFor();
      expect(await page.locator('.why-panel').getAttribute('data-kind')).toMatch(/capacity|channel/);
      await page.getByText('Together at most').first().waitFor();
      await page.getByText(/its odds are/i).waitFor();
      await noMisfits(opened);
      // In print, the remedy is part of the answer although it is a button on screen; the header is not.
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByRole('link', { name: /^Ask with/ }).isVisible()).toBe(true);
      expect(await page.locator('#header').isVisible()).toBe(false);
      await page.emulateMedia({ media: 'screen' });
      // The remedy is at the end of a page that is much longer than this window.
      await page.setViewportSize({ width: 360, height: 420 });
      await page.getByRole('link', { name: /^Ask with/ }).click();
      await page.getByRole('list', { name: 'Parts', exact: true }).waitFor();
      // The heading of a page that was just opened is below the frame, which stays on top.
      expect(await page.evaluate(() => scrollY)).toBe(0);
      const bottomOfFrame = await page
        .locator('header')
        .first()
        .evaluate((frame) => frame.getBoundingClientRect().bottom);
      const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
      expect(heading!.y).toBeGreaterThanOrEqual(bottomOfFrame);
    }));

  test('a query that fails because of earlier payments offers the remedy, and names their layer as the reason', async () => {
    const { nodeid } = await recipient();
    const { channels } = await bench.daemon.result('listchannels', { destination: nodeid });
    await bench.daemon.result('askrene-create-layer', { layer: 'xpay', persistent: true });
    for (const { short_channel_id, direction } of channels) {
      await bench.daemon.result('askrene-inform-channel', {
        layer: 'xpay',
        short_channel_id_dir: `${short_channel_id}/${direction}`,
        amount_msat: 1_000_001,
        inform: 'constrained',
      });
    }
    await bench.on(`route?to=${nodeid}&amount=20000`, async (opened) => {
      const { page } = opened;
      // With the layer, the ladder shows the layer's bounds for the last hop.
      await opened.visit(`route?to=${nodeid}&amount=900&layers=auto.localchans,auto.sourcefree,xpay`);
      await page
        .locator('.hop-bounds[title="layer xpay"]', { hasText: /at most 1(\.0+)?.k sat/ })
        .first()
        .waitFor();
      // After a failure, a payment would make one attempt without learned bounds. A query that names the layer of
      // these bounds always respects them.
      await opened.visit(`why?to=${nodeid}&amount=20000&layers=auto.localchans,auto.sourcefree,auto.learned`);
      await noMisfits(opened);
      await page
        .getByText(/according to auto\.learned, they carry/)
        .first()
        .waitFor();
      await page.getByRole('link', { name: /^Ask with an amount of/ }).click();
      await page.getByRole('list', { name: 'Parts', exact: true }).waitFor();
    });
  });

  test('why not: a fee limit, and an unknown node', () =>
    bench.on('', async (opened) => {
      const { page } = opened;
      const { nodeid } = await recipient();
      await opened.visit(`why?to=${nodeid}&amount=20000&maxfee=0`);
      await page.locator('[data-kind="fee_cap"] svg').waitFor();
      await opened.visit(`why?to=02${'ab'.repeat(32)}&amount=5`);
      await page.locator('[data-kind="unknown_node"] svg').waitFor();
    }));

  test('a layer that limits a channel is named in the cut', async () => {
    const { nodeid } = await recipient();
    const { channels } = await bench.daemon.result('listchannels', { destination: nodeid });
    await bench.daemon.result('askrene-create-layer', { layer: 'narrow' });
    for (const { short_channel_id, direction } of channels) {
      await bench.daemon.result('askrene-inform-channel', {
        layer: 'narrow',
        short_channel_id_dir: `${short_channel_id}/${direction}`,
        amount_msat: 1001,
        inform: 'constrained',
      });
    }
    await bench.on('', async (opened) => {
      await opened.visit(`why?to=${nodeid}&amount=20000&layers=auto.localchans,auto.sourcefree,narrow`);
      await opened.page.getByText('layer narrow: constraint').first().waitFor();
    });
  });

  test('the map: a node, its surroundings, and the network seen from it', () =>
    bench.on('map', async (opened) => {
      const { page } = opened;
      await page.locator('.map-pane[data-drawn="yes"]').waitFor();
      await page.getByRole('combobox', { name: 'Node' }).fill('synthetic-120');
      await page.getByRole('option').first().click();
      await page.getByRole('heading', { name: 'synthetic-120' }).waitFor();
      await page.locator('svg .around-node').first().waitFor();
      const { channels } = await bench.daemon.result('listchannels', { source: (await recipient()).nodeid });
      await page
        .getByText(
          `${channels.length}, ${channels.filter((one: { active: boolean }) => one.active).length} enabled`,
        )
        .waitFor();
      await page.getByRole('button', { name: 'From this node' }).click();
      await page.locator('svg .ring').first().waitFor();
      await noMisfits(opened);
      // On a phone, the map can fill the whole window, and can be closed again.
      await page.setViewportSize({ width: 360, height: 640 });
      await page.getByRole('button', { name: 'Full window' }).click();
      expect(await page.locator('.map-box').boundingBox()).toEqual({ x: 0, y: 0, width: 360, height: 640 });
      await page.getByRole('button', { name: 'Close' }).click();
      expect((await page.locator('.map-box').boundingBox())!.height).toBeLessThan(640);
    }));

  test('a payment asks twice, pays once, and appears on the start page', async () => {
    // A neighbour of ours: our own channel surely carries the amount.
    const [{ peer_id: nodeid }] = (await bench.daemon.result('listpeerchannels')).channels;
    const { alias } = (await nodes()).find((one) => one.nodeid === nodeid)!;
    const { rune } = await bench.daemon.result('createrune', {
      restrictions: [['method=xkeysend', 'method=quote']],
    });
    const paid = async () => (await bench.daemon.result('listpays')).pays.length;
    const before = await paid();
    await bench.on('', async (opened) => {
      const { page } = opened;
      await opened.visit(`route?to=${nodeid}&amount=1000`);
      await page.getByRole('button', { name: /^Pay 1/ }).click();
      await page.locator('input[name="pay-rune"]').fill(rune);
      await noMisfits(opened);
      await page.getByRole('button', { name: 'Get a quote' }).click();
      await page.getByRole('button', { name: /now$/ }).waitFor();
      expect(await paid()).toBe(before);
      await page.getByRole('button', { name: /now$/ }).dblclick();
      await page.getByRole('heading', { name: '✓ Arrived' }).waitFor();
      expect(await paid()).toBe(before + 1);
      await opened.visit('');
      await page.getByRole('cell', { name: alias }).first().waitFor();
      await page.getByText('arrived').first().waitFor();
      await noMisfits(opened);
    });
  });

  test('a search says when it found more nodes than it shows', () =>
    bench.on('', async (opened) => {
      const { page } = opened;
      await opened.visit('?q=synthetic');
      await page.getByRole('heading', { name: 'The first 12 nodes that match synthetic' }).waitFor();
      expect(await page.title()).toMatch(/^More than 12\snodes found/);
      expect(await page.locator('.found li').count()).toBe(12);
      await opened.visit('?q=synthetic-120');
      await page.getByRole('heading', { name: 'Nodes that match synthetic-120' }).waitFor();
      expect(await page.title()).toMatch(/^1\snode found/);
    }));

  test('a hostile text is displayed as text', () =>
    bench.on('', async (opened) => {
      const { page } = opened;
      await opened.visit(`?q=${encodeURIComponent('<img src=x onerror=alert(1)>\u202e')}`);
      await page.getByText('<img src=x onerror=alert(1)>□').waitFor();
      expect(await page.locator('main img').count()).toBe(0);
    }));

  test('keys are listed, terms explain themselves, and the theme is changed', () =>
    bench.on('route', async (opened) => {
      const { page } = opened;
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByText('Search').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Amount' }).hover();
      await page.getByRole('tooltip').getByText('without fees').waitFor();
      const isDark = () => getComputedStyle(document.documentElement).colorScheme === 'dark';
      await page.getByRole('button', { name: 'Use the dark theme' }).click();
      await page.waitForFunction(isDark);
      await page.reload();
      await page.waitForFunction(isDark);
      await page.getByRole('button', { name: 'Use the light theme' }).click();
      await page.waitForFunction(() => getComputedStyle(document.documentElement).colorScheme === 'light');
    }));
});
