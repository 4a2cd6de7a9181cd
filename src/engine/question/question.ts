/**
 * The two forms of a question: `RouteQuery` comes from a command, `Question` is answered by the kernel. The engine
 * converts one to the other once, when the request arrives. The question then stays unchanged: it is sent as a list of
 * its members (packed.ts), and finally written as the kernel's record.
 *
 * To add a member, add a line to one of the interfaces below, a line to `QUESTION_MEMBERS`, and, if the kernel needs
 * the member, a line to `QUESTION_RECORD`, whose fields are declared in assembly/record.ts. The stage of the kernel
 * that reads the member is then the third and last file to change. test/engine/question/small-changes.test.ts adds a
 * member in this way.
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
  /** Maximum fees, inclusive: the sum of the amounts that enter the routes, minus the amount that arrives. */
  readonly maxfeeMsat: Msat;
  readonly finalCltv: number;
  /**
   * Maximum total delay of each route in blocks, inclusive: the sum of its directions' delays and the recipient's final
   * delta (`finalCltv`). `maxdelay` has this meaning everywhere.
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
  /** Maximum relative change of a direction's cost, in ppm. */
  readonly spreadPpm: number;
}

/** The kernel's question: a route query with resolved layers, and automatic layers converted to options. */
export interface Question extends Omit<RouteQuery, 'layers'> {
  /**
   * The layers in order: as ids of the layer book in the engine, as slots of the kernel in a solver. `SOURCEFREE` and
   * `SOURCEFREE_SLOT` represent `auto.sourcefree`.
   */
  readonly layerIds: readonly number[];
  /** The names of the same layers, for explanations. */
  readonly layerNames: readonly string[];
  readonly includeFees: boolean;
  /** In a solver: learned odds of its layers, instead of uniform balances. They are sent with the layers. */
  readonly odds?: OddsTable;
  readonly maxhops: number;
  readonly knobs?: ObjectiveKnobs;
  /**
   * Whether the question is one of a batch whose searches share work (assembly/solve/path/kept-tree.ts). Among several
   * answers of equal cost, a batch may get a different one than a single request.
   */
  readonly inBatch?: boolean;
  /** What a remedy may change. If absent, no remedy is searched for. */
  readonly remedies?: RemedyRules;
}

/** The members of a question, in sending order. */
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
 * The fields of the kernel's record (assembly/record.ts), and their types. A member of a question is written to the
 * field of the same name; ask.ts adds what depends on the kernel or is computed.
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

/** Boolean members of a question, which have fields of the same name in the kernel's record. */
type FlagName = {
  [K in keyof typeof QUESTION_RECORD]: (typeof QUESTION_RECORD)[K] extends 'flag' ? K : never;
}[keyof typeof QUESTION_RECORD];

/** The flags of a question. A flag is false when absent. */
export type QuestionFlags = Pick<Question, FlagName>;
