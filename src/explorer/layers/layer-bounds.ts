/**
 * The liquidity bounds that the layers of a question set on the channels of its answer, and the layers that set them.
 * If several layers bound a direction, the tightest bounds apply, as in the search. Impressions are left out.
 */
import type { Amount } from '../event-types.ts';
import type { CallOptions, Rpc } from '../rpc.ts';

/** Bounds of a direction in msat. `saidBy` lists the layers that set them, in the order of the question. */
export interface LayerBounds {
  readonly minimumMsat: bigint;
  readonly maximumMsat: bigint | undefined;
  readonly saidBy: readonly string[];
}

/** An entry of a layer that bounds a direction. */
export interface BoundEntry {
  readonly layer: string;
  readonly short_channel_id_dir: string;
  readonly minimum_msat?: Amount;
  readonly maximum_msat?: Amount;
}

/** The bounds that the entries set on each direction. */
export function boundsOf(entries: readonly BoundEntry[]): ReadonlyMap<string, LayerBounds> {
  const found = new Map<string, LayerBounds>();
  for (const { layer, short_channel_id_dir: scidDir, ...entry } of entries) {
    const known = found.get(scidDir) ?? { minimumMsat: 0n, maximumMsat: undefined, saidBy: [] };
    const minimum = BigInt(entry.minimum_msat ?? 0);
    const maximum = entry.maximum_msat === undefined ? undefined : BigInt(entry.maximum_msat);
    found.set(scidDir, {
      minimumMsat: minimum > known.minimumMsat ? minimum : known.minimumMsat,
      maximumMsat: least(known.maximumMsat, maximum),
      saidBy: known.saidBy.includes(layer) ? known.saidBy : [...known.saidBy, layer],
    });
  }
  return found;
}

const least = (one: bigint | undefined, other: bigint | undefined): bigint | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one;

/** Reads the bounds of these directions from the layers of a question. Layers that cannot be read are left out. */
export async function layerBounds(
  rpc: Rpc,
  layers: readonly string[],
  scidDirs: readonly string[],
  options: CallOptions,
): Promise<ReadonlyMap<string, LayerBounds>> {
  const wanted = new Set(scidDirs);
  const named = layers.filter((name) => !name.startsWith('auto.'));
  const read = await Promise.allSettled(
    named.map(async (layer) => {
      const answer = await rpc.call('askrene-listlayers', { layer }, options);
      return answer.layers.flatMap(({ constraints }) =>
        constraints
          .filter(({ short_channel_id_dir: scidDir }) => wanted.has(scidDir))
          .map((one) => ({ ...one, layer })),
      );
    }),
  );
  return boundsOf(read.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])));
}
