/** `listlearned`: shows what this node learned about odds. */
import type { Fade } from '../../../payments/learn/balance-hypotheses.ts';
import type { BalancePrior } from '../../../payments/learn/balance-prior.ts';
import type { Drift } from '../../../payments/learn/odds-drift.ts';
import type { SequentialTest } from '../../../payments/trials/sequential-test.ts';
import { field, optionalField, withDefault } from '../../../rpc/command.ts';
import { u32 } from '../../../rpc/param-types.ts';
import { defineCommand } from '../../context.ts';

const DEFAULT_NODES = 100;
const ppm = (share: number): number => Math.round(1e6 * share);

/** Not in Core Lightning. */
export const listlearned = defineCommand({
  name: 'listlearned',
  summary: 'Show what was learned about odds from attempts.',
  description:
    'Shows the model behind predicted probabilities (`probability_ppm` of plans and attempts): how likely each prior of balances ' +
    'is, how the product over hops is corrected, and which nodes do not respond or are slow. A predicted probability p becomes ' +
    '1 / (1 + e^-(slope · ln(p / (1 - p)) + offset)). Payments use the model when they search for routes. ' +
    'Other route queries use it only if they name the layer `auto.learned`.',
  category: 'payments',
  readOnly: true,
  since: 'Fulgurite v0.2.0',
  params: {
    nodes: withDefault(u32, DEFAULT_NODES, 'Maximum number of nodes to show in each list.'),
  },
  result: {
    enabled: field(
      'boolean',
      'False with `--no-learned-odds`. All other members except `trial` are then absent.',
    ),
    attempts: optionalField('u64', 'Number of attempts learned from.'),
    away_ppm: optionalField('ppm', 'Share of nodes that do not respond.'),
    drift: optionalField(
      'object',
      'How well predictions have held since the start, with less weight for older attempts: attempts (sum of the weights), ' +
        'stated_ppm (mean prediction), arrived_ppm (share of attempts that arrived), log_loss_before and log_loss_after the ' +
        'correction, deviation of arrived_ppm from stated_ppm (in standard deviations), and drifted (whether predictions no ' +
        'longer hold).',
    ),
    correction: optionalField('object', 'Slope and offset of the correction.'),
    priors: optionalField(
      'array',
      'Objects with prior (uniform, bimodal, onesided), scale_ppm or share_ppm of it, stale_ppm (share of directions ' +
        'whose known bounds no longer hold) or half_life (of known bounds, in seconds) and weight_ppm, the heaviest first.',
    ),
    nodes: optionalField('array', 'Objects with node_id, away_ppm and seen_at, the least reliable first.'),
    slow_nodes: optionalField(
      'array',
      'Objects with node_id, slower_by_ms (the expected time that the node adds to a payment, compared with an average ' +
        'node) and source: hold_times if nodes reported how long they held HTLCs, otherwise round_trips. The slowest first.',
    ),
    trial: optionalField(
      'object',
      'With `start --trial`: verdict (open, worse, better or alike: the trial settings compared with the usual ones), and for ' +
        'both settings the number of payments and how many of them completed.',
    ),
  },
  handler({ nodes }, { payments: { learnedOdds }, trial }) {
    const ofTrial = trial === undefined ? {} : { trial: trialJson(trial) };
    if (learnedOdds === undefined) return { enabled: false, ...ofTrial };
    const { slope, offset } = learnedOdds.state().correction;
    return {
      enabled: true,
      attempts: learnedOdds.observed,
      away_ppm: ppm(learnedOdds.awayRate),
      correction: { slope, offset },
      drift: driftJson(learnedOdds.drift),
      priors: learnedOdds.hypotheses().map(({ prior, fade, weight }) => ({
        ...priorJson(prior),
        ...fadeJson(fade),
        weight_ppm: ppm(weight),
      })),
      nodes: learnedOdds.leastReliable(nodes).map(({ node, away, seenAtS }) => ({
        node_id: node,
        away_ppm: ppm(away),
        seen_at: seenAtS,
      })),
      slow_nodes: learnedOdds.slowest(nodes).map(({ node, excessS, usesReports }) => ({
        node_id: node,
        slower_by_ms: Math.round(1000 * excessS),
        source: usesReports ? 'hold_times' : 'round_trips',
      })),
      ...ofTrial,
    };
  },
});

const trialJson = ({ verdict, counts: { usual, trial } }: SequentialTest) => ({
  verdict,
  usual_payments: usual.payments,
  usual_complete: usual.complete,
  trial_payments: trial.payments,
  trial_complete: trial.complete,
});

function priorJson(prior: BalancePrior) {
  switch (prior.kind) {
    case 'uniform':
      return { prior: prior.kind };
    case 'bimodal':
      return { prior: prior.kind, scale_ppm: ppm(prior.scale) };
    case 'onesided':
      return { prior: prior.kind, share_ppm: ppm(prior.share) };
  }
}

const fadeJson = (fade: Fade) =>
  fade.kind === 'stale' ? { stale_ppm: ppm(fade.share) } : { half_life: fade.halfLifeS };

function driftJson({ attempts, stated, arrived, lossBefore, lossAfter, deviation, hasDrifted }: Drift) {
  const ppmOf = (share: number | undefined): number | undefined => share && ppm(share);
  return {
    attempts: Math.round(attempts),
    stated_ppm: ppmOf(stated),
    arrived_ppm: ppmOf(arrived),
    log_loss_before: lossBefore,
    log_loss_after: lossAfter,
    deviation,
    drifted: hasDrifted,
  };
}
