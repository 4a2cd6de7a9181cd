/** The entry point of the log. */
export { eventLines } from './event-lines.ts';
export { DEFAULT_LEVEL, type LevelRule, levelRulesText, parseLevelRules } from './levels.ts';
export { createNodeLog, fileSink, type LogSink, type NodeLog, standardError } from './node-log.ts';
export { journalFormat, jsonFormat, type LineFormat, textFormat } from './record.ts';
