/** The daemon's log: one line per event on standard error, with time and level. */
import type { Log } from '../rpc/log.ts';
import { printable } from './printable.ts';

export const LOG_LEVELS = ['debug', 'info', 'unusual', 'broken'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function createLogger(lowest: LogLevel, write: (line: string) => void): Log {
  const at = (level: LogLevel) =>
    LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(lowest)
      ? () => undefined
      : (message: string) =>
          write(`${new Date().toISOString()} ${level.toUpperCase()} ${printable(message)}\n`);
  return { debug: at('debug'), info: at('info'), unusual: at('unusual'), broken: at('broken') };
}
