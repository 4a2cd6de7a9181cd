/**
 * The odds that attempts taught, kept in `odds.json` of the data directory: read at the start, written when attempts were
 * learned from, at most every few seconds, and at the end. A file that cannot be used is left as it is until the first
 * attempt, and learning begins again: odds are advice, and no payment depends on them.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../model/clock.ts';
import { HYPOTHESIS_COUNT, MAX_NODES_REMEMBERED, OddsModel, type OddsState } from '../payments/odds-model.ts';
import { isRecalibrationState } from '../payments/recalibration.ts';

const FILE = 'odds.json';
const WRITE_EVERY_MS = 5000;

/** The model, and how to end. */
export interface OpenOdds {
  readonly model: OddsModel;
  /** Writes what was learned. */
  close(): void;
}

/** Opens the odds of a data directory. */
export function openOdds(
  dataDirectory: string,
  clock: Clock,
  log: { unusual(message: string): void },
): OpenOdds {
  const path = join(dataDirectory, FILE);
  const model = new OddsModel(() => Math.floor(clock.nowMs() / 1000), read(path, log));
  let written = model.observed;
  const write = (): void => {
    if (model.observed === written) return;
    written = model.observed;
    try {
      writeFileSync(`${path}.new`, `${JSON.stringify(model.state())}\n`, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    } catch (error) {
      log.unusual(`${path}: ${(error as Error).message}`);
    }
  };
  const timer = setInterval(write, WRITE_EVERY_MS).unref();
  return {
    model,
    close: () => {
      clearInterval(timer);
      write();
    },
  };
}

function read(path: string, log: { unusual(message: string): void }): OddsState | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.unusual(`${path}: ${(error as Error).message}`);
    return undefined;
  }
  const state = parsed(text);
  if (typeof state !== 'string') return state;
  log.unusual(`${path}: ${state}; odds are learned from the beginning`);
  return undefined;
}

function parsed(text: string): OddsState | string {
  try {
    return checkedOddsState(JSON.parse(text));
  } catch {
    return 'not JSON';
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isChance = (value: unknown): value is number => isNumber(value) && value >= 0 && value <= 1;
const isCount = (value: unknown): value is number => isNumber(value) && value >= 0 && value <= 1e9;
const NODE_ID = /^0[23][0-9a-f]{64}$/;

/** @returns the state, or what is wrong with it */
function checkedOddsState(value: unknown): OddsState | string {
  if (typeof value !== 'object' || value === null) return 'not an object';
  const { version, observed, weights, correction, nodes } = value as Partial<
    Record<keyof OddsState, unknown>
  >;
  if (version !== 1) return 'not of version 1';
  if (!isCount(observed)) return 'observed is not a count';
  if (!Array.isArray(weights) || weights.length !== HYPOTHESIS_COUNT || !weights.every(isChance))
    return `weights are not ${HYPOTHESIS_COUNT} chances`;
  const sum = weights.reduce((total: number, weight: number) => total + weight, 0);
  if (Math.abs(sum - 1) > 1e-6) return 'weights do not add up to 1';
  if (!isRecalibrationState(correction)) return 'correction is not a correction';
  if (!Array.isArray(nodes) || nodes.length > MAX_NODES_REMEMBERED)
    return `nodes are not a list of at most ${MAX_NODES_REMEMBERED}`;
  const wrong = nodes.findIndex(
    (node: unknown) =>
      !Array.isArray(node) ||
      node.length !== 4 ||
      typeof node[0] !== 'string' ||
      !NODE_ID.test(node[0]) ||
      !node.slice(1, 3).every(isCount) ||
      !isNumber(node[3]),
  );
  if (wrong >= 0) return `node ${wrong} is not an id, two counts and a time`;
  return value as OddsState;
}
