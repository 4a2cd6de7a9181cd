import type { NoRoute } from './no-route.ts';
import type { RouteAnswer } from './route.ts';

/** How a query ended. */
export type RouteOutcome = { readonly answer: RouteAnswer } | { readonly noRoute: NoRoute };
