/** `exportlearned`: exports what was learned about odds, for another node or for later use. */
import { FulguriteError } from '../../../model/errors.ts';
import { field } from '../../../rpc/command.ts';
import { defineCommand } from '../../context.ts';

/** Not in Core Lightning. */
export const exportlearned = defineCommand({
  name: 'exportlearned',
  summary: 'Export what was learned about odds from attempts.',
  description:
    'Returns the whole model that `listlearned` shows, for `importlearned`. It names nodes that did not respond, so it reveals ' +
    'something about whom this node pays.',
  category: 'payments',
  readOnly: true,
  since: 'Fulgurite v0.2.0',
  params: {},
  result: {
    chain: field('string', 'The chain.'),
    simulated_network: field('boolean', 'Whether the model was learned on a simulated network.'),
    exported_at: field('u64', 'UNIX time.'),
    state: field('object', 'The model, in the form that `importlearned` requires.'),
  },
  handler(_params, { payments: { learnedOdds }, chain, isSimulated }) {
    if (learnedOdds === undefined) {
      throw new FulguriteError('notSupported', 'Nothing is learned with --no-learned-odds');
    }
    return {
      chain,
      simulated_network: isSimulated,
      exported_at: Math.floor(Date.now() / 1000),
      state: learnedOdds.state(),
    };
  },
});
