/** The types of a payment and its attempts in pages. */
import type { MethodResult } from '../rpc.ts';

/** A payment as `getpayment` shows it. */
export type WholePayment = MethodResult<'getpayment'>['payments'][number];

/** One attempt of a payment. */
export type WholeAttempt = WholePayment['attempts'][number];
