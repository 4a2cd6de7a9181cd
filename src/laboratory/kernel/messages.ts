/** The messages between the simulation and a kernel. Plain data, so that it can cross threads. */

import type { PackedChannelCell } from '../../engine/question/messages.ts';
import type { ObjectiveKnobs } from '../../engine/question/objective.ts';
import type { NodeCell } from '../../layers/cell.ts';
import type { OddsTable } from '../../layers/learned-odds.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { Plan } from '../routers/router.ts';

/** One change of the content of a kernel's layer slot. `null` clears it. */
export type SlotChange =
  | readonly [kind: 'channel', slot: number, shortChannelId: bigint, cell: PackedChannelCell | null]
  | readonly [kind: 'node', slot: number, nodeId: NodeId, cell: NodeCell | null]
  | readonly [kind: 'clear', slot: number];

/** One question, with the changes to apply before it. */
export interface KernelQuestion {
  readonly changes: readonly SlotChange[];
  readonly source: number;
  readonly destination: number;
  readonly amountMsat: bigint;
  readonly maxfeeMsat: bigint;
  readonly finalCltv: number;
  readonly maxdelay: number;
  readonly maxparts: number;
  /** Layer slots, in order of application. */
  readonly stack: readonly number[];
  /** Seed of the noise. Undefined for none. */
  readonly noise: bigint | undefined;
  readonly knobs: ObjectiveKnobs;
  /** Learned odds. Undefined: balances are uniform. */
  readonly odds?: OddsTable | undefined;
  /** For a payment to oneself: the directions by which it may return, in the order of `Circle.in`. */
  readonly comesBackBy?: readonly number[] | undefined;
}

/** One of the kernels of a run. */
export interface KernelPlace {
  /** Its index among all kernels of the run. */
  readonly index: number;
  /** Whether several senders share it. */
  readonly isShared: boolean;
  /** Room for applied layers: those of senders that pay in turns, or of payments. */
  readonly keptStacksBytes: number;
}

/** A question sent to a thread. The reply has its number. */
export interface NumberedQuestion {
  readonly number: number;
  /** The kernel to ask, created with its first question. */
  readonly kernel: KernelPlace;
  readonly question: KernelQuestion;
}

/** A thread's reply: a plan, or the message of a defect. */
export type KernelReply =
  | { readonly number: number; readonly plan: Plan }
  | { readonly number: number; readonly fault: string };
