/** `stop`: shuts the service down in an orderly way. */
import { defineCommand } from '../context.ts';

/** Matches Core Lightning's command, whose result is a text rather than an object. */
export const stop = defineCommand({
  name: 'stop',
  summary: 'Stop the service.',
  description:
    'Accepts no more requests, answers those in progress, removes the socket, and exits. The result is a text.',
  category: 'utility',
  params: {},
  result: {},
  handler(_params, { requestStop }) {
    requestStop();
    return 'Shutdown complete';
  },
});
