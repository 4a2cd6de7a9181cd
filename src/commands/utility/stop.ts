/** `stop`: ends the service in an orderly way. */
import { defineCommand } from '../context.ts';

/** As Core Lightning's command, whose result is a text and not an object. */
export const stop = defineCommand({
  name: 'stop',
  summary: 'Stop the service.',
  description:
    'Takes no more requests, answers those that have begun, removes the socket, and ends. The result is a text.',
  category: 'utility',
  params: {},
  result: {},
  handler(_params, { requestStop }) {
    requestStop();
    return 'Shutdown complete';
  },
});
