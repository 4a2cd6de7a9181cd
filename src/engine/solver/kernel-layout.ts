/**
 * Where fields lie in the kernel's records: byte offsets and sizes, the bits of their flags, the numbers of statuses.
 *
 * Only the kernel declares them, in the classes of its records, and exports them as globals named RECORD_field
 * (assembly/layout.ts). The host reads them when it creates an instance, so the two sides cannot disagree, and a kernel
 * built from other sources is refused.
 */
import { QUESTION_RECORD } from '../question/question.ts';

/** The fields of the question's record. */
const QUESTION_FIELDS = Object.keys(QUESTION_RECORD) as (keyof typeof QUESTION_RECORD)[];

/** The fields that the host reads or writes itself, by record. */
const RECORDS = {
  /** Header of a graph region: pointers to the columns (assembly/graph/region.ts). */
  region: [
    'nodeIds',
    'shortChannelIds',
    'capacityMsat',
    'node1',
    'node2',
    'policyFlags',
    'htlcMinimumMsat',
    'htlcMaximumMsat',
    'feeBaseMsat',
    'feeProportionalMillionths',
    'cltvExpiryDelta',
    'nodeIdBytes',
  ],
  /** Terms and bounds of a direction, and the bits of its flags (assembly/graph/direction.ts). */
  direction: [
    'tail',
    'feeBaseMsat',
    'feeProportionalMillionths',
    'cltvExpiryDelta',
    'flags',
    'htlcMinimumMsat',
    'htlcMaximumMsat',
    'minMsat',
    'maxMsat',
    'directionIndex',
    'factor',
    'isKnown',
    'isEnabled',
  ],
  /** A layer's data about a channel, and about each of its directions (assembly/overlay/cells.ts). */
  channelCell: ['created'],
  directionCell: ['update', 'bounds', 'bias', 'held'],
  update: [
    'mask',
    'enabled',
    'htlcMinimumMsat',
    'htlcMaximumMsat',
    'feeBaseMsat',
    'feeProportionalMillionths',
    'cltvExpiryDelta',
    'hasEnabled',
    'hasHtlcMinimum',
    'hasHtlcMaximum',
    'hasFeeBase',
    'hasFeeProportional',
    'hasCltvExpiryDelta',
  ],
  boundsStep: ['minShift', 'minLow', 'minHigh', 'maxShift', 'maxLow', 'maxHigh', 'next'],
  held: ['reservedMsat', 'extraHtlcMsat'],
  /** Part of an answer. Its hops begin at `hops`, and each takes `hop.bytes` (assembly/solve/flow/parts.ts). */
  part: ['amountMsat', 'hopCount', 'hops', 'maxHops'],
  hop: ['arc', 'bytes'],
  /** Sizes of the table of learned odds (assembly/solve/question/odds.ts). */
  odds: ['cells', 'classes', 'levels'],
  /** Maximum number of layers in a stack (assembly/overlay/stack.ts). */
  stack: ['limit'],
  /** The question and its verdict (assembly/record.ts). */
  question: QUESTION_FIELDS,
  verdict: [
    'deliverableMsat',
    'feeMsat',
    'cost',
    'leastCost',
    'dearSteps',
    'pathDelay',
    'parts',
    'limitsMet',
    'isProven',
    'isFeeLeast',
    'wasCut',
  ],
  /** What `solve` returns, and the bits of `limitsMet` (assembly/solve/question/question.ts). */
  status: [
    'ok',
    'noPath',
    'noCapacity',
    'tooDear',
    'tooManyParts',
    'cancelled',
    'undecided',
    'perhapsTooDear',
  ],
  met: ['delay'],
  /** The goal of a question (assembly/solve/question/question.ts). */
  goal: ['best', 'first', 'any', 'anyFee'],
  /** Numbers that the host has as constants too, because it needs them without an instance. */
  number: ['none', 'sourceFree', 'baseBeyond'],
} as const;

type Records = typeof RECORDS;

/** The goal of a question to the kernel. */
export type SolveGoal = Records['goal'][number];

/** The result of a question to the kernel. */
export type SolveStatus = Records['status'][number];

/** Each field's byte offset in its record, or the value of each bit and number. */
export type KernelLayout = {
  readonly [R in keyof Records]: Readonly<Record<Records[R][number], number>>;
};

/** Names of the exports. */
type LayoutName = { [R in keyof Records]: `${R}_${Records[R][number]}` }[keyof Records];

/** The globals of an instance that declare its layout. */
export type LayoutExports = Readonly<Record<LayoutName, { readonly value: number }>>;

/** The index that means "none", for nodes, channels and arcs. */
export const NONE = 0xffffffff;
/** Represents `auto.sourcefree` in a stack of layer slots (assembly/overlay/stack.ts). */
export const SOURCEFREE_SLOT = 0xffffffff;
/** Represents a base fee that does not fit 32 bits. The kernel disables a direction with this base fee. */
export const BASE_BEYOND = 0xffffffff;

/**
 * Reads the layout that an instance declares.
 * @throws Error when a field is missing, or a number differs: the kernel was built from other sources.
 */
export function kernelLayout(exports: LayoutExports): KernelLayout {
  const read = (name: string): number => {
    const value: unknown = exports[name as LayoutName]?.value;
    if (typeof value !== 'number')
      throw new Error(`the kernel does not declare ${name}: build the kernel again`);
    return value >>> 0;
  };
  const layout = Object.fromEntries(
    Object.entries(RECORDS).map(([record, fields]) => [
      record,
      Object.fromEntries(fields.map((field) => [field, read(`${record}_${field}`)])),
    ]),
  ) as KernelLayout;
  const { none, sourceFree, baseBeyond } = layout.number;
  if (none !== NONE || sourceFree !== SOURCEFREE_SLOT || baseBeyond !== BASE_BEYOND)
    throw new Error('the kernel and its host use different numbers: build the kernel again');
  return layout;
}
