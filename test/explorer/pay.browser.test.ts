/** The page of a payment: one that arrived, one that failed and why, one in progress, and all after a restart. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser, soon } from './browser.ts';

const OPTIONS = ['--graph', 'synthetic:200', '--seed', '7'];

interface Attempt {
  readonly failure: { readonly erring_index: number };
  readonly route: readonly object[];
}

describeInBrowser('the page of a payment', OPTIONS, (bench) => {
  let peer: string;
  /** Hashes of a payment that arrived, and of one that failed. */
  let arrived: string;
  let failed: string;

  beforeAll(async () => {
    const { channels } = await bench.daemon.result('listpeerchannels');
    peer = channels[0].peer_id;
    await bench.daemon.result('xkeysend', { destination: peer, amount_msat: 12_345_000, label: 'tea' });
    arrived = await lastHash();
    failed = await failedHash();
  });

  async function lastHash(): Promise<string> {
    const { payments } = await bench.daemon.result('listsendpays');
    return payments.at(-1).payment_hash;
  }

  /** Pays large amounts to distant nodes, until one payment fails. */
  async function failedHash(): Promise<string> {
    const { nodes } = await bench.daemon.result('listnodes');
    for (const { nodeid } of nodes) {
      const payment = { destination: nodeid, amount_msat: '1500000sat', retry_for: 0 };
      const { error } = await bench.daemon.call('xkeysend', payment);
      if (error === undefined || (error.data?.attempts ?? []).length === 0) continue;
      const payment_hash = await lastHash();
      const { payments } = await bench.daemon.result('getpayment', { payment_hash });
      const isTelling = ({ failure, route }: Attempt): boolean => failure.erring_index < route.length;
      if (payments[0].attempts.some(isTelling)) return payment_hash;
    }
    throw new Error('no payment failed');
  }

  const heading = (page: Page) => page.getByRole('heading', { level: 1 });

  test('reports that it arrived, over which route, and what was learned', () =>
    bench.on(`pay/${arrived}`, async ({ page }) => {
      await page
        .getByText(/12\u202f345(\.\d+)?\u202fsat arrived in/)
        .first()
        .waitFor();
      await page.getByText('“tea”').waitFor();
      expect(
        await page.getByRole('list', { name: 'The route, hop by hop' }).getByText('carried it').count(),
      ).toBeGreaterThan(0);
      expect(await page.title()).toContain('arrived');
      await page.getByText(`fulgurite -k getpayment payment_hash=${arrived}`).waitFor();
    }));

  test('reports why one failed, hop by hop, and what each failure taught', () =>
    bench.on(`pay/${failed}`, async (opened) => {
      const { page } = opened;
      await page.getByText('did not arrive').first().waitFor();
      await page.getByText('it is safe to pay again').waitFor();
      await page.getByText('it failed here').waitFor();
      await page.getByText('before').first().waitFor();
      const { payments } = await bench.daemon.result('getpayment', { payment_hash: failed });
      expect(await page.locator('button.lane').count()).toBe(payments[0].attempts.length);
      expect(await opened.misfits()).toEqual([]);
    }));

  test('a payment in progress is never shown as failed, even after failed attempts, and shows how long money is locked', () =>
    bench.on('', async (opened) => {
      const { page } = opened;
      // The answer of the node, as it was while the last attempt was in flight.
      await page.route('**/rpc', async (route) => {
        const response = await route.fetch();
        const answer = await response.json();
        if (route.request().postDataJSON().method !== 'getpayment') return route.fulfill({ response });
        const [payment] = answer.result.payments;
        const { failure, completed_at, ...pending } = payment;
        const before = { ...payment.attempts[0], status: 'failed' };
        const { failure: _, failreason, completed_at: __, ...open } = payment.attempts.at(-1);
        const now = {
          ...open,
          status: 'pending',
          learned: [],
          expiry_height: answer.result.blockheight + 144,
        };
        const payments = [{ ...pending, status: 'pending', attempts: [before, now] }];
        return route.fulfill({ response, json: { ...answer, result: { ...answer.result, payments } } });
      });
      await opened.visit(`pay/${failed}`);
      await heading(page).filter({ hasText: 'are on their way' }).waitFor();
      await page.getByText('It may still arrive: do not pay again').waitFor();
      const { blockheight } = await bench.daemon.result('getinfo');
      const expiry = String(blockheight + 144)
        .replace(/(?=(\d{3})+$)/g, '\u202f')
        .trim();
      expect(await page.locator('.expiry').textContent()).toBe(expiry);
      await page.getByText('144\u202fblocks to go').waitFor();
      expect(await page.title()).toContain('on their way');
      expect(await page.getByText('safe to pay again').count()).toBe(0);
      expect(await page.locator('.answer .state').textContent()).toContain('in progress');
    }));

  test('the slider goes back in time, also with keys, and the address keeps the moment', () =>
    bench.on(`pay/${failed}`, async ({ page }) => {
      const first = page.locator('button.lane').first();
      await first.locator('.state.bad').waitFor();
      await page.getByRole('slider', { name: 'Moment of the payment' }).fill('0');
      await first.getByText('not yet').waitFor();
      expect(new URL(page.url()).searchParams.get('t')).toBe('0');
      await page.locator('h1').click();
      await page.keyboard.press('ArrowRight');
      await soon(() => new URL(page.url()).searchParams.get('t')).not.toBe('0');
      await page.getByRole('button', { name: 'Replay' }).click();
      await soon(() => new URL(page.url()).searchParams.get('t')).toBeNull();
      await first.locator('.state.bad').waitFor();
    }));

  test('a restart of the node does not change what is shown', async () => {
    const textOf = (page: Page) => page.locator('main').textContent();
    const ageless = (text: string | null) => (text ?? '').replace(/\S+\u202f?\S* ago|just now/g, '');
    let before = '';
    await bench.on(`pay/${failed}`, async ({ page }) => {
      await page.getByText('it failed here').waitFor();
      // Until a node's alias arrives, the page shows its shortened id instead. The table always shows shortened ids, so
      // the pattern matches only the others.
      await soon(() => textOf(page)).not.toMatch(/(to|by|✓|✕)\s+0[23][0-9a-f]{6}…/);
      before = ageless(await textOf(page));
    });
    await bench.startDaemon();
    await bench.on(`pay/${failed}`, async ({ page }) => {
      await page.getByText('it failed here').waitFor();
      await soon(async () => ageless(await textOf(page))).toBe(before);
    });
  });

  test('an unknown hash is reported as no payment', () =>
    bench.on(`pay/${'00'.repeat(32)}`, async ({ page }) => {
      await heading(page).filter({ hasText: 'no such payment' }).waitFor();
    }));
});
