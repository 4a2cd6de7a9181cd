/** Fetches an invoice of 25 sat for an offer that names no amount, and reads it. */
import { call } from './client.mjs';

const [offer = 'lno1pgykgmmwv96xjmmwwvtzzqevsau96dsntn6g4lq23auvrn3slxpal38xwvsyd8vwes8zfgrp5c'] =
  process.argv.slice(2);

const { offer_description: description } = await call('decode', { string: offer });
const { invoice, changes } = await call('fetchinvoice', { offer, amount_msat: '25sat' });
const decoded = await call('decode', { string: invoice });
console.log(`offer: ${description}`);
console.log(`invoice: ${decoded.invoice_amount_msat} msat, payment hash ${decoded.invoice_payment_hash}`);
// The members in which the invoice differs from the offer: look at them before you pay.
console.log(`differs from the offer in: ${Object.keys(changes).join(', ') || 'nothing'}`);
