/**
 * How much a payment can spend: its amount plus its fee limit, which also covers the shadow amount and the fees of
 * route hints.
 */
import type { PaymentRequest } from '../../../payments/payment.ts';

/** The maximum msat that a request can spend. */
export const requestOutgo = ({
  amountMsat,
  maxfeeMsat,
}: Pick<PaymentRequest, 'amountMsat' | 'maxfeeMsat'>): bigint => amountMsat + maxfeeMsat;
