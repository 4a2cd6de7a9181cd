/**
 * Sends the query that a refusal recommends: with the values of the remedy, and with slightly less of one change.
 * The second query must fail if the remedy is minimal.
 *
 * "Slightly less" means closer to the value of the refused query by a hundredth, or by 1 (block, part or msat) if
 * that is more. So "minimal" implies nothing about values further away. The values that work need not be one
 * interval: an amount can also be too small for an HTLC minimum, and base fees make small amounts expensive.
 */
import type { RouteQuery } from '../../src/engine/question/route.ts';
import type { FulguriteError } from '../../src/model/errors.ts';
import type { Msat } from '../../src/model/msat.ts';

type Changed = 'amountMsat' | 'maxfeeMsat' | 'maxdelay' | 'finalCltv' | 'maxparts';

/** Parameters of `getroutes` that a remedy may name. */
const PARAMETERS: Readonly<Record<string, Changed>> = {
  amount_msat: 'amountMsat',
  maxfee_msat: 'maxfeeMsat',
  maxdelay: 'maxdelay',
  final_cltv: 'finalCltv',
  maxparts: 'maxparts',
};

export interface Remedied {
  /** The names of the parameters, as text. */
  readonly kind: string;
  readonly query: RouteQuery;
  /** Whether the refusal states that no smaller change helps. */
  readonly isMinimal: boolean;
  /** By parameter: the query with slightly less of that change. Empty unless `isMinimal`. */
  readonly less: ReadonlyMap<string, RouteQuery>;
}

const hundredth = (value: bigint): bigint => (value >= 100n ? value / 100n : 1n);

const changed = (query: RouteQuery, key: Changed, value: bigint): RouteQuery => ({
  ...query,
  [key]: key === 'amountMsat' || key === 'maxfeeMsat' ? (value as Msat) : Number(value),
});

/** A value that is a hundredth closer to the requested one. */
function closer(own: bigint, value: bigint): bigint {
  const step = hundredth(value);
  if (value > own) return value - step > own ? value - step : own;
  return value + step < own ? value + step : own;
}

/**
 * Undefined if the refusal has no remedy. @throws Error if the remedy is empty, names something other than a
 * parameter, or changes nothing
 */
export function remedied(query: RouteQuery, error: FulguriteError): Remedied | undefined {
  const remedy = error.data?.remedy as Readonly<Record<string, bigint | number | false>> | undefined;
  if (remedy === undefined) return undefined;
  const changes = Object.entries(remedy).filter(([name]) => name !== 'minimal');
  const entries = changes.map(([name, value]) => {
    const key = PARAMETERS[name];
    if (key === undefined || BigInt(query[key]) === BigInt(value))
      throw new Error(`remedy ${name}: ${value}`);
    return { name, key, value: BigInt(value) };
  });
  if (entries.length === 0) throw new Error('an empty remedy');
  const better = entries.reduce((with_, { key, value }) => changed(with_, key, value), query);
  const less = entries.map(
    ({ name, key, value }) => [name, changed(better, key, closer(BigInt(query[key]), value))] as const,
  );
  const isMinimal = !('minimal' in remedy);
  const kind = entries.map(({ name }) => name).join('+');
  return { kind, query: better, isMinimal, less: new Map(isMinimal ? less : []) };
}
