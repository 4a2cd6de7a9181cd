/**
 * Doubt after a failover, in PostgreSQL (payment-leases.ts has the rules).
 *
 * A promoted standby starts a new timeline, and a database restored elsewhere has a different system identifier.
 * `paying_node` records for each Lightning node on which server and timeline its HTLCs were last matched. These rows
 * are old, so the promoted standby has them, and every daemon can see from them that its node must be matched again. A
 * daemon that ran during the failover always matches its own node.
 */
import { createHmac } from 'node:crypto';
import { decodeU64, encodeU64 } from '../columns.ts';
import type { Doubt, UnknownHtlc } from '../payment-leases.ts';
import { columnTexts } from './arrays.ts';
import { SKIP_LOST } from './commit-order.ts';
import type { KnownServer } from './known-server.ts';
import type { PgRow, PostgresLine } from './line.ts';
import { THIS_SERVER } from './schema.ts';

/**
 * Safety margin in milliseconds. All lost rows were committed after all remaining ones. This margin exceeds the
 * differences between the clocks of daemons and nodes, and the time from a request to its commit.
 */
const CLOCK_MARGIN_MS = 3_600_000;
/** How far back HTLCs are queried, in milliseconds, if the store contains no attempts. */
const WITHOUT_ATTEMPTS_MS = 86_400_000;

/** Condition: the table `attempt` has a row for the HTLC `h`. */
const HAS_ROW = 'EXISTS (SELECT 1 FROM attempt a WHERE a.uid = h.attempt_uid)';

/**
 * Adds a node to `paying_node`. If the node has payments but no row, the operator had removed its row, and its HTLCs
 * must be matched.
 */
const JOIN = `
  INSERT INTO paying_node (node, server)
  SELECT $1::text, CASE WHEN EXISTS (SELECT 1 FROM payment WHERE node = $1) THEN '' ELSE ${THIS_SERVER} END
  ON CONFLICT DO NOTHING`;
const MATCHED = `UPDATE paying_node SET server = ${THIS_SERVER} WHERE node = $1`;
const UNKNOWN = `
  SELECT node, attempt_uid, payment_hash, group_id, part_id, amount_msat, preimage
  FROM unknown_htlc ORDER BY found_at`;
const UNMATCHED = `
  SELECT ${THIS_SERVER} AS server, string_agg(node, ',' ORDER BY node) AS nodes
  FROM paying_node WHERE server <> ${THIS_SERVER}`;
const WRITE_DOWN = `
  INSERT INTO unknown_htlc (node, payment_hash, part_id, attempt_uid, group_id, amount_msat)
  SELECT $1, h.* FROM unnest($2::bytea[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
    AS h(payment_hash, part_id, attempt_uid, group_id, amount_msat)
  WHERE NOT ${HAS_ROW} ON CONFLICT DO NOTHING`;
/** Removes HTLCs that now have rows: a slow daemon may have written them after they were found missing. */
const FORGET_KNOWN = `DELETE FROM unknown_htlc h WHERE node = $1 AND ${HAS_ROW}`;
/**
 * Marks a pending payment as complete. The fence is incremented, so that later writes of a former owner of the payment
 * are refused.
 */
const COMPLETE = `
  UPDATE payment SET status = 'complete', preimage = $2, fence = fence + 1,
    completed_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
  WHERE payment_hash = $1 AND status = 'pending'`;

/** The node whose HTLCs are matched, and the connection to the database. */
export interface DoubtOptions {
  readonly line: PostgresLine;
  readonly server: KnownServer;
  /** The Lightning node whose channels carry our payments. */
  readonly node: string;
}

/** The state of doubt as known to this process. */
export class PostgresDoubt implements Doubt {
  readonly #options: DoubtOptions;
  readonly #secret: string;
  #server = '';
  /** The timeline, as in `KnownServer`, on which all HTLCs have been matched. */
  #clearTimeline = 0;
  #matchedServer = '';
  #waitsFor: readonly string[] = [];
  #unknown: readonly UnknownHtlc[] = [];

  private constructor(options: DoubtOptions, secret: string) {
    this.#options = options;
    this.#secret = secret;
  }

  /** @throws FulguriteError storeFailed */
  static async open(options: DoubtOptions): Promise<PostgresDoubt> {
    const { line, node } = options;
    await line.ask(JOIN, [node]);
    const [row] = await line.ask('SELECT secret FROM key_secret');
    const doubt = new PostgresDoubt(options, String(row!.secret));
    const { server, nodes } = await doubt.#unmatched();
    if (!nodes.includes(node)) doubt.#matchedServer = server;
    await doubt.refresh();
    return doubt;
  }

  /** See `PaymentLeases.bytesOf`. */
  bytesOf(text: string): Uint8Array {
    return new Uint8Array(createHmac('sha256', this.#secret).update(text).digest());
  }

  get isOpen(): boolean {
    return this.#clearTimeline !== this.#options.server.timeline;
  }

  get server(): string {
    return this.#server;
  }

  get isMatched(): boolean {
    return this.#matchedServer === this.#server;
  }

  get waitsFor(): readonly string[] {
    return this.#waitsFor;
  }

  get unknown(): readonly UnknownHtlc[] {
    return this.#unknown;
  }

  get ownUnknown(): readonly UnknownHtlc[] {
    return this.#unknown.filter(
      ({ node, preimage }) => node === this.#options.node && preimage === undefined,
    );
  }

  async lostSinceMs(): Promise<number> {
    const [row] = await this.#options.line.ask('SELECT max(created_at) AS latest FROM attempt');
    const { latest } = row!;
    return latest === null ? Date.now() - WITHOUT_ATTEMPTS_MS : Number(latest) - CLOCK_MARGIN_MS;
  }

  async match(htlcs: Parameters<Doubt['match']>[0]): Promise<void> {
    const { line, node } = this.#options;
    const rows = htlcs.map(({ attemptId, paymentHash, groupId, partId, amountMsat }) => [
      ...[paymentHash, partId, attemptId, encodeU64(groupId), encodeU64(amountMsat)],
    ]);
    const { server } = await this.#unmatched();
    await line.transaction([
      SKIP_LOST,
      { sql: WRITE_DOWN, parameters: [node, ...columnTexts(rows, 5)] },
      { sql: FORGET_KNOWN, parameters: [node] },
      { sql: MATCHED, parameters: [node] },
    ]);
    // If the server was replaced meanwhile, `server` is no longer the current one, and the node is matched again.
    this.#matchedServer = server;
  }

  async ended({ node, paymentHash, partId }: UnknownHtlc, preimage: Uint8Array | undefined): Promise<void> {
    const { line } = this.#options;
    const key = [node, paymentHash, partId];
    const where = 'WHERE node = $1 AND payment_hash = $2 AND part_id = $3';
    if (preimage === undefined) {
      await line.ask(`DELETE FROM unknown_htlc ${where}`, key);
      return;
    }
    await line.transaction([
      { sql: `UPDATE unknown_htlc SET preimage = $4 ${where}`, parameters: [...key, preimage] },
      { sql: COMPLETE, parameters: [paymentHash, preimage] },
    ]);
  }

  async refresh(): Promise<void> {
    const { line, node } = this.#options;
    await line.ask(FORGET_KNOWN, [node]);
    const rows = await line.ask(UNKNOWN);
    const now = await this.#unmatched();
    this.#server = now.server;
    this.#unknown = rows.map(unknownOf);
    this.#waitsFor = this.isMatched ? now.nodes : [...new Set([node, ...now.nodes])];
    if (this.#waitsFor.length === 0) this.#clearTimeline = timelineOf(now.server);
  }

  async #unmatched(): Promise<{ readonly server: string; readonly nodes: readonly string[] }> {
    const [row] = await this.#options.line.ask(UNMATCHED);
    const { server, nodes } = row!;
    return { server: String(server), nodes: nodes === null ? [] : String(nodes).split(',') };
  }
}

/** The timeline in a server's name. */
const timelineOf = (name: string): number => Number.parseInt(name.split('/')[1]!, 16);

const unknownOf = (row: PgRow): UnknownHtlc => ({
  node: String(row.node),
  attemptId: String(row.attempt_uid),
  paymentHash: new Uint8Array(row.payment_hash as Buffer),
  groupId: decodeU64(row.group_id as bigint),
  partId: Number(row.part_id),
  amountMsat: decodeU64(row.amount_msat as bigint),
  preimage: row.preimage === null ? undefined : new Uint8Array(row.preimage as Buffer),
});
