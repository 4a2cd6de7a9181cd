/** `stop`: ends the service in an orderly way. */
import { defineCommand } from '../context.ts';

/** As Core Lightning's command, whose result is a text and not an object. */
export const stop = defineCommand({
  name: 'stop',
  summary: 'Stop the service.',
  description:
    'Accepts no more requests, finishes those in progress, removes the socket, and exits. The result is a text.',
  category: 'utility',
  params: {},
  result: {},
  handler(_params, { requestStop }) {
    requestStop();
    return 'Shutdown complete';
  },
});
