/** The error when a route search itself failed. */
import { errorOfFault, type SearchFault } from '../../engine/question/no-route.ts';
import type { ClientError } from '../client-error.ts';
import { TIMED_OUT } from './no-route-words.ts';

/** The error of a failed search. It does not say whether there is a route. */
export function searchFaultInWords(fault: SearchFault): ClientError {
  const error = errorOfFault(fault);
  switch (fault.kind) {
    case 'closed':
      return { error, message: 'the route engine is closed' };
    case 'late':
      return { error, message: TIMED_OUT };
    case 'workerDied':
      return { error, message: `the worker died: ${fault.cause}` };
    case 'noGraph':
      return { error, message: 'no solver has loaded the current graph yet' };
    case 'defect':
      return { error, message: fault.cause };
    case 'queueFull': {
      const { lane, size, waiting, waitingOfClient } = fault;
      const what = lane === 'payment' ? 'searches of payments' : 'route queries';
      return {
        error,
        message:
          `${size} ${what} are queued, ${waitingOfClient} of them by this client: ` +
          'retry later, or start with a larger --queue-size',
        data: { queue_size: size, waiting, waiting_of_client: waitingOfClient },
      };
    }
  }
}
