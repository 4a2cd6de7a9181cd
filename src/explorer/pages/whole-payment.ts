/** The type of a payment in pages. */
import type { MethodResult } from '../rpc.ts';

/** A payment as `getpayment` shows it. */
export type WholePayment = MethodResult<'getpayment'>['payments'][number];

/** One attempt of a payment. */
export type WholeAttempt = WholePayment['attempts'][number];
