/** Report of a finished route search, which is used to count and time searches. */

import { type Binding, NoRouteError } from './no-route.ts';
import type { Question } from './question.ts';
import type { Route, RouteAnswer } from './route.ts';

/** The result of a search: found, a reason why there is no route, or a fault of the search itself. */
export type SearchOutcome = 'found' | Binding['kind'] | 'failed';

/** One finished route search. */
export interface SearchReport {
  readonly kind: 'single' | 'multi' | 'randomised';
  readonly outcome: SearchOutcome;
  /** Milliseconds of waiting: until a solver got the search for the last time, or until the end if none got it. */
  readonly queueMs: number;
  /** Milliseconds from the end of the waiting to the end of the search. Undefined when no solver got the search. */
  readonly searchMs: number | undefined;
  /** Undefined if the search found none. */
  readonly routes: readonly Route[] | undefined;
}

/** Times of a search on the monotonic clock. */
export interface SearchTimes {
  readonly askedAtMs: number;
  readonly sentAtMs: number | undefined;
  readonly endedAtMs: number;
}

/** The report of a search that ended with this answer or error. */
export function searchReport(
  { randomize, maxparts }: Question,
  end: RouteAnswer | Error,
  { askedAtMs, sentAtMs, endedAtMs }: SearchTimes,
): SearchReport {
  return {
    kind: randomize !== undefined ? 'randomised' : maxparts > 1 ? 'multi' : 'single',
    outcome: outcomeOf(end),
    queueMs: (sentAtMs ?? endedAtMs) - askedAtMs,
    searchMs: sentAtMs === undefined ? undefined : endedAtMs - sentAtMs,
    routes: end instanceof Error ? undefined : end.routes,
  };
}

function outcomeOf(end: RouteAnswer | Error): SearchOutcome {
  if (!(end instanceof Error)) return 'found';
  return end instanceof NoRouteError ? end.noRoute.binding.kind : 'failed';
}
