/** The formats of a log line: text for humans, JSON for programs. */
import type { LogLevel, LogRecord, LogValue } from '../rpc/log.ts';

/** The name of the log for the node as a whole. */
export const WHOLE_NODE = 'node';

/** Creates the text of a line, with its newline. */
export type LineFormat = (record: LogRecord) => string;

/** Makes a text safe to show. Text from outside may contain control characters that affect a terminal or log reader. */
export type Clean = (text: string) => string;

/** The text format: `2026-01-31T12:00:00.000Z INFO payments: message name=value …` */
export const textFormat =
  (clean: Clean): LineFormat =>
  (record) =>
    `${new Date(record.timeMs).toISOString()} ${bareLine(record, clean)}`;

/** Syslog priority for each level. journald reads the priority at the start of a line (sd-daemon(3)). */
const PRIORITIES: Readonly<Record<LogLevel, number>> = {
  io: 7,
  trace: 7,
  debug: 7,
  info: 6,
  unusual: 4,
  broken: 3,
};

/** The text format for journald, without the time, which journald adds itself. */
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
 * The format of JSON lines: `{"level","time","sub",…fields,"msg"}`. `time` has the same form as in the text format.
 * Integers keep all their digits, and a number that JSON cannot express is null. A logging library takes ten times as
 * long, mostly because it handles arbitrary objects. Our lines have only a few members, of known types.
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
