/**
 * Subjects of commits: the area or areas first, in lower case and of one or two words, then what the commit does; at
 * most 72 characters.
 * Commits up to `BASE` had other rules.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeNeeding } from '../needs.ts';

const BASE = 'dcdfc2b0c2';
const MAX_SUBJECT = 72;
const AREA = '[a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)?';
const SUBJECT = new RegExp(`^${AREA}(?:, ${AREA})*: [a-z0-9'"\`]`);

const root = fileURLToPath(new URL('../..', import.meta.url));
const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
const isThere = git('merge-base', '--is-ancestor', BASE, 'HEAD').status === 0;

const faultOf = (subject: string): string | undefined =>
  subject.length > MAX_SUBJECT || !SUBJECT.test(subject) ? subject : undefined;

describeNeeding('history', isThere, 'subjects of commits', () => {
  test('name their area and are short', () => {
    const subjects = git('log', '--no-merges', '--format=%s', `${BASE}..HEAD`).stdout.split('\n');
    expect(subjects.filter((subject) => subject !== '').flatMap((subject) => faultOf(subject) ?? [])).toEqual(
      [],
    );
  });
});

test.each([
  ['kernel: search both ends', undefined],
  ['http, metrics: count requests', undefined],
  ['simulated issuers: refuse damaged files', undefined],
  ['search both ends now: faster', 'refused'],
  ['http,metrics: count requests', 'refused'],
  ['Kernel: search both ends', 'refused'],
  ['search both ends', 'refused'],
  [`kernel: ${'x'.repeat(65)}`, 'refused'],
  [`kernel: ${'x'.repeat(64)}`, undefined],
])('%s', (subject, verdict) => {
  expect(faultOf(subject)).toBe(verdict === undefined ? undefined : subject);
});
