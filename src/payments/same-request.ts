/**
 * Tells whether a request that repeats an idempotency key is the same request as the first one with that key.
 * Only then is the outcome of the first given again. Otherwise a request that differs would silently be left
 * undone.
 *
 * What was asked for is compared as the journal keeps it, so this works over a restart too. Different ways of
 * saying the same are equal: a limit as a percentage or as an amount, a default left out or written out, an
 * empty list or none. Layers are compared by name and order.
 */
import { toHex } from '../bolt/bytes.ts';
import { FulguriteError } from '../model/errors.ts';
import { formatShortChannelId } from '../model/short-channel-id.ts';
import type { PaymentRequest } from './payment.ts';

/** What each parameter asked for, as text. `maxfee` stands for all ways to limit the fees. */
const ASKED: Readonly<Record<string, (request: PaymentRequest) => string>> = {
  method: ({ kind }) => kind,
  destination: ({ destination }) => destination,
  amount_msat: ({ amountMsat }) => `${amountMsat}`,
  label: ({ label }) => JSON.stringify(label ?? null),
  maxfee: ({ maxfeeMsat }) => `${maxfeeMsat}`,
  maxdelay: ({ maxdelay }) => `${maxdelay}`,
  retry_for: ({ retryForS }) => `${retryForS}`,
  extratlvs: ({ extraTlvs }) => extraTlvs.map(({ type, value }) => `${type}:${toHex(value)}`).join(),
  routehints: ({ routeHints }) => JSON.stringify(routeHints.map((hint) => hint.map(hopText))),
  layers: ({ layers }) => JSON.stringify(layers),
  dev_use_shadow: ({ useShadow }) => `${useShadow}`,
  dev_randomize: ({ randomize }) => `${randomize}`,
};

const hopText = (hop: PaymentRequest['routeHints'][number][number]): string => {
  const { nodeId, shortChannelId, feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta } = hop;
  const scid = formatShortChannelId(shortChannelId);
  return [nodeId, scid, feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta].join();
};

/** @throws FulguriteError -32602 that names every difference, when the key was used for another payment. */
export function requireSame(first: PaymentRequest, second: PaymentRequest): void {
  const differing = Object.keys(ASKED).filter((name) => ASKED[name]!(first) !== ASKED[name]!(second));
  if (isOtherSeed(first, second)) differing.push('seed');
  if (differing.length === 0) return;
  const reason = `was used for another payment, which differs in ${differing.join(', ')}`;
  throw new FulguriteError('invalidParams', `idempotency_key: ${reason}`, {
    parameter: 'idempotency_key',
    reason,
    differing,
  });
}

/** Whether callers chose different seeds. A seed that nobody chose differs each time and says nothing. */
function isOtherSeed(first: PaymentRequest, second: PaymentRequest): boolean {
  if (second.isSeedChosen !== true) return first.isSeedChosen === true;
  return first.isSeedChosen === false || first.seed !== second.seed;
}
