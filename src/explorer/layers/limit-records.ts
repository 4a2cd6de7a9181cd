/**
 * Finds out what limits the directions of a cut: records of the question's layers, balances of our own channels, and
 * gossip. The search uses the same sources, and also reservations.
 */
import type { Amount } from '../event-types.ts';
import type { CallOptions, MethodParams, Rpc } from '../rpc.ts';
import type { LimitRecord } from '../why/why-facts.ts';

/** Maximum number of directions whose limits are looked up. */
export const MAX_LOOKED_UP = 40;

/**
 * Collects the records that limit the first `MAX_LOOKED_UP` of these directions. Sources that cannot be read are left
 * out.
 */
export async function limitRecords(
  rpc: Rpc,
  { layers, maxparts }: Pick<MethodParams<'getroutes'>, 'layers' | 'maxparts'>,
  scidDirs: readonly string[],
  options: CallOptions,
): Promise<LimitRecord[]> {
  const wanted = new Set(scidDirs.slice(0, MAX_LOOKED_UP));
  const named = layers.filter((name) => !name.startsWith('auto.'));
  const found = await Promise.allSettled([
    ...named.map((name) => ofLayer(rpc, name, wanted, options)),
    ...(layers.includes('auto.localchans') ? [ofOwnChannels(rpc, wanted, options)] : []),
    ofGossip(rpc, wanted, Number(maxparts) === 1, options),
  ]);
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}

async function ofLayer(
  rpc: Rpc,
  name: string,
  wanted: ReadonlySet<string>,
  options: CallOptions,
): Promise<LimitRecord[]> {
  const { layers } = await rpc.call('askrene-listlayers', { layer: name }, options);
  return layers.flatMap(({ constraints, created_channels: created }) => [
    ...constraints.flatMap(({ short_channel_id_dir: scidDir, maximum_msat: most }) =>
      most !== undefined && wanted.has(scidDir) ? [record(scidDir, most, `layer ${name}: constraint`)] : [],
    ),
    ...created.flatMap(({ short_channel_id: scid, capacity_msat: most }) =>
      [`${scid}/0`, `${scid}/1`]
        .filter((scidDir) => wanted.has(scidDir))
        .map((scidDir) => record(scidDir, most, `layer ${name}: created channel`)),
    ),
  ]);
}

async function ofOwnChannels(
  rpc: Rpc,
  wanted: ReadonlySet<string>,
  options: CallOptions,
): Promise<LimitRecord[]> {
  const { channels } = await rpc.call('listpeerchannels', {}, options);
  return channels.flatMap((channel) => {
    const { short_channel_id: scid, direction } = channel;
    if (scid === undefined || direction === undefined) return [];
    const sides: readonly (readonly [number | bigint, Amount | undefined])[] = [
      [direction, channel.spendable_msat],
      [1 - Number(direction), channel.receivable_msat],
    ];
    return sides.flatMap(([side, most]) => {
      const scidDir = `${scid}/${side}`;
      return most !== undefined && wanted.has(scidDir)
        ? [record(scidDir, most, 'our own channel: its balance')]
        : [];
    });
  });
}

/**
 * The limits from gossip.
 * @param isOnePart whether the payment has a single part, so that the maximum HTLC limits the amount
 */
async function ofGossip(
  rpc: Rpc,
  wanted: ReadonlySet<string>,
  isOnePart: boolean,
  options: CallOptions,
): Promise<LimitRecord[]> {
  const scids = [...new Set([...wanted].map((one) => one.split('/')[0]!))];
  const found: LimitRecord[] = [];
  const askNext = async (): Promise<void> => {
    for (let scid = scids.pop(); scid !== undefined; scid = scids.pop()) {
      const { channels } = await rpc.call('listchannels', { short_channel_id: scid }, options);
      for (const channel of channels) {
        const scidDir = `${channel.short_channel_id}/${channel.direction}`;
        if (!wanted.has(scidDir)) continue;
        if (!channel.active) found.push(record(scidDir, 0, 'gossip: disabled'));
        found.push(record(scidDir, channel.amount_msat, 'gossip: capacity'));
        const most = channel.htlc_maximum_msat;
        if (isOnePart && most !== undefined) found.push(record(scidDir, most, 'gossip: maximum per part'));
      }
    }
  };
  await Promise.all([askNext(), askNext(), askNext(), askNext()]);
  return found;
}

const record = (scidDir: string, most: Amount, saidBy: string): LimitRecord => ({
  scidDir,
  mostMsat: BigInt(most),
  saidBy,
});
