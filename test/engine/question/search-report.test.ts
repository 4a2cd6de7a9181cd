/** The report about a search: its kind, how it ended, and how long it waited and ran. */
import { expect, it } from 'vitest';
import { type Binding, NoRouteError, SearchFailed } from '../../../src/engine/question/no-route.ts';
import type { Question } from '../../../src/engine/question/question.ts';
import { searchReport } from '../../../src/engine/question/search-report.ts';

const query = (more: Partial<Question> = {}) => ({ maxparts: 1, ...more }) as Question;
const times = { askedAtMs: 10, sentAtMs: 13, endedAtMs: 20 };
const none = (binding: Binding) => new NoRouteError({ binding });

it.each([
  [none({ kind: 'feeLimit', maxfeeMsat: 1n }), 'feeLimit'],
  [none({ kind: 'delayLimit', maxdelay: 1 }), 'delayLimit'],
  [none({ kind: 'effort' }), 'effort'],
  [none({ kind: 'deadline' }), 'deadline'],
  [none({ kind: 'unconnected' }), 'unconnected'],
  [new SearchFailed({ kind: 'noGraph' }), 'failed'],
])('%s is reported as %s', (end, outcome) => {
  expect(searchReport(query(), end, times)).toEqual({
    kind: 'single',
    outcome,
    queueMs: 3,
    searchMs: 7,
    routes: undefined,
  });
});

it('reports the found routes; a search that reached no worker has only a waiting time', () => {
  const routes = [{ path: [] }] as never;
  const answer = { probabilityPpm: 1, routes };
  expect(searchReport(query({ maxparts: 5 }), answer, times)).toMatchObject({
    kind: 'multi',
    outcome: 'found',
    routes,
  });
  const unsent = { ...times, sentAtMs: undefined };
  const randomize = { seed: 1n, spreadPpm: 1 };
  expect(searchReport(query({ maxparts: 5, randomize }), none({ kind: 'deadline' }), unsent)).toMatchObject({
    kind: 'randomised',
    queueMs: 10,
    searchMs: undefined,
  });
});
