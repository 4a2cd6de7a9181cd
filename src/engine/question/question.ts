/**
 * The two forms of a question: `RouteQuery` is what a command asks, `Question` what the kernel answers. The engine makes
 * one of the other once, when the request comes. The question then travels as it is: as a list of its members
 * (packed.ts), and at last as the record that the kernel reads.
 *
 * To add a member: a line in an interface below, one in `QUESTION_MEMBERS`, and, if the kernel has to know, one in
 * `QUESTION_RECORD`, whose field is declared in assembly/record.ts. The kernel's stage that reads it is then the third and
 * last file to change. test/engine/question/small-changes.test.ts adds a member so.
 */

import type { OddsTable } from '../../layers/learned-odds.ts';
import { membersOf } from '../../model/as-list.ts';
import type { Msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { ObjectiveKnobs } from './objective.ts';
import type { RemedyRules } from './remedy-rules.ts';

/** A question: an amount between two nodes, under layers and limits. */
export interface RouteQuery {
  readonly source: NodeId;
  readonly destination: NodeId;
  /** Amount that the destination must receive over all parts. */
  readonly amountMsat: Msat;
  /** Names of layers, applied in this order. May contain names that begin with `auto.`. */
  readonly layers: readonly string[];
  /** Maximum fees, inclusive: the sum over routes of first `amountIn` minus what is delivered. */
  readonly maxfeeMsat: Msat;
  readonly finalCltv: number;
  /**
   * Maximum blocks of each route, inclusive: the delays of its directions and the recipient's own final delta
   * (`finalCltv`) added up. `maxdelay` means this everywhere.
   */
  readonly maxdelay: number;
  /** Maximum number of routes of the answer. */
  readonly maxparts: number;
  readonly randomize?: Randomization;
}

/** A randomised search: the cost of every direction is scaled by a factor drawn from (seed, direction). */
export interface Randomization {
  /** 64 bits. The same seed on the same graph gives the same answer, bit for bit. */
  readonly seed: bigint;
  /** Largest relative change of a direction's cost, in ppm. */
  readonly spreadPpm: number;
}

/** What the kernel answers: a route query whose layers are resolved, and automatic layers as the options they stand for. */
export interface Question extends Omit<RouteQuery, 'layers'> {
  /**
   * Its layers in order, numbered as the place numbers them where the question is: by ids of the layer book in the engine,
   * by slots of the kernel in a solver. `SOURCEFREE` and `SOURCEFREE_SLOT` stand for that automatic layer.
   */
  readonly layerIds: readonly number[];
  /** The names of the same layers, for explanations. */
  readonly layerNames: readonly string[];
  readonly includeFees: boolean;
  /** In a solver: odds that its layers have learned, instead of uniform balances. They travel with the layers. */
  readonly odds?: OddsTable;
  readonly maxhops: number;
  readonly knobs?: ObjectiveKnobs;
  /**
   * Whether it is one of many that are asked together. Then searches share work (assembly/solve/path/kept-tree.ts), and
   * of several answers of the same cost it may get another one than alone.
   */
  readonly inBatch?: boolean;
  /** What a remedy may change. When absent, no remedy is looked for. */
  readonly remedies?: RemedyRules;
}

/** The members of a question, in the order in which they travel. */
export const QUESTION_MEMBERS = membersOf<Omit<Question, 'odds'>>()(
  'source',
  'destination',
  'amountMsat',
  'layerIds',
  'layerNames',
  'maxfeeMsat',
  'finalCltv',
  'maxdelay',
  'maxparts',
  'maxhops',
  'includeFees',
  'randomize',
  'knobs',
  'remedies',
  'inBatch',
);

/**
 * The fields of the record that the kernel reads (assembly/record.ts), and their types. A member of a
 * question that has the name of a field is written to it; ask.ts adds what depends on the kernel or is computed.
 */
export const QUESTION_RECORD = {
  source: 'u32',
  destination: 'u32',
  amountMsat: 'i64',
  maxfeeMsat: 'i64',
  maxPathDelay: 'u32',
  maxparts: 'u32',
  maxhops: 'u32',
  goal: 'u32',
  feeWeight: 'f64',
  riskPrice: 'f64',
  delayRate: 'f64',
  partPrice: 'f64',
  noiseSeed: 'u64',
  noiseSpread: 'f64',
  inBatch: 'flag',
} as const;

/** Members of a question that are true or false, and fields of the kernel's record of the same name. */
type FlagName = {
  [K in keyof typeof QUESTION_RECORD]: (typeof QUESTION_RECORD)[K] extends 'flag' ? K : never;
}[keyof typeof QUESTION_RECORD];

/** They are false when absent. */
export type QuestionFlags = Pick<Question, FlagName>;
