/**
 * What can be proven about one of our parts that has no row in the node's database. Either the node never accepted the
 * part, or the row was deleted (`autoclean`, `delpay`). The node's count of deleted rows does not show which of these
 * happened, because `delpay` of a whole payment is not counted. But a row is deleted only after its part has ended. The
 * node lists the part's HTLC until the channel is closed and forgotten. Since v25.09 its bookkeeper also has a move for
 * each settled HTLC.
 *
 *     no HTLC with the hash; the part's channel is still there   it never left
 *     no HTLC with the hash; no channel was ever closed          it never left
 *     an HTLC with the hash that is not removed for good         nothing yet
 *     a move with hash, part and group                           settled
 *     no move with its hash, but a move for an HTLC that was     failed
 *       removed earlier: so the bookkeeper already ran then
 *     anything else                                              nothing
 */
import { toHex } from '../../bolt/bytes.ts';
import { FAILURES } from '../../bolt/onion/failure.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { HtlcKey, HtlcState } from '../port.ts';
import { type Members, NodeError } from './answer.ts';
import type { NodeConnection } from './node-link.ts';

const PAGE = 5_000;
/** Maximum number of pages read: two million rows, several hundred megabytes. Nothing is proven from a longer list. */
const MAX_PAGES = 400;
/** The state of an HTLC that we offered, after it has settled or failed and both sides have removed it for good. */
const REMOVED = 'RCVD_REMOVE_ACK_REVOCATION';
/** Error codes for a parameter or method that an older node does not have. */
const INVALID_PARAMS = -32602;
const UNKNOWN_METHOD = -32601;

const UNKNOWN: HtlcState = { status: 'unknown' };
/** The outcome of a failed part. The node has deleted the reason. */
const FAILED: HtlcState = {
  status: 'refused',
  failureCode: FAILURES.permanent_channel_failure.code,
  reason: 'The HTLC failed, and the node has deleted the reason',
};

/** The outgoing HTLCs with one payment hash. */
interface OwnHtlcs {
  /** Whether both sides have removed all the HTLCs for good. */
  areRemoved: boolean;
  /**
   * The lowest and the highest update index of these HTLCs. Each change of an HTLC gets the next index. 0 if the node
   * reports no indexes (before v25.05).
   */
  firstChange: bigint;
  lastChange: bigint;
}

/** Determines the outcome of parts without rows. Reads each of the node's lists at most once. */
export class DeletedRows {
  readonly #connection: NodeConnection;
  #htlcs: Promise<ReadonlyMap<string, OwnHtlcs> | undefined> | undefined;
  #moves: Promise<ReadonlySet<string> | undefined> | undefined;
  #open: Promise<ReadonlySet<ShortChannelId>> | undefined;
  #hasClosed: Promise<boolean> | undefined;

  constructor(connection: NodeConnection) {
    this.#connection = connection;
  }

  /**
   * @param key the key of a part that certainly has no row, and will not get a row.
   * @throws NodeError; FulguriteError nodeAway
   */
  async stateOf(key: HtlcKey): Promise<HtlcState> {
    this.#htlcs ??= this.#readHtlcs();
    const htlcs = await this.#htlcs;
    if (htlcs === undefined) return UNKNOWN;
    const own = htlcs.get(toHex(key.paymentHash));
    if (own === undefined) return (await this.#mayBeForgotten(key)) ? UNKNOWN : { status: 'neverLeft' };
    if (!own.areRemoved) return UNKNOWN;
    return this.#byTheBooks(key, own, htlcs);
  }

  async #byTheBooks(key: HtlcKey, own: OwnHtlcs, htlcs: ReadonlyMap<string, OwnHtlcs>): Promise<HtlcState> {
    this.#moves ??= this.#readMoves();
    const moves = await this.#moves;
    if (moves === undefined) return UNKNOWN;
    const { preimage } = key;
    const hash = toHex(key.paymentHash);
    if (moves.has(moveOf(hash, BigInt(key.partId), key.groupId))) {
      // The part was paid. But `settled` needs the preimage, and the node has deleted it.
      return preimage === undefined ? UNKNOWN : { status: 'settled', preimage };
    }
    const settled = new Set([...moves].map((move) => move.split(' ')[0]!));
    // Moves that an older version of the node recorded have no groups.
    if (settled.has(hash)) return UNKNOWN;
    const wereKept = [...htlcs].some(
      ([other, { lastChange }]) => lastChange > 0n && lastChange < own.firstChange && settled.has(other),
    );
    return wereKept ? FAILED : UNKNOWN;
  }

  /** Whether the channel of a part may be closed, so that the node may have forgotten its HTLCs. */
  async #mayBeForgotten({ path }: HtlcKey): Promise<boolean> {
    const firstChannel = path?.[0]?.shortChannelId;
    if (firstChannel !== undefined && (await this.#channels()).has(firstChannel)) return false;
    return this.#wasChannelClosed();
  }

  /** The channels of the node that are not closed for good. */
  #channels(): Promise<ReadonlySet<ShortChannelId>> {
    this.#open ??= this.#connection
      .call(
        'listpeerchannels',
        {},
        { filter: { channels: [{ short_channel_id: true, alias: { local: true } }] } },
      )
      .then((answer) => {
        const names = answer
          .objects('channels')
          .map(
            (row) => row.shortChannelId('short_channel_id') ?? row.object('alias')?.shortChannelId('local'),
          );
        return new Set(names.filter((name) => name !== undefined));
      });
    return this.#open;
  }

  #wasChannelClosed(): Promise<boolean> {
    this.#hasClosed ??= this.#connection
      .call('listclosedchannels')
      .then((answer) => answer.objects('closedchannels').length > 0);
    return this.#hasClosed;
  }

  /** All HTLCs that the node has sent, for itself and for others, by hash. Undefined when there are too many. */
  async #readHtlcs(): Promise<ReadonlyMap<string, OwnHtlcs> | undefined> {
    const htlcs = new Map<string, OwnHtlcs>();
    const isWhole = await this.#pages('listhtlcs', 'htlcs', (row) => {
      if (row.text('direction') !== 'out') return;
      const hash = row.text('payment_hash') ?? '';
      const change = row.whole('updated_index') ?? 0n;
      const own = htlcs.get(hash) ?? { areRemoved: true, firstChange: change, lastChange: change };
      own.areRemoved &&= row.text('state') === REMOVED;
      if (change < own.firstChange) own.firstChange = change;
      if (change > own.lastChange) own.lastChange = change;
      htlcs.set(hash, own);
    });
    return isWhole ? htlcs : undefined;
  }

  /**
   * Moves out of channels, each as hash, part and group (`moveOf`). Undefined if the node has no bookkeeper, or has too
   * many moves.
   */
  async #readMoves(): Promise<ReadonlySet<string> | undefined> {
    const moves = new Set<string>();
    try {
      const isWhole = await this.#pages('listchannelmoves', 'channelmoves', (row) => {
        const hash = row.text('payment_hash');
        const isOut = (row.amount('debit_msat') ?? 0n) > 0n;
        if (isOut && hash !== undefined) moves.add(moveOf(hash, row.whole('part_id'), row.whole('group_id')));
      });
      return isWhole ? moves : undefined;
    } catch (error) {
      if (error instanceof NodeError && error.code === UNKNOWN_METHOD) return undefined;
      throw error;
    }
  }

  /** Reads a list page by page. @returns false if the list is too long */
  async #pages(method: string, name: string, take: (row: Members) => void): Promise<boolean> {
    let start = 1n;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page = (await this.#page(method, start)).objects(name);
      for (const row of page) take(row);
      const last = page.at(-1)?.whole('created_index');
      // A node that returns no indexes has returned the whole list.
      if (last === undefined || page.length < PAGE) return true;
      start = last + 1n;
    }
    return false;
  }

  /** Reads one page. `listhtlcs` of nodes before v25.05 has no pages and lists everything. */
  async #page(method: string, start: bigint): Promise<Members> {
    try {
      return await this.#connection.call(method, { index: 'created', start, limit: PAGE });
    } catch (error) {
      if (error instanceof NodeError && error.code === INVALID_PARAMS) return this.#connection.call(method);
      throw error;
    }
  }
}

const moveOf = (hash: string, partId: bigint | undefined, groupId: bigint | undefined): string =>
  `${hash} ${partId} ${groupId}`;
