/**
 * The shapes of random problems over which the properties run. Sizes are those that their references can
 * manage.
 */
import type { Shape } from './arbitrary.ts';

/** For exhaustive search. Everything may occur. */
export const TINY: Shape = { nodes: 5, channels: 7, baseFees: true, htlcLimits: true, tightLimits: true };

/** For exhaustive search. Nothing takes integer decisions, so that linear bounds can be reached. */
export const TINY_SMOOTH: Shape = {
  nodes: 5,
  channels: 7,
  baseFees: false,
  htlcLimits: false,
  tightLimits: false,
};

/** For linear bounds. Nothing takes integer decisions, so that the bound can be reached. */
export const SMALL_SMOOTH: Shape = {
  nodes: 8,
  channels: 18,
  baseFees: false,
  htlcLimits: false,
  tightLimits: false,
};

/** For linear bounds. Everything may occur. */
export const SMALL: Shape = { nodes: 12, channels: 20, baseFees: true, htlcLimits: true, tightLimits: true };

/** Dense graphs of many parallel ways, to check only the rules. */
export const MEDIUM: Shape = { nodes: 20, channels: 80, baseFees: true, htlcLimits: true, tightLimits: true };
