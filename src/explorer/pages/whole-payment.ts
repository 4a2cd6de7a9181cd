/** The type of a payment in pages. */
import type { MethodResult } from '../rpc.ts';

/** A payment as `getpayment` shows it. */
export type WholePayment = MethodResult<'getpayment'>['payments'][number];

/** One of its attempts. */
export type WholeAttempt = WholePayment['attempts'][number];
