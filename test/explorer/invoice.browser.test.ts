/**
 * Invoices and offers in a browser: each is paid once from its card, by `xpay`, and leaves a receipt. A
 * keysend to the node of an invoice would leave no receipt, so the card never offers one.
 */
import { expect, test } from 'vitest';
import { describeInBrowser, type ExplorerPage } from './browser.ts';

describeInBrowser('the card of an invoice or offer', ['--graph', 'synthetic:200', '--seed', '7'], (bench) => {
  const noMisfits = async (opened: ExplorerPage) => expect(await opened.misfits()).toEqual([]);
  const payingRune = async (): Promise<string> =>
    (await bench.daemon.result('createrune', { restrictions: [['method=xpay', 'method=quote']] })).rune;
  const pays = async (bolt11: string): Promise<{ status: string; preimage?: string }[]> =>
    (await bench.daemon.result('listpays', { bolt11 })).pays;
  const invoiceFor = async (amount_msat: number | 'any', description = 'two teas'): Promise<string> => {
    const [{ peer_id: id }] = (await bench.daemon.result('listpeerchannels')).channels;
    const amount = amount_msat === 'any' ? {} : { amount_msat };
    return (await bench.daemon.result('simulatedinvoice', { id, description, ...amount })).bolt11;
  };
  /** Clicks through all steps up to the button that pays. */
  const confirm = async ({ page }: ExplorerPage, rune: string): Promise<void> => {
    await page.getByRole('button', { name: /^Pay .* …$/ }).click();
    await page.locator('input[name="pay-rune"]').fill(rune);
    // An offer has no quote.
    const ask = page.getByRole('button', { name: 'Get a quote' });
    if ((await ask.count()) > 0) await ask.click();
    await page.getByRole('button', { name: /now$/ }).waitFor();
  };

  test('an invoice is paid once, is a payment of that invoice, and is refused the second time', async () => {
    const invoice = await invoiceFor(7_000_000);
    await bench.on('', async (opened) => {
      const { page } = opened;
      await page.locator('#search').fill(invoice);
      await page.locator('#search').press('Enter');
      await page.getByRole('heading', { name: 'An invoice' }).waitFor();
      await page.getByText('two teas').first().waitFor();
      await page.getByText('Expires', { exact: true }).waitFor();
      expect(await page.getByRole('link', { name: /Find routes/ }).count()).toBe(0);
      await confirm(opened, await payingRune());
      // The second step repeats what the payment is for.
      await page.getByRole('region', { name: 'Pay' }).getByText('two teas').waitFor();
      await noMisfits(opened);
      expect(await pays(invoice)).toEqual([]);
      await page.getByRole('button', { name: /now$/ }).dblclick();
      await page.getByRole('heading', { name: '✓ Arrived' }).waitFor();
      const [paid, ...others] = await pays(invoice);
      expect([paid!.status, others]).toEqual(['complete', []]);
      await page.getByText('Show the receipt').click();
      await page.getByText(paid!.preimage!).waitFor();
      // When opened again, the card shows the receipt and no button.
      await opened.visit(`?q=${invoice}`);
      await page.getByRole('heading', { name: /Already paid/ }).waitFor();
      expect(await page.getByRole('button', { name: /^Pay/ }).count()).toBe(0);
      await page.getByText('Show the receipt').click();
      await page.getByText(paid!.preimage!).waitFor();
      await noMisfits(opened);
    });
    // A payment from a terminal is refused, too.
    await expect(bench.daemon.result('xpay', { invstring: invoice })).rejects.toThrow(/219/);
  });

  test('a quote shows the maximum cost and is paid by its id, and an expired quote is replaced', async () => {
    const invoice = await invoiceFor(8_000_000, 'quoted tea');
    await bench.on(`?q=${invoice}`, async (opened) => {
      const { page } = opened;
      let life: number | undefined;
      // The answer of the node, with a different time of expiry.
      await page.route('**/rpc', async (route) => {
        if (route.request().postDataJSON().method !== 'quote' || life === undefined) return route.continue();
        const response = await route.fetch();
        const { result, ...answer } = await response.json();
        const json = { ...answer, result: { ...result, expires_at: result.created_at + life } };
        return route.fulfill({ response, json });
      });
      life = 0;
      await page.getByRole('button', { name: /^Pay .* …$/ }).click();
      await page.locator('input[name="pay-rune"]').fill(await payingRune());
      await page.getByRole('button', { name: 'Get a quote' }).click();
      await page.getByRole('heading', { name: 'The quote has expired' }).waitFor();
      expect(await pays(invoice)).toEqual([]);
      life = undefined;
      await page.getByRole('button', { name: 'Get a new quote' }).click();
      const button = page.getByRole('button', { name: /^Pay at most .* now$/ });
      await button.waitFor();
      const open = (await bench.daemon.result('listquotes')).quotes.filter(
        (quote: { invstring: string; status: string }) =>
          quote.invstring === invoice && quote.status === 'open',
      );
      const quote = open.at(-1);
      const most = quote.amount_msat + quote.maxfee_msat;
      expect(Math.round(1000 * Number((await button.textContent())!.replace(/[^0-9.]/g, '')))).toBe(most);
      await noMisfits(opened);
      await button.dblclick();
      await page.getByRole('heading', { name: '✓ Arrived' }).waitFor();
      const [paid, ...others] = (await bench.daemon.result('listpays', { bolt11: invoice })).pays;
      expect(others).toEqual([]);
      expect(paid.amount_sent_msat).toBeLessThanOrEqual(most);
      const { quotes } = await bench.daemon.result('listquotes');
      expect(quotes.find(({ quote_id }: { quote_id: string }) => quote_id === quote.quote_id).status).toBe(
        'used',
      );
    });
  });

  test('an invoice that a different client pays meanwhile is refused, with the reason', async () => {
    const invoice = await invoiceFor(3000);
    const opened = await bench.open(`?q=${invoice}`);
    const { page } = opened;
    await confirm(opened, await payingRune());
    const { payment_preimage: preimage } = await bench.daemon.result('xpay', { invstring: invoice });
    await page.getByRole('button', { name: /now$/ }).click();
    await page.getByRole('heading', { name: 'Already paid' }).waitFor();
    await page.getByText('Show the receipt').click();
    await page.getByText(preimage).waitFor();
    expect(await pays(invoice)).toHaveLength(1);
    // The browser logs the refusal to the console.
    await opened.leave();
  });

  test('an invoice without an amount asks for one', async () => {
    const invoice = await invoiceFor('any');
    await bench.on(`?q=${invoice}`, async (opened) => {
      const { page } = opened;
      await page.getByRole('textbox', { name: 'Amount' }).fill('12');
      await page.getByRole('button', { name: 'Use it' }).click();
      await confirm(opened, await payingRune());
      await page.getByRole('button', { name: /now$/ }).click();
      await page.getByRole('heading', { name: '✓ Arrived' }).waitFor();
      expect(await pays(invoice)).toMatchObject([{ status: 'complete', amount_msat: 12_000 }]);
    });
  });

  test('an amount that includes its fee is quoted and paid within it', async () => {
    const invoice = await invoiceFor('any', 'all in');
    await bench.on(`?q=${invoice}`, async (opened) => {
      const { page } = opened;
      await page.getByRole('textbox', { name: 'Amount' }).fill('some');
      await page.getByRole('button', { name: 'Use it' }).click();
      await page.getByText('Enter an amount in sat, such as 1 000, or all.').waitFor();
      await page.getByRole('textbox', { name: 'Amount' }).fill('1000');
      await page.getByRole('checkbox', { name: /included/ }).check();
      await page.getByRole('button', { name: 'Use it' }).click();
      await confirm(opened, await payingRune());
      await noMisfits(opened);
      const { quotes } = await bench.daemon.result('listquotes');
      const quote = quotes.findLast(({ invstring }: { invstring: string }) => invstring === invoice);
      expect(quote.amount_msat + quote.maxfee_msat).toBeLessThanOrEqual(1_000_000);
      await page.getByRole('button', { name: /now$/ }).click();
      await page.getByRole('heading', { name: '✓ Arrived' }).waitFor();
      const { pays: paid } = await bench.daemon.result('listpays', { bolt11: invoice });
      expect(paid).toMatchObject([{ status: 'complete', amount_msat: quote.amount_msat }]);
      expect(paid[0].amount_sent_msat).toBeLessThanOrEqual(1_000_000);
    });
  });

  test('an offer is paid once by two clicks, with its proof, and again only on request', async () => {
    const { offers } = await bench.daemon.result('listsimulatedoffers');
    const offer =
      offers.find(({ kind }: { kind: string }) => kind === 'fixed' || kind === 'plain') ?? offers[0];
    const count = async (): Promise<number> => (await bench.daemon.result('listpays')).pays.length;
    const before = await count();
    await bench.on('', async (opened) => {
      const { page } = opened;
      await opened.visit(`?q=${offer.bolt12}`);
      await page.getByRole('heading', { name: 'An offer' }).waitFor();
      await confirm(opened, await payingRune());
      await page.getByText(/The issuer is asked for an invoice first/).waitFor();
      await noMisfits(opened);
      await page.getByRole('button', { name: /now$/ }).dblclick();
      await page.getByRole('heading', { name: '✓ Arrived' }).waitFor();
      expect(await count()).toBe(before + 1);
      await page.getByText('Show the proof of payment').click();
      const proof = await page.locator('.receipt[open] .receipt-text').last().textContent();
      expect((await bench.daemon.result('checkproof', { proof })).valid).toBe(true);
      await opened.visit(`?q=${offer.bolt12}`);
      await page.getByRole('heading', { name: 'Paid before' }).waitFor();
      expect(await page.getByRole('button', { name: /^Pay .*(…|now)$/ }).allTextContents()).toEqual([
        'Pay this offer again …',
      ]);
    });
  });

  test('a node is paid by keysend, as the page explains', async () => {
    const [{ peer_id: id }] = (await bench.daemon.result('listpeerchannels')).channels;
    await bench.on('', async (opened) => {
      await opened.visit(`route?to=${id}&amount=1000`);
      await opened.page.getByText(/it has no signed invoice/).waitFor();
    });
  });
});
