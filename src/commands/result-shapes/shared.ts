/** Shapes shared by the results of several groups of commands. */
import type { Shape } from '../../rpc/result-shape.ts';

/** For each command, the shapes of those members of its result that are lists or objects. */
export type ResultShapes = Readonly<Record<string, Readonly<Record<string, Shape>>>>;

/** A hop of a payment's route. */
export const HOP: Shape = {
  short_channel_id_dir: 'short_channel_id_dir',
  id: 'pubkey',
  amount_msat: 'msat',
  delay: 'u32',
};

/** Where and why an attempt failed, as Core Lightning reports it. */
export const ROUTING_FAILURE = {
  'erring_index?': 'u32',
  'failcode?': 'u32',
  'failcodename?': 'string',
  'erring_node?': 'pubkey',
  'erring_channel?': 'short_channel_id',
  'erring_direction?': 'u32',
  'raw_message?': 'hex',
} as const satisfies Shape;

/** The facts of an attempt that lists of attempts and of probes have in common. */
export const ATTEMPT_FACTS = {
  'failreason?': 'string',
  partid: 'u64',
  'node?': 'string',
  amount_msat: 'msat',
  amount_sent_msat: 'msat',
  probability_ppm: 'ppm',
  created_at: 'number',
  'completed_at?': 'number',
  route: [HOP],
  'failure?': ROUTING_FAILURE,
} as const satisfies Shape;

/** The known bounds of the amount that a direction can carry. */
export const KNOWN_BOUNDS = { minimum_msat: 'msat', maximum_msat: 'msat' } as const satisfies Shape;

/** An error as part of a result. */
export const ERROR = { code: 'integer', message: 'string', 'data?': 'any' } as const satisfies Shape;

/** A row of a list. Like the result itself, it is marked if the network is simulated. */
export const row = (shape: { readonly [name: string]: Shape }): Shape => ({
  ...shape,
  'simulated?': 'boolean',
});
