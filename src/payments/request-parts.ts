/**
 * The parts of a payment request, each as a text. Two requests are the same if all these texts are equal, and so are
 * the seeds, if their callers chose them.
 *
 * Requests are compared in the form stored in the journal, so this also works across restarts. Different ways to write
 * the same value are equal: a limit as a percentage or as an amount, a default that is omitted or given, an empty list
 * or none. Layers are compared by name and order.
 */
import { toHex } from '../bolt/bytes.ts';
import { formatShortChannelId, formatShortChannelIdDir } from '../model/short-channel-id.ts';
import type { PaymentRequest, PaymentTarget, PaymentTerms } from './payment.ts';

/**
 * Members of a request that are compared differently, or need no comparison. `feeTerms` affects only the text of a
 * remedy. The invoice is determined by `asked`. Requests with an onion have no idempotency key. The seed has its own
 * rule. The idempotency key is already known to match.
 */
type Elsewhere = 'feeTerms' | 'invoice' | 'asked' | 'onion' | 'seed' | 'isSeedChosen' | 'idempotencyKey';

/** The members that are compared. Some are missing if the invoice has not been fetched yet. */
type ComparedRequest = PaymentTerms & Partial<Pick<PaymentRequest, 'destination' | 'routeHints'>>;

/**
 * The names of all compared parts. The compiler ensures that each member of a request is either compared in `ASKED` or
 * excluded above.
 */
type ComparedPart = Exclude<keyof PaymentRequest, Elsewhere> | 'invstring' | 'payerNote' | 'localRequest';

/** The parts in which requests can differ, except for the seed. Equal texts mean equal requests. */
const ASKED = {
  kind: ({ kind }) => kind,
  // A recipient that is determined by an invoice is not compared. For an offer, it is unknown until the invoice is
  // fetched.
  destination: ({ asked, destination = '' }) => (asked === undefined ? destination : ''),
  invstring: ({ asked }) => asked?.invstring.toLowerCase() ?? '',
  payerNote: ({ asked }) => JSON.stringify(asked?.payerNote ?? null),
  localRequest: ({ asked }) => (asked?.localRequest === undefined ? '' : toHex(asked.localRequest.id)),
  amountMsat: ({ amountMsat }) => `${amountMsat}`,
  label: ({ label }) => JSON.stringify(label ?? null),
  maxfeeMsat: ({ maxfeeMsat }) => `${maxfeeMsat}`,
  maxdelay: ({ maxdelay }) => `${maxdelay}`,
  retryForS: ({ retryForS }) => `${retryForS}`,
  extraTlvs: ({ extraTlvs }) => extraTlvs.map(({ type, value }) => `${type}:${toHex(value)}`).join(),
  routeHints: ({ asked, routeHints = [], isTransfer, circle }) =>
    asked === undefined && isTransfer !== true && circle === undefined
      ? JSON.stringify(routeHints.map((hint) => hint.map(hopText)))
      : '',
  layers: ({ layers }) => JSON.stringify(layers),
  exclude: ({ exclude = [] }) =>
    exclude.map((one) => (typeof one === 'string' ? one : formatShortChannelIdDir(one))).join(),
  ourNodes: ({ ourNodes }) => ourNodes?.toSorted().join() ?? '',
  oneNode: ({ oneNode = false }) => `${oneNode}`,
  isTransfer: ({ isTransfer = false }) => `${isTransfer}`,
  circle: ({ circle }) => (circle === undefined ? '' : [circle.out, circle.in].map(circleText).join()),
  useShadow: ({ useShadow }) => `${useShadow}`,
  randomize: ({ randomize }) => `${randomize}`,
} as const satisfies Record<ComparedPart, (request: ComparedRequest) => string>;

/** A part in which two requests can differ. */
export type RequestPart = keyof typeof ASKED | 'seed';

const circleText = (channels: NonNullable<PaymentRequest['circle']>['in']): string =>
  channels.map(({ shortChannelId }) => formatShortChannelId(shortChannelId)).join('|');

const hopText = (hop: PaymentRequest['routeHints'][number][number]): string => {
  const { nodeId, shortChannelId, feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta } = hop;
  const scid = formatShortChannelId(shortChannelId);
  return [nodeId, scid, feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta].join();
};

/** The parts in which two requests differ. */
export function differingParts(first: PaymentRequest, second: PaymentTarget): readonly RequestPart[] {
  const parts = Object.keys(ASKED) as (keyof typeof ASKED)[];
  const differing: RequestPart[] = parts.filter((part) => ASKED[part](first) !== ASKED[part](second));
  if (isOtherSeed(first, second)) differing.push('seed');
  return differing;
}

/**
 * Whether the requests differ in the seed that the caller chose. A random seed differs each time and is not compared.
 */
function isOtherSeed(first: PaymentTerms, second: PaymentTerms): boolean {
  if (second.isSeedChosen !== true) return first.isSeedChosen === true;
  return first.isSeedChosen === false || first.seed !== second.seed;
}
