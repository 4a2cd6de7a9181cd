/** How a route query ended: with an answer, or with the reason why there is none. */
import type { NoRoute } from './no-route.ts';
import type { RouteAnswer } from './route.ts';

/** How a query ended. */
export type RouteOutcome = { readonly answer: RouteAnswer } | { readonly noRoute: NoRoute };
