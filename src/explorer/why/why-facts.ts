/**
 * Why there is no route, in the form that the page displays: read from the `data` of an error of `getroutes` or of a
 * payment. The members of this data are documented in `src/model/refusals.ts` and
 * `src/commands/routes/no-route-words.ts`.
 */
import type { Amount } from '../event-types.ts';

/** The limit of one direction that a binding names, and its source. */
export interface CutMember {
  readonly scidDir: string;
  /** The known maximum amount of the direction. Undefined if none is known. */
  readonly mostMsat: bigint | undefined;
  /** The source of the limit: a record of a layer, an own channel, or gossip. `not known here` without a limit. */
  readonly saidBy: string;
}

/** What prevents a route: `data.binding`. Members that do not apply to the kind of binding are undefined. */
export interface BindingFacts {
  readonly kind: string;
  readonly end?: 'source' | 'destination';
  readonly maxfee_msat?: Amount;
  readonly maxdelay?: number;
  readonly maxparts?: number;
  readonly maxhops?: number;
  readonly channels?: readonly string[];
  readonly layers?: readonly string[];
  readonly limit_msat?: Amount;
  readonly disabled?: readonly DisabledFacts[];
  readonly short_channel_id_dir?: string;
  readonly amount_msat?: Amount;
  readonly reason?: string;
  readonly layer?: string;
  readonly node?: string;
  readonly maximum_msat?: Amount;
  readonly reserved_msat?: Amount;
  readonly reservations?: readonly { readonly amount_msat: Amount; readonly command_id: string }[];
  readonly cut?: readonly string[];
  readonly waited?: string;
  readonly cause?: string;
  readonly words?: string;
  readonly probability_ppm?: number;
  readonly least_ppm?: number;
  readonly search?: BindingFacts;
}

/** Why one direction is disabled. */
export interface DisabledFacts {
  readonly short_channel_id_dir: string;
  readonly reason?: string;
  readonly layer?: string;
  readonly node?: string;
}

/** The binding and the remedy of an error. Undefined when the error has no binding. */
export function refusalOf(
  data: unknown,
):
  | { readonly binding: BindingFacts; readonly remedy: Readonly<Record<string, unknown>> | undefined }
  | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { binding, remedy } = data as { binding?: BindingFacts; remedy?: Readonly<Record<string, unknown>> };
  return typeof binding?.kind === 'string' ? { binding, remedy } : undefined;
}

/** All directions that a binding names, those of the cut first. */
export function directionsOf({ cut = [], channels = [], short_channel_id_dir: one }: BindingFacts): string[] {
  return [...new Set([...cut, ...channels, ...(one === undefined ? [] : [one])])];
}

/** An upper limit of a direction, and its source. */
export interface LimitRecord {
  readonly scidDir: string;
  readonly mostMsat: bigint;
  readonly saidBy: string;
}

/** The lowest limit on each direction. A direction without records gets no limit. */
export function membersOf(scidDirs: readonly string[], records: readonly LimitRecord[]): CutMember[] {
  return scidDirs.map((scidDir) => {
    const least = records
      .filter((one) => one.scidDir === scidDir)
      .reduce<LimitRecord | undefined>(
        (a, b) => (a === undefined || b.mostMsat < a.mostMsat ? b : a),
        undefined,
      );
    return { scidDir, mostMsat: least?.mostMsat, saidBy: least?.saidBy ?? 'not known here' };
  });
}

/** The sum of the maximum amounts. Undefined if any of them is unknown. */
export const sumOf = (members: readonly CutMember[]): bigint | undefined =>
  members.reduce<bigint | undefined>(
    (sum, { mostMsat }) => (sum === undefined || mostMsat === undefined ? undefined : sum + mostMsat),
    0n,
  );
