/** Validates the state of an odds model that comes from a file or from another node. */
import { DIRECTION_CLASSES } from '../../../layers/direction-class.ts';
import { HYPOTHESIS_COUNT } from '../../../payments/learn/balance-hypotheses.ts';
import { MAX_DIRECTIONS_REMEMBERED } from '../../../payments/learn/direction-terms.ts';
import { MAX_NODES_REMEMBERED } from '../../../payments/learn/node-outcomes.ts';
import type { OddsState } from '../../../payments/learn/odds-model.ts';
import { PERSISTENCE_COUNT } from '../../../payments/learn/persistence.ts';
import { isRecalibrationState } from '../../../payments/learn/recalibration.ts';
import { MAX_TIMES_REMEMBERED, type SettleTimesState } from '../../../payments/learn/settle-times.ts';

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isChance = (value: unknown): value is number => isNumber(value) && value >= 0 && value <= 1;
const isCount = (value: unknown): value is number => isNumber(value) && value >= 0 && value <= 1e9;
const areWeights = (row: unknown, count: number): boolean =>
  Array.isArray(row) &&
  row.length === count &&
  row.every(isChance) &&
  Math.abs(row.reduce((sum: number, weight: number) => sum + weight, 0) - 1) < 1e-6;
const NODE_ID = /^0[23][0-9a-f]{64}$/;

const DIRECTION = /^\d{1,20}$/;
const areTerms = (terms: unknown): boolean =>
  terms === undefined ||
  (Array.isArray(terms) &&
    terms.length <= MAX_DIRECTIONS_REMEMBERED &&
    terms.every(
      (one: unknown) =>
        Array.isArray(one) &&
        one.length === 3 &&
        typeof one[0] === 'string' &&
        DIRECTION.test(one[0]) &&
        typeof one[1] === 'boolean' &&
        isNumber(one[2]),
    ));

const areTimes = (times: unknown): boolean => {
  if (times === undefined) return true;
  if (typeof times !== 'object' || times === null) return false;
  const { mean, count, nodes } = times as Partial<Record<keyof SettleTimesState, unknown>>;
  return (
    isCount(mean) &&
    isCount(count) &&
    count >= 1 &&
    Array.isArray(nodes) &&
    nodes.length <= MAX_TIMES_REMEMBERED &&
    nodes.every(
      (node: unknown) =>
        Array.isArray(node) &&
        (node.length === 4 || node.length === 6) &&
        typeof node[0] === 'string' &&
        NODE_ID.test(node[0]) &&
        node.slice(1, 3).every(isCount) &&
        isNumber(node[3]) &&
        (node.length === 4 || isLean(node[4], node[1], node[5])),
    )
  );
};

/** Whether a lean (settle-times.ts) and its variance are possible for a node that takes this many seconds. */
const isLean = (lean: unknown, seconds: number, variance: unknown): boolean =>
  isNumber(lean) && Math.abs(lean) <= seconds && isCount(variance);

/** Checks a state. @returns the state, or a description of its fault */
export function checkedOddsState(value: unknown): OddsState | string {
  if (typeof value !== 'object' || value === null) return 'not an object';
  const {
    version,
    observed,
    weights,
    ownShares,
    correction,
    historyUntilS,
    nodes,
    terms,
    persistence,
    times,
  } = value as Partial<Record<keyof OddsState, unknown>>;
  if (version !== 3) return 'does not have version 3';
  if (!isCount(observed)) return 'observed is not a count';
  if (
    !Array.isArray(weights) ||
    weights.length !== 1 + DIRECTION_CLASSES ||
    !weights.every((row) => areWeights(row, HYPOTHESIS_COUNT))
  )
    return `weights are not ${1 + DIRECTION_CLASSES} rows of ${HYPOTHESIS_COUNT} probabilities that add up to 1`;
  if (!Array.isArray(ownShares) || ownShares.length !== DIRECTION_CLASSES || !ownShares.every(isChance))
    return `ownShares is not an array of ${DIRECTION_CLASSES} shares`;
  if (!isRecalibrationState(correction)) return 'correction is malformed';
  if (historyUntilS !== undefined && !isNumber(historyUntilS)) return 'historyUntilS is not a time';
  if (!Array.isArray(nodes) || nodes.length > MAX_NODES_REMEMBERED)
    return `nodes is not a list of at most ${MAX_NODES_REMEMBERED}`;
  const wrong = nodes.findIndex(
    (node: unknown) =>
      !Array.isArray(node) ||
      (node.length !== 4 && node.length !== 5) ||
      typeof node[0] !== 'string' ||
      !NODE_ID.test(node[0]) ||
      !node.slice(1, 3).every(isCount) ||
      !isNumber(node[3]) ||
      (node.length === 5 && !isCount(node[4])),
  );
  if (wrong >= 0) return `node ${wrong} does not have an id, two counts, a time, and possibly a third count`;
  if (persistence !== undefined && !areWeights(persistence, PERSISTENCE_COUNT))
    return `persistence is not ${PERSISTENCE_COUNT} probabilities that add up to 1`;
  if (!areTerms(terms))
    return `terms is not a list of at most ${MAX_DIRECTIONS_REMEMBERED} of a direction, a boolean and a time`;
  if (!areTimes(times))
    return `times does not have a mean, a count, and at most ${MAX_TIMES_REMEMBERED} nodes, each with an id, seconds, a variance and a time, and possibly a lean and its variance`;
  return value as OddsState;
}
