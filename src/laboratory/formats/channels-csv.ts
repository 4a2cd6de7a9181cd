/**
 * Reads a network from our CSV format, one row for each channel. Columns are found by name and may be in any order:
 *
 *     scid, node1, node2, capacity_msat                       node1 is the lexicographically smaller id
 *     base_fee_msat_D, fee_ppm_D, cltv_delta_D, htlc_min_msat_D, htlc_max_msat_D, enabled_D     D is 0 and 1
 *     balance_msat                                            of node1; optional
 *
 * An empty `base_fee_msat_D` means that the direction has no policy. `enabled_D` is 1 or 0; an empty cell means 1.
 */
import { ChannelGraph } from '../../model/channel-graph.ts';
import { msat } from '../../model/msat.ts';
import { type NodeId, nodeIdToBytes, parseNodeId } from '../../model/node-id.ts';
import { parseShortChannelId } from '../../model/short-channel-id.ts';
import { type CsvRow, csvRowsByName } from './csv-rows.ts';
import { type NetworkInput, suspectUnits } from './network-input.ts';

const REQUIRED_COLUMNS = ['scid', 'node1', 'node2', 'capacity_msat'];
const MAX_AMOUNT_MSAT = 2n ** 62n;
const MAX_U32 = 0xffff_ffff;
const MAX_U16 = 0xffff;

/** @throws FulguriteError `scenario`, with line and column */
export function readChannelsCsv(file: string): NetworkInput {
  const graph = new ChannelGraph();
  const balances: bigint[] = [];
  for (const row of csvRowsByName(file, REQUIRED_COLUMNS)) balances.push(addChannel(graph, row));
  const hasBalances = balances.some((balance) => balance >= 0n);
  const missing = balances.indexOf(-1n);
  if (hasBalances && missing >= 0) {
    const row = [...csvRowsByName(file, REQUIRED_COLUMNS)][missing]!;
    row.refuse('balance_msat', 'a balance in every row, or in none', '');
  }
  return {
    graph,
    ...(hasBalances && { balances: BigInt64Array.from(balances) }),
    aliases: new Map(),
    warnings: suspectUnits(graph, file),
  };
}

/**
 * Adds the channel of a row to the graph.
 * @returns the balance of node 1 in msat, or −1 if the row has none
 */
function addChannel(graph: ChannelGraph, row: CsvRow): bigint {
  const name = row.text('scid');
  const scid = parseShortChannelId(name) ?? row.refuse('scid', 'a channel id BxTxO', name);
  if (graph.channelIndex(scid) >= 0) row.refuse('scid', 'each channel once', `${name} again`);
  const nodeOf = (column: string): NodeId =>
    parseNodeId(row.text(column)) ?? row.refuse(column, 'a node id of 66 hex digits', row.text(column));
  const [node1, node2] = [nodeOf('node1'), nodeOf('node2')];
  if (node1 >= node2) row.refuse('node1', 'the lexicographically smaller of both node ids', node1);
  const capacityMsat = row.bigint('capacity_msat', 1n, MAX_AMOUNT_MSAT);
  const ends = [graph.internNode(nodeIdToBytes(node1)), graph.internNode(nodeIdToBytes(node2))] as const;
  const channel = graph.addChannel(scid, ends[0], ends[1], capacityMsat);
  for (const direction of [0, 1] as const) {
    if (row.text(`base_fee_msat_${direction}`) === '') continue;
    const maximum = row.text(`htlc_max_msat_${direction}`);
    graph.setPolicy(channel, direction, {
      enabled: row.text(`enabled_${direction}`) === '' || row.integer(`enabled_${direction}`, 0, 1) === 1,
      feeBaseMsat: row.integer(`base_fee_msat_${direction}`, 0, MAX_U32),
      feeProportionalMillionths: row.integer(`fee_ppm_${direction}`, 0, MAX_U32),
      cltvExpiryDelta: row.integer(`cltv_delta_${direction}`, 0, MAX_U16),
      htlcMinimumMsat: msat(row.bigint(`htlc_min_msat_${direction}`, 0n, MAX_AMOUNT_MSAT)),
      htlcMaximumMsat: msat(
        maximum === '' ? capacityMsat : row.bigint(`htlc_max_msat_${direction}`, 0n, MAX_AMOUNT_MSAT),
      ),
    });
  }
  return row.text('balance_msat') === '' ? -1n : row.bigint('balance_msat', 0n, capacityMsat);
}
