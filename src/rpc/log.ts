/** The operator's log. The level of a line reflects how unusual the event is. */

/**
 * A value attached to a message, for programs that read the log. The type excludes bytes on purpose: private keys are
 * bytes everywhere in this program, so none can be logged by mistake.
 */
export type LogValue = string | number | bigint | boolean | undefined;

/** Values by name. Names are in lower case, with underscores. Each name has the same meaning in every line. */
export type LogFields = Readonly<Record<string, LogValue>>;

/** The log as one part of the service writes to it. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  unusual(message: string, fields?: LogFields): void;
  broken(message: string, fields?: LogFields): void;
}

/**
 * Levels by Core Lightning's names, from least to most important. We write nothing below `debug`. `io` and `trace` are
 * accepted because Core Lightning operators' configurations use them, and act like `debug`.
 */
export const LOG_LEVELS = ['io', 'trace', 'debug', 'info', 'unusual', 'broken'] as const;

/** The name of a level. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Whether this level is at least `lowest`. */
export const isAtLeast = (level: LogLevel, lowest: LogLevel): boolean =>
  LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(lowest);

/** One line of the log. */
export interface LogRecord {
  /** UNIX time in milliseconds. */
  readonly timeMs: number;
  readonly level: keyof Log;
  /** The part of the service that wrote the line. */
  readonly subsystem: string;
  readonly message: string;
  readonly fields: LogFields;
}

/**
 * The last lines of the log. `characters` is the total length of their messages, and `dropped` the number of earlier
 * lines that are no longer kept.
 */
export interface RecentLog {
  readonly startedAtMs: number;
  /** The kept lines, oldest first. */
  readonly lines: readonly LogRecord[];
  readonly characters: number;
  readonly maxCharacters: number;
  readonly dropped: number;
}
