/**
 * The settings of several nodes, stored in `own-nodes.json` of the data directory. If the file cannot be read, the
 * start fails, because the nodes' floors would be lost. Daemons that share a database also store the settings in it.
 * The file is then a copy, needed to identify nodes that do not respond at the start.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { nodeNumbers } from '../../model/purse.ts';
import type { NetworkPort } from '../../network/port.ts';
import {
  DEFAULT_NODE_SETTINGS,
  HIGHEST_PRICE_PPM,
  LOWEST_PRICE_PPM,
  type MakeInvoice,
  NODE_STATES,
  OwnNode,
  type OwnNodeSettings,
  OwnNodes,
} from '../../network/several/index.ts';
import type { RecordRepository } from '../../store/record-repository.ts';
import { DataDirectoryError } from '../files/data-directory.ts';
import { writeWhole } from '../files/whole-file.ts';

const FILE = 'own-nodes.json';

/** A node's entry in the file. Amounts are decimal texts, because JSON numbers are exact only up to 2^53. */
interface Row {
  readonly id: NodeId;
  readonly name: string;
  /** Not used by this release. Earlier releases read it. */
  readonly number: number;
  readonly state: OwnNodeSettings['state'];
  readonly floorMsat: string;
  readonly pricePpm: number;
  readonly largestPartMsat?: string;
  readonly maxHtlcs?: number;
}

/** The port of a node, and its name from the option `--node`. */
export interface NamedPort {
  readonly name: string;
  readonly port: NetworkPort;
  readonly makeInvoice: MakeInvoice;
}

/** Rows of the shared database. Daemons that share a purse store the settings there, besides the file. */
export type SharedRows = Pick<RecordRepository, 'records' | 'putRecord' | 'durable'>;

/**
 * Combines the ports with the settings of their nodes, read from the file and the shared database. The database takes
 * precedence, because it has the latest settings of all daemons. Calls `close` before throwing an error.
 * @throws DataDirectoryError when the file cannot be used; FulguriteError storeFailed
 */
export async function openOwnNodes(
  dataDirectory: string,
  ports: readonly NamedPort[],
  shared: SharedRows | undefined,
  close: () => Promise<void> = async () => undefined,
): Promise<OwnNodes> {
  try {
    return await open(join(dataDirectory, FILE), ports, shared);
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  path: string,
  ports: readonly NamedPort[],
  shared: SharedRows | undefined,
): Promise<OwnNodes> {
  const rows = new Map(read(path).map((row) => [row.id, row]));
  const nodeIds = ports.map(({ port }) => port.identity.nodeId);
  // The database may also contain nodes of other purses.
  for (const row of await sharedRows(shared)) if (nodeIds.includes(row.id)) rows.set(row.id, row);
  const numbers = nodeNumbers(nodeIds);
  const list = ports.map(({ name, port, makeInvoice }) => {
    const { nodeId } = port.identity;
    const row = rows.get(nodeId);
    const settings = row === undefined ? DEFAULT_NODE_SETTINGS : settingsOf(row);
    return new OwnNode(name, numbers.get(nodeId)!, port, settings, makeInvoice);
  });
  const put = (row: Row): undefined | Promise<void> => {
    if (shared !== undefined) {
      shared.putRecord('node', { id: row.id, body: JSON.stringify(row) });
      return shared.durable().then(() => keep(row));
    }
    keep(row);
    return undefined;
  };
  const keep = (row: Row): void => {
    rows.set(row.id, row);
    write(path, [...rows.values()]);
  };
  for (const node of list) {
    if (shared !== undefined && !rows.has(node.nodeId)) await put(rowOf(node));
    rows.set(node.nodeId, rowOf(node));
  }
  write(path, [...rows.values()]);
  return new OwnNodes(list, (node, settings) => put(rowOf(node, settings)));
}

/** Reads the settings made by all daemons. An unreadable row, such as one written by a later release, is skipped. */
async function sharedRows(shared: SharedRows | undefined): Promise<Row[]> {
  const records = (await shared?.records('node')) ?? [];
  return records.flatMap(({ body }) => {
    const row: unknown = JSON.parse(body);
    return isRow(row) ? [row] : [];
  });
}

/** Milliseconds between reads of the shared settings. */
const FOLLOW_MS = 2_000;

/**
 * Regularly adopts settings made by other daemons of the purse. If the database does not respond, tries again later.
 * @returns a function that stops the reads
 */
export function followSettings(
  nodes: OwnNodes,
  shared: SharedRows | undefined,
  everyMs = FOLLOW_MS,
): () => void {
  if (shared === undefined) return () => undefined;
  let isReading = false;
  const look = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    for (const row of await sharedRows(shared).catch(() => [])) {
      const node = nodes.byId(row.id);
      if (node !== undefined && !isDeepStrictEqual(node.settings, settingsOf(row)))
        nodes.adopt(node, settingsOf(row));
    }
    isReading = false;
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Ids of the nodes used by earlier runs, by name. @throws DataDirectoryError when the file cannot be used */
export const knownNodeIds = (dataDirectory: string): ReadonlyMap<string, NodeId> =>
  new Map(read(join(dataDirectory, FILE)).map(({ name, id }) => [name, id]));

function write(path: string, nodes: readonly Row[]): void {
  try {
    writeWhole(path, `${JSON.stringify({ version: 1, nodes }, undefined, 1)}\n`);
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
    // Invalid JSON causes the same error as JSON with wrong members.
  }
  throw new DataDirectoryError(
    `${path} is damaged. It contains the floors and prices of our nodes: restore it, or remove it to start without them`,
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

const rowOf = ({ name, nodeId, number, settings: set }: OwnNode, settings = set): Row => ({
  ...{ id: nodeId, name, number, state: settings.state },
  floorMsat: String(settings.floorMsat),
  pricePpm: settings.pricePpm,
  ...(settings.largestPartMsat !== undefined && { largestPartMsat: String(settings.largestPartMsat) }),
  ...(settings.maxHtlcs !== undefined && { maxHtlcs: settings.maxHtlcs }),
});
