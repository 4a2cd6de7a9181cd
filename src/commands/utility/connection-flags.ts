/** `notifications`, `deprecations`, `batching`: settings of one connection, forgotten when it ends. */
import { required } from '../../rpc/command.ts';
import { bool } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';

/**
 * As Core Lightning's command. Which messages a payment sends is told in
 * `src/commands/payments/payment-json.ts`.
 */
export const notifications = defineCommand({
  name: 'notifications',
  summary: 'Allow or stop notifications on this connection.',
  description:
    'Once enabled, commands that start afterwards may send progress and messages before their answer. ' +
    'These are objects without id. Their method is `message` or `progress`, and their params have the id ' +
    'of the request. A message about an attempt of a payment has the member `attempt`, in the form of ' +
    '`data.attempts` of errors.',
  category: 'utility',
  params: { enable: required(bool, 'Whether notifications are wanted.') },
  result: {},
  handler({ enable }, _context, { session }) {
    session.notifications = enable;
    return {};
  },
});

/**
 * As Core Lightning's command. A connection begins with deprecated commands allowed, unless the server was
 * started without them.
 */
export const deprecations = defineCommand({
  name: 'deprecations',
  summary: 'Allow or refuse deprecated commands on this connection.',
  description:
    'Refused commands answer as if they were gone already, and `help` hides them. This tests whether a ' +
    'client is ready for the next releases.',
  category: 'utility',
  params: { enable: required(bool, 'Whether deprecated commands are served.') },
  result: {},
  handler({ enable }, _context, { session }) {
    session.deprecations = enable;
    return {};
  },
});

/**
 * As Core Lightning's command. Only the flag is kept: commits of all connections are gathered anyway, by
 * turns (`src/store/group-committer.ts`).
 */
export const batching = defineCommand({
  name: 'batching',
  summary: 'Allow database commits of this connection to be gathered.',
  description:
    'Tells that many requests follow, and that speed counts more than having each one on disk when it is ' +
    'answered. The protocol does not change.',
  category: 'utility',
  params: { enable: required(bool, 'Whether commits may be gathered.') },
  result: {},
  handler({ enable }, _context, { session }) {
    session.batching = enable;
    return {};
  },
});
