/**
 * Persistent layers in the SQLite database. The statements for each mutation of the layer book are queued for the next
 * group commit. At startup, the rows are read back as the mutations that rebuild the layers.
 *
 * Rows are state, not history. A changed update or bias replaces its row, and ageing deletes rows. So the file's size
 * depends on the layers' contents, not on their history.
 */

import type { LiquidityKind } from '../../layers/bounds-fold.ts';
import type { LayerMutation } from '../../layers/entries.ts';
import type { Layer } from '../../layers/layer.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { PolicyUpdate } from '../../model/policy.ts';
import type { Direction, ShortChannelId } from '../../model/short-channel-id.ts';
import type { Write } from '../batch.ts';
import { decodeText, decodeU64, encodeText, encodeU64 } from '../columns.ts';
import type { ImportState, LayerRepository } from '../layer-repository.ts';
import type { SqlRow, SqlValue } from '../sql-values.ts';
import { StoreError } from '../store-error.ts';
import type { StoreFile } from '../store-file.ts';
import type { GroupCommitter } from './group-committer.ts';

const MAX_I64 = 2n ** 63n - 1n;
const ROWS_AT_A_TIME = 10_000;

/**
 * The next rows after a given `seq` as one text, and the `seq` of the last of them. No value contains a blank or a
 * semicolon.
 */
const LIQUIDITY_PAGE = `
  SELECT max(seq) AS last, group_concat(layer || ' ' || short_channel_id || ' ' || direction || ' ' || kind || ' ' ||
    amount_msat || ' ' || timestamp, ';' ORDER BY seq) AS rows
  FROM (SELECT * FROM layer_liquidity WHERE seq > ? ORDER BY seq LIMIT ${ROWS_AT_A_TIME})`;

/** A later update of a direction replaces only the fields that it contains. */
const MERGE_UPDATE = `
  INSERT INTO layer_channel_update (layer, short_channel_id, direction, enabled, htlc_minimum_msat,
    htlc_maximum_msat, fee_base_msat, fee_proportional_millionths, cltv_expiry_delta)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (layer, short_channel_id, direction) DO UPDATE SET
    enabled = coalesce(excluded.enabled, enabled),
    htlc_minimum_msat = coalesce(excluded.htlc_minimum_msat, htlc_minimum_msat),
    htlc_maximum_msat = coalesce(excluded.htlc_maximum_msat, htlc_maximum_msat),
    fee_base_msat = coalesce(excluded.fee_base_msat, fee_base_msat),
    fee_proportional_millionths = coalesce(excluded.fee_proportional_millionths, fee_proportional_millionths),
    cltv_expiry_delta = coalesce(excluded.cltv_expiry_delta, cltv_expiry_delta)`;

const SET_BIAS = `
  INSERT INTO layer_channel_bias (layer, short_channel_id, direction, bias, description, timestamp)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (layer, short_channel_id, direction) DO UPDATE SET
    bias = excluded.bias, description = excluded.description, timestamp = excluded.timestamp`;

const SET_NODE_BIAS = `
  INSERT INTO layer_node_bias (layer, node, in_bias, out_bias, description, timestamp)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (layer, node) DO UPDATE SET in_bias = excluded.in_bias, out_bias = excluded.out_bias,
    description = excluded.description, timestamp = excluded.timestamp`;

const write = (sql: string, ...parameters: SqlValue[]): Write => ({ sql, parameters });

/** The statements for a mutation of the layer with row id `layer`. */
function writesOf(layer: number, mutation: LayerMutation): Write[] {
  switch (mutation.type) {
    case 'createChannel': {
      const sql =
        'INSERT INTO layer_created_channel (layer, short_channel_id, node1, node2, capacity_msat) VALUES (?, ?, ?, ?, ?)';
      const { shortChannelId, node1, node2, capacityMsat } = mutation;
      return [write(sql, layer, encodeU64(shortChannelId), node1, node2, encodeU64(capacityMsat))];
    }
    case 'updateChannel':
      return [mergeUpdate(layer, mutation)];
    case 'removeChannelUpdate':
      return [deleteOfDirection('layer_channel_update', layer, mutation)];
    case 'inform': {
      const sql =
        'INSERT INTO layer_liquidity (layer, short_channel_id, direction, kind, amount_msat, timestamp) VALUES (?, ?, ?, ?, ?, ?)';
      const { shortChannelId, direction, kind, amountMsat, timestamp } = mutation;
      const scid = encodeU64(shortChannelId);
      return [write(sql, layer, scid, direction, kind, encodeU64(amountMsat), timestamp)];
    }
    case 'biasChannel': {
      const { shortChannelId, direction, bias, description, timestamp } = mutation;
      if (bias === 0) return [deleteOfDirection('layer_channel_bias', layer, mutation)];
      const scid = encodeU64(shortChannelId);
      return [write(SET_BIAS, layer, scid, direction, bias, encodeText(description), timestamp)];
    }
    case 'biasNode': {
      const { node, inBias, outBias, description, timestamp } = mutation;
      if (inBias === 0 && outBias === 0) {
        return [write('DELETE FROM layer_node_bias WHERE layer = ? AND node = ?', layer, node)];
      }
      return [write(SET_NODE_BIAS, layer, node, inBias, outBias, encodeText(description), timestamp)];
    }
    case 'disableNode':
      return [write('INSERT INTO layer_disabled_node (layer, node) VALUES (?, ?)', layer, mutation.node)];
    case 'age':
      return ageWrites(layer, mutation.cutoff);
  }
}

function mergeUpdate(layer: number, mutation: LayerMutation & { type: 'updateChannel' }): Write {
  const { shortChannelId, direction, update } = mutation;
  return write(
    MERGE_UPDATE,
    layer,
    encodeU64(shortChannelId),
    direction,
    update.enabled === undefined ? null : Number(update.enabled),
    encodeU64(update.htlcMinimumMsat),
    encodeU64(update.htlcMaximumMsat),
    encodeU64(update.feeBaseMsat),
    update.feeProportionalMillionths ?? null,
    update.cltvExpiryDelta ?? null,
  );
}

function deleteOfDirection(
  table: 'layer_channel_update' | 'layer_channel_bias',
  layer: number,
  { shortChannelId, direction }: { shortChannelId: ShortChannelId; direction: Direction },
): Write {
  const sql = `DELETE FROM ${table} WHERE layer = ? AND short_channel_id = ? AND direction = ?`;
  return write(sql, layer, encodeU64(shortChannelId), direction);
}

function ageWrites(layer: number, cutoff: bigint): Write[] {
  const before = cutoff < MAX_I64 ? cutoff : MAX_I64;
  return ['layer_liquidity', 'layer_channel_bias', 'layer_node_bias'].map((table) =>
    write(`DELETE FROM ${table} WHERE layer = ? AND timestamp < ?`, layer, before),
  );
}

/** Stores persistent layers in the SQLite database of the data directory. */
export class SqliteLayerRepository implements LayerRepository {
  readonly #file: StoreFile;
  readonly #committer: GroupCommitter;
  readonly #rowIds = new Map<Layer, number>();
  #nextRowId = 1;

  constructor(file: StoreFile, committer: GroupCommitter) {
    this.#file = file;
    this.#committer = committer;
  }

  async attach(book: LayerBook): Promise<void> {
    try {
      this.#restore(book);
    } catch (error) {
      throw new StoreError('corrupt', this.#file.path, `cannot rebuild the layers (${error})`, error);
    }
    book.journalTo(this);
  }

  imported(name: string): ImportState {
    const sql = 'SELECT is_whole FROM imported_layer WHERE name = ?';
    const [row] = this.#file.recordsNow(sql, encodeText(name));
    if (row === undefined) return 'none';
    return Number(row.is_whole) === 1 ? 'whole' : 'begun';
  }

  noteImport(name: string, state: 'begun' | 'whole'): void {
    const sql = 'INSERT OR REPLACE INTO imported_layer (name, is_whole) VALUES (?, ?)';
    this.#committer.write(write(sql, encodeText(name), Number(state === 'whole')));
  }

  durable(layer: Layer): Promise<void> {
    return this.#committer.durable(layer);
  }

  created(layer: Layer): void {
    const rowId = this.#nextRowId;
    const name = encodeText(layer.name);
    this.#committer.writeFor(layer, write('INSERT INTO layer (id, name) VALUES (?, ?)', rowId, name));
    this.#nextRowId += 1;
    this.#rowIds.set(layer, rowId);
  }

  mutated(layer: Layer, mutation: LayerMutation): void {
    this.#committer.writeFor(layer, ...writesOf(this.#rowIdOf(layer), mutation));
  }

  removed(layer: Layer): void {
    this.#committer.writeFor(layer, write('DELETE FROM layer WHERE id = ?', this.#rowIdOf(layer)));
    this.#rowIds.delete(layer);
  }

  #rowIdOf(layer: Layer): number {
    const rowId = this.#rowIds.get(layer);
    if (rowId === undefined) throw new Error(`layer ${layer.id} is not in the journal`);
    return rowId;
  }

  #restore(book: LayerBook): void {
    const byRowId = new Map<bigint, Layer>();
    for (const { id, name } of this.#file.recordsNow('SELECT id, name FROM layer ORDER BY id')) {
      const layer = book.createLayer(decodeText(name)!, true);
      byRowId.set(id as bigint, layer);
      this.#rowIds.set(layer, Number(id));
      this.#nextRowId = Number(id) + 1;
    }
    for (const [table, toMutation] of Object.entries(READERS)) {
      for (const row of this.#rowsOf(table)) {
        book.replay(byRowId.get(row.layer as bigint)!, toMutation(row));
      }
    }
    for (const [layer, mutation] of this.#liquidity()) book.replay(byRowId.get(layer)!, mutation);
  }

  /**
   * Lessons about liquidity in order, each with the row id of its layer. There may be hundreds of thousands of rows,
   * and fetching a value from the database takes longer than parsing it, so they are fetched as texts of many rows.
   */
  *#liquidity(): Generator<readonly [layer: bigint, mutation: LayerMutation], void> {
    for (let last: SqlValue = 0; ; ) {
      const [page] = this.#file.recordsNow(LIQUIDITY_PAGE, last);
      if (typeof page?.rows !== 'string') return;
      for (const row of page.rows.split(';')) yield liquidityOf(row);
      last = page.last!;
    }
  }

  /** The rows of a table in order, read in pages, since there may be many. */
  *#rowsOf(table: string): Generator<SqlRow, void> {
    const sql = `SELECT * FROM ${table} WHERE seq > ? ORDER BY seq LIMIT ${ROWS_AT_A_TIME}`;
    let rows = this.#file.recordsNow(sql, 0);
    while (rows.length > 0) {
      yield* rows;
      rows = this.#file.recordsNow(sql, rows.at(-1)!.seq!);
    }
  }
}

const ofDirection = (row: SqlRow): { shortChannelId: ShortChannelId; direction: Direction } => ({
  shortChannelId: decodeU64(row.short_channel_id) as ShortChannelId,
  direction: Number(row.direction) as Direction,
});

const annotation = (row: SqlRow): { description: string | undefined; timestamp: number } => ({
  description: decodeText(row.description),
  timestamp: Number(row.timestamp),
});

/** Parses a row of `LIQUIDITY_PAGE`: the lesson, and the layer that it belongs to. */
function liquidityOf(row: string): readonly [layer: bigint, mutation: LayerMutation] {
  const values = row.split(' ');
  return [
    BigInt(values[0]!),
    {
      type: 'inform',
      kind: KINDS.get(values[3]!)!,
      shortChannelId: decodeU64(BigInt(values[1]!)) as ShortChannelId,
      direction: Number(values[2]) as Direction,
      amountMsat: decodeU64(BigInt(values[4]!)),
      timestamp: Number(values[5]),
    },
  ];
}

/**
 * Kinds by name. Entries use these strings, because a substring of a page's text would keep the whole text in memory.
 */
const KINDS = new Map<string, LiquidityKind>([
  ['minimum', 'minimum'],
  ['maximum', 'maximum'],
  ['impression', 'impression'],
]);

/** For each table of entries except `layer_liquidity`: converts a row to the mutation that creates its entry. */
const READERS: Readonly<Record<string, (row: SqlRow) => LayerMutation>> = {
  layer_disabled_node: (row) => ({ type: 'disableNode', node: row.node as NodeId }),
  layer_created_channel: (row) => ({
    type: 'createChannel',
    shortChannelId: decodeU64(row.short_channel_id) as ShortChannelId,
    node1: row.node1 as NodeId,
    node2: row.node2 as NodeId,
    capacityMsat: decodeU64(row.capacity_msat),
  }),
  layer_channel_update: (row) => ({ type: 'updateChannel', ...ofDirection(row), update: updateOf(row) }),
  layer_channel_bias: (row) => ({
    type: 'biasChannel',
    ...ofDirection(row),
    bias: Number(row.bias),
    ...annotation(row),
  }),
  layer_node_bias: (row) => ({
    type: 'biasNode',
    node: row.node as NodeId,
    inBias: Number(row.in_bias),
    outBias: Number(row.out_bias),
    ...annotation(row),
  }),
};

/** The update in a row. Fields that were never set are absent rather than undefined. */
function updateOf(row: SqlRow): PolicyUpdate {
  const fields: Record<keyof PolicyUpdate, boolean | bigint | number | undefined> = {
    enabled: row.enabled === null ? undefined : row.enabled === 1n,
    htlcMinimumMsat: row.htlc_minimum_msat === null ? undefined : decodeU64(row.htlc_minimum_msat),
    htlcMaximumMsat: row.htlc_maximum_msat === null ? undefined : decodeU64(row.htlc_maximum_msat),
    feeBaseMsat: row.fee_base_msat === null ? undefined : decodeU64(row.fee_base_msat),
    feeProportionalMillionths:
      row.fee_proportional_millionths === null ? undefined : Number(row.fee_proportional_millionths),
    cltvExpiryDelta: row.cltv_expiry_delta === null ? undefined : Number(row.cltv_expiry_delta),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
