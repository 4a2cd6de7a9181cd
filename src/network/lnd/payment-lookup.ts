/**
 * What LND's database contains about our HTLC (`TrackPaymentV2`). LND stores one payment per hash, with its attempts.
 * It does not store our attempt ids, so an attempt is identified by its contents: the channels of its path, and the
 * amount and the expiry at its start.
 *
 * Attempts that are equal in all of these are interchangeable, except that some may have ended. Of several equal
 * attempts, a settled one counts first, then one in flight: an HTLC is never reported as failed while an equal attempt
 * is in flight or settled.
 *
 * | LND reports | we report |
 * |---|---|
 * | no payment, or none of its attempts is like ours | it never left, if LND still reports this after the fence |
 * | an attempt like ours, ended | how it ended |
 * | an attempt like ours, in flight | pending; but see lost-htlcs.ts |
 *
 * LND removes failed attempts when a payment is started again under the same hash, and when it is settled. Those
 * attempts failed and moved no funds, so it is correct to report `neverLeft`.
 */

import { nodeAway } from '../kept-link.ts';
import type { HtlcKey, HtlcOutcome, HtlcState } from '../port.ts';
import { HTLC_STATUS, type HtlcAttempt, type LndPayment, type RouteRow } from './answers.ts';
import { LndError, STATUS } from './client/calls.ts';
import { outcomeOf } from './failure-of.ts';
import type { LostHtlcs } from './lost-htlcs.ts';
import type { LndConnection, LndLink } from './node-link.ts';

/** Rank of each status. Of several equal attempts, the attempt with the lowest rank counts. */
const RANK: Readonly<Record<number, number>> = {
  [HTLC_STATUS.succeeded]: 0,
  [HTLC_STATUS.inFlight]: 1,
  [HTLC_STATUS.failed]: 2,
};

/**
 * The payment with a hash, from the first message of its stream. Undefined if LND has no such payment.
 * @throws LndError, FulguriteError
 */
export function paymentOf(
  link: LndLink,
  hash: Uint8Array,
  timeoutMs: number,
): Promise<LndPayment | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      end();
      reject(nodeAway(`LND did not respond within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    const done = (act: () => void): void => {
      clearTimeout(timer);
      act();
    };
    const end = link.stream<LndPayment>(
      'TrackPaymentV2',
      { payment_hash: hash },
      (payment) =>
        done(() => {
          resolve(payment);
          end();
        }),
      (error) => done(() => (isNotFound(error) ? resolve(undefined) : reject(error))),
    );
  });
}

/** Whether LND reports that it has no payment for a hash. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof LndError && error.status === STATUS.notFound;

/** Our attempt within a payment, if there is one. */
export function attemptIn({ htlcs }: LndPayment, key: HtlcKey): HtlcAttempt | undefined {
  const alike = htlcs.filter(({ route }) => route !== null && isAlike(route, key));
  return alike.sort((a, b) => RANK[a.status]! - RANK[b.status]!)[0];
}

function isAlike(route: RouteRow, { path = [] }: HtlcKey): boolean {
  const first = path[0];
  if (first === undefined || route.hops.length < path.length) return false;
  if (BigInt(route.total_amt_msat) !== first.amountMsat) return false;
  if (route.total_time_lock !== first.cltvExpiry) return false;
  return path.every(({ shortChannelId }, index) => BigInt(route.hops[index]!.chan_id) === shortChannelId);
}

/** Dependencies of a lookup in LND's payments. */
export interface LookupOptions {
  readonly link: LndLink;
  readonly lost: LostHtlcs;
  readonly timeoutMs: number;
}

/**
 * The state of an HTLC that was sent before the given connection opened, or whose call has ended.
 * @throws LndError; FulguriteError nodeAway
 */
export async function stateOf(
  { link, lost, timeoutMs }: LookupOptions,
  connection: LndConnection,
  key: HtlcKey,
): Promise<HtlcState> {
  const found = await lookUp(link, key, timeoutMs);
  if (found === 'none') await connection.fence();
  else if (found.status !== 'pending' || !(await lost.isLost(key, connection))) return found;
  const again = await lookUp(link, key, timeoutMs);
  if (again === 'none') return { status: 'neverLeft' };
  // LND still believes that the HTLC is in flight, but no channel has it.
  return found !== 'none' && again.status === 'pending' ? { status: 'neverLeft' } : again;
}

async function lookUp(
  link: LndLink,
  key: HtlcKey,
  timeoutMs: number,
): Promise<HtlcOutcome | { readonly status: 'pending' | 'unknown' } | 'none'> {
  // Without its path, an HTLC cannot be distinguished from other HTLCs with the same hash.
  if (key.path?.[0] === undefined) return { status: 'unknown' };
  const payment = await paymentOf(link, key.paymentHash, timeoutMs);
  const attempt = payment && attemptIn(payment, key);
  if (attempt === undefined) return 'none';
  return outcomeOf(attempt) ?? { status: 'pending' };
}
