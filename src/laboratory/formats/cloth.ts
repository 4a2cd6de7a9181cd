/**
 * Reads a folder of CLoTH: `cloth_input.txt` and the CSV files named in it. Ids are row numbers from 0. A channel has
 * two edges; edge 1 runs from node 1 to node 2. Amounts are in msat, except `average_payment_amount`, which is in sat.
 *
 * CLoTH has no public keys. Node i gets key i of the synthetic networks, and the alias i. Of the additional settings of
 * CLoTH-Gossip, only `payment_timeout` and `average_payment_forward_interval` are used. Its additional columns are
 * ignored.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { snapshotNodeIds } from '../../gossip/node-keys.ts';
import { ChannelGraph } from '../../model/channel-graph.ts';
import { msat } from '../../model/msat.ts';
import { NODE_ID_BYTES } from '../../model/node-id.ts';
import { shortChannelId } from '../../model/short-channel-id.ts';
import { scenarioError } from '../scenario/scenario-error.ts';
import { type CsvRow, csvRows, readText } from './csv-rows.ts';
import { ClothEdges, type NetworkInput, suspectUnits } from './network-input.ts';

const CHANNELS = ['id', 'edge1_id', 'edge2_id', 'node1_id', 'node2_id', 'capacity'];
/** The columns of edges that the input and the output files have in common. */
export const EDGE_COLUMNS = [
  'id',
  'channel_id',
  'counter_edge_id',
  'from_node_id',
  'to_node_id',
  'balance',
  'fee_base',
  'fee_proportional',
  'min_htlc',
  'timelock',
];
const MAX_ROWS = 2 ** 24 - 1;
const MAX_AMOUNT_MSAT = 2n ** 62n;
const MAX_U32 = 0xffff_ffff;
const MAX_U16 = 0xffff;
/** CLoTH's time for forwarding a payment. */
const FORWARD_MS = 100;
/** First block height in the made-up channel ids, high enough to make them look real. */
const FIRST_BLOCK = 500_000;

/** What is read from a CLoTH folder. */
export interface ClothInput {
  readonly network: NetworkInput;
  /** The path of the file with the payments, or the settings for random ones. */
  readonly payments:
    | { readonly file: string }
    | { readonly rate: number; readonly count: number; readonly averageSat: number };
  readonly mpp: boolean;
  /** Probability that a node does not answer, for each hop of each attempt. */
  readonly faultyNodeProbability: number;
  /** Time in which a node forwards a payment. CLoTH-Gossip sets its average; CLoTH uses 100 ms. */
  readonly forwardMs: number;
  readonly paymentTimeoutMs: number | undefined;
}

/** The file that identifies a CLoTH folder. */
export const CLOTH_SETTINGS = 'cloth_input.txt';

/** The settings that name the files of the network. */
const NETWORK_FILES = ['nodes_filename', 'channels_filename', 'edges_filename'];

/** Whether a folder is a CLoTH folder. */
export const isClothFolder = (directory: string): boolean => existsSync(join(directory, CLOTH_SETTINGS));

/** The files with the network of a CLoTH folder. @throws FulguriteError `scenario` */
export function clothNetworkFiles(directory: string): string[] {
  const settings = join(directory, CLOTH_SETTINGS);
  const values = new ClothSettings(settings);
  return [settings, ...NETWORK_FILES.map((name) => join(directory, values.text(name)))];
}

/** @throws FulguriteError `scenario` */
export function readCloth(directory: string): ClothInput {
  const settings = new ClothSettings(join(directory, CLOTH_SETTINGS));
  if (settings.text('generate_network_from_file') !== 'true') {
    settings.refuse('generate_network_from_file', 'true, because networks are only read from files');
  }
  const fileOf = (name: string): string => join(directory, settings.text(name));
  const nodeCount = [...csvRows(fileOf('nodes_filename'), ['id'])].length;
  const network = networkOf(nodeCount, fileOf('channels_filename'), fileOf('edges_filename'));
  const isFromFile = settings.text('generate_payments_from_file') === 'true';
  const timeoutMs = settings.number('payment_timeout', -1, 1e12, -1);
  return {
    network,
    payments: isFromFile
      ? { file: fileOf('payments_filename') }
      : {
          rate: settings.number('payment_rate', 1e-9, 1e9),
          count: settings.number('n_payments', 0, 1e9),
          averageSat: settings.number('average_payment_amount', 1, 1e15),
        },
    mpp: settings.number('mpp', 0, 1, 0) === 1,
    faultyNodeProbability: settings.number('faulty_node_probability', 0, 1, 0),
    forwardMs: settings.number('average_payment_forward_interval', 0, 1e9, FORWARD_MS),
    paymentTimeoutMs: timeoutMs < 0 ? undefined : timeoutMs,
  };
}

/** The settings of a file with `name=value` lines. */
class ClothSettings {
  readonly #file: string;
  readonly #values = new Map<string, { readonly value: string; readonly line: number }>();

  constructor(file: string) {
    this.#file = file;
    for (const [index, row] of readText(file).split(/\r?\n/).entries()) {
      if (row.trim() === '') continue;
      const at = row.indexOf('=');
      if (at < 1)
        throw scenarioError({ file, line: index + 1, field: '', expected: 'NAME=VALUE', found: row });
      this.#values.set(row.slice(0, at).trim(), { value: row.slice(at + 1).trim(), line: index + 1 });
    }
  }

  text(name: string): string {
    const found = this.#values.get(name);
    if (found === undefined) {
      throw scenarioError({
        file: this.#file,
        field: name,
        expected: 'a line with this name',
        found: 'none',
      });
    }
    return found.value;
  }

  number(name: string, least: number, most: number, absent?: number): number {
    if (absent !== undefined && (this.#values.get(name)?.value ?? '') === '') return absent;
    const value = Number(this.text(name));
    return value >= least && value <= most ? value : this.refuse(name, `a number from ${least} to ${most}`);
  }

  refuse(field: string, expected: string): never {
    const found = this.text(field);
    throw scenarioError({ file: this.#file, line: this.#values.get(field)!.line, field, expected, found });
  }
}

interface Edge {
  readonly row: CsvRow;
  readonly from: number;
  readonly to: number;
  readonly balanceMsat: bigint;
  readonly feeBaseMsat: number;
  readonly feeProportionalMillionths: number;
  readonly htlcMinimumMsat: bigint;
  readonly cltvExpiryDelta: number;
}

function edgesOf(file: string, nodeCount: number): Edge[] {
  const edges: Edge[] = [];
  for (const row of csvRows(file, EDGE_COLUMNS)) {
    requireId(row, edges.length);
    edges.push({
      row,
      from: row.integer('from_node_id', 0, nodeCount - 1),
      to: row.integer('to_node_id', 0, nodeCount - 1),
      balanceMsat: row.bigint('balance', 0n, MAX_AMOUNT_MSAT),
      feeBaseMsat: row.integer('fee_base', 0, MAX_U32),
      feeProportionalMillionths: row.integer('fee_proportional', 0, MAX_U32),
      htlcMinimumMsat: row.bigint('min_htlc', 0n, MAX_AMOUNT_MSAT),
      cltvExpiryDelta: row.integer('timelock', 0, MAX_U16),
    });
  }
  return edges;
}

function requireId(row: CsvRow, expected: number): void {
  if (row.text('id') !== String(expected)) row.refuse('id', `the row number ${expected}`, row.text('id'));
}

function networkOf(nodeCount: number, channelsFile: string, edgesFile: string): NetworkInput {
  const edges = edgesOf(edgesFile, nodeCount);
  const ids = snapshotNodeIds(nodeCount);
  const graph = new ChannelGraph(nodeCount, edges.length / 2);
  const nodes = Array.from({ length: nodeCount }, (_, node) => graph.internNode(ids, node * NODE_ID_BYTES));
  const balances: bigint[] = [];
  const edgeIds: number[] = [];
  const firsts: number[] = [];
  for (const row of csvRows(channelsFile, CHANNELS)) {
    requireId(row, balances.length);
    if (balances.length >= MAX_ROWS) row.refuse('id', `at most ${MAX_ROWS} channels`, 'more');
    const capacityMsat = row.bigint('capacity', 1n, MAX_AMOUNT_MSAT);
    const numbers = [
      row.integer('edge1_id', 0, edges.length - 1),
      row.integer('edge2_id', 0, edges.length - 1),
    ];
    const [first, second] = numbers.map((number) => edges[number]!) as [Edge, Edge];
    const sumMsat = first.balanceMsat + second.balanceMsat;
    if (sumMsat !== capacityMsat)
      row.refuse('capacity', `the sum of both balances, ${sumMsat}`, `${capacityMsat}`);
    if (first.from !== second.to || first.to !== second.from || first.from === first.to) {
      row.refuse(
        'edge2_id',
        'the opposite edge between the same two nodes',
        `edges ${numbers.join(' and ')}`,
      );
    }
    const idOf = (node: number): string => graph.nodeId(nodes[node]!);
    const isForth = idOf(first.from) < idOf(first.to);
    const [forth, back] = isForth ? [first, second] : [second, first];
    const scid = shortChannelId(FIRST_BLOCK + (balances.length >> 11), balances.length & 2047, 0);
    const channel = graph.addChannel(scid, nodes[forth.from]!, nodes[forth.to]!, capacityMsat);
    for (const [direction, edge] of [forth, back].entries()) {
      const { feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta } = edge;
      graph.setPolicy(channel, direction as 0 | 1, {
        enabled: true,
        htlcMinimumMsat: msat(edge.htlcMinimumMsat),
        htlcMaximumMsat: msat(capacityMsat),
        feeBaseMsat,
        feeProportionalMillionths,
        cltvExpiryDelta,
      });
    }
    balances.push(forth.balanceMsat);
    edgeIds.push(...(isForth ? numbers : numbers.toReversed()));
    firsts.push(isForth ? 0 : 1);
  }
  const aliases = new Map(nodes.map((node, number) => [String(number), node]));
  return {
    graph,
    balances: BigInt64Array.from(balances),
    aliases,
    cloth: new ClothEdges(
      Uint32Array.from(edgeIds),
      Uint8Array.from(firsts),
      new Map(nodes.map((node, number) => [node, number])),
    ),
    warnings: suspectUnits(graph, channelsFile),
  };
}
