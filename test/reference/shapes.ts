/** The shapes of random problems that the properties run over; sizes are what their references can manage. */
import type { Shape } from './arbitrary.ts';

/** For exhaustive search: everything may occur. */
export const TINY: Shape = { nodes: 5, channels: 7, baseFees: true, htlcLimits: true, tightLimits: true };

/** For exhaustive search: nothing that takes integer decisions, so that linear bounds can be reached. */
export const TINY_SMOOTH: Shape = {
  nodes: 5,
  channels: 7,
  baseFees: false,
  htlcLimits: false,
  tightLimits: false,
};

/** For linear bounds: nothing that takes integer decisions, so that the bound can be reached. */
export const SMALL_SMOOTH: Shape = {
  nodes: 8,
  channels: 18,
  baseFees: false,
  htlcLimits: false,
  tightLimits: false,
};

/** For linear bounds, everything may occur. */
export const SMALL: Shape = { nodes: 12, channels: 20, baseFees: true, htlcLimits: true, tightLimits: true };

/** Dense graphs of many parallel ways, for the rules alone. */
export const MEDIUM: Shape = { nodes: 20, channels: 80, baseFees: true, htlcLimits: true, tightLimits: true };
