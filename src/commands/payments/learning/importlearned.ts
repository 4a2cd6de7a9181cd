/** `importlearned`: imports another node's learned odds, or compares them with this node's. */
import { FulguriteError } from '../../../model/errors.ts';
import type { OddsState } from '../../../payments/learn/odds-model.ts';
import { field, required, withDefault } from '../../../rpc/command.ts';
import { BadToken, bool, type ParamType } from '../../../rpc/param-types.ts';
import { badParameter } from '../../../rpc/params.ts';
import { defineCommand } from '../../context.ts';
import { checkedOddsState } from './odds-state.ts';

/** Maximum characters of a model. It has at most 20,000 nodes, 20,000 settle times and 20,000 directions. */
const MAX_CHARACTERS = 8_000_000;
/** Two probabilities of a node being away count as equal if they differ by at most this much. */
const SAME = 0.05;

interface Exported {
  readonly chain?: unknown;
  readonly simulated_network?: unknown;
  readonly state?: unknown;
}

const exported: ParamType<Exported> = {
  name: 'object',
  schema: { type: 'object' },
  kind: 'object',
  parse(token) {
    if (token.kind !== 'object')
      throw new BadToken('should be an object, as exportlearned returns it', token);
    if (token.raw.length > MAX_CHARACTERS) {
      throw new BadToken(`should have at most ${MAX_CHARACTERS} characters`, token);
    }
    return JSON.parse(token.raw) as Exported;
  },
};

/** Not in Core Lightning. */
export const importlearned = defineCommand({
  name: 'importlearned',
  summary: 'Import what another node learned about odds.',
  description:
    'Replaces everything that this node has learned with the result of `exportlearned`, completely or not at all. To keep what ' +
    'was learned before, export it first. With `dry_run`, only compares the two models.',
  category: 'payments',
  since: 'Fulgurite v0.2.0',
  params: {
    learned: required(exported, 'What `exportlearned` returned.'),
    dry_run: withDefault(bool, false, 'Whether to only compare the two models.'),
  },
  result: {
    imported: field('boolean', 'Whether the model was imported.'),
    attempts: field('u64', 'Number of attempts that the model was learned from.'),
    nodes: field('u32', 'Number of nodes in the model.'),
    unknown_nodes: field('u32', 'Number of these nodes that are not in the channel graph.'),
    nodes_differing: field(
      'u32',
      'Number of nodes whose probability of being away differs by more than 5 percentage points.',
    ),
    away_ppm: field('ppm', 'Share of nodes that do not respond, according to the imported model.'),
    weights_moved_ppm: field(
      'ppm',
      'Share of the weight that shifts between priors: 0 if both models give all priors the same weights.',
    ),
  },
  handler({ learned, dry_run }, { payments: { learnedOdds }, chain, isSimulated, graph }) {
    if (learnedOdds === undefined) {
      throw new FulguriteError('notSupported', 'Nothing is learned with --no-learned-odds');
    }
    if (typeof learned.chain !== 'string')
      throw badParameter('learned', 'should be an object, as exportlearned returns it');
    if (learned.chain !== chain) throw badParameter('learned', `is of a different chain than ${chain}`);
    if (learned.simulated_network !== isSimulated) {
      throw badParameter('learned', `is ${isSimulated ? 'not ' : ''}of a simulated network`);
    }
    const state = checkedOddsState(learned.state);
    if (typeof state === 'string') throw badParameter('learned', `state: ${state}`);
    const before = learnedOdds.state();
    const here = new Map(before.nodes.map(([node]) => [node, learnedOdds.awayChance(node)]));
    const other = learnedOdds.like(state);
    const differing = state.nodes.filter(
      ([node]) => Math.abs(other.awayChance(node) - (here.get(node) ?? learnedOdds.awayRate)) > SAME,
    );
    if (!dry_run) learnedOdds.replace(state);
    return {
      imported: !dry_run,
      attempts: state.observed,
      nodes: state.nodes.length,
      unknown_nodes: state.nodes.filter(([node]) => graph.nodeIndex(node) < 0).length,
      nodes_differing: differing.length,
      away_ppm: Math.round(1e6 * other.awayRate),
      weights_moved_ppm: Math.round(1e6 * movedWeight(before, state)),
    };
  },
});

/** The share of the weight that has shifted between hypotheses: half the sum of the absolute differences. */
const movedWeight = (before: OddsState, after: OddsState): number =>
  before.weights[0]!.reduce((sum, weight, k) => sum + Math.abs(weight - after.weights[0]![k]!), 0) / 2;
