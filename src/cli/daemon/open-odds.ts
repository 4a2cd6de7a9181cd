/**
 * The odds learned from attempts, stored in `odds.json` of the data directory. The file is read at the start, written
 * after attempts (at most once every few seconds), and written at the end. If it cannot be used, learning starts from
 * scratch, and the file is replaced after the first attempt: odds are only advice, and no payment depends on them.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkedOddsState } from '../../commands/payments/learning/odds-state.ts';
import type { Clock } from '../../model/clock.ts';
import { OddsModel, type OddsState } from '../../payments/learn/odds-model.ts';

const FILE = 'odds.json';
const WRITE_EVERY_MS = 5000;

/** The model, and a function that closes it. */
export interface OpenOdds {
  readonly model: OddsModel;
  /** Writes the current state for the last time. */
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
  let written = model.revision;
  let hadDrifted = false;
  const write = (): void => {
    const { hasDrifted, stated, arrived } = model.drift;
    if (hasDrifted && !hadDrifted)
      log.unusual(
        `predicted probabilities no longer hold: ${percent(stated)} predicted, ${percent(arrived)} arrived`,
      );
    hadDrifted = hasDrifted;
    if (model.revision === written) return;
    written = model.revision;
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

const percent = (share: number | undefined): string => `${(100 * (share ?? 0)).toFixed(1)} %`;

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
  log.unusual(`${path}: ${state}; starting to learn odds from scratch`);
  return undefined;
}

function parsed(text: string): OddsState | string {
  try {
    return checkedOddsState(JSON.parse(text));
  } catch {
    return 'not JSON';
  }
}
