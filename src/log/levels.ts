/** Rules that select the lines to write to the log: a minimum level for all parts of the service, or for one part. */
import { LOG_LEVELS, type LogLevel } from '../rpc/log.ts';

/** Default minimum level of log lines. It includes a line for each payment and each attempt. */
export const DEFAULT_LEVEL: LogLevel = 'info';

/** One rule: the minimum level of lines to write, for all parts or for one. */
export interface LevelRule {
  readonly level: LogLevel;
  /** A part of the service, such as `payments`. Undefined for all parts. */
  readonly subsystem: string | undefined;
}

/** Parses one or more rules, each `LEVEL` or `LEVEL:PART`, separated by commas. Undefined if the text is malformed. */
export function parseLevelRules(text: string): readonly LevelRule[] | undefined {
  const rules = text.split(',').map(parseLevelRule);
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

/** Formats rules as text that `parseLevelRules` accepts. */
export const levelRulesText = (rules: readonly LevelRule[]): string =>
  rules.map(({ level, subsystem }) => (subsystem === undefined ? level : `${level}:${subsystem}`)).join(',');

function parseLevelRule(text: string): LevelRule | undefined {
  const [name, subsystem, ...rest] = text.split(':');
  const level = LOG_LEVELS.find((one) => one === name);
  if (level === undefined || subsystem === '' || rest.length > 0) return undefined;
  return { level, subsystem };
}

/**
 * The lowest level at which lines of a part are written. The last rule for that part wins. Without one, the last rule
 * for all parts wins.
 */
export function lowestOf(rules: readonly LevelRule[], subsystem: string): LogLevel {
  const own = rules.findLast((rule) => rule.subsystem === subsystem);
  return (own ?? rules.findLast((rule) => rule.subsystem === undefined))?.level ?? DEFAULT_LEVEL;
}
