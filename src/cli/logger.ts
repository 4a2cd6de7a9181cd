/** The daemon's log: one line per event on standard error, with time and level. */
import type { Log } from '../rpc/log.ts';
import { printable } from './printable.ts';

/** The levels of the log, from least to most important. */
export const LOG_LEVELS = ['debug', 'info', 'unusual', 'broken'] as const;

/** One level of the log. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A log that writes the lines of this level and of the more important ones. */
export function createLogger(lowest: LogLevel, write: (line: string) => void): Log {
  const at = (level: LogLevel) =>
    LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(lowest)
      ? () => undefined
      : (message: string) =>
          write(`${new Date().toISOString()} ${level.toUpperCase()} ${printable(message)}\n`);
  return { debug: at('debug'), info: at('info'), unusual: at('unusual'), broken: at('broken') };
}
