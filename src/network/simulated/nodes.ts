/**
 * The nodes of a simulated network: their keys, ids and special behaviours.
 *
 * In a synthetic network or a snapshot, node i has key i of node-keys.ts. Other sources number their nodes differently,
 * so their keys are looked up by node id. Keys are derived when they are first needed. The last index is our own node,
 * which the simulation does not control.
 */
import { equalBytes } from '../../bolt/bytes.ts';
import { curve } from '../../bolt/crypto/curve.ts';
import { snapshotNodeIds, snapshotNodePrivateKey } from '../../gossip/node-keys.ts';
import type { Draws } from '../../model/draws.ts';
import { FulguriteError } from '../../model/errors.ts';
import { NODE_ID_BYTES, type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../../model/node-id.ts';
import { NodeTable } from '../../model/node-table.ts';
import { PURPOSE } from './draws.ts';
import {
  ANNOUNCED,
  ANNOUNCED_ATTRIBUTION,
  ANNOUNCED_KEYSEND,
  ANNOUNCED_MULTI_PART,
  type NetworkMap,
} from './network-map.ts';
import type { SimulationOptions } from './options.ts';

/** Special behaviours of a node, as bits. */
export const TRAIT = {
  /** Offline: its neighbours find it disconnected. */
  offline: 1,
  /** Accepts everything and answers nothing. */
  unresponsive: 2,
  takesKeysend: 4,
  takesMultiPart: 8,
  /** Returns attribution data. */
  attributes: 16,
  /** Corrupts every failure that it returns. */
  garbles: 32,
} as const;

/** The name of a special behaviour. */
export type Trait = keyof typeof TRAIT;

/**
 * Number of keys to try per node, if necessary. A gossip_store made from a snapshot lists the same nodes in a different
 * order, and some may be missing.
 */
const KEYS_SEARCHED_PER_NODE = 2;

/** Holds the nodes of a simulated network. */
export class SimulatedNodes {
  /** Index of our own node. All lower indexes are simulated nodes. */
  readonly ownIndex: number;
  private readonly ownSecretKey: Uint8Array | undefined;
  private readonly ownIdBytes: Uint8Array;
  /** The simulated nodes. */
  private readonly table: NodeTable;
  private readonly traits: Uint8Array;
  private readonly heightOffsets: Int8Array;
  private readonly keys: (Uint8Array | undefined)[] = [];
  private readonly keyIndexes: Int32Array | undefined;

  /** @throws FulguriteError `graphSource` when the nodes' keys cannot be derived. */
  constructor(map: NetworkMap, options: SimulationOptions, draws: Draws) {
    this.ownIndex = map.nodeCount;
    this.ownSecretKey = options.ownSecretKey;
    this.ownIdBytes = nodeIdToBytes(options.ownNodeId);
    this.table = NodeTable.of(map.nodeIds);
    this.keyIndexes = followsKeyRule(map) ? undefined : keyIndexesOf(map);
    this.traits = new Uint8Array(map.nodeCount + 1);
    this.heightOffsets = new Int8Array(map.nodeCount + 1);
    this.drawTraits(map, options, draws);
    this.set(this.ownIndex, 'takesMultiPart', true);
    this.set(this.ownIndex, 'takesKeysend', true);
  }

  /** The 33 bytes of a node's id, as a view. */
  idBytes(node: number): Uint8Array {
    if (node === this.ownIndex) return this.ownIdBytes;
    return this.table.ids.subarray(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES);
  }

  id(node: number): NodeId {
    return nodeIdFromBytes(this.idBytes(node));
  }

  /** Index of a node, which may be ours. -1 if there is no such node. */
  indexOf(id: NodeId): number {
    return this.indexOfBytes(nodeIdToBytes(id));
  }

  /** As `indexOf`, for the 33 bytes of an id. */
  indexOfBytes(id: Uint8Array): number {
    return equalBytes(id, this.ownIdBytes) ? this.ownIndex : this.table.find(id, 0);
  }

  /** The secret key of the node. Undefined if it is unknown. */
  secretKey(node: number): Uint8Array | undefined {
    if (node === this.ownIndex) return this.ownSecretKey;
    let key = this.keys[node];
    if (key !== undefined) return key;
    const index = this.keyIndexes === undefined ? node : this.keyIndexes[node]!;
    if (index < 0) return undefined;
    key = snapshotNodePrivateKey(index);
    if (!equalBytes(curve.publicKey(key), this.idBytes(node))) return undefined;
    this.keys[node] = key;
    return key;
  }

  is(node: number, trait: Trait): boolean {
    return (this.traits[node]! & TRAIT[trait]) !== 0;
  }

  set(node: number, trait: Trait, value: boolean): void {
    this.traits[node] = value ? this.traits[node]! | TRAIT[trait] : this.traits[node]! & ~TRAIT[trait];
  }

  /** Number of blocks by which the node's chain is ahead of ours. Negative if it is behind. */
  heightOffset(node: number): number {
    return this.heightOffsets[node]!;
  }

  setHeightOffset(node: number, blocks: number): void {
    this.heightOffsets[node] = blocks;
  }

  private drawTraits(
    map: NetworkMap,
    { faults = {}, attributionShare = 0 }: SimulationOptions,
    draws: Draws,
  ): void {
    for (let node = 0; node < map.nodeCount; node++) {
      const features = map.nodeFeatures[node]!;
      const announced = (bit: number): boolean => (features & bit) !== 0;
      const silent = !announced(ANNOUNCED);
      const { offlineNodes = 0, unresponsiveNodes = 0, withoutKeysend = 0 } = faults;
      this.set(node, 'offline', draws.happens(offlineNodes, PURPOSE.offline, node));
      this.set(node, 'unresponsive', draws.happens(unresponsiveNodes, PURPOSE.unresponsive, node));
      const keysend = silent
        ? !draws.happens(withoutKeysend, PURPOSE.keysend, node)
        : announced(ANNOUNCED_KEYSEND);
      this.set(node, 'takesKeysend', keysend);
      this.set(node, 'takesMultiPart', silent || announced(ANNOUNCED_MULTI_PART));
      const attributes = silent && draws.happens(attributionShare, PURPOSE.attribution, node);
      this.set(node, 'attributes', attributes || announced(ANNOUNCED_ATTRIBUTION));
      const { heightDisagreement = 0, heightOffsetBlocks = 3 } = faults;
      if (draws.happens(heightDisagreement, PURPOSE.heightOffset, node)) {
        const draw = draws.uniform(PURPOSE.heightOffset, node, 1);
        const blocks = 1 + (Math.floor(2 * draw * heightOffsetBlocks) % heightOffsetBlocks);
        this.setHeightOffset(node, draw < 0.5 ? blocks : -blocks);
      }
    }
  }
}

/** Whether nodes are numbered like their keys. Only the first and the last node are checked. */
function followsKeyRule({ nodeCount, nodeIds }: NetworkMap): boolean {
  return [0, nodeCount - 1].every((node) => {
    const id = nodeIds.subarray(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES);
    return node >= 0 && equalBytes(curve.publicKey(snapshotNodePrivateKey(node)), id);
  });
}

/** For each node, the index of its key, or -1. */
function keyIndexesOf({ nodeCount, nodeIds }: NetworkMap): Int32Array {
  const indexes = indexesAmong(nodeCount, nodeCount, nodeIds);
  // Few networks lack nodes, and trying a key takes time, so more keys are tried only if necessary.
  if (indexes.includes(-1)) indexes.set(indexesAmong(nodeCount * KEYS_SEARCHED_PER_NODE, nodeCount, nodeIds));
  if (nodeCount > 0 && indexes.every((index) => index === -1)) {
    throw new FulguriteError(
      'graphSource',
      'cannot simulate these nodes, because their private keys are unknown: only networks with published private ' +
        'keys can be simulated (synthetic ones, compressed snapshots, and a gossip_store made from either)',
    );
  }
  return indexes;
}

/** For each node, the index of its key among the first `searched` keys, or -1. */
function indexesAmong(searched: number, nodeCount: number, nodeIds: Uint8Array): Int32Array {
  const table = NodeTable.of(snapshotNodeIds(searched));
  return Int32Array.from({ length: nodeCount }, (_, node) => table.find(nodeIds, node * NODE_ID_BYTES));
}
