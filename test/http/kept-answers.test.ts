/** Limits of the answers that are kept for requests with an `Idempotency-Key`. */
import { performance } from 'node:perf_hooks';
import { afterEach, expect, test, vi } from 'vitest';
import type { CallAnswer } from '../../src/http/call-forms.ts';
import { digestOf, KeptAnswers } from '../../src/http/kept-answers.ts';
import { deferred } from '../../src/model/deferred.ts';

const DAY_MS = 86_400_000;
const MAX_KEPT = 10_000;
const MAX_CHARACTERS = 256 * 1024;
const MAX_ALL_CHARACTERS = 16 * 1024 * 1024;

const answer = (characters: number): CallAnswer => ({
  status: 201,
  pieces: ['x'.repeat(characters)],
  isCarriedOut: true,
});
const keep = (answers: KeptAnswers, name: string, characters = 1): Promise<CallAnswer> =>
  answers.keep(name, 'digest', async () => answer(characters));

afterEach(() => vi.restoreAllMocks());

test('a request in progress is never forgotten, because it would be executed twice', async () => {
  const answers = new KeptAnswers();
  const { promise, resolve } = deferred<CallAnswer>();
  const slow = answers.keep('slow', 'digest', () => promise);
  for (let n = 0; n < MAX_KEPT; n++) await keep(answers, `${n}`);
  expect([answers.find('0'), answers.find('1')]).toEqual([undefined, expect.anything()]);
  expect(answers.find('slow')).toBeDefined();
  resolve(answer(1));
  await slow;
});

test('the oldest answers are forgotten when all together are too long', async () => {
  const answers = new KeptAnswers();
  const most = MAX_ALL_CHARACTERS / MAX_CHARACTERS;
  for (let n = 0; n < most; n++) await keep(answers, `${n}`, MAX_CHARACTERS);
  expect(answers.find('0')).toBeDefined();
  await keep(answers, 'last', MAX_CHARACTERS);
  expect([answers.find('0'), answers.find('1')]).toEqual([undefined, expect.anything()]);
});

test('an answer is kept for a day', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const answers = new KeptAnswers();
  await keep(answers, 'one');
  clock.mockReturnValue(DAY_MS - 1);
  expect(answers.find('one')).toBeDefined();
  clock.mockReturnValue(DAY_MS);
  expect(answers.find('one')).toBeUndefined();
});

test('the same characters, divided differently, are a different request', () => {
  expect(digestOf('rest', 'pay', '1')).not.toBe(digestOf('rest', 'pa', 'y1'));
});
