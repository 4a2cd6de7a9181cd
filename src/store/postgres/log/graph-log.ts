/**
 * Writes the graph to the log. A lease in the database permits one writer at a time.
 *
 * The row `graph_head` contains the writer, the end of its lease by the database's clock, and the number of the last
 * chunk about the graph. A chunk is accepted only during the lease, and only if its writer had applied the log up to
 * that number. Both are checked in the appending statement, under the row's lock. So neither a writer that was paused
 * for longer than its lease nor a statement that a broken connection delivers late changes anything.
 */
import { randomBytes } from 'node:crypto';
import type { GraphRecord } from '../../../model/graph/graph-records.ts';
import { randomId } from '../../../model/random-id.ts';
import { arrayText } from '../arrays.ts';
import type { PostgresLine } from '../line.ts';
import { type ChangeLog, entriesOf } from './change-log.ts';
import { packRecords } from './log-chunk.ts';

/** Maximum number of chunks in one statement: about 5 MB. */
const CHUNKS_AT_ONCE = 20;

const CLAIM = `
  UPDATE graph_head SET writer = $1, daemon = $2, until = clock_timestamp() + $3::bigint * interval '1 ms'
  WHERE writer = $1 OR until + $4::bigint * interval '1 ms' < clock_timestamp()
  RETURNING seq`;

const RELEASE =
  'UPDATE graph_head SET until = clock_timestamp() WHERE writer = $1 AND until > clock_timestamp()';

const APPEND = `
  WITH lead AS (
    SELECT seq FROM graph_head WHERE writer = $1 AND until > clock_timestamp() AND seq = $5::bigint FOR UPDATE
  ), head AS (
    UPDATE log_head SET seq = log_head.seq + cardinality($3::bytea[]),
      changes = changes + (SELECT sum(n) FROM unnest($4::bigint[]) AS n)
    FROM lead
    RETURNING log_head.seq AS last
  ), noted AS (
    UPDATE graph_head SET seq = head.last FROM head
  )
  INSERT INTO change_log (seq, at, writer, batch, changes, chunk)
  SELECT head.last - cardinality($3::bytea[]) + c.number, clock_timestamp(), $1, $2::bigint + c.number - 1,
    c.changes, c.chunk
  FROM head, unnest($3::bytea[], $4::bigint[]) WITH ORDINALITY AS c(chunk, changes, number)
  RETURNING seq`;

/** The lease on the graph, and the means to write the graph. */
export class GraphLog {
  readonly #line: PostgresLine;
  readonly #log: ChangeLog;
  readonly #daemon: string;
  readonly #writer = randomId(randomBytes);
  #nextBatch = 1;

  /** @param daemon id of the daemon, for operators */
  constructor(line: PostgresLine, log: ChangeLog, daemon: string) {
    this.#line = line;
    this.#log = log;
    this.#daemon = daemon;
  }

  /**
   * Takes or renews the lease, and reads the log up to the last change of the graph.
   * @param patienceMs for how long the lease of another writer must have been expired before we take it
   * @returns the number of the last change. Undefined when another writer has the lease
   * @throws FulguriteError storeFailed
   */
  async claim(leaseMs: number, patienceMs: number): Promise<number | undefined> {
    const [row] = await this.#line.ask(CLAIM, [this.#writer, this.#daemon, leaseMs, patienceMs]);
    if (row === undefined) return undefined;
    const seq = Number(row.seq);
    await this.#log.catchUp(seq);
    return seq;
  }

  /** Releases the lease, so that another daemon need not wait. @throws FulguriteError storeFailed */
  async release(): Promise<void> {
    await this.#line.ask(RELEASE, [this.#writer]);
  }

  /**
   * Appends changes, and applies them in this process too.
   * @param base number of the graph's last chunk when these changes were made
   * @returns the number of the last chunk. Undefined when the lease has expired, or the graph has changed since `base`;
   *   some of the changes may then be in the log
   * @throws FulguriteError storeFailed; it is then unknown whether the changes are in the log
   */
  async append(records: readonly GraphRecord[], base: number): Promise<number | undefined> {
    const chunks = packRecords(records);
    let last = base;
    for (let from = 0; from < chunks.length; from += CHUNKS_AT_ONCE) {
      const some = chunks.slice(from, from + CHUNKS_AT_ONCE);
      const batch = this.#nextBatch;
      this.#nextBatch += some.length;
      const rows = await this.#line.ask(APPEND, [
        this.#writer,
        batch,
        arrayText(some.map(({ bytes }) => bytes)),
        arrayText(some.map(({ changes }) => changes)),
        last,
      ]);
      if (rows.length === 0) return undefined;
      last = Math.max(...rows.map(({ seq }) => Number(seq)));
      await this.#log.committed(entriesOf(last, this.#writer, batch, some));
    }
    return last;
  }
}
