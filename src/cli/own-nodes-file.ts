/**
 * What the owner of several nodes set, kept in `own-nodes.json` of the data directory, and the number that each node has
 * among all that were ever part of the purse. A file that cannot be read stops the start: floors would be forgotten.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FulguriteError } from '../model/errors.ts';
import type { NodeId } from '../model/node-id.ts';
import type { NetworkPort } from '../network/port.ts';
import {
  DEFAULT_NODE_SETTINGS,
  HIGHEST_PRICE_PPM,
  LOWEST_PRICE_PPM,
  type MakeInvoice,
  NODE_STATES,
  OwnNode,
  type OwnNodeSettings,
  OwnNodes,
} from '../network/several/index.ts';
import { DataDirectoryError } from './data-directory.ts';

const FILE = 'own-nodes.json';

/** One row of the file. Amounts are decimal texts, because JSON numbers end at 2^53. */
interface Row {
  readonly id: NodeId;
  readonly name: string;
  readonly number: number;
  readonly state: OwnNodeSettings['state'];
  readonly floorMsat: string;
  readonly pricePpm: number;
  readonly largestPartMsat?: string;
  readonly maxHtlcs?: number;
}

/** The port on a node, with the name that its owner gave it. */
export interface NamedPort {
  readonly name: string;
  readonly port: NetworkPort;
  readonly makeInvoice: MakeInvoice;
}

/**
 * The named ports with what the file says of their nodes. @throws DataDirectoryError when it cannot be used, after `close`
 */
export async function openOwnNodes(
  dataDirectory: string,
  ports: readonly NamedPort[],
  close: () => Promise<void> = async () => undefined,
): Promise<OwnNodes> {
  try {
    return open(dataDirectory, ports);
  } catch (error) {
    await close();
    throw error;
  }
}

function open(dataDirectory: string, ports: readonly NamedPort[]): OwnNodes {
  const path = join(dataDirectory, FILE);
  const rows = new Map(read(path).map((row) => [row.id, row]));
  let next = 1 + Math.max(-1, ...[...rows.values()].map(({ number }) => number));
  const list = ports.map(({ name, port, makeInvoice }) => {
    const row = rows.get(port.identity.nodeId);
    return new OwnNode(
      name,
      row?.number ?? next++,
      port,
      row === undefined ? DEFAULT_NODE_SETTINGS : settingsOf(row),
      makeInvoice,
    );
  });
  const save = (nodes: readonly OwnNode[]): void => {
    for (const node of nodes) rows.set(node.nodeId, rowOf(node));
    write(path, [...rows.values()]);
  };
  save(list);
  return new OwnNodes(list, save);
}

/** Ids of the nodes that were part of the purse before, by name. @throws DataDirectoryError when the file cannot be used */
export const knownNodeIds = (dataDirectory: string): ReadonlyMap<string, NodeId> =>
  new Map(read(join(dataDirectory, FILE)).map(({ name, id }) => [name, id]));

function write(path: string, nodes: readonly Row[]): void {
  try {
    writeFileSync(`${path}.new`, `${JSON.stringify({ version: 1, nodes }, undefined, 1)}\n`, {
      mode: 0o600,
      flush: true,
    });
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw new FulguriteError('storeFailed', `${path}: ${(error as Error).message}`);
  }
}

function read(path: string): readonly Row[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new DataDirectoryError(`${path}: ${(error as Error).message}`);
  }
  try {
    const { version, nodes } = JSON.parse(text) as { version: unknown; nodes: unknown };
    if (version === 1 && Array.isArray(nodes) && nodes.every(isRow)) return nodes;
  } catch {
    // What is not JSON is as useless as what has other members.
  }
  throw new DataDirectoryError(
    `${path} is damaged. It has the floors and prices of our nodes: restore it, or remove it to start without any`,
  );
}

const isNumber = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
const isAmount = (value: unknown): boolean => typeof value === 'string' && /^\d{1,19}$/.test(value);

function isRow(value: unknown): value is Row {
  if (typeof value !== 'object' || value === null) return false;
  const row = value as Partial<Record<keyof Row, unknown>>;
  return (
    typeof row.id === 'string' &&
    /^0[23][0-9a-f]{64}$/.test(row.id) &&
    typeof row.name === 'string' &&
    isNumber(row.number, 0, 0xff_ffff) &&
    (NODE_STATES as readonly unknown[]).includes(row.state) &&
    isAmount(row.floorMsat) &&
    isNumber(row.pricePpm, LOWEST_PRICE_PPM, HIGHEST_PRICE_PPM) &&
    (row.largestPartMsat === undefined || isAmount(row.largestPartMsat)) &&
    (row.maxHtlcs === undefined || isNumber(row.maxHtlcs, 0, 1_000_000))
  );
}

const settingsOf = ({ state, floorMsat, pricePpm, largestPartMsat, maxHtlcs }: Row): OwnNodeSettings => ({
  state,
  floorMsat: BigInt(floorMsat),
  pricePpm,
  largestPartMsat: largestPartMsat === undefined ? undefined : BigInt(largestPartMsat),
  maxHtlcs,
});

const rowOf = ({ name, nodeId, number, settings }: OwnNode): Row => ({
  ...{ id: nodeId, name, number, state: settings.state },
  floorMsat: String(settings.floorMsat),
  pricePpm: settings.pricePpm,
  ...(settings.largestPartMsat !== undefined && { largestPartMsat: String(settings.largestPartMsat) }),
  ...(settings.maxHtlcs !== undefined && { maxHtlcs: settings.maxHtlcs }),
});
