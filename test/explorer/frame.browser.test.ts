/** The frame of the explorer in a browser: who may see it, and what the harness itself finds. */
import { expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';

const OPTIONS = ['--graph', 'synthetic:200', '--seed', '7'];

describeInBrowser('the explorer', OPTIONS, (bench) => {
  test('keeps the rune out of the address, and shows the start page', () =>
    bench.on('', async ({ page }) => {
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(new URL(page.url()).hash).toBe('');
      await page.getByText('simulated', { exact: true }).waitFor();
    }));

  test('asks for a rune when the node does not know the one that is there', async () => {
    const opened = await bench.open('');
    const { page } = opened;
    await page.evaluate(() => sessionStorage.setItem('fulgurite-rune', 'AAAA'));
    await page.reload();
    await page.getByText('The node does not know this rune').waitFor();
    // The browser writes each refusal by the server to the console, so this page is not closed as one without faults.
    await opened.leave();
  });

  test('an error on the console, a request elsewhere and a field without a name are found', async () => {
    const opened = await bench.open('');
    const { page, faults } = opened;
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(async () => {
      // biome-ignore lint/suspicious/noConsole: it is what is to be found
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
