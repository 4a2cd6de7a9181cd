/**
 * Snapshots of rapid gossip sync that LDK reads as well: random snapshots of both versions, with default and
 * explicit fields, disabled directions, updates of missing channels, limits beyond all bitcoin, and repeated
 * updates. LDK must end up with the same channels and policies.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import type { ChannelUpdateInfo } from 'lightningdevkit';
import { beforeAll, expect, test } from 'vitest';
import { snapshotNodeIds } from '../../../src/gossip/node-keys.ts';
import { parseRapidSnapshot } from '../../../src/gossip/rapid-snapshot.ts';
import {
  rapidSnapshot,
  type WrittenSnapshot,
  type WrittenUpdate,
} from '../../gossip/rapid-snapshot-builder.ts';
import { describeNeeding } from '../../needs.ts';

const CASES = Number(process.env.RAPID_GOSSIP_CASES ?? 200);
const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);
const TIMESTAMP = 1_700_000_000;
const packageFile = createRequire(import.meta.url).resolve('lightningdevkit/package.json');
const binary = join(dirname(packageFile), 'liblightningjs.wasm');

/** Node ids that are points of the curve, as LDK requires. */
const NODES = Array.from({ length: 6 }, (_, node) => snapshotNodeIds(6).slice(node * 33, node * 33 + 33));
const SORTED = [...NODES].sort((a, b) => Buffer.compare(a, b));
const u32 = fc.nat({ max: 0xffff_ffff });
const amount = fc.oneof(fc.bigInt(0n, 10_000_000_000n), fc.bigInt(0n, 2n ** 64n - 1n));
const scid = fc.oneof(fc.bigInt(0n, 8n), fc.bigInt(0n, 2n ** 63n));

const fields = { delta: fc.nat({ max: 0xffff }), minimum: amount, base: u32, ppm: u32, maximum: amount };
const snapshots: fc.Arbitrary<WrittenSnapshot> = fc
  .record({
    version: fc.constantFrom(1 as const, 2 as const),
    usual: fc.record(fields),
    channels: fc.uniqueArray(
      fc.record({
        scid,
        ends: fc.uniqueArray(fc.nat({ max: SORTED.length - 1 }), { minLength: 2, maxLength: 2 }),
      }),
      { selector: (channel) => channel.scid, maxLength: 8 },
    ),
    others: fc.array(scid, { maxLength: 2 }),
    updates: fc.array(
      fc.record(
        {
          pick: fc.nat(),
          direction: fc.constantFrom(0 as const, 1 as const),
          disabled: fc.boolean(),
          ...fields,
        },
        { requiredKeys: ['pick', 'direction', 'disabled'] },
      ),
      { maxLength: 20 },
    ),
  })
  .map(({ version, usual, channels, others, updates }) => {
    const ids = [...channels.map((channel) => channel.scid), ...others];
    const told: WrittenUpdate[] =
      ids.length === 0
        ? []
        : updates.map(({ pick, ...update }) => ({ ...update, scid: ids[pick % ids.length]! }));
    const ascending = <T extends { readonly scid: bigint }>(items: readonly T[]) =>
      [...items].sort((a, b) => (a.scid < b.scid ? -1 : a.scid > b.scid ? 1 : 0));
    const directed = ascending(told);
    return {
      version,
      usual,
      timestamp: TIMESTAMP,
      nodes: SORTED,
      channels: ascending(channels).map((channel) => {
        const [first, second] = [...channel.ends].sort((a, b) => a - b);
        return { scid: channel.scid, ends: [first!, second!] as const };
      }),
      // In version 2, two updates in a row for the same direction would be read as data of a later version.
      updates: directed.filter((update, at) => {
        const before = directed[at - 1];
        return version === 1 || before?.scid !== update.scid || before.direction !== update.direction;
      }),
    };
  });

describeNeeding('ldk', existsSync(binary), 'LDK', () => {
  let ldk: typeof import('lightningdevkit');
  beforeAll(async () => {
    ldk = await import('lightningdevkit');
    await ldk.initializeWasmFromBinary(readFileSync(binary));
  });

  /** Channels with the policies of both directions, as LDK reads the snapshot. */
  const theirs = (bytes: Uint8Array) => {
    const logger = ldk.Logger.new_impl({ log: () => undefined });
    const graph = ldk.NetworkGraph.constructor_new(ldk.Network.LDKNetwork_Bitcoin, logger);
    const sync = ldk.RapidGossipSync.constructor_new(graph, logger);
    const result = sync.update_network_graph_no_std(bytes, ldk.Option_u64Z.constructor_none());
    if (!result.is_ok()) return 'refused';
    const readOnly = graph.read_only();
    const channels = [...readOnly.list_channels()]
      .sort((a, b) => (a < b ? -1 : 1))
      .map((id) => {
        const info = readOnly.channel(id);
        const ends = [info.get_node_one(), info.get_node_two()].map((node) =>
          Buffer.from(node.as_slice()).toString('hex'),
        );
        return [id, ...ends, policy(info.get_one_to_two()), policy(info.get_two_to_one())];
      });
    readOnly.free();
    return channels;
  };

  /** If there is no update, LDK's bindings return one with time 0. They return signed numbers. */
  const policy = (info: ChannelUpdateInfo) =>
    info.get_last_update() === 0
      ? undefined
      : {
          enabled: Boolean(info.get_enabled()),
          delta: info.get_cltv_expiry_delta() & 0xffff,
          minimum: BigInt.asUintN(64, info.get_htlc_minimum_msat()),
          maximum: BigInt.asUintN(64, info.get_htlc_maximum_msat()),
          base: info.get_fees().get_base_msat() >>> 0,
          ppm: info.get_fees().get_proportional_millionths() >>> 0,
        };

  const ours = (bytes: Uint8Array) => {
    const graph = parseRapidSnapshot(bytes);
    return Array.from({ length: graph.channelCount }, (_, channel) => {
      const told = [0, 1].map((direction) => {
        const known = graph.policy(channel * 2 + direction);
        return (
          known && {
            enabled: known.enabled,
            delta: known.cltvExpiryDelta,
            minimum: known.htlcMinimumMsat,
            maximum: known.htlcMaximumMsat,
            base: known.feeBaseMsat,
            ppm: known.feeProportionalMillionths,
          }
        );
      });
      const ends = [graph.nodeId(graph.node1[channel]!), graph.nodeId(graph.node2[channel]!)];
      return [graph.shortChannelIds[channel]!, ...ends, ...told];
    });
  };

  test(`${CASES} random snapshots are read alike`, () => {
    let policies = 0;
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        const bytes = rapidSnapshot(snapshot);
        const read = ours(bytes);
        expect(read).toEqual(theirs(bytes));
        policies += read.flat().filter((value) => typeof value === 'object').length;
      }),
      { seed: SEED, numRuns: CASES },
    );
    expect(policies, 'policies compared').toBeGreaterThan(CASES);
  });
});
