/**
 * Reads the simulation file of sim-ln (`sim.json`): a network with a policy for each end of a channel, activities, and
 * nodes to exclude.
 *
 * Differences from sim-ln: if a capacity is odd, the two balances still add up to it, and values of ranges are drawn
 * with the seed of the scenario. Unknown fields are ignored, as in sim-ln, but cause a warning; those of activities and
 * of `rebalance` are refused.
 */
import { ChannelGraph } from '../../model/channel-graph.ts';
import { msat } from '../../model/msat.ts';
import { type NodeId, nodeIdToBytes, parseNodeId } from '../../model/node-id.ts';
import type { Field, FieldMap } from '../scenario/fields.ts';
import { readActivity } from '../scenario/read-scenario.ts';
import type { Activity } from '../scenario/scenario.ts';
import { type NetworkInput, suspectUnits } from './network-input.ts';

const MAX_AMOUNT_MSAT = 2n ** 62n;
const MAX_U16 = 0xffff;
const MAX_U32 = 0xffff_ffff;
const U64_MAX = 2n ** 64n - 1n;

/** The content of a `sim.json`. */
export interface SimLnFile {
  readonly network: NetworkInput;
  readonly activities: readonly Activity[];
  readonly exclude: readonly string[];
  /** Fee limit in percent of the amount. Undefined if there is no limit. */
  readonly maxRouteFeePercent: number | undefined;
  /** The value of `network.rebalance` in our scenarios. Undefined if channels are not rebalanced. */
  readonly rebalance: object | undefined;
}

/** The policy of one end of a channel for HTLCs that it sends. */
interface End {
  readonly id: NodeId;
  readonly alias: string;
  readonly field: Field;
  readonly maxHtlcCount: number;
  readonly maxInFlightMsat: bigint;
  readonly minHtlcMsat: bigint;
  readonly maxHtlcMsat: bigint;
  readonly cltvExpiryDelta: number;
  readonly feeBaseMsat: number;
  readonly feeRateProp: number;
}

/** Whether a value is a map with at least one of the fields that identify a `sim.json`. */
export const isSimLn = (root: Field): boolean =>
  root.isMap && ['sim_network', 'nodes', 'activity'].some((name) => root.value.members?.has(name));

/** @throws FulguriteError `scenario`, with file, line and field */
export function readSimLn(root: Field, file: string): SimLnFile {
  const fields = root.map();
  const nodes = fields.optional('nodes');
  if (nodes !== undefined && nodes.list().length > 0) {
    nodes.refuse('no real nodes, because only `sim_network` can be simulated', nodes.shown);
  }
  const channels = fields.required('sim_network');
  const list = channels.list();
  if (list.length === 0) channels.refuse('at least one channel');
  const ignored = new IgnoredFields(file);
  const { warnings, ...network } = networkOf(list, file, ignored);
  const result = {
    activities: fields.get('activity', (field) => field.list().map(readActivity), []),
    exclude: fields.get('exclude', (field) => field.list().map((each) => each.text()), []),
    maxRouteFeePercent: fields.optional('max_route_fee_pct')?.number(0, 1000),
    rebalance: fields.get('rebalance', readRebalance, undefined),
  };
  ignored.note(fields);
  return { ...result, network: { ...network, warnings: [...warnings, ...ignored.warnings] } };
}

/** Counts ignored fields by name, for the warnings. */
class IgnoredFields {
  readonly #file: string;
  readonly #counts = new Map<string, number>();

  constructor(file: string) {
    this.#file = file;
  }

  note({ leftOver }: FieldMap): void {
    for (const name of leftOver) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  get warnings(): string[] {
    return [...this.#counts].map(
      ([name, count]) => `${this.#file}: the unknown field ${name} was ignored (${count} times).`,
    );
  }
}

/** Reads the settings of rebalancing, as proposed in sim-ln's pull request 311. */
function readRebalance(field: Field): object {
  const fields = field.map();
  const result = {
    trigger_below: fields.get('trigger_below', (each) => each.number(1e-9, 0.499_999, 'a share'), 0.1),
    interval_us: fields.get('interval_secs', (each) => each.integer(1, MAX_U32), 3600) * 1_000_000,
    exclude: fields.get('exclude', (each) => each.list().map((node) => node.text()), []),
  };
  fields.done();
  return result;
}

function networkOf(list: readonly Field[], file: string, ignored: IgnoredFields): NetworkInput {
  const graph = new ChannelGraph(2 * list.length, list.length);
  const aliases = new Map<string, number>();
  const rows = list.map((field) => addChannel(graph, aliases, field.map(), ignored));
  const slots = new Uint16Array(2 * rows.length);
  const maxInFlightMsat = new BigUint64Array(2 * rows.length);
  const balances = new BigInt64Array(rows.length);
  for (const [channel, ends] of rows.entries()) {
    for (const direction of [0, 1] as const) {
      slots[2 * channel + direction] = ends[direction].maxHtlcCount;
      maxInFlightMsat[2 * channel + direction] = ends[direction].maxInFlightMsat;
    }
    balances[channel] = graph.capacityMsat[channel]! / 2n;
  }
  const limits = { slots, maxInFlightMsat, reserveMsat: new BigUint64Array(2 * rows.length) };
  return { graph, limits, balances, aliases, warnings: suspectUnits(graph, file) };
}

function addChannel(
  graph: ChannelGraph,
  aliases: Map<string, number>,
  fields: FieldMap,
  ignored: IgnoredFields,
): [End, End] {
  const scidField = fields.required('scid');
  const scid = scidField.bigint(0n, U64_MAX, 'a channel id as a number');
  if (graph.channelIndex(scid) >= 0) scidField.refuse('each channel id once', `${scid} again`);
  const capacityMsat = fields.required('capacity_msat').bigint(1n, MAX_AMOUNT_MSAT, 'a capacity in msat');
  const [first, second] = [
    end(fields.required('node_1'), capacityMsat, ignored),
    end(fields.required('node_2'), capacityMsat, ignored),
  ];
  ignored.note(fields);
  if (first.id === second.id) second.field.refuse('a node other than node_1', second.id);
  const ends: [End, End] = first.id < second.id ? [first, second] : [second, first];
  const [node1, node2] = ends.map(({ id }) => graph.internNode(nodeIdToBytes(id))) as [number, number];
  const channel = graph.addChannel(scid, node1, node2, capacityMsat);
  for (const direction of [0, 1] as const) {
    const { minHtlcMsat, maxHtlcMsat, feeBaseMsat, feeRateProp, cltvExpiryDelta, alias, field } =
      ends[direction];
    graph.setPolicy(channel, direction, {
      enabled: true,
      htlcMinimumMsat: msat(minHtlcMsat),
      htlcMaximumMsat: msat(maxHtlcMsat),
      feeBaseMsat,
      feeProportionalMillionths: feeRateProp,
      cltvExpiryDelta,
    });
    const node = direction === 0 ? node1 : node2;
    if (alias === '') continue;
    const known = aliases.get(alias);
    if (known !== undefined && known !== node) field.refuse('one node for each alias', alias);
    aliases.set(alias, node);
  }
  return ends;
}

function end(field: Field, capacityMsat: bigint, ignored: IgnoredFields): End {
  const fields = field.map();
  const key = fields.required('pubkey');
  const id = parseNodeId(key.text()) ?? key.refuse('a public key of 66 hex digits');
  const amount = (name: string, most: bigint, what: string): bigint =>
    fields.required(name).bigint(0n, most, what);
  const result: End = {
    id,
    field,
    alias: fields.get('alias', (each) => each.text(), ''),
    maxHtlcCount: Math.min(MAX_U16, Number(amount('max_htlc_count', U64_MAX, 'a number of HTLCs'))),
    maxInFlightMsat: amount('max_in_flight_msat', capacityMsat, 'an amount in msat, at most the capacity:'),
    minHtlcMsat: amount('min_htlc_size_msat', MAX_AMOUNT_MSAT, 'an amount in msat'),
    maxHtlcMsat: amount('max_htlc_size_msat', capacityMsat, 'an amount in msat, at most the capacity:'),
    cltvExpiryDelta: Math.min(MAX_U16, fields.required('cltv_expiry_delta').integer(0, MAX_U32, 'blocks')),
    feeBaseMsat: Math.min(MAX_U32, fields.required('base_fee').integer(0)),
    feeRateProp: Math.min(MAX_U32, fields.required('fee_rate_prop').integer(0)),
  };
  ignored.note(fields);
  return result;
}
