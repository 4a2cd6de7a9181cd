/** The forms of a line of the log: text for people, JSON for programs. */
import type { LogLevel, LogRecord, LogValue } from '../rpc/log.ts';

/** The name of the log for matters of the whole node, which belong to no single part. */
export const WHOLE_NODE = 'node';

/** Makes the text of a line, with its newline. */
export type LineFormat = (record: LogRecord) => string;

/** Makes a text safe to show. Foreign text may contain control characters that a terminal or log reader obeys. */
export type Clean = (text: string) => string;

/** `2026-01-31T12:00:00.000Z INFO payments: message name=value …` */
export const textFormat =
  (clean: Clean): LineFormat =>
  (record) =>
    `${new Date(record.timeMs).toISOString()} ${bareLine(record, clean)}`;

/** Priorities of syslog by level, as journald reads them from the beginning of a line (sd-daemon(3)). */
const PRIORITIES: Readonly<Record<LogLevel, number>> = {
  io: 7,
  trace: 7,
  debug: 7,
  info: 6,
  unusual: 4,
  broken: 3,
};

/** The same for journald, which notes the time itself. */
export const journalFormat =
  (clean: Clean): LineFormat =>
  (record) =>
    `<${PRIORITIES[record.level]}>${bareLine(record, clean)}`;

function bareLine({ level, subsystem, message, fields }: LogRecord, clean: Clean): string {
  const part = subsystem === WHOLE_NODE ? '' : `${subsystem}: `;
  let text = `${level.toUpperCase()} ${part}${clean(message)}`;
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) text += ` ${name}=${clean(String(value))}`;
  }
  return `${text}\n`;
}

/**
 * The format of JSON lines: `{"level","time","sub",…fields,"msg"}`. `time` has the same form as in the text. Integers
 * keep all their digits, and a number that JSON does not have is null. A library of logs costs ten times as much,
 * mostly for what it can do with any object, while a line of ours has few members of known kinds.
 */
export const jsonFormat =
  (): LineFormat =>
  ({ timeMs, level, subsystem, message, fields }) => {
    let text = `{"level":"${level}","time":"${new Date(timeMs).toISOString()}","sub":${JSON.stringify(subsystem)}`;
    for (const name in fields) {
      const value = fields[name];
      if (value !== undefined) text += `,${JSON.stringify(name)}:${jsonOf(value)}`;
    }
    return `${text},"msg":${JSON.stringify(message)}}\n`;
  };

const jsonOf = (value: Exclude<LogValue, undefined>): string =>
  typeof value === 'bigint' ? String(value) : JSON.stringify(value);
