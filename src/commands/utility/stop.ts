/** `stop`: an orderly end of the service. */
import { defineCommand } from '../context.ts';

export const stop = defineCommand({
  name: 'stop',
  summary: 'Stop the service.',
  description:
    'Takes no more requests, answers those begun, removes the socket, and ends. The result is a text.',
  category: 'utility',
  params: {},
  result: {},
  handler(_params, { requestStop }) {
    requestStop();
    return 'Shutdown complete';
  },
});
