/** `getlog`: shows the last lines of the log. */
import { field, withDefault } from '../../rpc/command.ts';
import { isAtLeast, LOG_LEVELS, type LogLevel, type LogRecord } from '../../rpc/log.ts';
import { textType } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';

const level = textType(
  'level',
  `should be ${LOG_LEVELS.map((name) => `'${name}'`).join(', ')}`,
  { type: 'string', enum: LOG_LEVELS },
  (text) => LOG_LEVELS.find((name) => name === text),
);

const NS_PER_MS = 1_000_000;

/** Matches Core Lightning's command; `fields` is an addition. */
export const getlog = defineCommand({
  name: 'getlog',
  summary: 'Show the last lines of the log.',
  description:
    'Shows the last log lines of this level or higher: at most 2000 lines and a million characters. Lines ' +
    'below the level of the log itself (`log-level`) are not included. Times are relative to created_at. A ' +
    'line of type SKIPPED gives the number of older lines that were dropped.',
  category: 'utility',
  readOnly: true,
  params: { level: withDefault<LogLevel>(level, 'info', 'Minimum level of the lines to show.') },
  result: {
    created_at: field('string', 'Start of the log: UNIX seconds with nine decimals.'),
    bytes_used: field('u32', 'Number of characters in the kept lines.'),
    bytes_max: field('u32', 'Maximum number of characters in the kept lines.'),
    log: field(
      'array',
      'Lines, oldest first: type (BROKEN, UNUSUAL, INFO, DEBUG), time, source, log, and fields with values ' +
        'for programs; or type SKIPPED with num_skipped.',
    ),
  },
  handler({ level: lowest }, { recentLog }) {
    const { startedAtMs, lines, characters, maxCharacters, dropped } = recentLog;
    const shown = lines.filter((line) => isAtLeast(line.level, lowest));
    return {
      created_at: seconds(startedAtMs),
      bytes_used: characters,
      bytes_max: maxCharacters,
      log: [
        ...(dropped > 0 ? [{ type: 'SKIPPED' as const, num_skipped: dropped }] : []),
        ...shown.map((line) => lineJson(line, startedAtMs)),
      ],
    };
  },
});

function lineJson({ timeMs, level: of, subsystem, message, fields }: LogRecord, startedAtMs: number) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return {
    type: of.toUpperCase() as Uppercase<typeof of>,
    time: seconds(timeMs - startedAtMs),
    source: subsystem,
    log: message,
    fields: given.length === 0 ? undefined : Object.fromEntries(given),
  };
}

/** Milliseconds as seconds with nine decimals, as Core Lightning writes them. */
function seconds(ms: number): string {
  const whole = Math.floor(ms / 1000);
  return `${whole}.${String((ms - 1000 * whole) * NS_PER_MS).padStart(9, '0')}`;
}
