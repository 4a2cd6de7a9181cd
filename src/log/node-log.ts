/**
 * The log of the node. Each part of the service has its own named log. Rules select the lines to write, and can change
 * while the node runs. Lines go to standard error or to a file. After the log file has been moved away, SIGHUP makes
 * the node open a new one. Rotation of old files is left to the system.
 *
 * The lines of one turn of the event loop are written together, and synchronously. So a hard crash loses only the lines
 * of the turn in which it happens. If the process ends normally or by an uncaught error, even these are written. Lines
 * of the levels `unusual` and `broken` are written at once.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { isAtLeast, type Log, type LogFields, type LogLevel } from '../rpc/log.ts';
import { type LevelRule, lowestOf } from './levels.ts';
import { RecentLines } from './recent-lines.ts';
import { type LineFormat, WHOLE_NODE } from './record.ts';

/** The destination of lines. */
export interface LogSink {
  write(text: string): void;
  /** Reopens a log file. @throws Error when that fails; the old file then stays open */
  reopen(): void;
}

/** Options of a log. */
export interface NodeLogOptions {
  readonly sink: LogSink;
  readonly format: LineFormat;
  readonly rules: readonly LevelRule[];
  /** Returns the UNIX time in milliseconds. Default `Date.now`. */
  readonly nowMs?: () => number;
}

/** The log of a whole node. Used directly, it is the log of the part `node`. */
export interface NodeLog extends Log {
  readonly rules: readonly LevelRule[];
  readonly recent: RecentLines;
  /** The log for one part of the service. */
  of(subsystem: string): Log;
  isWritten(level: LogLevel, subsystem: string): boolean;
  setRules(rules: readonly LevelRule[]): void;
  /** Writes pending lines, and reopens the file. */
  reopen(): void;
  /** Writes pending lines. */
  flush(): void;
}

/** Levels that our code writes. */
type WrittenLevel = keyof Log;

/** Creates the log of a node. */
export function createNodeLog({ sink, format, rules, nowMs = Date.now }: NodeLogOptions): NodeLog {
  const recent = new RecentLines(nowMs());
  const lowest = new Map<string, LogLevel>();
  let current = rules;
  let waiting = '';
  let scheduled: NodeJS.Immediate | undefined;

  const isWritten = (level: LogLevel, subsystem: string): boolean => {
    let least = lowest.get(subsystem);
    if (least === undefined) {
      least = lowestOf(current, subsystem);
      lowest.set(subsystem, least);
    }
    return isAtLeast(level, least);
  };
  const flush = (): void => {
    clearImmediate(scheduled);
    scheduled = undefined;
    const text = waiting;
    waiting = '';
    if (text !== '') sink.write(text);
  };
  const write = (level: WrittenLevel, subsystem: string, message: string, fields: LogFields = {}): void => {
    if (!isWritten(level, subsystem)) return;
    const record = { timeMs: nowMs(), level, subsystem, message, fields };
    recent.add(record);
    waiting += format(record);
    if (isAtLeast(level, 'unusual')) flush();
    else scheduled ??= setImmediate(flush);
  };
  const of = (subsystem: string): Log => ({
    debug: (message, fields) => write('debug', subsystem, message, fields),
    info: (message, fields) => write('info', subsystem, message, fields),
    unusual: (message, fields) => write('unusual', subsystem, message, fields),
    broken: (message, fields) => write('broken', subsystem, message, fields),
  });
  return {
    ...of(WHOLE_NODE),
    recent,
    of,
    isWritten,
    flush,
    get rules() {
      return current;
    },
    setRules(next) {
      current = next;
      lowest.clear();
    },
    reopen() {
      flush();
      sink.reopen();
    },
  };
}

/** Writes lines to standard error. */
export const standardError: LogSink = {
  write: (text) => void process.stderr.write(text),
  reopen: () => undefined,
};

/**
 * A file of lines, readable only by its owner. It is created if missing, and never truncated.
 * @throws Error when it cannot be opened
 */
export function fileSink(path: string): LogSink {
  let descriptor = openSync(path, 'a', 0o600);
  return {
    write(text) {
      const bytes = Buffer.from(text);
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      } catch (error) {
        // If the log cannot be written, as on a full disk, the node continues, and the text goes to standard error.
        process.stderr.write(`fulgurite: ${path}: ${(error as Error).message}\n${text}`);
      }
    },
    reopen() {
      const next = openSync(path, 'a', 0o600);
      closeSync(descriptor);
      descriptor = next;
    },
  };
}
