/**
 * Checks the log of layer changes of a run, and the copies that daemons and solvers made of it.
 *
 * A trigger copies every row of the log into a separate table, because rows are deleted from the log after a
 * snapshot. So at the end the layers can be replayed from the beginning, record by record in the order of the
 * numbers, regardless of the snapshots in between.
 */
import { createHash } from 'node:crypto';
import type { Sql } from 'postgres';
import { RouteEngine } from '../../../src/engine/host/engine.ts';
import { NoRouteError } from '../../../src/engine/question/no-route.ts';
import { graphHash } from '../../../src/fleet/graph-hash.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { LayerReplica, mutationsOf } from '../../../src/layers/layer-replica.ts';
import type { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { isGraphRecord } from '../../../src/model/graph/graph-records.ts';
import { GraphReplica } from '../../../src/model/graph/graph-replica.ts';
import { msat } from '../../../src/model/msat.ts';
import { unpackRecords } from '../../../src/store/postgres/log/log-chunk.ts';
import { LogState } from '../../../src/store/postgres/log/log-state.ts';
import { inProcessSolvers } from '../../engine/host/in-process-solvers.ts';

const COPY_LOG = `
  CREATE TABLE fulgurite.log_copy (LIKE fulgurite.change_log);
  CREATE FUNCTION fulgurite.copy_log() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN INSERT INTO fulgurite.log_copy SELECT NEW.*; RETURN NULL; END $$;
  CREATE TRIGGER copy_log AFTER INSERT ON fulgurite.change_log
    FOR EACH ROW EXECUTE FUNCTION fulgurite.copy_log();`;

/**
 * Keeps a copy of every row that the log ever receives. Call it as the owner of the tables, before the first
 * change.
 */
export async function keepWholeLog(sql: Sql): Promise<void> {
  await sql.unsafe(COPY_LOG);
}

/** The whole log as written. */
export interface WholeLog {
  /** Number of the last chunk. */
  readonly head: number;
  readonly changes: number;
  /** Number of graph changes in the log. */
  readonly graphChanges: number;
  /** Number of missing or duplicated chunks, plus duplicated batches of one writer. */
  readonly holes: number;
  /** The result of `digestOf` for the layers after a full replay of all records, and the hash of the graph. */
  readonly digest: string;
  readonly graph: string;
  /** The result of `answersOf` for an engine that was built from this replay. */
  readonly answers: () => Promise<string>;
  /** Number of the last chunk that the snapshot in the database includes. */
  readonly summedUpTo: number;
}

/** Reads the whole log, and replays it. */
export async function replayedLog(sql: Sql): Promise<WholeLog> {
  const rows = (await sql.unsafe(
    'SELECT seq::int, writer, batch::int, changes::int, chunk FROM fulgurite.log_copy ORDER BY seq',
  )) as unknown as { seq: number; writer: string; batch: number; changes: number; chunk: Uint8Array }[];
  const [{ head, snapshot }] = (await sql.unsafe(
    'SELECT l.seq::int AS head, s.seq::int AS snapshot FROM fulgurite.log_head l, fulgurite.snapshot_head s',
  )) as unknown as [{ head: number; snapshot: number }];
  const book = new LayerBook();
  const replica = new LayerReplica(book, () => {
    throw new Error('a replay writes nothing');
  });
  const graph = new GraphReplica();
  const state = new LogState(replica, graph);
  let [expected, holes, changes, graphChanges] = [1, 0, 0, 0];
  const batches = new Set<string>();
  for (const row of rows) {
    if (row.seq !== expected) holes++;
    expected = row.seq + 1;
    const batch = `${row.writer} ${row.batch}`;
    if (batches.has(batch)) holes++;
    batches.add(batch);
    const records = unpackRecords(row.chunk);
    if (records.length !== row.changes) holes++;
    changes += records.length;
    graphChanges += records.filter(isGraphRecord).length;
    state.apply([{ isOwn: false, records }]);
  }
  if (head !== expected - 1) holes++;
  const made = { digest: digestOf(book), graph: graphHash(graph.graph) };
  const answers = async (): Promise<string> => {
    const engine = new RouteEngine({ book, solvers: inProcessSolvers() });
    engine.publish(graph.graph);
    return answersOf(engine, book, graph.graph).finally(() => engine.close());
  };
  return { head, changes, graphChanges, holes, ...made, answers, summedUpTo: snapshot };
}

/** Number of searches that are compared. */
const SEARCHES = 40;

/**
 * A hash of an engine's answers under all persistent layers at once. The answers come from the records in the
 * kernel's memory, which were put there change by change, and depend on each record in the parts of the graph
 * that the searches reach. They use one part, so that a daemon computes them itself.
 */
export async function answersOf(engine: RouteEngine, book: LayerBook, graph: ChannelGraph): Promise<string> {
  const hash = createHash('sha256');
  const layers = [...book.layers()].filter(({ persistent }) => persistent).map(({ name }) => name);
  for (let n = 0; n < SEARCHES; n++) {
    const amountMsat = 1_000n * 10n ** BigInt(n % 6);
    const answer = await engine
      .getroutes({
        source: graph.nodeId((7 * n) % graph.nodeCount),
        destination: graph.nodeId((13 * n + 5) % graph.nodeCount),
        amountMsat: msat(amountMsat),
        layers: layers.sort(),
        maxfeeMsat: msat(amountMsat / 10n + 10_000n),
        finalCltv: 18,
        maxdelay: 2016,
        maxparts: 1,
      })
      .then(({ routes }): unknown => routes)
      .catch((error: unknown) => {
        if (error instanceof NoRouteError) return { noRoute: error.noRoute };
        throw error;
      });
    hash.update(`${JSON.stringify(answer, exact)}\n`);
  }
  return hash.digest('hex');
}

/** The result of `answersOf` for each copy that follows the log, with all copies at the same position. */
export async function answersAtOnePosition(
  copy: { readonly position: number },
  ...[engine, book, graph]: Parameters<typeof answersOf>
): Promise<string> {
  for (;;) {
    const { position } = copy;
    const answers = await answersOf(engine, book, graph);
    if (copy.position === position) return answers;
  }
}

/** A hash of all persistent layers, entry by entry in order. Equal layer books have equal hashes. */
export function digestOf(book: LayerBook): string {
  const hash = createHash('sha256');
  const persistent = [...book.layers()].filter((layer) => layer.persistent);
  for (const layer of persistent.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    hash.update(`${JSON.stringify(layer.name)}\n`);
    for (const mutation of mutationsOf(layer)) {
      const members = Object.entries(mutation).filter(([, value]) => value !== undefined);
      hash.update(`${JSON.stringify(members.sort(), exact)}\n`);
    }
  }
  return hash.digest('hex');
}

const exact = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);
