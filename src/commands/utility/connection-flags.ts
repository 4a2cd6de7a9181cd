/** `notifications`, `deprecations`, `batching`: settings of a connection, which are forgotten when it closes. */
import { required } from '../../rpc/command.ts';
import { bool } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';

/**
 * Matches Core Lightning's command. `src/commands/payments/books/payment-json.ts` makes the messages about a payment.
 */
export const notifications = defineCommand({
  name: 'notifications',
  summary: 'Turn notifications on this connection on or off.',
  description:
    'While notifications are enabled, commands that start on this connection may send progress and messages before ' +
    'their response: objects without id, with method `message` or `progress`, and with the id of the request in their ' +
    'params. A message about an attempt of a payment has the member `attempt`, in the form of ' +
    '`data.attempts` of errors.',
  category: 'utility',
  params: { enable: required(bool, 'Whether to send notifications.') },
  result: {},
  handler({ enable }, _context, { session }) {
    session.notifications = enable;
    return {};
  },
});

/**
 * Matches Core Lightning's command. On a new connection, deprecated commands are allowed, unless the service was
 * started with `--refuse-deprecated`.
 */
export const deprecations = defineCommand({
  name: 'deprecations',
  summary: 'Allow or refuse deprecated commands on this connection.',
  description:
    'When refused, deprecated commands behave as if they had been removed, and `help` hides them. Use this ' +
    'to test whether a client is ready for future releases.',
  category: 'utility',
  params: { enable: required(bool, 'Whether to allow deprecated commands.') },
  result: {},
  handler({ enable }, _context, { session }) {
    session.deprecations = enable;
    return {};
  },
});

/**
 * Matches Core Lightning's command. It has no effect beyond storing the flag, because the commits of all connections
 * are always grouped (`src/store/sqlite/group-committer.ts`).
 */
export const batching = defineCommand({
  name: 'batching',
  summary: 'Allow database commits of this connection to be batched.',
  description:
    'Accepted for compatibility, and has no effect: the database commits of all connections are always batched.',
  category: 'utility',
  params: { enable: required(bool, 'Whether commits may be batched.') },
  result: {},
  handler({ enable }, _context, { session }) {
    session.batching = enable;
    return {};
  },
});
