/**
 * Shapes of results that are lists or objects, in full depth. Members of plain types are described by the commands
 * themselves. A test checks all results against this table, and checks that the table contains all commands.
 *
 * Where Core Lightning has the same member, its type is Core Lightning's (test/vectors/result-members.txt).
 */
import { BOOKS_RESULTS } from './books.ts';
import { LAYERS_RESULTS } from './layers.ts';
import { NETWORK_RESULTS } from './network.ts';
import { OFFERS_RESULTS } from './offers.ts';
import { PAYMENTS_RESULTS } from './payments.ts';
import type { ResultShapes } from './shared.ts';
import { UTILITY_RESULTS } from './utility.ts';

/** For each command, the shapes of those members of its result that are lists or objects. */
export const RESULT_SHAPES: ResultShapes = {
  ...BOOKS_RESULTS,
  ...LAYERS_RESULTS,
  ...NETWORK_RESULTS,
  ...OFFERS_RESULTS,
  ...PAYMENTS_RESULTS,
  ...UTILITY_RESULTS,
};
