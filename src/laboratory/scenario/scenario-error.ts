/** The error of scenario files. It contains the file, line and field, what was expected and what was found. */
import { FulguriteError } from '../../model/errors.ts';

/** The location of a value, and what is wrong with it. */
export interface ScenarioProblem {
  readonly file: string;
  /** Line number, from 1. Undefined for values that come from the command line. */
  readonly line?: number | undefined;
  /** Dotted path of the field, such as `traffic.amount.kind`. Empty for the whole file. */
  readonly field: string;
  readonly expected: string;
  readonly found: string;
}

const MAX_FOUND_CHARACTERS = 80;

/** Makes an error `scenario`, whose message contains all members of the problem, and whose data is the problem. */
export function scenarioError(problem: ScenarioProblem): FulguriteError {
  const { file, line, field, expected } = problem;
  const found = shortened(problem.found);
  const place = line === undefined ? file : `${file}:${line}`;
  const at = field === '' ? place : `${place}: ${field}`;
  return new FulguriteError('scenario', `${at}: expected ${expected}, found ${found}`, { ...problem, found });
}

const shortened = (text: string): string =>
  text.length <= MAX_FOUND_CHARACTERS ? text : `${text.slice(0, MAX_FOUND_CHARACTERS - 1)}…`;
