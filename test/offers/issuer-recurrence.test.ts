/** The issuer of a recurring offer: periods, windows, amounts, and payers who cancel. */
import { describe, expect, test } from 'vitest';
import type { InvoiceRequestFields } from '../../src/bolt/invoice/bolt12-fields.ts';
import { msat } from '../../src/model/msat.ts';
import { based, COUNTER, counter, DAY, NOW, recurring, Shop } from './shop.ts';

describe('recurrence', () => {
  test('without a base starts when the first invoice is made', () => {
    const shop = new Shop(recurring);
    expect(shop.invoice(counter(0)).invoiceRecurrenceBasetime).toBe(NOW);
    shop.nowSeconds += 10n;
    expect(shop.invoice(counter(1)).invoiceRecurrenceBasetime).toBe(NOW);
    expect(shop.error(counter(3))).toBe(`${COUNTER}: No previous invoice #2`);
  });

  test('has a window for each period: from the start of the previous period to its own end', () => {
    const shop = new Shop(recurring);
    shop.invoice(counter(0));
    shop.invoice(counter(1));
    shop.nowSeconds = NOW + DAY - 1n;
    expect(shop.error(counter(2))).toBe(`${COUNTER}: period_index 2 too early (start ${NOW + DAY})`);
    shop.nowSeconds = NOW + DAY;
    // The invoice is valid until its window closes: two days from the start of period 1.
    expect(shop.invoice(counter(2)).invoiceRelativeExpiry).toBe(Number(2n * DAY - 1n));
    shop.nowSeconds = NOW + 2n * DAY;
    expect(shop.error(counter(1))).toBe(`${COUNTER}: period_index 1 too late (ended ${NOW + 2n * DAY - 1n})`);
  });

  test('has windows around the start if the offer says so; the first stays open for a minute', () => {
    const shop = new Shop({ ...recurring, offerRecurrencePaywindow: { secondsBefore: 10, secondsAfter: 0 } });
    expect(shop.invoice(counter(0)).invoiceRelativeExpiry).toBe(60);
    const early = { secondsBefore: 600, secondsAfter: 0 };
    const hasty = new Shop({ ...recurring, offerRecurrencePaywindow: early });
    expect(hasty.invoice(counter(0)).invoiceRelativeExpiry).toBe(60);
    shop.nowSeconds = NOW + DAY - 11n;
    expect(shop.error(counter(1))).toBe(`${COUNTER}: period_index 1 too early (start ${NOW + DAY - 10n})`);
    shop.nowSeconds = NOW + DAY;
    expect(shop.invoice(counter(1)).invoiceRelativeExpiry).toBe(1);
  });

  test('ends with the limit, counted from the start', () => {
    const shop = new Shop({ ...based, offerRecurrenceLimit: 2 });
    shop.nowSeconds = NOW + DAY;
    expect(shop.invoice(counter(0, 2)).invoiceRecurrenceBasetime).toBe(NOW);
    expect(shop.error(counter(1, 2))).toBe(`${COUNTER}: period_index 3 too great`);
  });

  test('costs the rest of the period if it is proportional', () => {
    const shop = new Shop({ ...based, offerRecurrenceBase: { isProportional: true, basetime: NOW } });
    expect(shop.invoice(counter(0, 0)).invoiceAmountMsat).toBe(1000n);
    shop.nowSeconds = NOW + DAY / 4n;
    expect(shop.invoice({ ...counter(0, 0), invreqPayerNote: 'later' }).invoiceAmountMsat).toBe(750n);
    shop.nowSeconds = NOW + DAY - 1n;
    expect(shop.invoice({ ...counter(0, 0), invreqPayerNote: 'last' }).invoiceAmountMsat).toBe(1n);
  });

  test('requires payment of the previous period if the issuer is configured so', () => {
    const shop = new Shop(recurring, {}, { requiresPayment: true });
    const { label } = shop.invoice(counter(0));
    expect(shop.error(counter(1))).toBe(`${COUNTER}: Previous invoice #0 status "unpaid"`);
    shop.book.markPaid(label);
    expect(shop.invoice(counter(1)).invoiceRecurrenceBasetime).toBe(NOW);
  });

  test('that is optional may be paid once by a payer without support for recurrence', () => {
    const shop = new Shop({ offerRecurrenceOptional: { timeUnit: 1, period: 1 } });
    expect(shop.invoice().invoiceRecurrenceBasetime).toBeUndefined();
  });

  test('continues after the offer has expired', () => {
    const shop = new Shop({ ...recurring, offerAbsoluteExpiry: NOW + 5n });
    shop.invoice(counter(0));
    shop.nowSeconds = NOW + 5n;
    expect(shop.error(counter(0))).toBe('14: Offer expired');
    expect(shop.invoice(counter(1)).invoiceAmountMsat).toBe(1000n);
  });

  test('is answered with the field numbers of the draft if the offer uses them', () => {
    const shop = new Shop({ offerRecurrenceCompulsoryDraft: { timeUnit: 1, period: 1 } });
    const invoice = shop.invoice({ invreqRecurrenceCounterDraft: 0 });
    expect(invoice.invoiceRecurrenceBasetimeDraft).toBe(NOW);
    expect(invoice.invoiceRecurrenceBasetime).toBeUndefined();
    expect(shop.error({ invreqRecurrenceCounterDraft: 2 })).toBe('92: No previous invoice #1');
  });
});

describe('a cancellation', () => {
  const cancel = (index: number): InvoiceRequestFields => ({
    ...counter(index),
    invreqRecurrenceCancel: true,
  });

  test('gets no answer, and neither this period nor a later one gets an invoice', () => {
    const shop = new Shop({ ...recurring, offerAmount: undefined, offerQuantityMax: 0n });
    const asked = { invreqAmountMsat: msat(5n), invreqQuantity: 1n };
    shop.invoice({ ...asked, ...counter(0) });
    shop.invoice({ ...asked, ...counter(1) });
    // A cancellation needs neither amount nor quantity.
    expect(shop.error(cancel(1))).toBe('silence');
    expect(shop.error(cancel(1))).toBe('silence');
    expect([...shop.book.invoices()].map(({ label }) => label.at(-1))).toEqual(['0']);
    expect(shop.error({ ...asked, ...counter(1) })).toBe(`${COUNTER}: invoice cancelled`);
    shop.nowSeconds += DAY;
    expect(shop.error({ ...asked, ...counter(2) })).toBe(`${COUNTER}: No previous invoice #1`);
  });

  test('may come before the window opens, and is refused for a series that never began', () => {
    const shop = new Shop(recurring);
    expect(shop.error(cancel(0))).toBe(`${COUNTER}: No previous invoice #-1`);
    expect(shop.error(cancel(1))).toBe(`${COUNTER}: No previous invoice #0`);
    shop.invoice(counter(0));
    shop.invoice(counter(1));
    expect(shop.error(cancel(2))).toBe('silence');
  });

  test('of a paid period is refused', () => {
    const shop = new Shop(recurring);
    shop.invoice(counter(0));
    const { label } = shop.invoice(counter(1));
    shop.book.markPaid(label);
    expect(shop.error(cancel(1))).toBe(`${COUNTER}: This period cannot be cancelled`);
  });

  test('works with the field numbers of the draft', () => {
    const shop = new Shop({ offerRecurrenceCompulsoryDraft: { timeUnit: 1, period: 1 } });
    shop.invoice({ invreqRecurrenceCounterDraft: 0 });
    const cancelled = { invreqRecurrenceCounterDraft: 1, invreqRecurrenceCancelDraft: true } as const;
    expect(shop.error(cancelled)).toBe('silence');
  });
});
