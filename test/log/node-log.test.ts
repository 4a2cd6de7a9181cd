/** The node log: the lines that it writes, their format, and their destination. */
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { printable } from '../../src/cli/client/printable.ts';
import {
  createNodeLog,
  fileSink,
  journalFormat,
  jsonFormat,
  type LevelRule,
  type LineFormat,
  levelRulesText,
  parseLevelRules,
  textFormat,
} from '../../src/log/index.ts';
import { RecentLines } from '../../src/log/recent-lines.ts';

const NOON_MS = Date.UTC(2026, 0, 31, 12);

function opened(format: LineFormat, rules: readonly LevelRule[] = []) {
  const lines: string[] = [];
  const sink = { write: (text: string) => void lines.push(text), reopen: () => undefined };
  const log = createNodeLog({ sink, format, rules, nowMs: () => NOON_MS });
  return { log, lines };
}

const text = textFormat(printable);
const rules = (written: string): readonly LevelRule[] => parseLevelRules(written)!;

it('writes only events of its level and above, one line per event', () => {
  const { log, lines } = opened(text, rules('unusual'));
  log.debug('a');
  log.info('b');
  log.unusual('c\nforged');
  log.broken('d');
  expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual(['UNUSUAL c\\u000aforged\n', 'BROKEN d\n']);
});

it('shows subsystem and values; info is the default; lines of one turn are written together', async () => {
  const { log, lines } = opened(text);
  const rpc = log.of('rpc');
  rpc.debug('not shown');
  rpc.info('a line', { n: 1, name: 'a b', sum: 2n ** 64n, missing: undefined });
  log.info('another');
  expect(lines).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(lines).toEqual([
    '2026-01-31T12:00:00.000Z INFO rpc: a line n=1 name=a b sum=18446744073709551616\n' +
      '2026-01-31T12:00:00.000Z INFO another\n',
  ]);
  log.info('before');
  log.broken('after');
  expect(lines[1]).toMatch(/ INFO before\n.* BROKEN after\n$/);
});

it('writes each subsystem from its own level up, and rules can change', () => {
  const { log } = opened(text, rules('broken,debug:payments'));
  const say = (): string[] => {
    log.of('payments').debug('p');
    log.of('rpc').unusual('r');
    return log.recent.lines.map(({ message }) => message);
  };
  expect(say()).toEqual(['p']);
  expect([log.isWritten('io', 'payments'), log.isWritten('debug', 'payments')]).toEqual([false, true]);
  log.setRules(rules('info'));
  expect(say()).toEqual(['p', 'r']);
});

it.each([
  ['debug', [{ level: 'debug', subsystem: undefined }]],
  ['io:rpc', [{ level: 'io', subsystem: 'rpc' }]],
  [
    'info,debug:a',
    [
      { level: 'info', subsystem: undefined },
      { level: 'debug', subsystem: 'a' },
    ],
  ],
  ['', undefined],
  ['loud', undefined],
  ['debug:', undefined],
  ['debug:a:b', undefined],
  ['info,', undefined],
])('accepts the level %j', (written, expected) => {
  const read = parseLevelRules(written);
  expect(read).toEqual(expected);
  if (read !== undefined) expect(levelRulesText(read)).toBe(written);
});

it('writes one JSON object per line, always with the same member names', () => {
  const { log, lines } = opened(jsonFormat());
  log.of('payments').unusual('a "line"\n', { payment: 7, amount_msat: 2n ** 63n, ok: true, none: undefined });
  expect(lines).toEqual([
    '{"level":"unusual","time":"2026-01-31T12:00:00.000Z","sub":"payments","payment":7,' +
      '"amount_msat":9223372036854775808,"ok":true,"msg":"a \\"line\\"\\n"}\n',
  ]);
});

it('gives journald the priority and leaves out the time', () => {
  const { log, lines } = opened(journalFormat(printable), rules('debug'));
  log.of('rpc').debug('d');
  log.info('i');
  log.unusual('u');
  log.broken('b');
  expect(lines.join('')).toBe('<7>DEBUG rpc: d\n<6>INFO i\n<4>UNUSUAL u\n<3>BROKEN b\n');
});

it('reopens its file after it was moved away, and only the owner can read it', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-log-'));
  try {
    const path = join(directory, 'log');
    const log = createNodeLog({ sink: fileSink(path), format: text, rules: [] });
    log.info('first');
    renameSync(path, `${path}.1`);
    log.info('second');
    log.reopen();
    log.info('third');
    log.flush();
    const messages = (file: string) => readFileSync(file, 'utf8').match(/\w+$/gm);
    expect(messages(`${path}.1`)).toEqual(['first', 'second']);
    expect(messages(path)).toEqual(['third']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    // The directory is gone, so the log cannot reopen its file, and continues in the old one.
    renameSync(path, `${path}.2`);
    rmSync(directory, { recursive: true });
    expect(() => log.reopen()).toThrow('ENOENT');
    expect(() => log.broken('fourth')).not.toThrow();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

it('keeps the last lines within limits, and counts the dropped ones', () => {
  const recent = new RecentLines(0);
  const line = (message: string) =>
    recent.add({ timeMs: 0, level: 'info', subsystem: 'a', message, fields: {} });
  for (let n = 0; n < 5000; n++) line(String(n));
  expect([recent.lines.length, recent.lines[0]!.message, recent.dropped]).toEqual([2000, '3000', 3000]);
  expect(recent.characters).toBe(8000);
  for (let n = 0; n < 12; n++) line('x'.repeat(100_000));
  expect(recent.lines.map(({ message }) => message.length)).toEqual(Array(10).fill(100_000));
  expect([recent.characters, recent.dropped]).toEqual([1_000_000, 5002]);
});
