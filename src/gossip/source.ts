/**
 * Opens the channel graph from the source that the user names in one text:
 *
 *     synthetic[:NODES]   a network of the main network's shape, generated from a seed (default 3000 nodes)
 *     none                an empty graph, for a network whose peers announce the channels
 *     PATH                a compressed snapshot, LND's describegraph JSON, a snapshot of LDK's rapid gossip sync, a
 *                         recording of gossip (lnresearch), or a gossip_store; the first bytes show the format
 *
 * A follower keeps the graph of a gossip_store up to date.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { ChannelGraph } from '../model/channel-graph.ts';
import type { NodeId } from '../model/node-id.ts';
import { readCompressedSnapshot, snapshotToGraph } from './compressed-snapshot.ts';
import { readDescribedGraph } from './described-graph.ts';
import { DATASET_MAGIC, readGossipDataset } from './gossip-dataset.ts';
import { GossipStoreFollower } from './gossip-store-follower.ts';
import { graphFileError } from './graph-file.ts';
import { RAPID_SNAPSHOT_MAGIC, readRapidSnapshot } from './rapid-snapshot.ts';
import {
  DEFAULT_SYNTHETIC_NODES,
  generateSyntheticGraph,
  MAX_SYNTHETIC_NODES,
  MIN_SYNTHETIC_NODES,
} from './synthetic.ts';

/** How to open a source of the graph. */
export interface GraphSourceOptions {
  /** Seed of a synthetic network, 64 bits. Default: 1. */
  readonly seed?: bigint | number;
  /** Whether to keep the wrong unit in compressed snapshots; see compressed-snapshot.ts. Default: false. */
  readonly exactUnits?: boolean;
  /** Real ids of some nodes of a compressed snapshot, by index. */
  readonly nodeMap?: ReadonlyMap<number, NodeId>;
  readonly log?: GraphSourceLog;
}

/** Receives messages about a source. */
export interface GraphSourceLog {
  info(message: string): void;
  unusual(message: string): void;
}

/** An opened graph, and if its source can change, a follower that keeps it up to date. */
export interface GraphSource {
  /** The graph. Always the same object, whose content the follower changes. */
  readonly graph: ChannelGraph;
  /** A one-line description of the graph and its source, for users. */
  readonly describe: string;
  /** Only for a source that can change: call `start` to follow it, and `stop` at the end. */
  readonly follow?: GossipStoreFollower;
}

const SYNTHETIC = /^synthetic(?::(\d{1,9}))?$/;
/** First bytes of a gzip stream (RFC 1952). */
const GZIP = [0x1f, 0x8b];
/** First bytes of a bzip2 file, the format in which recordings of gossip are published. */
const BZIP2 = 'BZh';
/** Possible first bytes of a JSON text: a brace, or space before it. No supported gossip_store begins with these. */
const JSON_STARTS = '{ \t\r\n';
/** Number of first bytes needed to distinguish the formats. */
const START_BYTES = 3;

/**
 * Opens a source and reads all of it.
 * @throws FulguriteError `graphSource`, with place and cause, if the text is invalid or the file cannot be used
 */
export async function openGraphSource(spec: string, options: GraphSourceOptions = {}): Promise<GraphSource> {
  const source = await openSpec(spec, options);
  options.log?.info(source.describe);
  return source;
}

async function openSpec(spec: string, options: GraphSourceOptions): Promise<GraphSource> {
  if (spec === 'none') return { graph: new ChannelGraph(), describe: 'empty graph' };
  if (spec.startsWith('synthetic')) return openSynthetic(spec, options);
  const start = firstBytes(spec);
  if (GZIP.every((byte, at) => start[at] === byte)) return openSnapshot(spec, options);
  if (start.length > 0 && JSON_STARTS.includes(String.fromCharCode(start[0]!))) return openDescribed(spec);
  const text = Buffer.from(start).toString('latin1');
  if (text === RAPID_SNAPSHOT_MAGIC) return openRapidSnapshot(spec);
  if (text === DATASET_MAGIC) return openDataset(spec);
  if (text === BZIP2) throw graphFileError(spec, 'it is compressed: decompress it with bunzip2 first');
  return openStoreSource(spec, options.log);
}

function openSynthetic(spec: string, options: GraphSourceOptions): GraphSource {
  const match = SYNTHETIC.exec(spec);
  const nodeCount = Number(match?.[1] ?? DEFAULT_SYNTHETIC_NODES);
  if (match === null || nodeCount < MIN_SYNTHETIC_NODES || nodeCount > MAX_SYNTHETIC_NODES) {
    throw graphFileError(
      spec,
      `a synthetic network is written synthetic:NODES with ${MIN_SYNTHETIC_NODES} to ${MAX_SYNTHETIC_NODES}` +
        ' nodes; write the path of a file with such a name as ./NAME',
    );
  }
  const seed = options.seed ?? 1;
  const graph = generateSyntheticGraph({ nodeCount, seed });
  return { graph, describe: describe(`synthetic network (seed ${seed})`, graph) };
}

function openSnapshot(path: string, options: GraphSourceOptions): GraphSource {
  const graph = snapshotToGraph(readCompressedSnapshot(path), options, path);
  return { graph, describe: describe(`compressed snapshot ${path}`, graph) };
}

function openDescribed(path: string): GraphSource {
  const graph = readDescribedGraph(path);
  return { graph, describe: describe(`described graph ${path}`, graph) };
}

function openRapidSnapshot(path: string): GraphSource {
  const graph = readRapidSnapshot(path);
  return { graph, describe: describe(`rapid gossip sync snapshot ${path}`, graph) };
}

async function openDataset(path: string): Promise<GraphSource> {
  const graph = await readGossipDataset(path);
  return { graph, describe: describe(`recording of gossip ${path}`, graph) };
}

async function openStoreSource(path: string, log: GraphSourceLog | undefined): Promise<GraphSource> {
  const follow = await GossipStoreFollower.open(path);
  follow.on('problem', (error) => log?.unusual(error.message));
  const { graph } = follow;
  return { graph, describe: describe(`gossip_store ${path}`, graph), follow };
}

function describe(what: string, graph: ChannelGraph): string {
  let nodes = 0;
  for (let node = 0; node < graph.nodeCount; node++) if (graph.nodeDegree[node]! > 0) nodes++;
  return `${what}: ${nodes} nodes, ${graph.channelCount} channels`;
}

/** The first bytes of the file, at most `START_BYTES`. @throws FulguriteError if it cannot be opened or read */
function firstBytes(path: string): Uint8Array {
  let file: number | undefined;
  try {
    // The kind of file is checked before it is opened, because opening a pipe would wait for a writer.
    if (!statSync(path).isFile()) throw new TypeError('not a file');
    file = openSync(path, 'r');
    const start = new Uint8Array(START_BYTES);
    return start.subarray(0, readSync(file, start));
  } catch (error) {
    throw graphFileError(path, (error as Error).message);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
