/**
 * The page of our nodes: what each may spend, why one is resting, and what it has paid; also the page of a daemon with
 * one node.
 */
import { expect, test } from 'vitest';
import { describeInBrowser, soon } from './browser.ts';

const NODES = ['--node', 'a=simulated', '--node', 'b=simulated'];

describeInBrowser(
  'several nodes on the page',
  ['--graph', 'synthetic:200', '--seed', '7', ...NODES],
  (bench) => {
    test('a resting node shows why, and payments of the other node are counted', () =>
      bench.on('nodes', async (opened) => {
        const { page } = opened;
        await page.getByRole('heading', { name: 'Our nodes' }).waitFor();
        await soon(() => page.locator('.own-channel').count()).toBe(2);
        await page.getByText('2 of 2').waitFor();
        await bench.daemon.result('setournode', { node: 'b', state: 'rest' });
        const { channels } = await bench.daemon.result('listpeerchannels');
        await bench.daemon.result('xkeysend', { destination: channels[0].peer_id, amount_msat: 7_000_000 });
        await page.getByText('its state is rest').waitFor();
        await page.getByText('1 of 2').waitFor();
        const row = page.getByRole('table').getByRole('row').filter({ hasText: 'a' }).nth(1);
        await soon(async () => (await row.textContent())?.replaceAll('\u202f', ' ')).toContain('7 000 sat');
        expect(await opened.misfits()).toEqual([]);
      }));
  },
);

describeInBrowser('one node on that page', ['--graph', 'synthetic:60'], (bench) => {
  test('explains how to add more', () =>
    bench.on('nodes', async (opened) => {
      await opened.page.getByText('This daemon pays from one node').waitFor();
      expect(await opened.misfits()).toEqual([]);
    }));
});
