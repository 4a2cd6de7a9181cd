/** The frame of the explorer in a browser: who may see it, and the faults that the test harness detects. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, ExplorerPage, soon } from './browser.ts';

const OPTIONS = ['--graph', 'synthetic:200', '--seed', '7'];

describeInBrowser('the explorer', OPTIONS, (bench) => {
  test('keeps the rune out of the address, and shows the start page', () =>
    bench.on('', async ({ page }) => {
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(new URL(page.url()).hash).toBe('');
      await page.getByText('simulated', { exact: true }).waitFor();
    }));

  test('a link works once, and an open tab accepts the next one', async () => {
    const link = await bench.link();
    const { page, ...opened } = await bench.open('');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const runeOf = () => page.evaluate(() => sessionStorage.getItem('fulgurite-rune'));
    const first = await runeOf();
    // Only the fragment changes, so the document stays.
    await page.evaluate((to) => Object.assign(location, { href: to }), link);
    await soon(runeOf).not.toBe(first);
    expect(new URL(page.url()).hash).toBe('');
    const second = await runeOf();
    expect(opened.faults).toEqual([]);
    // A used-up link changes nothing in a tab that has a rune, and opens nothing in a tab without one.
    await page.evaluate((to) => Object.assign(location, { href: to }), link);
    await page.getByText('This link has already been used').waitFor({ state: 'attached' });
    expect(await runeOf()).toBe(second);
    await bench.inOwnProfile(async ({ page: other }) => {
      await other.goto(link);
      await other.getByText('This link has already been used').first().waitFor();
      await other.getByRole('heading', { name: 'This page needs a rune' }).waitFor();
    });
    await new ExplorerPage(page, link).leave();
  });

  test('the browser’s files about visited addresses contain no rune', async () => {
    let rune = '';
    const files = await bench.inOwnProfile(async ({ page }) => {
      await page.goto(await bench.link());
      await page.getByRole('link', { name: 'Map', exact: true }).click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      rune = (await page.evaluate(() => sessionStorage.getItem('fulgurite-rune'))) ?? '';
    });
    const history = files.find(({ name }) => name === 'History')!;
    expect(rune.length).toBeGreaterThan(40);
    // The visit was written to disk, so the search would find a rune if there were one.
    expect(history.bytes.includes('/ui/map')).toBe(true);
    expect(files.map(({ name }) => name)).toContain('Favicons');
    expect(files.filter(({ bytes }) => bytes.includes(rune)).map(({ name }) => name)).toEqual([]);
  });

  test('asks for a rune if the node does not know the current one', async () => {
    const opened = await bench.open('');
    const { page } = opened;
    await page.evaluate(() => sessionStorage.setItem('fulgurite-rune', 'AAAA'));
    await page.reload();
    await page.getByText('The node does not know this rune').waitFor();
    // The browser writes each refusal by the server to the console, so the test does not require this page to
    // be free of faults.
    await opened.leave();
  });

  /** Waits until the metrics of the start page have loaded. */
  const figures = (page: Page) =>
    page.waitForResponse((response) => response.request().postData()?.includes('getmetrics') ?? false);

  test('draws a page once at the next frame, even if it was updated several times', () =>
    bench.inOwnTab(
      // The test triggers the frames.
      (page) =>
        page.addInitScript(() => {
          const planned: FrameRequestCallback[] = [];
          globalThis.requestAnimationFrame = (callback) => planned.push(callback);
          Object.assign(globalThis, { planned });
        }),
      async (page) => {
        const complete = figures(page);
        await page.goto(await bench.link());
        await (await complete).finished();
        const seen = await page.evaluate(() => {
          const { planned } = globalThis as unknown as { planned: FrameRequestCallback[] };
          const before = [document.querySelector('main h1'), planned.length];
          for (const callback of planned.splice(0)) callback(performance.now());
          return [...before, document.querySelector('main h1')!.textContent];
        });
        expect(seen).toEqual([null, 1, 'Whom do you want to pay?']);
      },
    ));

  test('a letter that is typed while a drawing is planned stays in its field', () => {
    const held: (() => Promise<void>)[] = [];
    return bench.inOwnTab(
      async (page) => {
        await page.route('**/*', (route) => {
          const { pathname } = new URL(route.request().url());
          const body = route.request().postData() ?? '';
          // Answers with names never arrive, and those with figures only when the test continues them.
          if (body.includes('getmetrics')) held.push(() => route.continue());
          else if (!pathname.endsWith('.bin')) return route.continue();
          return undefined;
        });
      },
      async (page) => {
        await page.goto(await bench.link());
        const field = page.getByLabel('Whom');
        await field.focus();
        await expect.poll(() => held.length).toBeGreaterThan(0);
        await page.evaluate(() => {
          const planned: FrameRequestCallback[] = [];
          globalThis.requestAnimationFrame = (callback) => planned.push(callback);
          Object.assign(globalThis, { planned });
        });
        await page.keyboard.type('s');
        await held[0]!();
        const planned = () =>
          page.evaluate(() => (globalThis as unknown as { planned: unknown[] }).planned.length);
        await expect.poll(planned).toBe(1);
        await page.keyboard.type('y');
        await page.evaluate(() => {
          const { planned } = globalThis as unknown as { planned: FrameRequestCallback[] };
          for (const callback of planned.splice(0)) callback(performance.now());
        });
        expect(await field.inputValue()).toBe('sy');
      },
    );
  });

  test('an open start page registers one wait for its end, however long it is open', () =>
    bench.inOwnTab(
      async (page) => {
        await page.clock.install();
        await page.addInitScript(() => {
          const counted = { waits: 0 };
          const { addEventListener } = AbortSignal.prototype;
          AbortSignal.prototype.addEventListener = function (...all: Parameters<typeof addEventListener>) {
            counted.waits++;
            addEventListener.apply(this, all);
          };
          Object.assign(globalThis, { counted });
        });
      },
      async (page) => {
        const complete = figures(page);
        await page.goto(await bench.link());
        await (await complete).finished();
        const waits = () =>
          page.evaluate(() => (globalThis as unknown as { counted: { waits: number } }).counted.waits);
        const first = await waits();
        expect(first).toBeGreaterThan(0);
        for (let minute = 0; minute < 3; minute++) {
          const again = figures(page);
          await page.clock.runFor(61_000);
          await (await again).finished();
        }
        expect(await waits()).toBe(first);
      },
    ));

  test('an error on the console, a request to a different server and a field without a name are detected', async () => {
    const opened = await bench.open('');
    const { page, faults } = opened;
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(async () => {
      // biome-ignore lint/suspicious/noConsole: the test checks that it is detected
      console.error('on purpose');
      await fetch('http://127.0.0.1:1/').catch(() => undefined);
      document.querySelector('main')!.append(document.createElement('input'));
    });
    expect(faults.some((fault) => fault.includes('on purpose'))).toBe(true);
    expect(
      faults.some((fault) => fault.includes('Content Security Policy') || fault.includes('request to')),
    ).toBe(true);
    expect((await opened.misfits()).join()).toContain('label at 360 px, dark');
    await expect(opened.close()).rejects.toThrow('on purpose');
  });
});
