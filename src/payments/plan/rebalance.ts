/**
 * Brings our channels closer to target shares by moving money over the network from one of our channels to another.
 *
 *     surplus(channel) = what it can send − wanted share · (what it can send + what it can receive)
 *
 * Channels with a surplus send at most the surplus, and channels that lack money receive at most what they lack. One
 * search for the whole amount then finds the cheapest flow over all pairs of channels at once (circle.ts). If the whole
 * amount has no flow within the limits, the amount is reduced by bisection. Each part of the plan becomes a separate
 * payment, so that a failed part does not delay the others, and after a crash the money is in either the sending or the
 * receiving channel.
 */
import type { Route } from '../../engine/question/route.ts';
import { type Msat, msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { OwnChannel } from '../../model/own-channel.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { PaymentRequest } from '../payment.ts';
import type { Circle, CircleChannel } from './circle.ts';
import type { InvoiceTerms } from './invoice-terms.ts';
import { feeOf } from './route-cost.ts';

/** The share of a channel's total (what it can send and receive) that it should be able to send, in ppm. */
export interface WantedShare {
  readonly shortChannelId: ShortChannelId;
  readonly sharePpm: number;
}

/** Limits on the fees and amounts of a rebalancing. */
export interface RebalanceLimits {
  /** Maximum total fees of all parts. */
  readonly maxfeeMsat: Msat;
  /** Maximum fee of each part, in ppm of its amount. */
  readonly maxfeePpm: number;
  /**
   * Returns a lower maximum fee for money that returns over a channel, in ppm. Default: `maxfeePpm` for all channels.
   */
  readonly worthPpm?: ((into: ShortChannelId) => number) | undefined;
  /** Maximum total amount to move. Undefined if unlimited. */
  readonly mostMsat: Msat | undefined;
  /** Channels that differ by less than this from their target are ignored. */
  readonly leastMsat: Msat;
}

const MILLION = 1_000_000n;
/** Maximum number of bisections of the amount if no routes are found for the whole amount. */
const STEPS = 7;

/** One part of a plan, which moves money from one channel to another. */
export interface PlannedMove {
  readonly out: ShortChannelId;
  readonly in: ShortChannelId;
  readonly amountMsat: Msat;
  readonly feeMsat: Msat;
  readonly route: Route;
}

/**
 * A plan. If it has no moves, there is nothing to do, or nothing can be done within the limits. `T` is the type of the
 * reason for finding no route.
 */
export interface RebalancePlan<T> {
  readonly circle: Circle;
  /**
   * Amount that would move without any limits: the lesser of what channels can give in total and what others lack in
   * total.
   */
  readonly wantedMsat: Msat;
  readonly moves: readonly PlannedMove[];
  /** Parts that were left out of `moves`, because their fee is above the limit for their inbound channel. */
  readonly tooCostly: readonly PlannedMove[];
  /** Why no routes were found for the whole amount. Undefined if they were found, or there was nothing to move. */
  readonly obstacle: T | undefined;
}

/**
 * Determines which channels give and which receive. With `wanted`, only the channels listed there take part. Without
 * it, all channels get the same target share.
 * @returns also, in `wantedMsat`, the lesser of what channels can give in total and what other channels lack in total
 */
export function surpluses(
  channels: readonly OwnChannel[],
  wanted: readonly WantedShare[] | undefined,
  leastMsat: Msat,
): { readonly circle: Circle; readonly wantedMsat: Msat } {
  const usable = channels.filter(
    ({ usable: isUsable, shortChannelId }) => isUsable && shortChannelId !== undefined,
  );
  const sum = (of: (channel: OwnChannel) => bigint): bigint =>
    usable.reduce((total, channel) => total + of(channel), 0n);
  const all = sum(({ spendableMsat, receivableMsat }) => spendableMsat + receivableMsat);
  const evenPpm = all === 0n ? 0n : (sum(({ spendableMsat }) => spendableMsat) * MILLION) / all;
  const out: CircleChannel[] = [];
  const into: CircleChannel[] = [];
  for (const { shortChannelId, spendableMsat, receivableMsat } of usable) {
    const share = wanted?.find((one) => one.shortChannelId === shortChannelId)?.sharePpm;
    if (wanted !== undefined && share === undefined) continue;
    const sharePpm = share === undefined ? evenPpm : BigInt(share);
    const surplus = spendableMsat - ((spendableMsat + receivableMsat) * sharePpm) / MILLION;
    const id = shortChannelId!;
    if (surplus >= leastMsat) out.push({ shortChannelId: id, mostMsat: msat(surplus) });
    else if (-surplus >= leastMsat) into.push({ shortChannelId: id, mostMsat: msat(-surplus) });
  }
  const total = (list: readonly CircleChannel[]): bigint =>
    list.reduce((most, { mostMsat }) => most + mostMsat!, 0n);
  const [giving, lacking] = [total(out), total(into)];
  return { circle: { out, in: into }, wantedMsat: msat(giving < lacking ? giving : lacking) };
}

/** Placeholder terms for our invoice, which is created only when the payment is made. */
function plannedTerms(amountMsat: Msat): InvoiceTerms {
  return {
    format: 'bolt11',
    text: '',
    paymentHash: new Uint8Array(32),
    totalMsat: amountMsat,
    expiresAt: 2n ** 40n,
    minFinalCltvExpiryDelta: 42,
    takesParts: true,
    paymentSecret: new Uint8Array(32),
    paymentMetadata: undefined,
    blindedTails: [],
    description: undefined,
    payerNote: undefined,
    invoiceRequestId: undefined,
  };
}

/** The request for a payment to ourselves that moves an amount. Its invoice is added later. */
export function circleRequest(
  ourId: NodeId,
  circle: Circle,
  amountMsat: Msat,
  maxfeeMsat: Msat,
  more: Pick<PaymentRequest, 'retryForS' | 'seed' | 'layers' | 'label'>,
): PaymentRequest {
  return {
    kind: 'xpay',
    destination: ourId,
    amountMsat,
    maxfeeMsat,
    feeTerms: { parameter: 'maxfee' },
    maxdelay: 2016,
    extraTlvs: [],
    routeHints: [],
    isSeedChosen: false,
    useShadow: false,
    randomize: false,
    idempotencyKey: undefined,
    circle,
    ...more,
  };
}

/** Finds routes for a request, or the reason why there are none. */
export type PlanCircle<T> = (
  request: PaymentRequest,
) => Promise<{ readonly routes: readonly Route[] } | { readonly obstacle: T }>;

/** Plans to move as much of the wanted amount as the limits permit. */
export async function planRebalance<T>(
  ourId: NodeId,
  { circle, wantedMsat }: { readonly circle: Circle; readonly wantedMsat: Msat },
  limits: RebalanceLimits,
  more: Pick<PaymentRequest, 'retryForS' | 'seed' | 'layers' | 'label'>,
  plan: PlanCircle<T>,
): Promise<RebalancePlan<T>> {
  const { mostMsat, leastMsat, maxfeeMsat } = limits;
  const wholeMsat = mostMsat !== undefined && mostMsat < wantedMsat ? mostMsat : wantedMsat;
  const none = { circle, wantedMsat, moves: [], tooCostly: [], obstacle: undefined };
  if (wholeMsat < leastMsat || wholeMsat === 0n) return none;
  const within = async (amountMsat: bigint) => {
    const shareMsat = (amountMsat * BigInt(limits.maxfeePpm)) / MILLION;
    const feeMsat = msat(shareMsat < maxfeeMsat ? shareMsat : maxfeeMsat);
    const request = circleRequest(ourId, circle, msat(amountMsat), feeMsat, more);
    const found = await plan({ ...request, invoice: plannedTerms(request.amountMsat) });
    return 'routes' in found ? split(found.routes.map(moveOf), limits) : found;
  };
  const whole = await within(wholeMsat);
  if ('moves' in whole) return { ...none, ...whole };
  let best: SplitMoves = none;
  let [low, high] = [0n, wholeMsat as bigint];
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2n;
    if (middle < leastMsat || middle === 0n) break;
    const found = await within(middle);
    if ('obstacle' in found) high = middle;
    else {
      // A plan for a larger amount may leave out more parts, and so move less.
      if (movedMsat(found) >= movedMsat(best)) best = found;
      low = middle;
    }
  }
  return { ...none, ...best, obstacle: whole.obstacle };
}

/** The fee limit for money returning over a channel, in ppm. */
export const feeLimitPpm = (
  { maxfeePpm, worthPpm }: Pick<RebalanceLimits, 'maxfeePpm' | 'worthPpm'>,
  into: ShortChannelId,
): number => Math.min(maxfeePpm, worthPpm?.(into) ?? maxfeePpm);

type SplitMoves = Pick<RebalancePlan<never>, 'moves' | 'tooCostly'>;

/** The amount that a plan moves, without the parts that it leaves out. */
const movedMsat = ({ moves }: SplitMoves): bigint =>
  moves.reduce((sum, { amountMsat }) => sum + amountMsat, 0n);

/** Splits moves into those whose fee is within the limit for their inbound channel, and the others. */
function split(all: readonly PlannedMove[], limits: RebalanceLimits): SplitMoves {
  const isWithin = ({ amountMsat, feeMsat, in: into }: PlannedMove): boolean =>
    feeMsat * MILLION <= amountMsat * BigInt(feeLimitPpm(limits, into));
  return { moves: all.filter(isWithin), tooCostly: all.filter((move) => !isWithin(move)) };
}

function moveOf(route: Route): PlannedMove {
  const { path, amountMsat } = route;
  return {
    out: path[0]!.shortChannelIdDir.shortChannelId,
    in: path.at(-1)!.shortChannelIdDir.shortChannelId,
    amountMsat,
    feeMsat: feeOf([route]),
    route,
  };
}
