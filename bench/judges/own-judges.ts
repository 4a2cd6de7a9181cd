/**
 * Judges with our router's knowledge: its own odds before and after their correction, and uniform balances between its
 * bounds, as used by searches before anything is learned.
 */

import type { KernelRouter } from '../../src/laboratory/routers/kernel-router.ts';
import { passingChance } from '../../src/payments/learn/balance-prior.ts';
import type { OddsJudge } from './judge.ts';

/** The router's prediction. */
export const learnedJudge = (name: string): OddsJudge => ({
  name,
  chance: ({ route }) => (route.probabilityPpm ?? 0) / 1e6,
  ended: () => undefined,
});

/** The prediction without the correction of its odds. */
export const uncorrectedJudge = (name: string, router: KernelRouter): OddsJudge => ({
  name,
  chance: ({ sender, known }) => router.oddsOf(sender).uncorrected(known),
  ended: () => undefined,
});

/** Assumes that balances are uniformly distributed between the bounds, and that nodes always answer. */
export const uniformJudge = (name: string): OddsJudge => ({
  name,
  chance: ({ known }) =>
    known.reduce((chance, hop) => chance * (hop.isOwn ? 1 : passingChance({ kind: 'uniform' }, hop)), 1),
  ended: () => undefined,
});
