/** What a payment can make leave: its amount and its fee limit. Shadow and hints are paid within the fee limit. */
import type { PaymentRequest } from '../../../payments/payment.ts';

/** The maximum msat that can leave for a request. */
export const requestOutgo = ({
  amountMsat,
  maxfeeMsat,
}: Pick<PaymentRequest, 'amountMsat' | 'maxfeeMsat'>): bigint => amountMsat + maxfeeMsat;
