/** Opens the log according to the options of `start`, and flushes it when the process ends. */
import { fstatSync } from 'node:fs';
import {
  createNodeLog,
  fileSink,
  journalFormat,
  jsonFormat,
  type LevelRule,
  type LineFormat,
  type LogSink,
  type NodeLog,
  standardError,
  textFormat,
} from '../../log/index.ts';
import { printable } from '../client/printable.ts';

/** Formats of log lines. */
export const LOG_FORMATS = ['text', 'json'] as const;

/** A format of log lines. */
export type LogFormat = (typeof LOG_FORMATS)[number];

/** The log options. */
export interface LogOptions {
  readonly rules: readonly LevelRule[];
  readonly format: LogFormat;
  /** The log file. Undefined means standard error. */
  readonly file: string | undefined;
  /** Whether lines at level `info` also show hashes, nodes and channels. */
  readonly isPrivate: boolean;
}

/**
 * Opens the log. If the log is a file, SIGHUP reopens it, so that log rotation can move the old file away.
 * @throws Error when the file cannot be opened
 */
export function openLog(options: LogOptions): NodeLog {
  const { file } = options;
  const sink = file === undefined ? standardError : fileSink(file);
  const log = logTo(sink, options, file === undefined && isJournal());
  process.on('exit', () => log.flush());
  // If the reader or the terminal of standard error is gone, the service continues, or stops cleanly.
  process.stderr.on('error', () => undefined);
  if (file !== undefined) process.on('SIGHUP', () => reopen(log, file));
  return log;
}

/**
 * A log that writes to the sink. `toJournal`: whether journald reads the log. If so, lines in text format have no time,
 * because journald adds the time.
 */
export function logTo(sink: LogSink, { rules, format }: LogOptions, toJournal = false): NodeLog {
  return createNodeLog({ sink, rules, format: formatOf(format, toJournal) });
}

function reopen(log: NodeLog, file: string): void {
  try {
    log.reopen();
  } catch (error) {
    log.broken(
      `cannot reopen the log file ${file}; still writing to the old one: ${(error as Error).message}`,
    );
  }
}

function formatOf(format: LogFormat, toJournal: boolean): LineFormat {
  if (format === 'json') return jsonFormat();
  return toJournal ? journalFormat(printable) : textFormat(printable);
}

/** Whether standard error is connected to journald, which announces it by device and inode (systemd.exec(5)). */
function isJournal(): boolean {
  const { JOURNAL_STREAM: named } = process.env;
  if (named === undefined) return false;
  const { dev, ino } = fstatSync(2);
  return named === `${dev}:${ino}`;
}
