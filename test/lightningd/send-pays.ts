/**
 * The node's own payments: rows of its database, and the commands that send, track, list and delete them. Each
 * command follows lightningd's `pay.c` (v26.06): `check_progress`, `send_payment_core`, `wait_payment`,
 * `payment_failed`, `json_injectpaymentonion`, `json_listsendpays`, `json_delpay`.
 */
import { encodeFailure, FAILURES } from '../../src/bolt/onion/failure.ts';
import { plainFailurePacket, wrapFailurePacket } from '../../src/bolt/onion/failure-packet.ts';
import { decodePayload } from '../../src/bolt/onion/payload.ts';
import { peelOnion } from '../../src/bolt/onion/sphinx.ts';
import { WireError } from '../../src/bolt/wire-error.ts';
import { msat } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import type { OwnChannel } from '../../src/model/own-channel.ts';
import {
  formatShortChannelId,
  parseShortChannelId,
  type ShortChannelId,
} from '../../src/model/short-channel-id.ts';
import type { Channeld, ChannelOutcome } from './channeld.ts';
import type { RouteHop, Values } from './parameters.ts';
import { CODE, Refusal } from './refusal.ts';
import type { WaitIndexes } from './wait-indexes.ts';

const ONION_BYTES = 1366;
/** Maximum number of blocks until an HTLC expires. */
const MAX_HTLC_CLTV = 2016;

/** A row of the node's table of payments. */
export interface PaymentRow {
  readonly id: bigint;
  updatedIndex: bigint | undefined;
  readonly paymentHash: string;
  readonly groupId: bigint;
  readonly partId: bigint;
  readonly destination: string | undefined;
  /** 0 if the caller did not state the amount that arrives. */
  readonly amountMsat: bigint;
  readonly amountSentMsat: bigint;
  readonly totalMsat: bigint;
  readonly createdAtS: number;
  completedAtS: number | undefined;
  status: 'pending' | 'complete' | 'failed';
  preimage: string | undefined;
  readonly label: string | undefined;
  readonly invoice: string | undefined;
  readonly description: string | undefined;
  /** The failure packet as the first peer returned it, if no shared secret could decrypt it. */
  errorOnion: string | undefined;
  /**
   * The error that `waitsendpay` repeats for a failure without a packet. Undefined once the node has
   * forgotten it.
   */
  error: { readonly code: number; readonly message: string; readonly data: object } | undefined;
}

/** The parts of the node that payments need. */
export interface PayerNode {
  readonly nodeId: () => NodeId;
  /** Secret key of the node, with which it opens the onions passed to `injectpaymentonion`. */
  readonly secretKey: Uint8Array;
  readonly nowS: () => number;
  /** The height from which delays are counted. */
  readonly networkHeight: () => number;
  readonly notify: (topic: string, body: object) => void;
}

interface Waiter {
  readonly row: PaymentRow;
  readonly ended: (live: Failure | undefined) => void;
}

/** How a part failed: with a packet, or with a failure code of the node or its first peer. */
interface Failure {
  readonly code: number;
  readonly message: string;
  readonly data: object;
  /** The failure packet as it arrived, for `injectpaymentonion`. */
  readonly packet?: Uint8Array;
  /** The failure message, if the failure came without a packet. */
  readonly failureMessage?: Uint8Array;
}

/** Keeps the payment rows, and runs the payment commands. */
export class SendPays {
  readonly rows: PaymentRow[] = [];
  /** Rows of the node's bookkeeper for settled parts, oldest first. */
  readonly #moves: object[] = [];
  readonly #node: PayerNode;
  readonly #channeld: Channeld;
  readonly #indexes: WaitIndexes;
  #waiters: Waiter[] = [];
  /**
   * Whether the node loses the next HTLC and mistakes each later HTLC for the previous one, as Core Lightning
   * v26.06.6 did after a splice with HTLCs in flight.
   */
  mistakesHtlcs = false;
  #before: PaymentRow | undefined;

  constructor(node: PayerNode, channeld: Channeld, indexes: WaitIndexes) {
    this.#node = node;
    this.#channeld = channeld;
    this.#indexes = indexes;
    channeld.onEnded = (attemptId, outcome) => this.#ended(attemptId, outcome);
  }

  /** Adds a finished payment made by a different program. */
  addEnded(row: Omit<PaymentRow, 'id' | 'updatedIndex'>): void {
    const id = this.#indexes.count('sendpays', 'created', {});
    this.rows.push({ ...row, id, updatedIndex: this.#indexes.count('sendpays', 'updated', {}) });
  }

  /** Drops all waiters, because the node was stopped. */
  forgetWaiters(): void {
    this.#waiters = [];
  }

  // ---------------------------------------------------------------- sendonion, waitsendpay

  sendonion(values: Values): object {
    if (values.shared_secrets !== undefined) {
      throw new Refusal(CODE.lightningd, 'the stand-in does not open failures for the caller');
    }
    const { payment_hash: paymentHash, first_hop: first } = values as {
      payment_hash: string;
      first_hop: RouteHop;
    };
    const partId: bigint = values.partid ?? 0n;
    const groupId: bigint = values.groupid ?? this.#lastGroup(paymentHash) + 1n;
    const failcode = whyNoOnion(values.onion);
    if (failcode !== undefined) {
      throw invalid(`Could not parse the onion. Parsing failed with failcode=${failcode}`);
    }
    const amountMsat: bigint = values.amount_msat ?? 0n;
    const totalMsat: bigint = values.total_amount_msat ?? 0n;
    const terms = { paymentHash, partId, groupId, amountMsat, totalMsat, destination: values.destination };
    const earlier = this.#progress(terms);
    if (earlier !== undefined) {
      return earlier.status === 'complete' ? shown(earlier) : inProgress(earlier);
    }
    if (values.localinvreqid !== undefined) {
      throw new Refusal(CODE.badInvoiceRequest, `Unknown invoice_request ${values.localinvreqid}`);
    }
    const channel = this.#channel(first.id, first.channel);
    if (channel === undefined) throw this.#noChannel();
    if (!channel.usable) throw this.#peerNotReady(channel);
    const row = this.#addRow({
      ...terms,
      amountSentMsat: first.amountMsat,
      label: values.label,
      invoice: values.bolt11,
      description: values.description,
    });
    this.#send(row, channel, first.amountMsat, this.#node.networkHeight() + 1 + first.delay, values.onion);
    return inProgress(row);
  }

  async waitsendpay({ payment_hash, partid = 0n, groupid, timeout }: Values): Promise<object> {
    const row = this.#find(payment_hash, partid, groupid ?? this.#lastGroup(payment_hash));
    if (row === undefined) {
      throw new Refusal(CODE.noSuchPart, `Never attempted payment part ${partid} for '${payment_hash}'`);
    }
    if (row.status === 'pending') {
      const live = await this.#end(row, timeout);
      if (live !== undefined)
        throw new Refusal(live.code, live.message, { ...shown(row, 'pending'), ...live.data });
      return shown(row);
    }
    if (row.status === 'complete') return shown(row);
    if (row.errorOnion !== undefined) {
      const data = { ...shown(row), onionreply: row.errorOnion };
      throw new Refusal(CODE.unparseableOnion, 'Malformed error reply', data);
    }
    if (row.error === undefined) throw new Refusal(CODE.unspecified, 'Payment failure reason unknown');
    const { code, message, data } = row.error;
    throw new Refusal(code, message, { ...shown(row), ...data });
  }

  /** Reconnects the channel: an HTLC that was lost fails, and later ones are recognised again. */
  reconnect(): void {
    this.mistakesHtlcs = false;
    const lost = this.#before;
    this.#before = undefined;
    if (lost?.status !== 'pending') return;
    const { code } = FAILURES.temporary_channel_failure;
    this.#ended(attemptIdOf(lost), { status: 'local', code, why: 'Outgoing subdaemon died' });
  }

  // ---------------------------------------------------------------- injectpaymentonion

  async injectpaymentonion(values: Values): Promise<object> {
    const { payment_hash: paymentHash, partid: partId, groupid: groupId, cltv_expiry: cltvExpiry } = values;
    const amountMsat: bigint = values.destination_msat ?? 0n;
    const earlier = this.#progress({
      paymentHash,
      partId,
      groupId,
      amountMsat,
      totalMsat: 0n,
      destination: undefined,
    });
    if (earlier?.status === 'complete') {
      throw new Refusal(CODE.alreadyPaid, 'Already paid this invoice', shown(earlier));
    }
    if (earlier !== undefined) return inProgress(earlier);
    if (values.onion.length !== 2 * ONION_BYTES) throw invalid(`onion must be ${ONION_BYTES} bytes long`);
    const peeled = this.#peel(values.onion, paymentHash);
    const payload = decodePayload(peeled.payload);
    const scid = payload.shortChannelId;
    if (peeled.next === undefined || scid === undefined) {
      throw new Refusal(CODE.lightningd, 'the stand-in sends only over its own channels');
    }
    const name = formatShortChannelId(scid);
    const channel = this.#channels().find((one) => one.shortChannelId === scid);
    if (channel === undefined) throw invalid(`Unknown scid ${name}`);
    const sentMsat = payload.amtToForwardMsat!;
    const { htlcMinimumMsat, htlcMaximumMsat } = channel.localPolicy!;
    if (sentMsat > htlcMaximumMsat || sentMsat < htlcMinimumMsat) {
      throw invalid(
        `Amount ${sentMsat}msat not in htlc min/max range ${htlcMinimumMsat}msat-${htlcMaximumMsat}msat`,
      );
    }
    const { height } = this.#channeld;
    if (height >= cltvExpiry) throw invalid(`Expiry cltv ${cltvExpiry} too close to current ${height}`);
    if (height + MAX_HTLC_CLTV < cltvExpiry) {
      throw invalid(`Expiry cltv ${cltvExpiry} too far from current ${height} + max ${MAX_HTLC_CLTV}`);
    }
    if (!channel.usable) throw invalid('Could not send to first peer: WIRE_TEMPORARY_CHANNEL_FAILURE');
    const row = this.#addRow({
      ...{ paymentHash, partId, groupId, amountMsat, totalMsat: 0n, amountSentMsat: sentMsat },
      ...{
        destination: values.destination,
        label: values.label,
        invoice: values.invstring,
        description: undefined,
      },
    });
    this.#send(row, channel, sentMsat, cltvExpiry, Buffer.from(peeled.next).toString('hex'));
    const live = await this.#end(row, undefined);
    if (live !== undefined) throw injectFailure(live, peeled.sharedSecret);
    const { id, createdAtS, completedAtS, preimage } = row;
    return {
      ...{
        created_index: id,
        created_at: createdAtS,
        completed_at: completedAtS,
        payment_preimage: preimage,
      },
    };
  }

  #peel(onion: string, paymentHash: string) {
    try {
      const bytes = Uint8Array.from(Buffer.from(onion, 'hex'));
      return peelOnion(bytes, this.#node.secretKey, Uint8Array.from(Buffer.from(paymentHash, 'hex')));
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw invalid('Could not process onion');
    }
  }

  // ---------------------------------------------------------------- listsendpays, delpay

  listsendpays({ payment_hash, bolt11, status, index, start = 0n, limit }: Values): object {
    if (payment_hash !== undefined && bolt11 !== undefined) {
      throw invalid('Can only specify one of {bolt11} or {payment_hash}');
    }
    if (start !== 0n && index === undefined) throw invalid('Can only specify {start} with {index}');
    if (limit !== undefined && index === undefined) throw invalid('Can only specify {limit} with {index}');
    if (start !== 0n && (payment_hash ?? bolt11) !== undefined) {
      throw invalid('Cannot use start with bolt11 or payment_hash');
    }
    const isWanted = (row: PaymentRow): boolean =>
      (payment_hash === undefined || row.paymentHash === payment_hash) &&
      (bolt11 === undefined || row.invoice === bolt11) &&
      (status === undefined || payment_hash !== undefined || row.status === status);
    const order = (row: PaymentRow): bigint => (index === 'updated' ? (row.updatedIndex ?? 0n) : row.id);
    const rows = this.rows.filter((row) => isWanted(row) && order(row) >= start);
    return { payments: rows.slice(0, limit).map((row) => shown(row)) };
  }

  delpay({ payment_hash, status, partid, groupid }: Values): object {
    if ((partid === undefined) !== (groupid === undefined)) {
      throw invalid('Must set both partid and groupid, or neither');
    }
    const ofHash = this.rows.filter((row) => row.paymentHash === payment_hash);
    if (ofHash.length === 0) {
      throw new Refusal(CODE.noSuchPart, `Unknown payment with payment_hash: ${payment_hash}`);
    }
    const meant = ofHash.filter(
      (row) => groupid === undefined || (row.groupId === groupid && row.partId === partid),
    );
    const gone = meant.filter((row) => row.status === status);
    if (gone.length === 0) {
      const other = meant.at(-1)?.status;
      throw new Refusal(
        CODE.noSuchPart,
        other === undefined
          ? 'No payment for that payment_hash with that partid and groupid'
          : `Payment with hash ${payment_hash} has ${other} status but it different from the one provided ${status}`,
      );
    }
    // The node does not count deleted rows if a whole payment is deleted.
    this.#delete(gone, groupid !== undefined);
    return { payments: gone.map((row) => shown(row)) };
  }

  listchannelmoves({ index, start = 0n, limit }: Values): object {
    if (start !== 0n && index === undefined) throw invalid('Can only specify {start} with {index}');
    if (limit !== undefined && index === undefined) throw invalid('Can only specify {limit} with {index}');
    if (index !== undefined && index !== 'created') {
      throw invalid("index must be 'created', since channelmoves are never updated");
    }
    const first = start === 0n ? 0 : Number(start) - 1;
    return { channelmoves: this.#moves.slice(first, limit === undefined ? undefined : first + limit) };
  }

  /** Deletes all finished rows, as `autoclean` does. */
  clean(): void {
    this.#delete(this.rows.filter(({ status }) => status !== 'pending'));
  }

  #delete(gone: readonly PaymentRow[], isCounted = true): void {
    for (const row of gone) {
      this.rows.splice(this.rows.indexOf(row), 1);
      if (isCounted) this.#indexes.count('sendpays', 'deleted', indexDetails(row));
    }
  }

  // ---------------------------------------------------------------- rows

  /**
   * Checks whether a part may be sent. @returns undefined if it may, otherwise the existing row of that part.
   * @throws Refusal
   */
  #progress(terms: {
    paymentHash: string;
    partId: bigint;
    groupId: bigint;
    amountMsat: bigint;
    totalMsat: bigint;
    destination: string | undefined;
  }): PaymentRow | undefined {
    const { paymentHash, partId, groupId, amountMsat, totalMsat, destination } = terms;
    let isPaid = false;
    let pendingMsat = 0n;
    for (const row of this.rows) {
      if (row.paymentHash !== paymentHash) continue;
      if (row.status === 'complete') {
        isPaid = true;
        if (row.partId !== partId) continue;
        requireSame(row, amountMsat, destination, 'succeeded');
        return row;
      }
      if (row.status === 'pending') {
        requireOneGroup(row, groupId, partId);
        if (row.partId === partId) {
          requireSame(row, amountMsat, destination, 'pending');
          return row;
        }
        if (row.totalMsat !== totalMsat) {
          throw invalid(`msatoshi was previously ${row.totalMsat}msat, now ${totalMsat}msat`);
        }
        pendingMsat += row.amountMsat;
      }
      if (row.partId !== partId || row.groupId !== groupId) continue;
      throw new Refusal(
        CODE.hashUsed,
        `There already is a payment with payment_hash=${paymentHash}, groupid=${groupId}, partid=${partId}. ` +
          'Either change the partid, or wait for the payment to complete and start a new group.',
      );
    }
    if (isPaid) throw new Refusal(CODE.hashUsed, 'Already succeeded other parts');
    if (totalMsat > 0n && pendingMsat >= totalMsat) {
      const words = `Already have ${pendingMsat}msat of ${totalMsat}msat payments in progress`;
      throw new Refusal(CODE.inProgress, words);
    }
    return undefined;
  }

  #addRow(
    terms: Pick<
      PaymentRow,
      | 'paymentHash'
      | 'groupId'
      | 'partId'
      | 'destination'
      | 'amountMsat'
      | 'amountSentMsat'
      | 'totalMsat'
      | 'label'
      | 'invoice'
      | 'description'
    >,
  ): PaymentRow {
    const id = this.#indexes.value('sendpays', 'created') + 1n;
    const row: PaymentRow = {
      ...terms,
      id,
      updatedIndex: undefined,
      createdAtS: Math.floor(this.#node.nowS()),
      completedAtS: undefined,
      status: 'pending',
      preimage: undefined,
      errorOnion: undefined,
      error: undefined,
    };
    this.rows.push(row);
    this.#indexes.count('sendpays', 'created', indexDetails(row));
    return row;
  }

  #find(paymentHash: string, partId: bigint, groupId: bigint): PaymentRow | undefined {
    return this.rows.find(
      (row) => row.paymentHash === paymentHash && row.partId === partId && row.groupId === groupId,
    );
  }

  #lastGroup(paymentHash: string): bigint {
    const groups = this.rows.filter((row) => row.paymentHash === paymentHash).map(({ groupId }) => groupId);
    return groups.reduce((last, one) => (one > last ? one : last), 0n);
  }

  // ---------------------------------------------------------------- HTLCs

  #channels(): readonly OwnChannel[] {
    return this.#channeld.records();
  }

  #channel(peerId: string | undefined, scid: string | undefined): OwnChannel | undefined {
    const wanted = scid === undefined ? undefined : parseShortChannelId(scid);
    return this.#channels().find(
      (one) => one.peerId === peerId && (wanted === undefined || one.shortChannelId === wanted),
    );
  }

  #send(row: PaymentRow, channel: OwnChannel, amountMsat: bigint, cltvExpiry: number, onion: string): void {
    const credited = this.mistakesHtlcs ? this.#before : row;
    if (this.mistakesHtlcs) this.#before = row;
    if (credited === undefined) return;
    this.#channeld.add({
      attemptId: attemptIdOf(credited),
      shortChannelId: channel.shortChannelId as ShortChannelId,
      amountMsat: msat(amountMsat),
      cltvExpiry,
      paymentHash: Uint8Array.from(Buffer.from(row.paymentHash, 'hex')),
      onion: Uint8Array.from(Buffer.from(onion, 'hex')),
      groupId: row.groupId,
      partId: Number(row.partId),
    });
  }

  #noChannel(): Refusal {
    const data = {
      erring_index: 0,
      failcode: FAILURES.unknown_next_peer.code,
      failcodename: 'WIRE_UNKNOWN_NEXT_PEER',
      erring_node: this.#node.nodeId(),
    };
    return new Refusal(CODE.tryOtherRoute, 'No connection to first peer found', data);
  }

  #peerNotReady({ shortChannelId, peerId }: OwnChannel): Refusal {
    const data = {
      erring_index: 0,
      failcode: FAILURES.temporary_channel_failure.code,
      failcodename: 'WIRE_TEMPORARY_CHANNEL_FAILURE',
      erring_node: this.#node.nodeId(),
      erring_channel: formatShortChannelId(shortChannelId!),
      erring_direction: this.#node.nodeId() < peerId ? 0 : 1,
    };
    const message = 'failed: WIRE_TEMPORARY_CHANNEL_FAILURE (First peer not ready)';
    return new Refusal(CODE.tryOtherRoute, message, data);
  }

  #ended(attemptId: string, outcome: ChannelOutcome): void {
    const row = this.rows.find((one) => attemptIdOf(one) === attemptId);
    if (row === undefined) return;
    const failure = this.#record(row, outcome);
    const status = failure === undefined ? 'complete' : 'failed';
    row.updatedIndex = this.#indexes.count('sendpays', 'updated', { ...indexDetails(row), status });
    const waiters = this.#waiters.filter((one) => one.row === row);
    this.#waiters = this.#waiters.filter((one) => one.row !== row);
    for (const { ended } of waiters) ended(failure);
    if (failure === undefined) this.#node.notify('sendpay_success', shown(row));
    else {
      const { code, message, data } = failure;
      this.#node.notify('sendpay_failure', { code, message, data: { ...shown(row, 'pending'), ...data } });
    }
  }

  /** Writes the outcome into the row. @returns the failure of the part, as reported at that moment. */
  #record(row: PaymentRow, outcome: ChannelOutcome): Failure | undefined {
    row.completedAtS = Math.floor(this.#node.nowS());
    if (outcome.status === 'settled') {
      row.preimage = Buffer.from(outcome.preimage).toString('hex');
      row.status = 'complete';
      this.#addMove(row);
      return undefined;
    }
    row.status = 'failed';
    if (outcome.status === 'failed') {
      row.errorOnion = Buffer.from(outcome.packet).toString('hex');
      const data = { onionreply: row.errorOnion };
      return { code: CODE.unparseableOnion, message: 'Malformed error reply', data, packet: outcome.packet };
    }
    if (outcome.status === 'local') {
      const name = wireName(outcome.code);
      const head = { erring_index: 0, failcode: outcome.code, failcodename: name };
      const data = { ...head, erring_node: this.#node.nodeId() };
      const message = `failed: ${name} (${name}: ${outcome.why})`;
      row.error = { code: CODE.tryOtherRoute, message, data };
      return row.error;
    }
    // The first peer reported that it cannot read the onion. The node forgets this, so later queries do not show
    // it.
    const name = wireName(outcome.failureCode);
    const failureMessage = Buffer.concat([u16(outcome.failureCode), new Uint8Array(32)]);
    const data = {
      erring_index: 1,
      failcode: outcome.failureCode,
      failcodename: name,
      raw_message: failureMessage.toString('hex'),
    };
    return { code: CODE.tryOtherRoute, message: `failed: ${name} (local failure)`, data, failureMessage };
  }

  #addMove(row: PaymentRow): void {
    const created_index = this.#indexes.count('channelmoves', 'created', {});
    this.#moves.push({
      created_index,
      account_id: '00'.repeat(32),
      credit_msat: 0,
      debit_msat: row.amountSentMsat,
      timestamp: row.completedAtS,
      primary_tag: 'invoice',
      payment_hash: row.paymentHash,
      part_id: row.partId,
      group_id: row.groupId,
      fees_msat: row.amountMsat === 0n ? 0n : row.amountSentMsat - row.amountMsat,
    });
  }

  /** Waits until a part has ended. @returns the failure, if it failed. */
  #end(row: PaymentRow, timeoutS: number | undefined): Promise<Failure | undefined> {
    return new Promise((ended, refused) => {
      const waiter = { row, ended };
      this.#waiters.push(waiter);
      if (timeoutS === undefined) return;
      const timer = setTimeout(() => {
        if (!this.#waiters.includes(waiter)) return;
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        refused(new Refusal(CODE.inProgress, 'Timed out while waiting'));
      }, timeoutS * 1000);
      timer.unref();
    });
  }
}

const invalid = (message: string): Refusal => new Refusal(CODE.invalidParams, message);

/** The failure code for an invalid onion. Like the node, it does not check the total length. */
function whyNoOnion(onion: string): number | undefined {
  if (!onion.startsWith('00')) return FAILURES.invalid_onion_version.code;
  if (!/^000[23][0-9a-f]{64}/.test(onion)) return FAILURES.invalid_onion_key.code;
  return onion.length < 2 * (1 + 33 + 32) ? FAILURES.invalid_onion_hmac.code : undefined;
}

const attemptIdOf = ({ paymentHash, groupId, partId }: PaymentRow): string =>
  `${paymentHash}-${groupId}-${partId}`;

const indexDetails = ({ status, partId, groupId, paymentHash }: PaymentRow): object => ({
  ...{ status, partid: partId, groupid: groupId, payment_hash: paymentHash },
});

/**
 * The fields of a row. @param status the row's status when the answer was created, if it has changed since
 */
function shown(row: PaymentRow, status = row.status): object {
  const { id, invoice } = row;
  return {
    created_index: id,
    id,
    payment_hash: row.paymentHash,
    groupid: row.groupId,
    updated_index: status === row.status ? row.updatedIndex : undefined,
    partid: row.partId === 0n ? undefined : row.partId,
    destination: row.destination,
    amount_msat: row.amountMsat === 0n ? undefined : row.amountMsat,
    amount_sent_msat: row.amountSentMsat,
    created_at: row.createdAtS,
    completed_at: status === row.status ? row.completedAtS : undefined,
    status,
    payment_preimage: row.preimage,
    label: row.label,
    ...(invoice !== undefined && { [invoice.startsWith('lni') ? 'bolt12' : 'bolt11']: invoice }),
    description: row.description,
    erroronion: status === row.status ? row.errorOnion : undefined,
  };
}

const inProgress = (row: PaymentRow): object => ({
  message: 'Monitor status with listpays or waitsendpay',
  ...shown(row),
});

function requireSame(
  row: PaymentRow,
  amountMsat: bigint,
  destination: string | undefined,
  state: 'succeeded' | 'pending',
): void {
  if (row.amountMsat !== amountMsat) {
    const words = `Already ${state} with amount ${row.amountMsat}msat (not ${amountMsat}msat)`;
    throw new Refusal(CODE.hashUsed, words);
  }
  if (row.destination !== undefined && destination !== undefined && row.destination !== destination) {
    throw new Refusal(CODE.hashUsed, `Already ${state} to ${row.destination}`);
  }
}

function requireOneGroup(row: PaymentRow, groupId: bigint, partId: bigint): void {
  if (row.groupId !== groupId) {
    const words = `Payment with groupid=${row.groupId} still in progress, cannot retry before that completes.`;
    throw new Refusal(CODE.inProgress, words);
  }
  if ((row.partId === 0n) !== (partId === 0n)) {
    const kind = row.partId === 0n ? 'non-parallel' : 'parallel';
    throw new Refusal(CODE.inProgress, `Already have ${kind} payment in progress`);
  }
}

/** A failure as `injectpaymentonion` reports it: a packet wrapped in the node's own layer. */
function injectFailure({ packet, failureMessage, message }: Failure, secret: Uint8Array): Refusal {
  const plain =
    failureMessage ?? encodeFailure('temporary_channel_failure', { channelUpdate: new Uint8Array(0) });
  const inner = packet ?? plainFailurePacket(secret, plain);
  const onionreply = Buffer.from(wrapFailurePacket(secret, inner)).toString('hex');
  return new Refusal(CODE.injectFailed, message, { onionreply });
}

const u16 = (value: number): Uint8Array => Uint8Array.of(value >> 8, value & 0xff);

/** A failure's name as lightningd writes it. */
function wireName(code: number): string {
  const name = Object.entries(FAILURES).find(([, one]) => one.code === code)?.[0];
  return name === undefined ? `UNKNOWN ONION_WIRE ${code}` : `WIRE_${name.toUpperCase()}`;
}
