/** The result of a route query: an answer, or the reason why there is none. */
import type { NoRoute } from './no-route.ts';
import type { RouteAnswer } from './route.ts';

/** How a query ended. */
export type RouteOutcome = { readonly answer: RouteAnswer } | { readonly noRoute: NoRoute };
