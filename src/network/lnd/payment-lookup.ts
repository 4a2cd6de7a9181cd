/**
 * What LND's database knows of an HTLC of ours (`TrackPaymentV2`). LND keeps one payment for each hash, with the
 * attempts that were made for it. It does not keep our number of an attempt, so an attempt is found by what makes it up:
 * the channels of its path, the amount and expiry that it begins with, and what arrives.
 *
 * Attempts that are alike in all of these are interchangeable, except that some may have ended. Of such, the one that is
 * furthest from failed counts: it is never said that an HTLC failed while one that is alike is in progress or settled.
 *
 * | LND says | we say |
 * |---|---|
 * | no payment, or none of its attempts is like ours | after the fence: it never left. Before: unknown |
 * | an attempt like ours, ended | how it ended |
 * | an attempt like ours, in flight | pending; but see lost-htlcs.ts |
 *
 * LND removes failed attempts when a payment is begun again under the same hash, and when it is settled. Those failed, so
 * "it never left" is right about the money.
 */
import type { HtlcKey, HtlcOutcome, HtlcState } from '../port.ts';
import { HTLC_STATUS, type HtlcAttempt, type LndPayment, type RouteRow } from './answers.ts';
import { LndError, STATUS } from './client/calls.ts';
import { outcomeOf } from './failure-of.ts';
import type { LostHtlcs } from './lost-htlcs.ts';
import { type LndConnection, type LndLink, nodeAway } from './node-link.ts';

/** How soon each status of an attempt is preferred among attempts that are alike. */
const RANK: Readonly<Record<number, number>> = {
  [HTLC_STATUS.succeeded]: 0,
  [HTLC_STATUS.inFlight]: 1,
  [HTLC_STATUS.failed]: 2,
};

/** The first message of the stream for a hash. Undefined when LND knows no payment of it. @throws LndError, FulguriteError */
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

/** Whether LND says that it knows no payment of a hash. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof LndError && error.status === STATUS.notFound;

/** The attempt of a payment that is ours, if there is one. */
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

/** What a look at LND's payments works with. */
export interface LookupOptions {
  readonly link: LndLink;
  readonly lost: LostHtlcs;
  readonly timeoutMs: number;
}

/**
 * The fate of an HTLC that was sent before the given connection stood, or whose call has ended.
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
  // LND still believes that it is in progress, and no channel has it.
  return found !== 'none' && again.status === 'pending' ? { status: 'neverLeft' } : again;
}

async function lookUp(
  link: LndLink,
  key: HtlcKey,
  timeoutMs: number,
): Promise<HtlcOutcome | { readonly status: 'pending' | 'unknown' } | 'none'> {
  // Without its path, an HTLC cannot be distinguished from others with its hash.
  if (key.path?.[0] === undefined) return { status: 'unknown' };
  const payment = await paymentOf(link, key.paymentHash, timeoutMs);
  const attempt = payment && attemptIn(payment, key);
  if (attempt === undefined) return 'none';
  return outcomeOf(attempt) ?? { status: 'pending' };
}
