/**
 * Loads LDK's bindings (npm `lightningdevkit`, WASM) and feeds our graph to them, as unsigned gossip of BOLT 7.
 *
 * The package is optional: only the router `ldk` and the benchmarks need it.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type * as Ldk from 'lightningdevkit';
import { type ChannelGraph, POLICY_ENABLED } from '../../model/channel-graph.ts';
import { NODE_ID_BYTES } from '../../model/node-id.ts';
import type { Direction } from '../../model/short-channel-id.ts';

/** The exports of the package. */
export type LdkBindings = typeof Ldk;

const DISABLED = 2;
/** Message flag of an update that contains an htlc_maximum_msat. */
const HAS_MAXIMUM = 1;
const NO_EXCESS_DATA = new Uint8Array();
/**
 * The funding keys of all channels: any two different points, because LDK only compares them with the funding output.
 */
const FUNDING_KEYS = [
  Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex'),
  Buffer.from('02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5', 'hex'),
] as const;

let opened: Promise<LdkBindings> | undefined;

/**
 * Opens the bindings with their WASM. A second instance would break the objects of the first, so there is only one per
 * process. @throws Error when the package is not installed
 */
export function openLdk(): Promise<LdkBindings> {
  opened ??= load();
  return opened;
}

/** Loads the package, and suppresses the line that it prints on standard output. */
async function load(): Promise<LdkBindings> {
  const ldk = await import('lightningdevkit');
  // biome-ignore lint/suspicious/noConsole: the package prints a line on it
  const log = console.log;
  console.log = () => undefined;
  try {
    const wasm = new URL(
      'liblightningjs.wasm',
      pathToFileURL(createRequire(import.meta.url).resolve('lightningdevkit')),
    );
    await ldk.initializeWasmFromBinary(readFileSync(wasm));
  } finally {
    console.log = log;
  }
  return ldk;
}

/**
 * Feeds a graph to LDK as unsigned gossip. We answer LDK's lookups of funding outputs, so that LDK knows the
 * capacities. Takes about 0.2 ms per channel.
 * @throws Error when LDK refuses a channel
 */
export function feedLdkGraph(ldk: LdkBindings, network: Ldk.NetworkGraph, graph: ChannelGraph): void {
  const chainHash = network.get_chain_hash();
  const script = fundingScript();
  const lookup = ldk.Option_UtxoLookupZ.constructor_some(
    ldk.UtxoLookup.new_impl({
      get_utxo(_chain, shortChannelId) {
        const capacitySat = graph.capacityMsat[graph.channelIndex(shortChannelId)]! / 1000n;
        const output = ldk.TxOut.constructor_new(capacitySat, script);
        return ldk.UtxoResult.constructor_sync(ldk.Result_TxOutUtxoLookupErrorZ.constructor_ok(output));
      },
    }),
  );
  const timestamp = Math.floor(Date.now() / 1000) - 3600;
  for (let channel = 0; channel < graph.channelCount; channel++) {
    const announced = ldk.UnsignedChannelAnnouncement.constructor_read(
      announcementBytes(graph, channel, chainHash),
    );
    if (!(announced instanceof ldk.Result_UnsignedChannelAnnouncementDecodeErrorZ_OK)) {
      throw new Error(`LDK cannot read the announcement of channel ${channel}`);
    }
    const added = network.update_channel_from_unsigned_announcement(announced.res, lookup);
    if (!added.is_ok()) throw new Error(`LDK refuses channel ${channel}: ${reasonOf(added)}`);
    for (const direction of [0, 1] as const) {
      const update = updateOf(ldk, graph, channel, direction, chainHash, timestamp);
      const updated = network.update_channel_unsigned(update);
      if (!updated.is_ok())
        throw new Error(`LDK refuses an update of channel ${channel}: ${reasonOf(updated)}`);
    }
  }
}

const reasonOf = (result: Ldk.Result_NoneLightningErrorZ): string =>
  (result as Ldk.Result_NoneLightningErrorZ_Err).err.get_err();

/** The P2WSH script of a 2-of-2 over the sorted funding keys (BOLT 3, "Funding Transaction Output"). */
function fundingScript(): Uint8Array {
  const [first, second] = FUNDING_KEYS;
  const script = Buffer.concat([
    Buffer.from([0x52, 33]),
    first,
    Buffer.from([33]),
    second,
    Buffer.from([0x52, 0xae]),
  ]);
  return Buffer.concat([Buffer.from([0, 32]), createHash('sha256').update(script).digest()]);
}

/** The unsigned part of a `channel_announcement` (BOLT 7), without features. */
function announcementBytes(graph: ChannelGraph, channel: number, chainHash: Uint8Array): Uint8Array {
  const scid = Buffer.alloc(8);
  scid.writeBigUInt64BE(graph.shortChannelIds[channel]!);
  const id = (node: number) => graph.nodeIds.subarray(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES);
  return Buffer.concat([
    Buffer.alloc(2),
    chainHash,
    scid,
    id(graph.node1[channel]!),
    id(graph.node2[channel]!),
    ...FUNDING_KEYS,
  ]);
}

function updateOf(
  ldk: LdkBindings,
  graph: ChannelGraph,
  channel: number,
  direction: Direction,
  chainHash: Uint8Array,
  timestamp: number,
): Ldk.UnsignedChannelUpdate {
  const directionIndex = channel * 2 + direction;
  const isEnabled = (graph.policyFlags[directionIndex]! & POLICY_ENABLED) !== 0;
  return ldk.UnsignedChannelUpdate.constructor_new(
    chainHash,
    graph.shortChannelIds[channel]!,
    timestamp,
    HAS_MAXIMUM,
    direction | (isEnabled ? 0 : DISABLED),
    graph.cltvExpiryDelta[directionIndex]!,
    graph.htlcMinimumMsat[directionIndex]!,
    graph.htlcMaximumMsat[directionIndex]!,
    graph.feeBaseMsat[directionIndex]!,
    graph.feeProportionalMillionths[directionIndex]!,
    NO_EXCESS_DATA,
  );
}
