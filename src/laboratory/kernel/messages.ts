/** The messages between the simulation and a kernel. They are plain data, which can be sent to other threads. */

import type { PackedChannelCell } from '../../engine/question/messages.ts';
import type { ObjectiveKnobs } from '../../engine/question/objective.ts';
import type { NodeCell } from '../../layers/cell.ts';
import type { OddsTable } from '../../layers/learned-odds.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { Plan } from '../routers/router.ts';

/**
 * A change of the content of a layer slot of a kernel. A `null` cell removes the entry, a `null` table means the odds
 * of an untrained model, and `clear` removes everything.
 */
export type SlotChange =
  | readonly [kind: 'channel', slot: number, shortChannelId: bigint, cell: PackedChannelCell | null]
  | readonly [kind: 'node', slot: number, nodeId: NodeId, cell: NodeCell | null]
  | readonly [kind: 'odds', slot: number, table: OddsTable | null]
  | readonly [kind: 'clear', slot: number];

/** A question, with the changes to apply before it is answered. */
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
  /** Seed of the noise. Undefined for a search without noise. */
  readonly noise: bigint | undefined;
  readonly knobs: ObjectiveKnobs;
  /** The slot with the learned odds. Undefined if the search assumes uniformly distributed balances. */
  readonly oddsSlot?: number | undefined;
  /** For a payment to oneself: the directions over which it may return, in the order of `Circle.in`. */
  readonly comesBackBy?: readonly number[] | undefined;
}

/** Identifies a kernel of a run. */
export interface KernelPlace {
  /** Index among all kernels of the run. */
  readonly index: number;
  /** Whether several senders share the kernel. */
  readonly isShared: boolean;
  /**
   * Maximum bytes of applied layers that the kernel keeps: those of several senders if it is shared, otherwise those of
   * the payments of its only sender.
   */
  readonly keptStacksBytes: number;
}

/** A question sent to a thread. The reply has the same number. */
export interface NumberedQuestion {
  readonly number: number;
  /** The kernel to ask. It is created when its first question arrives. */
  readonly kernel: KernelPlace;
  readonly question: KernelQuestion;
}

/** A thread's reply: a plan, or the message of an error. */
export type KernelReply =
  | { readonly number: number; readonly plan: Plan }
  | { readonly number: number; readonly fault: string };
