/**
 * What the node's database contains about our HTLCs, and what follows from it.
 *
 *     row complete          settled. With another payment's preimage: settled if the part's own preimage is in another
 *                           row; still in progress while the part's channel has HTLCs; else the part never left
 *     row failed            `waitsendpay` returns the failure immediately
 *     row pending           An HTLC with that hash is on a channel: in progress.
 *                           No such HTLC, and the node was restarted after it wrote the row: the HTLC never left.
 *                           The node stores the row before it commits the HTLC to the peer, and died in between.
 *                           No such HTLC, and the node has been running since before it wrote the row: pending, and the
 *                           node will fail it.
 *     no row                never accepted, or deleted (see deleted-rows.ts). Checked only once no earlier
 *                           connection can still create a row (the fence of node-link.ts)
 */
import { equalBytes, toHex } from '../../bolt/bytes.ts';
import { sha256 } from '../../bolt/crypto/hashes.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { HtlcKey, HtlcOutcome, HtlcState } from '../port.ts';
import { type Members, NodeError } from './answer.ts';
import { DeletedRows } from './deleted-rows.ts';
import type { NodeConnection } from './node-link.ts';
import {
  isMisattributed,
  isOfLostProcess,
  type PartAnswer,
  readPart,
  readPartError,
} from './wait-outcome.ts';

/** The parameters that identify a part at the node. */
export const partOf = ({ paymentHash, groupId, partId }: HtlcKey) => ({
  payment_hash: toHex(paymentHash),
  partid: partId,
  groupid: groupId,
});

/**
 * Seconds after which a node that keeps running has certainly failed a pending row without an HTLC on any channel. The
 * node does so within 30 s, and we allow twice that time.
 */
const SETTLED_BY_ITSELF_S = 60;

/** Number of rows before and after a part's own row that are searched for its preimage. */
const ROWS_AROUND = 500n;

/** Queries the node's database over one connection. The HTLCs on channels are listed once for all pending rows. */
export class PaymentRows {
  readonly #connection: NodeConnection;
  readonly #nowMs: () => number;
  #live: Promise<ReadonlySet<string>> | undefined;
  readonly #deleted: DeletedRows;

  constructor(connection: NodeConnection, nowMs: () => number) {
    this.#connection = connection;
    this.#nowMs = nowMs;
    this.#deleted = new DeletedRows(connection);
  }

  /**
   * @param acceptedUnderS start time of the node process that accepted the part, if we saw it accepted. A process with
   *   a different start time was started later, even if the row's time, in whole seconds, does not show that.
   * @throws NodeError; FulguriteError nodeAway
   */
  async stateOf(key: HtlcKey, acceptedUnderS?: number): Promise<HtlcState> {
    const row = await this.#row(key);
    if (row === undefined) return this.#withoutRow(key);
    switch (row.text('status')) {
      case 'complete':
        return this.#stateAfter(key, readPart(row, key.paymentHash));
      case 'pending':
        return this.#pending(key, row, acceptedUnderS);
      default:
        return this.#failed(key);
    }
  }

  async #row({ paymentHash, groupId, partId }: HtlcKey): Promise<Members | undefined> {
    const answer = await this.#connection.call('listsendpays', { payment_hash: toHex(paymentHash) });
    return answer
      .objects('payments')
      .find((row) => row.whole('groupid') === groupId && (row.whole('partid') ?? 0n) === BigInt(partId));
  }

  /** Reads the outcome of a failed part, which the node returns immediately. */
  async #failed(key: HtlcKey): Promise<HtlcState> {
    try {
      const result = await this.#connection.call('waitsendpay', partOf(key));
      return await this.#stateAfter(key, readPart(result, key.paymentHash));
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const answer = readPartError(error);
      if (answer === undefined) throw error;
      return this.#stateAfter(key, answer);
    }
  }

  /** The state of a part that follows from the node's last answer about it. */
  async #stateAfter(key: HtlcKey, answer: PartAnswer): Promise<HtlcState> {
    if (typeof answer === 'string') return { status: 'unknown' };
    if (!isMisattributed(answer)) return isOfLostProcess(answer) ? this.afterLoss(key, answer) : answer;
    const preimage = await this.#preimageElsewhere(key);
    if (preimage !== undefined) return { status: 'settled', preimage };
    return { status: (await this.#isOnItsWay(key)) ? 'pending' : 'neverLeft' };
  }

  /**
   * The outcome of a part that the node failed because the channel's process was gone. The part has settled if another
   * row has its preimage.
   */
  async afterLoss(key: HtlcKey, failed: HtlcOutcome): Promise<HtlcOutcome> {
    const preimage = await this.#preimageElsewhere(key);
    return preimage === undefined ? failed : { status: 'settled', preimage };
  }

  /** The preimage of this part, if the node recorded it for a payment shortly before or after. */
  async #preimageElsewhere(key: HtlcKey): Promise<Uint8Array | undefined> {
    const created = (await this.#row(key))?.whole('created_index') ?? 0n;
    const start = created > ROWS_AROUND ? created - ROWS_AROUND : 1n;
    const range = { status: 'complete', index: 'created', start, limit: Number(2n * ROWS_AROUND) };
    const answer = await this.#connection.call('listsendpays', range);
    return answer
      .objects('payments')
      .map((row) => row.bytes('payment_preimage'))
      .find((preimage) => preimage.length === 32 && equalBytes(sha256(preimage), key.paymentHash));
  }

  /** Whether the part may be on its channel, possibly under a wrong hash. */
  async #isOnItsWay({ path }: HtlcKey): Promise<boolean> {
    const filter = {
      channels: [{ short_channel_id: true, htlcs: [{ direction: true, payment_hash: true }] }],
    };
    const answer = await this.#connection.call('listpeerchannels', {}, { filter });
    const channels = answer.objects('channels');
    const first = path?.[0]?.shortChannelId;
    const own = channels.filter((channel) => channel.shortChannelId('short_channel_id') === first);
    // After a splice, the channel has a different short channel id.
    const possible = own.length > 0 ? own : channels;
    return possible.some((channel) => outgoingHashes(channel.objects('htlcs')).size > 0);
  }

  async #pending(key: HtlcKey, row: Members, acceptedUnderS: number | undefined): Promise<HtlcState> {
    this.#live ??= this.#liveHashes();
    if ((await this.#live).has(toHex(key.paymentHash))) return { status: 'pending' };
    const isLater = await this.#startedAfter(row, acceptedUnderS);
    if (isLater === undefined) return { status: 'unknown' };
    // The node has been running since before it wrote the row, so it will fail the part itself.
    if (!isLater) return { status: 'pending' };
    // If an HTLC had ended between the two queries, its row would no longer be pending.
    const again = await this.#row(key);
    return again?.text('status') === 'pending' ? { status: 'neverLeft' } : { status: 'unknown' };
  }

  /** Whether the node was started after it wrote a row; undefined if this is not known yet. */
  async #startedAfter(row: Members, acceptedUnderS: number | undefined): Promise<boolean | undefined> {
    const startedS = await this.#connection.startedAt();
    if (acceptedUnderS !== undefined) return startedS !== acceptedUnderS;
    const writtenS = row.number('created_at') ?? Number.POSITIVE_INFINITY;
    if (!(startedS >= writtenS)) return false;
    // Rows have whole seconds, so the order within one second is unknown. But a node that had been running since
    // before the row would have failed the part after a while.
    const isCertain = startedS >= writtenS + 1 || this.#nowMs() / 1000 > writtenS + SETTLED_BY_ITSELF_S;
    return isCertain ? true : undefined;
  }

  async #withoutRow(key: HtlcKey): Promise<HtlcState> {
    await this.#connection.fence();
    if ((await this.#row(key)) !== undefined) return this.stateOf(key);
    return this.#deleted.stateOf(key);
  }

  /** Payment hashes of the outgoing HTLCs that are on channels now. */
  async #liveHashes(): Promise<ReadonlySet<string>> {
    const filter = { channels: [{ htlcs: [{ direction: true, payment_hash: true }] }] };
    const answer = await this.#connection.call('listpeerchannels', {}, { filter });
    return outgoingHashes(answer.objects('channels').flatMap((channel) => channel.objects('htlcs')));
  }
}

function outgoingHashes(htlcs: readonly Members[]): Set<string> {
  return new Set(
    htlcs.filter((htlc) => htlc.text('direction') === 'out').map((htlc) => htlc.text('payment_hash') ?? ''),
  );
}

/** Whether an error comes from the node, or means that the node is unreachable. */
export const isNodeTrouble = (error: unknown): error is NodeError | FulguriteError =>
  error instanceof NodeError || error instanceof FulguriteError;
