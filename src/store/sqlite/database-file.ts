/**
 * Examines a database file before it is opened: its owner, its integrity, and its data directory. Nothing is written,
 * unless a crash has left a rollback journal, which is then rolled back.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { StoreError } from '../store-error.ts';

/** "Fulg" in ASCII. */
export const APPLICATION_ID = 0x46756c67;

/**
 * The identity of a data directory, and the node, network and chain that it belongs to. Stored in the database and in
 * the mark file.
 */
export interface Belonging {
  /** A random id, drawn when the directory was first used: 32 hex digits. */
  readonly directoryId: string;
  readonly nodeId: string;
  /** The value of `--network`. With an attached node, a colon and that node's id follow. */
  readonly network: string;
  readonly chain: string;
}

/** The data directory, node, network and chain of a database, and its number of commits. */
export interface DatabaseBelonging extends Belonging {
  readonly lastCommit: number;
}

/** The facts read from a database file before it is opened. */
export interface DatabaseFacts {
  /** Number of applied migrations. */
  readonly version: number;
  /** Undefined if this information was never written to the database. */
  readonly belonging: DatabaseBelonging | undefined;
}

/**
 * How thoroughly a file is examined. `indexes`: every page, and the entries of all indexes. `whole`: every page.
 * `marks`: only what identifies the file. The first two take seconds for long payment histories. SQLite itself refuses
 * a file whose end is missing.
 */
export type InspectionDepth = keyof typeof VERDICTS;

/**
 * Reads the marks of a file and checks its structure.
 * @param known the newest version of the schema that this release knows
 * @throws StoreError when the file cannot be used.
 */
export function inspectDatabase(
  path: string,
  known: number,
  depth: InspectionDepth = 'whole',
): DatabaseFacts {
  const marks = guarded(path, () => readWholeMarks(path, depth));
  const { applicationId, version, tables, verdict, belonging } = marks;
  // After a crash before the first migration, our database has neither application id nor tables.
  if (applicationId !== APPLICATION_ID && tables > 0) {
    throw new StoreError('foreign', path, 'is the database of another program');
  }
  if (version > known) {
    const message = `has schema ${version}, but this release knows only schemas up to ${known}: upgrade`;
    throw new StoreError('newer-schema', path, message);
  }
  if (verdict !== 'ok') throw new StoreError('corrupt', path, `is damaged: ${verdict}`);
  return { version, belonging };
}

/** SQLITE_READONLY_ROLLBACK: a crash interrupted a transaction, which must be undone before anything can be read. */
const MUST_ROLL_BACK = 776;
/** Offset of the application id in a database file (sqlite.org/fileformat.html, 1.3). */
const APPLICATION_ID_AT = 68;

/**
 * Reads the marks of a file. A crash while the file was being made, before it had a write-ahead log, leaves a rollback
 * journal. SQLite reads nothing until the journal is rolled back. A file that belongs to another program is left
 * unchanged.
 */
function readWholeMarks(path: string, depth: InspectionDepth): Marks {
  try {
    return readMarks(path, depth);
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== MUST_ROLL_BACK || !mayBeOurs(path)) throw error;
    const connection = new DatabaseSync(path);
    try {
      connection.exec('SELECT count(*) FROM sqlite_schema');
    } finally {
      connection.close();
    }
    return readMarks(path, depth);
  }
}

function mayBeOurs(path: string): boolean {
  const mark = Buffer.alloc(4);
  const file = openSync(path, 'r');
  try {
    readSync(file, mark, 0, mark.length, APPLICATION_ID_AT);
  } finally {
    closeSync(file);
  }
  return [0, APPLICATION_ID].includes(mark.readUInt32BE());
}

interface Marks {
  readonly applicationId: number;
  readonly version: number;
  readonly tables: number;
  /** `ok`, or the first defect found. */
  readonly verdict: string;
  readonly belonging: DatabaseBelonging | undefined;
}

/** The query that checks a file, by depth of inspection. */
const VERDICTS = {
  indexes: 'SELECT mark(integrity_check) FROM pragma_integrity_check LIMIT 1',
  whole: 'SELECT mark(quick_check) FROM pragma_quick_check LIMIT 1',
  marks: "SELECT mark('ok')",
} as const;

/**
 * Reads the marks with an SQL function of ours that collects the values. A prepared statement would keep the
 * connection, and so the lock on the file, until the statement is garbage collected.
 */
function readMarks(path: string, depth: InspectionDepth): Marks {
  const connection = new DatabaseSync(path, { readOnly: true });
  const marks: unknown[] = [];
  let belonging: DatabaseBelonging | undefined;
  try {
    connection.function('mark', (value: unknown) => {
      marks.push(value);
      return null;
    });
    connection.exec(`
      SELECT mark(application_id) FROM pragma_application_id;
      SELECT mark(user_version) FROM pragma_user_version;
      SELECT mark(count(*)) FROM sqlite_schema;
      ${VERDICTS[depth]};
      SELECT mark(count(*)) FROM sqlite_schema WHERE name = 'data_directory';`);
    if (marks[3] === 'ok' && Number(marks[4]) > 0) {
      connection.exec(`SELECT mark(json_object('directoryId', directory_id, 'nodeId', node_id, 'network', network,
        'chain', chain, 'lastCommit', last_commit)) FROM data_directory`);
      if (marks[5] !== undefined) belonging = JSON.parse(String(marks[5])) as DatabaseBelonging;
    }
  } finally {
    connection.close();
  }
  const [applicationId, version, tables, verdict] = marks;
  return {
    applicationId: Number(applicationId),
    version: Number(version),
    tables: Number(tables),
    verdict: firstDefect(String(verdict)),
    belonging,
  };
}

/** The first defect in a report. The report has a line per database, followed by the lines of its defects. */
export function firstDefect(report: string): string {
  return report.split('\n').find((line) => !line.startsWith('***')) ?? report;
}

/** Primary result codes of SQLite (sqlite.org/rescode.html) that describe a file's problem. */
const PROBLEMS: Readonly<Record<number, readonly [StoreError['problem'], string]>> = {
  5: ['locked', 'is in use by another process'],
  6: ['locked', 'is in use by another process'],
  11: ['corrupt', 'is damaged'],
  26: ['corrupt', 'is not a database, or is damaged'],
};

/** Runs `work`. Errors of SQLite and the file system become a StoreError. */
export function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const code = Number((error as { errcode?: number }).errcode ?? 0) & 0xff;
    const [problem, message] = PROBLEMS[code] ?? (['unavailable', 'cannot be used'] as const);
    const detail = error instanceof Error ? error.message : String(error);
    throw new StoreError(problem, path, `${message} (${detail})`, error);
  }
}
