/** The shapes of random problems for the properties. They are small enough for the references. */
import type { Shape } from './arbitrary.ts';

/** For exhaustive search, with all features. */
export const TINY: Shape = { nodes: 5, channels: 7, baseFees: true, htlcLimits: true, tightLimits: true };

/** For exhaustive search, without integer decisions, so that linear bounds can be reached. */
export const TINY_SMOOTH: Shape = {
  nodes: 5,
  channels: 7,
  baseFees: false,
  htlcLimits: false,
  tightLimits: false,
};

/** For linear bounds, without integer decisions, so that the bound can be reached. */
export const SMALL_SMOOTH: Shape = {
  nodes: 8,
  channels: 18,
  baseFees: false,
  htlcLimits: false,
  tightLimits: false,
};

/** For linear bounds, with all features. */
export const SMALL: Shape = { nodes: 12, channels: 20, baseFees: true, htlcLimits: true, tightLimits: true };

/** Dense graphs with many parallel paths, for checking only the rules. */
export const MEDIUM: Shape = { nodes: 20, channels: 80, baseFees: true, htlcLimits: true, tightLimits: true };
