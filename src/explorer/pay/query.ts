/**
 * A route query in an address: `?to=ID&amount=1000&from=…&layers=a,b&maxfee=…&maxparts=…`. Amounts are in sat unless
 * they have a unit.
 */
import { parseAmount } from '../format.ts';
import type { QueryChange } from '../page.ts';
import type { MethodParams } from '../rpc.ts';

/** The parameters of `getroutes`. */
export type RouteParams = MethodParams<'getroutes'>;

/** A route query, possibly incomplete. Amounts in msat. */
export interface RouteQuestion {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly amountMsat: bigint | undefined;
  readonly layers: readonly string[] | undefined;
  readonly maxfeeMsat: bigint | undefined;
  readonly maxparts: number | undefined;
  readonly maxdelay: number | undefined;
  readonly finalCltv: number | undefined;
}

/** Layers for our own routes: our channels with exact balances, and no fee for the first hop. */
export const OWN_LAYERS = ['auto.localchans', 'auto.sourcefree'] as const;
/** Default final delay in blocks: that of a BOLT 11 invoice which states none. */
export const USUAL_FINAL_CLTV = 18;
/** Default maximum number of parts. */
export const USUAL_MAXPARTS = 16;
const MIN_FEE_LIMIT = 5000n;
const ID = /^0[23][0-9a-f]{64}$/;

/** The usual fee limit: 1 % of the amount, but at least 5 sat, as in `xkeysend`. In msat. */
export const usualFeeLimit = (amountMsat: bigint): bigint =>
  amountMsat / 100n > MIN_FEE_LIMIT ? amountMsat / 100n : MIN_FEE_LIMIT;

const whole = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

const amountIn = (text: string | null): bigint | undefined => (text === null ? undefined : parseAmount(text));

const idIn = (text: string | null): string | undefined =>
  text !== null && ID.test(text.trim().toLowerCase()) ? text.trim().toLowerCase() : undefined;

/** Reads the route query of an address. Malformed values count as absent. */
export function questionOf(query: URLSearchParams): RouteQuestion {
  const layers = query.get('layers');
  return {
    from: idIn(query.get('from')),
    to: idIn(query.get('to')),
    amountMsat: amountIn(query.get('amount')),
    layers:
      layers === null
        ? undefined
        : layers
            .split(',')
            .map((name) => name.trim())
            .filter((name) => name !== ''),
    maxfeeMsat: amountIn(query.get('maxfee')),
    maxparts: whole(query.get('maxparts')),
    maxdelay: whole(query.get('maxdelay')),
    finalCltv: whole(query.get('final_cltv')),
  };
}

/** The faults in the query of an address, as sentences. An absent value is not a fault. */
export function faultsOf(query: URLSearchParams): string[] {
  const wrong = (name: string, isRead: boolean, what: string): string[] => {
    const given = query.get(name) ?? '';
    return given === '' || isRead ? [] : [`${name}=${given.slice(0, 80)} is not ${what}.`];
  };
  const question = questionOf(query);
  return [
    ...wrong('to', question.to !== undefined, 'the id of a node: 66 hex digits, beginning with 02 or 03'),
    ...wrong('from', question.from !== undefined, 'the id of a node: 66 hex digits, beginning with 02 or 03'),
    ...wrong('amount', (question.amountMsat ?? 0n) > 0n, 'an amount, such as 100 000 or 5msat'),
    ...wrong('maxfee', question.maxfeeMsat !== undefined, 'an amount, such as 100 or 5msat'),
    ...wrong('maxparts', question.maxparts !== undefined, 'a whole number'),
    ...wrong('maxdelay', question.maxdelay !== undefined, 'a whole number of blocks'),
    ...wrong('final_cltv', question.finalCltv !== undefined, 'a whole number of blocks'),
  ];
}

/** An amount as written in an address: in sat if it is a whole number of sat, otherwise in msat. */
export const amountText = (msat: bigint): string =>
  msat % 1000n === 0n ? String(msat / 1000n) : `${msat}msat`;

/**
 * The parameters of `getroutes`. Undefined while the destination or the amount is missing. @param ownId this node, the
 * default source of routes
 */
export function routeParams(question: RouteQuestion, ownId: string): RouteParams | undefined {
  const { to, amountMsat } = question;
  if (to === undefined || amountMsat === undefined || amountMsat === 0n) return undefined;
  const source = question.from ?? ownId;
  return {
    source,
    destination: to,
    amount_msat: amountMsat,
    layers: question.layers ?? (source === ownId ? [...OWN_LAYERS] : []),
    maxfee_msat: question.maxfeeMsat ?? usualFeeLimit(amountMsat),
    final_cltv: question.finalCltv ?? USUAL_FINAL_CLTV,
    maxparts: question.maxparts ?? USUAL_MAXPARTS,
    ...(question.maxdelay !== undefined && { maxdelay: question.maxdelay }),
  };
}

/** The changes of the address that apply the remedy of a route query or a payment. */
export function remedyChange(remedy: Readonly<Record<string, unknown>>): QueryChange {
  const change: Record<string, string> = {};
  const amount = (value: unknown): string => amountText(BigInt(value as number | bigint));
  const sent = remedy.amount_msat ?? remedy.invoice_amount_msat;
  if (sent !== undefined) change.amount = amount(sent);
  const fee = remedy.maxfee_msat ?? remedy.maxfee;
  if (fee !== undefined) change.maxfee = amount(fee);
  for (const name of ['maxdelay', 'maxparts', 'final_cltv']) {
    if (remedy[name] !== undefined) change[name] = String(remedy[name]);
  }
  return change;
}
